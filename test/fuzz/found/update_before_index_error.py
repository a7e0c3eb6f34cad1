import numpy as np


def compute(a, d):
    a += 1
    for i in range(9):
        d[i] += i


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
