"""Sorting, and what follows from sorted elements, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import DTYPES, assert_same, check, sample

import quernel as qn

X, T = sample("float64", (5, 4)), sample("float64", (2, 5, 4), 1)
N = np.array([3, -1, 0, 2, 2, 3, 3])


def in_place(x, t, n):
    y, m = x.copy(), n.copy()
    y.sort(axis=0)
    m.sort()
    return y, m


CASES = {
    "sort": lambda x, t, n: (
        np.sort(x),
        np.sort(x, axis=0),
        np.sort(x, axis=None),
        np.sort(t, axis=1),
        np.sort(n),
    ),
    "argsort": lambda x, t, n: (
        np.argsort(x),
        np.argsort(x, axis=0),
        np.argsort(n, kind="stable"),
        x.argsort(axis=None),
        np.take_along_axis(x, np.argsort(x, 1), 1),
    ),
    "in place": in_place,
    "median": lambda x, t, n: (
        np.median(x),
        np.median(x, axis=0),
        np.median(t, axis=-1, keepdims=True),
        np.median(n),
        np.median(x.astype("f4")),
        np.median(np.where(x > 1, np.nan, x), axis=1),
        np.nanmedian(np.where(x > 0, np.nan, x), axis=0),
        np.nanmedian(np.where(x > 0, x, np.nan)),
        np.nanmedian(x * np.nan),
        np.nanmedian(n),
    ),
    "quantiles": lambda x, t, n: (
        np.quantile(x, 0.3),
        np.quantile(x, [0.0, 0.25, 1.0], axis=0),
        np.percentile(x, 90, axis=1),
        np.percentile(n, [10, 50]),
        np.quantile(x, 0.5, keepdims=True),
        np.quantile(x.astype("f4"), 0.3),
        np.quantile(x.astype("f4"), [0.3, 0.8], axis=1),
        np.percentile(x.astype("f4"), 55),
        np.quantile(x, x[0, 0] ** 2 / 99),
    ),
    "unique": lambda x, t, n: (
        np.unique(n),
        np.unique(n, return_counts=True),
        np.unique(n, return_index=True, return_inverse=True, return_counts=True),
        np.unique(np.where(x > 0, x, np.nan)),
        np.unique(x > 0),
        np.unique(np.where(x > 0, x, np.nan), equal_nan=False, return_counts=True),
        np.unique(t > 0, axis=0),
        np.unique(t > 0, axis=2, return_counts=True),
        np.unique(n[:6].reshape(3, 2), axis=0, return_index=True, return_inverse=True),
        np.unique_counts(n),
        np.unique_inverse(n),
        np.unique_all(n),
    ),
    "sets": lambda x, t, n: (
        np.union1d(n, [5, 2]),
        np.intersect1d(n, [5, 2, 3]),
        np.setdiff1d(n, [3, 0]),
    ),
}


@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("name", CASES)
def test_sorting(name: str) -> None:
    check(CASES[name], X, T, N, ulp=1, scale=1e-15)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0]), max_size=17),
    st.sampled_from(["float32", "float64"]),
)
def test_any_floats(items: list, dtype: str) -> None:
    x = np.array(items, dtype=dtype)

    def compute(x):
        return np.sort(x), np.argsort(x, kind="stable")

    assert_same(qn.compile(compute, fullgraph=True)(x), compute(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype: str) -> None:
    x = sample(dtype, (33,))
    check(lambda x: (np.sort(x), np.argsort(x, kind="stable")), x)
    if np.dtype(dtype).kind != "c":
        check(lambda x: (np.unique(x),), x)


KINDS = [{"kind": k} for k in ("quicksort", "heapsort", "mergesort", "stable", "Q", None)]


@pytest.mark.parametrize("how", [*KINDS, {"stable": True}, {"stable": False}], ids=str)
def test_algorithms(how: dict) -> None:
    """Places of equal elements are those that NumPy's algorithm gives."""
    n = np.random.default_rng(0).integers(0, 9, (3, 400))
    check(lambda n: (np.sort(n, **how), np.argsort(n, **how), np.argsort(n, axis=0, **how)), n)


@pytest.mark.parametrize(
    "wrong", [{"kind": "bogo"}, {"order": "f"}, {"kind": "stable", "stable": True}], ids=str
)
def test_unknown_algorithms(wrong: dict) -> None:
    with pytest.raises(ValueError) as want:  # noqa: PT011
        np.sort(X, **wrong)
    with pytest.raises(ValueError) as got:  # noqa: PT011
        qn.compile(lambda x: np.sort(x, **wrong), fullgraph=True)(X)
    assert str(got.value) == str(want.value)


def test_complex_with_nan() -> None:
    parts = [0.0, 1.0, -1.0, np.nan, np.inf]
    z = np.array([complex(re, im) for re in parts for im in parts])
    check(lambda z: (np.sort(z[::-1]), np.argsort(z, kind="stable")), z)


