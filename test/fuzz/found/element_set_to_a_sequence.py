def compute(a, d):
    if d[0] > 0:
        a[1] = d
    return a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 3, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 2, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 2, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
