import numpy as np


def compute(b):
    for _ in b:
        b = b[::-1]
        w = b
    return b, w


SPEC = {
    "arguments": [["b", "float64", ["m", "n"], ""]],
    "calls": [
        {"n": 1, "m": 1, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 1, "m": 2, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 1, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
    ],
    "dynamic": None,
}
