import numpy as np


def compute(a, d, e):
    n = len(a)
    for _ in d:
        w = a
        if w[0] > 0:
            w = w.copy()
        w += 1
        for i in range(n):
            d[i - 1] -= d[2:].argmin()
            if w[:i].sum() > 5:
                break
            e = w
        w[:, None] = np.zeros((n, 1))
    return d, e


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["e", "int32", ["n"], ""],
    ],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
