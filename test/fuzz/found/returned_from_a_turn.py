import numpy as np


def compute(a, d, b, p):
    for x2, x2y in zip(d, a):
        wq3 = np.ones(b.shape[1])
        if p:
            return d
        d = wq3


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["b", "float64", ["n", "m"], ""],
        ["p", "float", [], ""],
    ],
    "calls": [{"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C", "C", "C"], "special": False}],
    "dynamic": None,
}
