import numpy as np


def compute(k):
    np.copyto(k, 1)


SPEC = {
    "arguments": [["k", "bool", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
