import numpy as np


def compute(a, d, k):
    a[1] -= 1
    if k[0] > 0:
        a[0] = 1
    else:
        a = d
    return a


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["k", "float64", ["n"], ""],
    ],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": None,
}
