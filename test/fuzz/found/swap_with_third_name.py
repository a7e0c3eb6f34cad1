import numpy as np


def compute(a, d):
    x, y = a.copy(), d.copy()
    z = x
    for i in range(3):
        z[0] += 1
        x, y = y, x
    return x, y


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
