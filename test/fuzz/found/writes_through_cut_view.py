import numpy as np


def compute(a):
    for i in range(1, len(a)):
        x = a[i:]
        while len(x) > 2:
            x = x[1:]
            x[0] += 1


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
