import numpy as np


def compute(a):
    for i in range(3):
        a[i] = i
    if a[0] < 5:
        a -= 1


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
