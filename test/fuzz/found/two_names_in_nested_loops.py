def compute(a, d):
    n = len(a)
    for x in d:
        for i in range(3):
            d = d if (a > 1).any() else a
            for k in reversed(range(0, n, 2)):
                a -= a.mean()
                a = a if d[k] > 0 else d
                v = d + x
        a[n - 2], a[n - 1] = a[n - 1], a[n - 2]
        w = a
    return a, d, w, v


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
