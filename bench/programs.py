"""The programs that are measured, as their users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def over(xp: Any) -> dict[str, Callable[..., Any]]:
    """The programs over the namespace `xp`, by name.

    None writes to its arguments, and each stands by itself, since some peers compile its text.
    """

    def kmeans(X, means):
        return xp.argmin(xp.linalg.norm(X - means[:, None], axis=2), axis=0)

    def multiply_add(a, b, c):
        return a * b + c

    def chain(a):
        return (((((a + 1.0) * 0.5 - 3.0) * a + 2.0) * 0.25 - a) * 1.5 + 7.0) * a

    def softmax(x):
        e = xp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def layer_norm(x, gain, bias):
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / xp.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * gain + bias

    def rms_norm(x, gain):
        return x / xp.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * gain

    def cross_entropy(x, labels):
        top = x.max(axis=1)
        total = xp.log(xp.exp(x - top[:, None]).sum(axis=1)) + top
        return total - x[xp.arange(x.shape[0]), labels]

    def variance(x):
        return x.var(axis=1)

    def exp_uses(x):
        e = xp.exp(x)
        return e.sum(0), e.sum(1), e[::2] + 1, e.max()

    def horner(x, coefficients):
        y = xp.zeros_like(x)
        for c in coefficients:
            y = y * x + c
        return y

    def attention(q, k, v):
        scores = q @ xp.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
        e = xp.exp(scores - scores.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True) @ v

    def sort(x):
        return xp.sort(x)

    def median(x):
        return xp.median(x)

    def histogram(x):
        return xp.histogram(x, 100)

    def concatenate(parts):
        return xp.concatenate(parts)

    def stencil(u):
        u = xp.copy(u)
        for _ in range(20):
            u[1:-1, 1:-1, 1:-1] += 0.1 * (
                u[2:, 1:-1, 1:-1]
                + u[:-2, 1:-1, 1:-1]
                + u[1:-1, 2:, 1:-1]
                + u[1:-1, :-2, 1:-1]
                + u[1:-1, 1:-1, 2:]
                + u[1:-1, 1:-1, :-2]
                - 6.0 * u[1:-1, 1:-1, 1:-1]
            )
        return u

    every = (kmeans, multiply_add, chain, softmax, layer_norm, rms_norm, cross_entropy, variance)
    every += (exp_uses, horner, attention, sort, median, histogram, concatenate, stencil)
    return {program.__name__: program for program in every}
