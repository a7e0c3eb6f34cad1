import numpy as np


def compute(b, c):
    return b[c[0]]


SPEC = {
    "arguments": [["b", "float64", ["n", "n"], ""], ["c", "int64", ["n"], ""]],
    "calls": [{"n": 12, "m": 12, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
