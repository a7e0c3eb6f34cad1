import numpy as np


def compute(b):
    x = y = b
    for i in range(3):
        y = x
        if b[0, 0] > i:
            x = x + 1
    y[0] = 100
    return x, y


SPEC = {
    "arguments": [["b", "float64", ["m", "n"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 0, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 2, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 3, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 4, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 5, "layouts": ["C"], "special": False},
    ],
    "dynamic": None,
}
