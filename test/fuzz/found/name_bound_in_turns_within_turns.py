import numpy as np


def compute(a, b):
    for x in b:
        i = 0
        while i < 5 and a[0] > 0.5:
            i += 1
            k = 0
            while k < 3:
                k += 1
                b = b - 1
    return b, x


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["b", "float64", ["n", "n"], ""]],
    "calls": [
        {"n": 3, "m": 3, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 3, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 3, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
