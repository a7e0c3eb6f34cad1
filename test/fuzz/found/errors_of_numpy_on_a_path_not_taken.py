def compute(a, c):
    if a[0] > 2:
        a[1] += 1
        c[:] *= a
    elif a[0] > 1:
        a[:] = a[1:]
    return c + a[:1] if a[0] > -99 else c + a[1:]


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["c", "int64", ["n"], "index"],
    ],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 5, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
