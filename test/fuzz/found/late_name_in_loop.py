import numpy as np


def compute(d):
    w = np.zeros(1)
    for x in d:
        if d[0] if w else 1:
            v = w
        u = v
    return x


SPEC = {
    "arguments": [["d", "float64", ["n"], ""]],
    "calls": [{"n": 1, "m": 1, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
