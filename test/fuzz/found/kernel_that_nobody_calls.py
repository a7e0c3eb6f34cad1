import numpy as np


def compute(a, d, k):
    n = len(a)
    for i in range(1, n):
        k, d = d, k
        for j in range(n, 1, -1):
            a[j:] += k
        v = d
    return v


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["k", "int64", ["n"], ""],
    ],
    "calls": [
        {"n": 7, "m": 2, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 33, "m": 2, "seed": 2, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
