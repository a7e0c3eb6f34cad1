"""Functions that test_export.py exports, and those that it can't."""

import numpy as np

WEIGHTS = np.array([1.0, 2.0, 3.0])


def labels(X, means):
    """The nearest mean of each point. */ nothing ends here"""
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def softmax(x, scale):
    e = np.exp(scale * (x - x.max(axis=1, keepdims=True)))
    return {"shares": e / e.sum(axis=1, keepdims=True), "total": e.sum()}


def pick(x, i, least):
    x[i] = 7.0
    return x[x > least]


def relax(u, turns):
    for _ in range(turns):
        u[1:-1] = (u[:-2] + u[2:]) / 2
    return u


def power(x, exponent):
    return x**exponent


def summed(x, axis):
    return x.sum(axis=axis)


def columns(a):
    return a.T * 2


def joined(x, y):
    return np.concatenate([x, y]) + 1


def exponentials(x):
    return np.exp(x)


def same(x):
    return x + x


def weighted(x):
    return x * WEIGHTS


def solved(a, b):
    return np.linalg.solve(a, b) @ np.eye(3)


def ordered(x):
    return np.sort(x, axis=None)


def transformed(x):
    return np.fft.fft(x)


def viewed(a):
    b = a + 1
    return b, b[1:]


def repeated(x, counts):
    return np.repeat(x, counts)


def one_of(x, y):
    return x if x.sum() > 0 else y


def class_(int, struct):
    return int - struct


def named(arguments, call, check, function):
    return (arguments + call) * check - function


def checked(x):
    if x.min() < 0:
        raise ValueError(f"{x.min()} is below 0")
    return np.sqrt(x)
