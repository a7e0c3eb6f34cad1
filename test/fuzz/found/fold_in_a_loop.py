# An operation of two elements folds to a constant inside of the loop that loads them; what is computed before the loop used it.
import numpy as np


def compute(a, d, b):
    for _, x in enumerate(d):
        pass
    a = 0.5
    a += (d ^ d) - x
    v = b - a.all()
    for i in range(1, v.shape[0]):
        for k in range(1, v.shape[1]):
            v[k] = 0
    return np.floor(v)


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "int64", ["n"], ""],
        ["b", "float64", ["m", "n"], ""],
    ],
    "calls": [
        {"n": 2, "m": 7, "seed": 445514, "layouts": ["C", "C", "C"], "special": False},
        {"n": 33, "m": 5, "seed": 352796, "layouts": ["C", "C", "reversed"], "special": False},
    ],
    "dynamic": None,
}
