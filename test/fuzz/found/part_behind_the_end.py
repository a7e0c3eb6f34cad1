# views: what was written to no element was the argument itself, which another argument got too late
import numpy as np


def compute(a, d, b):
    a[2:] = b
    d[:] = a
    a[:] = 0


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["b", "float64", ["m", "m"], ""],
    ],
    "calls": [
        {"n": 1, "m": 1, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 2, "m": 1, "seed": 2, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 1, "seed": 3, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
