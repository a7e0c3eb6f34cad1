import numpy as np


def compute(a):
    v = a
    for i in range(len(a)):
        a[i] = 1
        v = v + 1
    return v


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
