def compute(a, b, e):
    return b - min(a.any(), 2), max(e[0], 0.25) + e


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["b", "complex64", ["n"], ""],
        ["e", "int64", ["n"], ""],
    ],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": None,
}
