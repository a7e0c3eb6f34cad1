import numpy as np


def compute(a):
    for x in a:
        if x > 2:
            break
    return x


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
