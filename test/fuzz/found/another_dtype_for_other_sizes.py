# mixed: a name of two dtypes was a number for the turns of a loop, by what other sizes had told
import numpy as np


def compute(a, b, e):
    n = len(a)
    m = b.shape[1]
    for i in range(3):
        if m == n:
            pass
        else:
            b = b[:] != i
    e[0] = 0


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["b", "float64", ["n", "m"], ""],
        ["e", "float64", ["n"], ""],
    ],
    "calls": [
        {"n": 1, "m": 2, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 2, "m": 5, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 4, "m": 4, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
