import numpy as np


def compute(a, d):
    for i in range(2, len(a)):
        a = d
    return a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 5, "m": 5, "seed": 1, "layouts": ["C", "C"], "special": False, "numbers": {"k": 0}},
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": True,
}
