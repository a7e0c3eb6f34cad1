import numpy as np


def compute(a, e):
    e[0] = a[0] * np.nan


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["e", "int64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
