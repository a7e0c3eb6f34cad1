import numpy as np


def compute(a):
    flag = True
    for i in range(len(a) - 2, 0, -1):
        if flag:
            break
    a[1] = i


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": True,
}
