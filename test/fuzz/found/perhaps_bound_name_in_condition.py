import numpy as np


def compute(a):
    if a[0] > 0:
        w = a * 2
    i = 0
    while i < 5 and (w[i] if a[1] > 0 else 7) > 0.5:
        i += 1
    return i


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C"], "special": False},
    ],
    "dynamic": None,
}
