import numpy as np


def compute(a, d):
    x, best = d, d
    for i in range(len(a)):
        if d[0] >= a[i]:
            x = np.ones(len(d))
        y = d * a[i]
        if y[0] > best[0]:
            best = y
    best[1] = 100
    return x, best


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 2, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 5, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
