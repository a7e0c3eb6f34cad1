import numpy as np


def compute(a, u):
    for i in range(1, len(a)):
        if u == u:
            break
    return i


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["u", "float", [], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
