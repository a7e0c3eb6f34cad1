import numpy as np


def compute(a, c):
    if a[0] > 0:
        return np.repeat(a, c[1:]).sum()
    return a.sum()


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
