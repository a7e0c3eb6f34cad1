# views: which object an array was, a loop had numbered by its turns, and another loop asked
import numpy as np


def compute(d, b):
    t = b.copy()
    for i in range(2):
        t, b = b, t
    for x in d:
        b = b[::-1]
    return b


SPEC = {
    "arguments": [["d", "float64", ["n"], ""], ["b", "float64", ["n", "m"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 1, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 0, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
