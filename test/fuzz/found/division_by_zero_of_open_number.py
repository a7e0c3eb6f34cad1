def compute(d):
    q = 3
    if d[0] > 1:
        q = d[1]
    s = min(1, d[2]) / (q - 3)
    r = q // (q - 3)
    return s, r, q % (q - 3)


SPEC = {
    "arguments": [["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 3, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 3, "m": 7, "seed": 2, "layouts": ["C"], "special": False},
        {"n": 3, "m": 7, "seed": 3, "layouts": ["C"], "special": False},
        {"n": 3, "m": 7, "seed": 4, "layouts": ["C"], "special": False},
        {"n": 3, "m": 7, "seed": 5, "layouts": ["C"], "special": False},
    ],
    "dynamic": None,
}
