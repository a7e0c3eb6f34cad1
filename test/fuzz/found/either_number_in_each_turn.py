def compute(a, d):
    n = len(a)
    s = 0.5
    for i in range(n):
        x = a[i] if d[i] > 0 else n
        d[i] = x // max(x, n)
        y = s if d[i] > 1 else i
        a[i] += y // 2
    return a, d


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 33, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "reversed"], "special": False},
    ],
    "dynamic": None,
}
