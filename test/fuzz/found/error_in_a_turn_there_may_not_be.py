def compute(a, c):
    k = 0
    while a[0] > 0:
        a[1] += 1
        c |= a
    while k < len(a) and a[k] < -5:
        k += 1
        c[:0].min()
    return k


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["c", "int64", ["n"], "index"],
    ],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
