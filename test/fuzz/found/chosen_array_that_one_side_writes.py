import numpy as np


def compute(a, e):
    w = a
    if w[0] < 0.5:
        w = w.copy()
    if a[0] > 0:
        a -= e
    else:
        w = w[:]
    w[0] -= 1
    return w


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["e", "float64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
