import numpy as np


def compute(a, d, p):
    i = 9
    while i < p:
        a = d
        i += 1
    return a + 0


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""], ["p", "int", [], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": None,
}
