import numpy as np


def compute(d, c, b):
    n = len(d)
    for i in range(0, n, 2):
        if n > 2:
            d[i:] = c[: n - i]
            b[-1] /= np.sign(b[0])


SPEC = {
    "arguments": [
        ["d", "int8", ["n"], ""],
        ["c", "float64", ["n"], ""],
        ["b", "float64", ["m", "n"], ""],
    ],
    "calls": [{"n": 7, "m": 5, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": True,
}
