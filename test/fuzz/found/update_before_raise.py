import numpy as np


def compute(a):
    a += 1
    if a[0] > -100:
        raise ValueError("x")


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
