import numpy as np


def compute(a, d):
    i = 0
    while i < 5 and d[::2].any() == 1:
        i += 1
        d[: len(a) - 1] = 0.5
    return a / 2


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {
            "n": 2,
            "m": 2,
            "seed": 955100,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "view"]],
        },
        {
            "n": 1,
            "m": 2,
            "seed": 955100,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "view"]],
        },
    ],
    "dynamic": True,
}
