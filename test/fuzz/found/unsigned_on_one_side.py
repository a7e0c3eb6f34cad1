import numpy as np


def compute(e, a):
    i = -1
    if a[0] > 100:
        i = e[0]
    return i * 2.0


SPEC = {
    "arguments": [["e", "uint32", ["n"], ""], ["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
