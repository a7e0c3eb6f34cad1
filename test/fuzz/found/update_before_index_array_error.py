def compute(a, c):
    c += 3
    a[:] = a[c]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
