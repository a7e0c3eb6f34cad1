import numpy as np


def compute(a):
    if a[0] > 100:
        a[1] = 2


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 1, "m": 1, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
