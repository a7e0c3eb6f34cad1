import numpy as np


def compute(a, b, c):
    total = 0.0
    if a[0] > -1e9:
        total = b[c[0], 1]
    return total + np.sum(a)


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["b", "float64", ["n", "n"], ""],
        ["c", "int64", ["n"], "index"],
    ],
    "calls": [
        {"n": 1, "m": 1, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 3, "m": 1, "seed": 2, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
