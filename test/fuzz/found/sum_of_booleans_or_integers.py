import numpy as np


def compute(a):
    s = max(a.all(), 0)
    t = s + s
    return t, t * 2, t + 1.5, t - a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 33, "m": 33, "seed": 1, "layouts": ["C"], "special": True},
    ],
    "dynamic": None,
}
