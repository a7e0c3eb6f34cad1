# A view that some turn has made, by two names, behind a loop that may have no turn.
import numpy as np


def compute(a, d, b):
    n = a
    for x2 in b:
        if d:
            return n
        else:
            b = b[:]
        w5 = b
    return (b, w5)


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "int64", ["n"], ""],
        ["b", "float64", ["m", "n"], ""],
    ],
    "calls": [{"n": 1, "m": 2, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": None,
}
