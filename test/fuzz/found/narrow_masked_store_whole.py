import numpy as np


def compute(a, d, b, c):
    n = len(a)
    m = b.shape[0]
    s = 0.5
    t = -1.0
    count = 0
    v1 = 1 % 5 * c << (np.minimum(n, d) & 7)
    v1[:] = d % np.maximum(-1, v1)
    for i2 in range(0, n, 2):
        if n > 2:
            if n > 2:
                d[i2:] = c[: n - i2] ^ (np.count_nonzero(c[:]) + 200)
                v3 = a
                b[-2] /= np.sign(b[0])
            elif v1[n - i2 :].min() > 0.5:
                v4 = v1[n - 1 - i2 :: -1]
                if 0 < count * 1 < 2:
                    break
                t = 0.5
            if n > 2:
                continue
            d[(i2 + 1) % n] += 1
        d |= c[:]
    return a, s, t


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "int8", ["n"], ""],
        ["b", "float64", ["m", "n"], ""],
        ["c", "int64", ["n"], "index"],
    ],
    "calls": [
        {"n": 7, "m": 5, "seed": 885495, "layouts": ["C", "C", "C", "C"], "special": False},
        {"n": 33, "m": 5, "seed": 298651, "layouts": ["C", "C", "C", "C"], "special": False},
        {"n": 2, "m": 2, "seed": 760400, "layouts": ["C", "C", "C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 623492, "layouts": ["C", "C", "C", "C"], "special": False},
        {"n": 1, "m": 4, "seed": 330787, "layouts": ["C", "C", "C", "C"], "special": False},
    ],
    "dynamic": True,
}
