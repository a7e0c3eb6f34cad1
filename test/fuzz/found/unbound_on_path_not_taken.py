import numpy as np


def compute(a):
    if a[0] < 100:
        v = a * 2
    else:
        v[0] = 1
    return v


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
