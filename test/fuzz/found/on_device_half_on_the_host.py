import numpy as np


def compute(a, b):
    n = len(a)
    m = b.shape[0]
    count = 0
    np.add(a, b[count % m, 0], out=a)
    s1 = max((b.T[::-1].sum() / m), a.sum())
    for i2 in range(n):
        if (a > 0).any():
            return None
    b[-1, 1::2] = 0.25
    s1 -= s1
    b = b[::-1]
    iq3, iq4 = 0, 0
    while iq3 < len(a) and iq4 < len(a):
        if a[iq3] < a[iq4]:
            iq3 += 1
        else:
            iq4 += 1
    return b[m - 1].all() - np.copysign((b * ((iq4 * m) * max(m, count))), b)


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["b", "float16", ["m", "n"], ""]],
    "calls": [{"n": 7, "m": 5, "seed": 390218, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
