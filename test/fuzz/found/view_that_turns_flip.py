# loops: the view that an odd number of turns has flipped was a copy in C order
import numpy as np


def compute(a, d):
    w = a - 1
    for x, y in zip(d, a):
        w = w[::-1]
        a += 1
    return a, w[:-2]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 5, "seed": 171373, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 123150, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
