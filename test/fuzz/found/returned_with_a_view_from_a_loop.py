# aliases: a part of what a turn has made lay in the memory of another name than the whole
import numpy as np


def compute(a, b):
    for x in a:
        a = a * a.argmax()
        if a[-1] >= b.mean():
            return a, x, a[0:]
    return (b,)


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["b", "float64", ["n"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 1, "seed": 752129, "layouts": ["C", "C"], "special": False},
        {"n": 1, "m": 1, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
