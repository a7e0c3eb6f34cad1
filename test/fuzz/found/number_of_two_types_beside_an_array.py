import numpy as np


def compute(a, d):
    return max(abs(d[0]), (3 if a[1] == -0.5 else 0)) == a / 2


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float32", ["n"], ""]],
    "calls": [
        {"n": 33, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 33, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 33, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
