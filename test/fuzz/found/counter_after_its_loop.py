import numpy as np


def compute(a, d):
    n = len(a)
    for i in range(0, n, 1):
        pass
    d, a = a + 0, d
    a = d
    if i:
        a = a.copy()
    return a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 3, "seed": 1, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
