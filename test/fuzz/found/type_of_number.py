import numpy as np


def compute(a):
    s = 0
    if a[0] > 100:
        s = 0.5
    return s


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