def test_views_and_loops() -> None:
    def compute(x, n):
        y = x[::2, ::-1].copy()
        for k in range(n):
            y[:, k:] = np.sort(y[:, k:] * -1.5, axis=0)
        return y, np.sort(x.T[1:, :3], axis=1), np.sort(x[:0]), np.argsort(x[:, :0], axis=0)

    check(compute, sample("float64", (9, 5)), 4)


def test_symbolic_size() -> None:
    compiled = qn.compile(lambda x: (np.sort(x), np.argsort(x)), fullgraph=True, dynamic=True)
    for size in (2, 9, 100):
        x = sample("float64", (size,), size)
        assert_same(compiled(x), (np.sort(x), np.argsort(x)))
    assert compiled.stats()["compiles"] == 1


@pytest.mark.parametrize(
    "function",
    [lambda x: np.quantile(x, 1.5), lambda x: np.percentile(x, x[0] * 1000 - 5000)],
)
def test_quantiles_outside(function: object) -> None:
    with pytest.raises(ValueError, match="must be in the range") as want:
        function(X)
    with pytest.raises(ValueError, match="must be in the range") as got:
        qn.compile(function, fullgraph=True)(X)
    assert str(got.value) == str(want.value)


def by_columns(points, first, second):
    order = np.lexsort((points[:, 1], points[:, 0]))
    return points[order], np.lexsort((first, second, first)), np.lexsort(np.stack([first, second]))


def test_lexsort() -> None:
    random = np.random.default_rng(3)
    points, first, second = (random.integers(0, 3, shape) for shape in ((9, 2), 20, 20))
    check(by_columns, points, first, second)


def test_lexsort_of_keys_without_axes() -> None:
    compiled = qn.compile(lambda x: (np.lexsort(x), np.lexsort((x[0], x[1]), 0)), fullgraph=True)
    assert repr(compiled(np.ones(3))) == repr((np.int64(0), np.int64(0)))
    with pytest.raises(np.exceptions.AxisError, match="axis 1 is out of bounds for array of dim"):
        qn.compile(lambda x: np.lexsort(x, 1))(np.ones(3))


def test_lexsort_of_other_sizes() -> None:
    for keys in ((), (np.ones(3), np.ones(4)), (np.ones(3), np.ones((3, 1)))):
        with pytest.raises((TypeError, ValueError)) as want:
            np.lexsort(keys)
        with pytest.raises((TypeError, ValueError)) as got:
            qn.compile(lambda *x: np.lexsort(x), fullgraph=True)(*keys)
        assert (type(got.value), str(got.value)) == (type(want.value), str(want.value))


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("axis", [(0, 1), (2, 0), [1], (-1, 0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_quantiles_over_several_axes(axis, keepdims):
    x = np.random.default_rng(3).standard_normal((3, 4, 5))
    x[0, 0, 0] = np.nan

    def compute(x):
        return (
            np.median(x, axis=axis, keepdims=keepdims),
            np.nanmedian(x, axis=axis, keepdims=keepdims),
            np.quantile(x, [0.2, 0.9], axis=axis, keepdims=keepdims),
            np.percentile(x, 30, axis=axis, keepdims=keepdims),
        )

    for dynamic in (None, True):
        compiled = qn.compile(compute, fullgraph=True, dynamic=dynamic)
        for want, got in zip(compute(x), compiled(x), strict=True):
            assert (type(got), got.shape) == (type(want), want.shape)
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [(0, 0), (0, 3), (0, -3)])
def test_axes_of_quantiles_that_are_wrong(axis):
    x = np.ones((2, 3, 4))
    raised = []
    for function in (np.median, qn.compile(lambda x, axis: np.median(x, axis) + 1)):
        with pytest.raises((ValueError, np.exceptions.AxisError)) as caught:
            function(x, axis)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]


METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen "
    "weibull linear median_unbiased normal_unbiased lower higher midpoint nearest"
).split()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_every_method_of_quantiles(method: str, dtype: str) -> None:
    def compute(x, y):
        return (
            np.quantile(x, 0.37, method=method),
            np.percentile(x, [0, 25, 50, 99.5, 100], axis=1, method=method),
            np.nanquantile(y, 0.37, axis=0, method=method, keepdims=True),
            np.nanpercentile(y, [0, 25, 50, 99.5, 100], method=method),
            np.nanpercentile(y, 40, axis=(0, 1), method=method),
        )

    x = (np.random.default_rng(2).random((7, 6)) * 50).astype(dtype)
    y = x.copy()
    if dtype != "int64":
        y[y < 15], y[:, 2], x[1, 1] = np.nan, np.nan, np.nan
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(compute, x, y)


def test_a_method_that_numpy_doesnt_know() -> None:
    with pytest.raises(ValueError, match="'middle' is not a valid method"):
        qn.compile(lambda x: np.quantile(x, 0.5, method="middle"), fullgraph=True)(X)
