# views: how arrays lie that data choose again and again took exponential time to find out
import numpy as np


def compute(a, d):
    n = len(a)
    count = 0
    a -= a
    w1 = d[: n // 2]
    count -= count % 7
    w2 = a
    for i3 in reversed(range(n - 1, -1, -1)):
        w1[: n // 2 // 2] *= i3
        for i4 in range(n):
            if (w1 > 2).all():
                w1 = (np.where((a[: n // 2] < n), w1, a[1::2]) - w2[1::2]) * n
                w2[n - 1 - i4 :: -1] += a[i4:]
                w1[n // 2 // 2] -= i4 * (i4 if count > 1 else count)
            w5 = a[:i3]
        w1[2] = count
        w6 = d[n - 1 - i3 :: -1]
    return a, count, d, w1, w2, a[::2]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {
            "n": 7,
            "m": 1,
            "seed": 398130,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "reversed"]],
        },
        {
            "n": 7,
            "m": 1,
            "seed": 257719,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "reversed"]],
        },
        {
            "n": 7,
            "m": 7,
            "seed": 499322,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "reversed"]],
        },
    ],
    "dynamic": None,
}
