# an exponential walk of Clang's over constants that are chosen between
import numpy as np


class Track:
    def __init__(self, state, total=0):
        self.state = state
        self.total = total
        self.best = None
        self.seen = []

    def add(self, x):
        self.total += x
        if self.best is None or x > self.best:
            self.best = x
        return self.total

    def step(self, k):
        if k % 2:
            self.state = self.state * 0.5
        else:
            self.state[0] += k
        return self

    def keep(self, x, most=4):
        if len(self.seen) < most:
            self.seen.append(x)

    def swap(self, other):
        old, self.state = self.state, other
        return old


def compute(a, d, b, k):
    m, n = b.shape
    s1 = min(a[k % n], a[k % n])
    k = (k * 2 + 1) % 5
    o2 = Track(a.copy())
    a = o2.swap(np.roll(a, 2))
    s1 = max(s1, b[k % m, k % n])
    for i3, x4 in enumerate(a[:3]):
        l5 = [b[0, k % n]]
        for i6, (x7, x7b) in enumerate(zip(a, l5)):
            if len(l5) > 1:
                g8 = [[q + j for q in d[:2]] for j in range(2)]
                t11 = 0
                while True:
                    t11 += 1
                    if t11 > n or (x4 * 0.5) > k:
                        break
                    g8.append([])
            d += 1
            a, d = d, a
            if (d < 2.0).any():
                if not l5:
                    break
                if (i6 + s1) < i6 or int((a > 0).sum()) < x7:
                    a += 1
                    d, a = a, d * 0.5 + a
            o2.keep(min(s1, k))
    for x13 in a[: k + 1]:
        for i14, x15 in enumerate(b[:3]):
            p16 = None
            if i14 > 0:
                continue
            o2.state, o2.total = o2.state * 0.5, (x13 if k % 3 == 0 else d[k % n])
            v17 = b[0]
        a[::-1] *= 0.5
        l18 = [sum(1 for q in d if q > 3)]
        p19 = None
    s1 = o2.add(b[0, n - 1] * 0.5)
    for i20, x21 in enumerate(d):
        d += 1
        a, d = d, a * 0.5 + d
        if (d < 0).any():
            break
        p22 = None
    return k, d, o2.best


SPEC = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["b", "float64", ["m", "n"], ""],
        ["k", "int", [], ""],
    ],
    "calls": [
        {
            "n": 5,
            "m": 2,
            "seed": 483928,
            "layouts": ["C", "C", "C", "C"],
            "special": False,
            "numbers": {"k": 2},
        },
        {
            "n": 5,
            "m": 2,
            "seed": 224641,
            "layouts": ["C", "C", "C", "C"],
            "special": False,
            "numbers": {"k": 0},
        },
        {
            "n": 4,
            "m": 2,
            "seed": 636765,
            "layouts": ["C", "C", "C", "C"],
            "special": False,
            "numbers": {"k": 0},
        },
    ],
    "dynamic": None,
}
