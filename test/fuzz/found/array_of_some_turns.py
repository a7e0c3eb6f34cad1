def compute(a, d):
    n = len(a)
    for i in range(n - 2, 0, -1):
        if a[i] > 2:
            k = 0
            while k < 3:
                k += 1
                if a[0] > k:
                    continue
        else:
            w = d
            if w[0] < -1:
                w = w.copy()
            w += 1
    return a, d


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
