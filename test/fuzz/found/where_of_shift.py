import numpy as np


def compute(k, e):
    return np.where(k, 1, 1 >> e)


SPEC = {
    "arguments": [["k", "bool", ["n"], ""], ["e", "int64", ["n"], ""]],
    "calls": [{"n": 33, "m": 33, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
