import numpy as np


def compute(a, p):
    s = 0.5
    for i in range(3):
        if p > 5:
            break
        s -= a[i]
    return s


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["p", "int", [], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False, "numbers": {"p": 9}},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False, "numbers": {"p": 3}},
    ],
    "dynamic": None,
}
