import numpy as np


def compute(a, d):
    n = len(a)
    for i in range(n):
        w = [d, a]
        d = w[-1]
        d[: n - 1 - i], d[i + 1 :] = d[i + 1 :], d[: n - 1 - i]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 90, "m": 90, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
