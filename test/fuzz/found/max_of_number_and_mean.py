def compute(d):
    return max(9, d.mean()), min(True, d[0])


SPEC = {
    "arguments": [["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
