"""Compositions over primitives, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

X = sample("float64", (5, 4))


def copied(x):
    y = np.zeros_like(x)
    np.copyto(y, x)
    return y


def divided(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return x / 0.0


CASES = {
    "where": lambda x: (
        np.where(x > 0, x, 0),
        np.where(x > 0, 1, 2),
        np.where(x[0], x, x * 2),
        np.where(x > 0, x.astype("f4"), 1.5),
        np.where(True, 1.0, 2.0),
    ),
    "clip": lambda x: (
        np.clip(x, -0.5, 0.5),
        np.clip(x, None, 0),
        np.clip(x, x[0], None),
        x.clip(0),
        np.clip((x * 5).astype(int), -2, 2),
        np.clip(x, 1, -1),
    ),
    "isclose": lambda x: (
        np.isclose(x, x + 1e-9),
        np.isclose(x, np.nan, equal_nan=True),
        np.isclose(x, np.inf),
        np.isclose((x * 9).astype(int), 3),
    ),
    "nan_to_num": lambda x: (np.nan_to_num(x / 0), np.nan_to_num(x * np.nan, nan=7.0)),
    "round": lambda x: (
        np.round(x),
        np.round(x, 2),
        np.round(x * 100, -1),
        x.round(1),
        np.fix(x),
        np.round((x * 100).astype(int), -1),
        np.round(np.abs(x * 100).astype("u2"), 1),
    ),
    "norms": lambda x: (
        np.linalg.norm(x),
        np.linalg.norm(x, axis=1),
        np.linalg.norm(x, ord=1, axis=0),
        np.linalg.norm(x, np.inf, axis=1),
        np.linalg.norm(x, -np.inf, axis=1, keepdims=True),
        np.linalg.norm(x, 3, axis=-1),
        np.linalg.norm(x, 0, axis=0),
        np.linalg.norm(x, "fro"),
        np.linalg.norm(x, 1),
        np.linalg.norm(x, np.inf, keepdims=True),
        np.linalg.norm((x * 9).astype(int), axis=0),
        np.linalg.norm(x.astype("f4")),
        np.linalg.norm(x[0], 2),
    ),
    "trace and outer": lambda x: (
        np.trace(x),
        np.trace(x, 1),
        np.outer(x, x[0]),
        np.outer(x[0], [1, 2]),
    ),
    "infinities": lambda x: (np.isposinf(x), np.isneginf(-x), np.isfinite(x)),
    "copyto": copied,
    "sinc": lambda x: np.sinc(x) + 1,
    "errstate": divided,
}


@pytest.mark.parametrize("name", CASES)
def test_composition(name: str) -> None:
    check(CASES[name], X, ulp=2, scale=1e-14 if name != "norms" else 1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_products(dtype: str) -> None:
    a, b = sample(dtype, (6, 5)), sample(dtype, (5, 3), 1)
    stack = sample(dtype, (2, 5, 4), 2)

    def compute(a, b, s):
        return (
            a @ b,
            a @ b[:, 0],
            a[0] @ b,
            a[0] @ a[1],
            np.dot(a, b),
            np.dot(a[0], 2),
            np.matmul(a, s),
            a.dot(b),
            np.inner(a, a),
            np.vdot(a, a),
            a.T @ a,
        )

    check(compute, a, b, stack, scale=1e-5 if dtype == "float32" else 1e-14)


def test_softmax_and_standardise() -> None:
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def standardise(x):
        return (x - x.mean(axis=0)) / x.std(axis=0)

    check(softmax, X, scale=1e-15)
    check(standardise, X, scale=1e-14)
