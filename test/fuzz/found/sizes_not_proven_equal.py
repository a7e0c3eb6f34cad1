import numpy as np


def compute(a, d):
    n, i = len(a), 0
    while i < n:
        a[:i] = d[n - i :]
        i += 1


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
