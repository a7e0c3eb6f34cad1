import numpy as np


def compute(k):
    return np.where(k, 1, -1) * 2


SPEC = {
    "arguments": [["k", "bool", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
