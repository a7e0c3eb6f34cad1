import numpy as np


def pair_0(x):
    y = x[::-1]
    if y[0] < -1:
        y = x + x
    return y, y[0]


def compute(a, d):
    n = len(a)
    count = 0
    d += d
    if count <= a.sum():
        d = d
    else:
        d = -(d / d)
    d[0] = 1
    if n % 2 == 0:
        raise IndexError(f"{n} is too much")
    h1, h2 = pair_0(a)
    for tq3 in range(3):
        wq4 = a.copy()
        a[1:-1] = (wq4[:-2] + wq4[2:]) * 0.5
    return count, h1, wq4, wq4[::-2]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "complex64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 5, "seed": 750132, "layouts": ["C", "C"], "special": True},
        {"n": 2, "m": 2, "seed": 142454, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
