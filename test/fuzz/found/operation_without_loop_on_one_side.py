def compute(a, k):
    f = 1.5
    if a[0] > 0:
        f = 1
    if a[1] > 0:
        k = k ^ f
    return k


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["k", "bool", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
