def compute(a, c):
    c[c] += 9
    a[c] = 0


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [{"n": 3, "m": 3, "seed": 2, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
