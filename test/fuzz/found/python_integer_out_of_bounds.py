import numpy as np


def compute(e):
    count = -2
    for i in range(3):
        count += e.max()
    return count


SPEC = {
    "arguments": [["e", "uint8", ["n"], ""]],
    "calls": [{"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False}],
    "dynamic": None,
}
