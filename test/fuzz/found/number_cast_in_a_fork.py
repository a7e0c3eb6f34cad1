import numpy as np


def compute(a):
    n = 1
    w1 = a
    if w1:
        for x5 in a:
            l6 = (w1, w1)
            l6[1][0] = n // max(x5, n)
            a = np.isnan(a)
    eq12 = a[0]
    return eq12


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 1, "m": 1, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
