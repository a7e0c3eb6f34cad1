"""Means, variances and covariances, and reductions with masks, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X = sample("float64", (5, 4))
W = np.abs(sample("float64", (5, 4), 1))
HOLES = np.where(X > -0.5, X, np.nan)

CASES = {
    "masks": lambda x, w, h: (
        np.mean(x, where=x > 0),
        np.mean(x, 0, where=x > 0, keepdims=True),
        np.var(x, where=x > 0),
        np.max(x, where=x > 0, initial=-1.0, axis=0),
        np.sum(x, where=x > 0, axis=1),
        np.sum(x, initial=2.0),
        np.max(x, initial=3.0, axis=0),
    ),
    "dtypes": lambda x, w, h: (
        x.astype("f4").mean(),
        x.astype("f4").mean(0),
        (x * 9).astype(int).mean(1),
        (x * 9).astype("i4").std(),
        x.astype("f4").std(0, ddof=2),
        np.mean(x.astype("f4"), dtype="f8"),
        np.mean((x * 9).astype(int), dtype=int),
    ),
    "nan": lambda x, w, h: (
        np.nanmean(h),
        np.nanmean(h, axis=0, keepdims=True),
        np.nanmin(h, axis=0),
        np.nanmax(h),
        np.nanstd(h, 0),
        np.nanvar(h, ddof=1),
        np.fmax.reduce(h, axis=1),
        np.nanmin(h * np.nan),
        np.nanmax((x * 9).astype(int)),
    ),
    "average": lambda x, w, h: (
        np.average(x),
        np.average(x, 1, weights=w),
        np.average(x, axis=1, weights=w[0]),
        np.average((x * 9).astype(int), weights=w),
        np.average(x, 0, w, returned=True),
        np.average(x.astype("f4"), 0, returned=True),
        np.average(x, 1, keepdims=True),
    ),
    "covariance": lambda x, w, h: (
        np.cov(x),
        np.cov(x.T),
        np.cov(x, rowvar=False, bias=True),
        np.cov(x[0], x[1]),
        np.cov(x[0]),
        np.cov(x, ddof=0),
        np.cov(x.astype("f4")),
        np.corrcoef(x),
        np.corrcoef(x[0], w[0]),
    ),
    "ufunc methods": lambda x, w, h: (
        np.add.reduce(x),
        np.maximum.reduce(x, axis=1),
        np.multiply.reduce((x * 9).astype("i4"), axis=None),
        np.logical_or.reduce(x > 0),
        np.bitwise_and.reduce(x > 0, axis=1),
        np.add.reduce(x, axis=(0, 1), keepdims=True),
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_statistic(name: str) -> None:
    check(CASES[name], X, W, HOLES, scale=2e-7 if name == "dtypes" else 1e-13)


def test_out_decides_the_dtype() -> None:
    def compute(x):
        total, middle, spread = np.zeros(4), np.zeros(4), np.zeros(4)
        np.sum(x, axis=0, out=total)
        np.mean(x, axis=0, out=middle)
        np.std(x, axis=0, out=spread)
        return total, middle, spread

    whole = np.arange(16, dtype="f4").reshape(4, 4) ** 2 * 4  # sums in float32 are exact
    check(compute, whole, scale=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mean_of_nothing_is_nan() -> None:
    check(lambda x: (x.mean(), x.mean(axis=0), x.var(), np.average(x)), np.zeros((0, 3)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=12, deadline=None)
@given(
    shape=st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
    dtype=st.sampled_from(["float32", "float64", "int32", "bool"]),
    data=st.data(),
)
def test_any_axes(shape: tuple, dtype: str, data: st.DataObject) -> None:
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)).map(tuple))
    x = np.abs(sample(dtype, shape))  # sums in another order differ by more where they cancel

    def compute(x):
        return x.sum(axes), x.mean(axes, keepdims=True), x.any(axes), np.std(x, axes)

    assert_same(qn.compile(compute, fullgraph=True)(x), compute(x), scale=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.max(x, where=x > 0),
        lambda x: np.average(x, weights=x[0]),
        lambda x: np.cov(np.zeros((2, 2, 2)) + x[0, 0]),
        lambda x: x.sum(axis=2),
    ],
)
def test_mistakes_raise_what_numpy_raises(function: object) -> None:
    with pytest.raises((ValueError, TypeError)) as want:
        function(X)
    with pytest.raises(type(want.value)) as got:
        qn.compile(function, fullgraph=True)(X)
    assert str(got.value) == str(want.value)
