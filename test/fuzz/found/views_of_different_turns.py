# One name has the view of the last turn, the other one that of a turn before: two objects.
import numpy as np


def compute(a, k):
    n = len(a)
    k[:] = k.min()
    i4 = 0
    while i4 < n:
        i4 += 1
        k = k[::-1]
        a = a if k[-(i4 - 1)] else k
    return k, a


SPEC = {
    "arguments": [["a", "uint32", ["n"], ""], ["k", "bool", ["n"], ""]],
    "calls": [
        {"n": 33, "m": 33, "seed": 958467, "layouts": ["C", "C"], "special": False},
        {"n": 33, "m": 7, "seed": 415064, "layouts": ["C", "C"], "special": True},
    ],
    "dynamic": None,
}
