import numpy as np


def compute(a, d):
    if d[0] < 100:
        a, d = d, a
    return a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
