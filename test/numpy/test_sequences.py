"""Ranges, grids, triangles and diagonals, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X = sample("float64", (5, 4))
CASES = {
    "linspace": lambda x: (
        np.linspace(x[0, 0].astype("f4"), x[0, 1].astype("f4"), 5),
        np.linspace(x[0].astype("f4"), x[1].astype("f4"), 5),
        np.linspace(x[0], 1, 4, axis=1),
        np.linspace(0, x[0, 1], 7, retstep=True),
        np.linspace(x[0], x[0], 3),
        np.linspace((x[0] * 9).astype(int), 9, 4),
        np.linspace(0, 10, 7, dtype=int),
        np.linspace(x[0, 0], 2, 1),
        np.linspace(x[0, 0], 2, 4, endpoint=False),
    ),
    "logspace": lambda x: (
        np.logspace(0, 2, 5),
        np.logspace(x[0, 0], x[0, 1], 4, base=2.0),
        np.geomspace(1, 1000, 4),
        np.geomspace(-1, -8, 4),
        np.geomspace(x[0, 0] ** 2, x[0, 1] ** 2, 5),
    ),
    "mgrid": lambda x: (
        np.mgrid[0:3, 0:4],
        np.mgrid[0:1:3j, 2:4:0.5],
        np.mgrid[0:5],
        np.mgrid[0:1:5j],
        np.ogrid[0:3, 1:9:2],
        np.indices((2, 3)),
        np.indices((2, 3), sparse=True),
        *np.mgrid[0:2, 0:3],
    ),
    "joiners": lambda x: (
        np.r_[x[0], 0.5, 1:3],
        np.r_[x[0].astype("f4"), 1.5],
        np.c_[x[0], x[1]],
        np.ix_([0, 1], [1, 2, 3]),
    ),
    "triangles": lambda x: (
        np.triu(x, 1),
        np.tril(x, -1),
        np.triu(x[0]),
        np.tril(np.stack([x, x])),
        np.tri(3, 4, -1),
    ),
    "diagonals": lambda x: (
        np.diag(x[0]),
        np.diag(x[0], 2),
        np.diag(x[0], -1),
        np.diag(x),
        np.diag(x, -4),
        np.diag(x, 7),
        np.diagonal(x, 1),
        np.diagonal(x[:, :, None] * x[0], 1, 0, 2),
        np.diagflat(x[:2, :2]),
        np.trace(x, -1),
        np.trace((x * 9).astype("i4")),
        x.trace(),
        x.diagonal(1),
    ),
    "vander": lambda x: (np.vander(x[0]), np.vander(x[0], 3, increasing=True)),
    "differences": lambda x: (
        np.diff(x),
        np.diff(x[0], 2),
        np.diff(x[0], prepend=0.0),
        np.diff(x, axis=0, append=x[:1]),
        np.diff(x > 0),
        np.ediff1d(x),
        np.ediff1d(x[0], to_begin=1.0, to_end=[2.0, 3.0]),
        np.trapezoid(x[0]),
        np.trapezoid(x, x[0]),
        np.trapezoid(x, dx=0.5, axis=0),
        np.gradient(x[0]),
        np.gradient(x, 2.0),
        np.gradient(x.astype("f4"), 0.5, axis=1),
        np.gradient((x * 9).astype(int)),
    ),
    "typed": lambda x: (
        np.eye(3, dtype="i4"),
        np.full((2, 2), x[0, 0]),
        np.ones([2, 3], np.dtype("f4")),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sequence(name: str) -> None:
    check(CASES[name], X, ulp=4, scale=1e-14)


@settings(max_examples=12, deadline=None)
@given(
    start=st.integers(-20, 20),
    stop=st.integers(-20, 20),
    step=st.integers(-4, 4).filter(bool),
    dtype=st.sampled_from([None, "int32", "float32", "float64"]),
)
def test_arange(start: int, stop: int, step: int, dtype: str | None) -> None:
    def compute():
        return np.arange(start, stop, step, dtype), np.arange(start, stop, step / 8)

    assert_same(qn.compile(compute, fullgraph=True)(), compute())


@settings(max_examples=12, deadline=None)
@given(
    start=st.floats(-1e6, 1e6),
    stop=st.floats(-1e6, 1e6),
    num=st.integers(0, 60),
    endpoint=st.booleans(),
)
def test_linspace_is_numpys_to_the_bit(start: float, stop: float, num: int, endpoint: bool) -> None:
    def compute(ends):
        return np.linspace(ends[0], ends[1], num, endpoint)

    ends = np.array([start, stop])
    assert_same(qn.compile(compute, fullgraph=True)(ends), compute(ends))


def test_a_diagonal_is_a_view_that_cannot_be_written() -> None:
    def seen(x):
        y = x.copy()
        d = np.diagonal(y)
        y[0, 0] = 99.0
        return d

    check(seen, X)

    def written(x):
        np.diagonal(x)[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        qn.compile(written, fullgraph=True)(X.copy())


def test_fill_diagonal() -> None:
    def compute(x):
        y = x.copy()
        np.fill_diagonal(y, 7.0)
        return y

    check(compute, X)
    check(compute, X.T.copy())
