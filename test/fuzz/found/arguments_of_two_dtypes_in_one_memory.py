import numpy as np


def compute(a, e):
    e[1:] += e[:-1]
    a[0] = a[1] * 2
    return a, e, e[::2] + 1


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["e", "int64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {
            "n": 7,
            "m": 7,
            "seed": 2,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["e", "a", "bytes"]],
        },
    ],
    "dynamic": None,
}
