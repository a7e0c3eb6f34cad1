import numpy as np


def key(x):
    if x.max() > 1:
        return x
    return x > 0


def compute(a):
    return np.argsort(key(a), kind="stable")


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
