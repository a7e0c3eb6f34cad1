import numpy as np


def compute(a):
    work = a.copy()
    v = work
    i = 0
    while i < len(a):
        work[i] = 9
        v = v * 2
        i += 1
    return v


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
