import numpy as np


def compute(b):
    np.fill_diagonal(b, b[0, 0] + 7)
    c = b[None] + 1
    return np.diagonal(b), np.diagonal(c, 0, 1, 2), b.trace(), np.einsum("ii->i", b), np.diag(b)


SPEC = {
    "arguments": [["b", "float64", ["n", "n"], ""]],
    "calls": [
        {"n": 1, "m": 1, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 2, "m": 2, "seed": 2, "layouts": ["F"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["sliced"], "special": False},
    ],
    "dynamic": None,
}
