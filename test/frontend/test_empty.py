"""Sizes that are 0 in some calls of a program for many shapes."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn


def test_pieces_that_become_empty() -> None:
    @qn.compile(fullgraph=True, dynamic=True)
    def f(x):
        return np.concatenate([x[2:] * 2, x, x[: x.shape[0] - 2]])

    for n in (7, 5, 3, 2):
        x = np.arange(n) + 0.5
        assert_same(f(x), f.__wrapped__(x))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.complex128])
def test_selected_pieces_that_are_empty(dtype: type) -> None:
    @qn.compile(fullgraph=True)
    def f(x, y, m, at):
        a, b = x[m], y[m]
        r = np.concatenate((a, y, b))
        for i in range(4):
            r = np.concatenate((r[:i], x[i:], a))
        return r, np.concatenate((a, b)), y[:3][at]

    x, y = np.arange(40).astype(dtype), np.arange(40, 80).astype(dtype)
    for m in (np.zeros(40, bool), np.ones(40, bool), np.arange(40) % 3 == 0):
        want = f.__wrapped__(x, y, m, np.array([2, 0, 1]))
        for got, expected in zip(f(x, y, m, np.array([2, 0, 1])), want, strict=True):
            assert_same(got, expected)


@pytest.mark.parametrize("dynamic", [None, True])
def test_axes_without_elements_beside_others_that_vary(dynamic: bool | None) -> None:
    @qn.compile(fullgraph=True, dynamic=dynamic)
    def f(x):
        return x * 2, x.reshape(-1) + 1, x.sum(()), x.sum(0), x.max(()), x.T @ x

    for shape in [(3, 3), (0, 3), (0, 2), (4, 0), (5, 0), (0, 0), (2, 3)]:
        x = np.arange(float(np.prod(shape))).reshape(shape)
        for got, want in zip(f(x), f.__wrapped__(x), strict=True):
            assert_same(got, want, ulp=8)


def test_sums_that_become_empty() -> None:
    @qn.compile(fullgraph=True, dynamic=True)
    def f(x):
        return x[2:].sum(), np.prod(x[2:]), (-x * 0)[2:].sum()

    for n in (7, 40, 2):
        x = np.arange(n) + 0.5
        for got, want in zip(f(x), f.__wrapped__(x), strict=True):
            assert_same(got, want, ulp=8)
            assert np.signbit(got) == np.signbit(want)


@pytest.mark.parametrize("n", [1, 5, 16, 17, 100, 1000, 40000])
def test_sums_of_minus_zero(n: int) -> None:
    @qn.compile(fullgraph=True, dynamic=False)
    def f(x):
        return x.sum(), x.sum(axis=0), x.T.sum(axis=0)

    x = np.full((n, 3), -0.0)
    for got, want in zip(f(x), f.__wrapped__(x), strict=True):
        assert np.array_equal(np.signbit(got), np.signbit(want))


def test_the_least_of_what_becomes_empty() -> None:
    @qn.compile(fullgraph=True, dynamic=True)
    def f(x):
        return x[2:].min()

    assert f(np.arange(5.0)) == 2.0
    with pytest.raises(
        ValueError, match="zero-size array to reduction operation minimum which has no identity"
    ):
        f(np.arange(2.0))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_products_over_nothing_are_zero(dtype: type, dynamic: bool) -> None:
    @qn.compile(fullgraph=True, dynamic=dynamic)
    def f(a, b):
        return a @ b, (a * 2) @ b, a @ b[:, 0], (a @ b).sum()

    for n in (2, 3, 50):
        a, b = np.ones((n, 0), dtype), np.ones((0, n), dtype)
        for got, want in zip(f(a, b), f.__wrapped__(a, b), strict=True):
            assert_same(got, want)
