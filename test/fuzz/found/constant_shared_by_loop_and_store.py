import numpy as np


def compute(k):
    for x in k:
        break
    k[1] = True


SPEC = {
    "arguments": [["k", "bool", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
