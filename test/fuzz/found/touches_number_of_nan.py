# A float that was no number became an integer that nobody needed.
import numpy as np


def compute(a, b):
    n = len(a)
    s = max(np.log(a[0]), n) - (b.any() ^ n)
    return s


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["b", "float64", ["m", "n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
