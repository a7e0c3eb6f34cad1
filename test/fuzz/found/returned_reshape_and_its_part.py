import numpy as np


def compute(a, b):
    m = b.shape[0]
    w4 = b.reshape(-1)
    return w4, a, b, w4[: m * len(a) // 2]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["b", "float64", ["m", "n"], ""]],
    "calls": [
        {"n": 7, "m": 1, "seed": 886476, "layouts": ["reversed", "sliced"], "special": False},
        {"n": 7, "m": 5, "seed": 753031, "layouts": ["C", "sliced"], "special": False},
        {"n": 1, "m": 5, "seed": 440059, "layouts": ["C", "reversed"], "special": False},
    ],
    "dynamic": True,
}
