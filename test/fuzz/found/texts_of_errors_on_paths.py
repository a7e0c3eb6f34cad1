import numpy as np


def compute(a, c):
    if c[0] > 0:
        a += c[:-1]
    elif c[0] < -1:
        return a.reshape(2, 2)
    return np.concatenate((a, c)) if c[1] > -9 else np.take(a, c, axis=2)


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [
        {"n": 3, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 2, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 2, "seed": 3, "layouts": ["C", "C"], "special": False},
        {"n": 3, "m": 2, "seed": 4, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
