"""Generator functions that the tests' programs consume."""

from __future__ import annotations

# ruff: noqa: UP028  (as programs are)


def batches(x, n):
    for i in range(0, len(x), n):
        yield x[i : i + n]


def count(n):
    i = 0
    while True:
        if i >= n:
            return
        yield i
        i += 1


def pos(x):
    for v in x:
        if v > 0:
            yield v


def running(x):
    s = 0.0
    for v in x:
        s += v
        yield s


def three(a):
    yield a
    yield (a * 2)
    yield (a * 3)


def rows(m):
    for r in m:
        yield r


def windows(x, k):
    for i in range(len(x) - k + 1):
        yield (i, x[i : i + k])


def both(x, y):
    yield from x
    yield from y


def nested(m):
    for r in m:
        for v in r:
            yield v


def fib():
    a, b = (0, 1)
    while True:
        yield a
        a, b = (b, a + b)


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    yield 1
