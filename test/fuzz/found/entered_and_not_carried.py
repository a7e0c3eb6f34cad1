# A loop whose names change places, and keep their places where sizes are equal: a number of the loop's head that isn't handed on.
import numpy as np


def compute(a, b, p):
    n = len(a)
    m = b.shape[0]
    count = 0
    i1 = 0
    while i1 < 5 and count >= b.min():
        i1 += 1
        if m == n:
            v2 = b
        else:
            v2 = b - b / b.copy()
        v2, b = (b, v2)
        if n < count or (b > 0).any():
            b[...] = count - n
            v2[::2] = b[::-2]


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["b", "uint32", ["m", "n"], ""],
        ["p", "float", [], ""],
    ],
    "calls": [
        {"n": 2, "m": 7, "seed": 840548, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 5, "seed": 741237, "layouts": ["C", "C", "C"], "special": False},
        {"n": 1, "m": 1, "seed": 567802, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 999943, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
