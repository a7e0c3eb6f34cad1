"""Elements by position, mask and number; searches, counts and running reductions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X, T = sample("float64", (5, 4)), sample("float64", (2, 5, 4), 1)
N, B = np.array([3, -1, 0, 2, 2]), np.array([0, 3, 1, 3, 5])
V = np.sort(X[0])


def stored(x, n, b, v):
    y, u, w = x.copy(), x.copy(), x.copy()
    np.put(y, [1, -2], [7.0, 8.0])
    np.put_along_axis(u, np.argmax(u, 1)[:, None], 99.0, axis=1)
    np.putmask(w, w > 0, np.array([1.0, 2.0, 3.0]))
    return y, u, w


def added(x, n, b, v):
    counts, y, z = np.zeros(6), x.copy(), np.zeros((5, 4), int)
    np.add.at(counts, b, 1.5)
    np.subtract.at(counts, b, v[0])
    np.add.at(y, (np.array([0, 0, 1]), np.array([1, 1, 2])), 2)
    np.add.at(z, n, 1)
    return counts, y, z


CASES = {
    "take": lambda x, n, b, v: (
        np.take(x, n),
        np.take(x, n, axis=0),
        np.take(x, [[0, 1], [2, -1]], axis=1),
        np.take(x, 2),
        x.take([9, -9], mode="wrap", axis=0),
        np.take(x, [9, -9], mode="clip"),
    ),
    "along an axis": lambda x, n, b, v: (
        np.take_along_axis(x, np.argmin(x, 1)[:, None], 1),
        np.take_along_axis(x, np.array([[0, -1, 2, 3]]), 0),
        np.take_along_axis(x, b, None),
    ),
    "stored": stored,
    "added": added,
    "nonzero": lambda x, n, b, v: (
        np.nonzero(x > 0),
        np.flatnonzero(n),
        np.argwhere(x > 1),
        np.where(x > 0.5),
        x.nonzero(),
        np.count_nonzero(x > 0, axis=0),
        np.extract(x > 0, x),
        np.extract(3, n),
        np.extract(n[:2] > 0, x),
        np.extract(np.array([1, 0, 1] + 30 * [0]), n),
        np.compress([True, False, True], x, axis=0),
        x.compress([0, 1, 1, 0], axis=1),
    ),
    "triangles": lambda x, n, b, v: (
        np.triu_indices(4),
        np.tril_indices(3, 1),
        np.triu_indices_from(x[:4]),
        np.diag_indices(3),
    ),
    "running": lambda x, n, b, v: (
        np.cumsum(n),
        np.cumprod(n),
        np.cumsum(x > 0),
        np.maximum.accumulate(x, axis=1),
        np.minimum.accumulate(n),
    ),
    "search": lambda x, n, b, v: (
        np.searchsorted(v, x),
        np.searchsorted(v, v, "right"),
        np.searchsorted(v, 0.1),
        np.searchsorted(np.array([1, 3, 3, 5]), b),
        np.searchsorted(v, np.array([np.nan, np.inf, -np.inf])),
        np.digitize(x, v),
        np.digitize(x, v[::-1], right=True),
    ),
    "counts": lambda x, n, b, v: (
        np.bincount(b).sum(),
        np.bincount(b, minlength=9)[:9],
        np.isin(n, [2, 3]),
        np.isin(n, [2], invert=True),
    ),
    "numbers": lambda x, n, b, v: (
        np.choose([0, 1, 1], [v[:3], x[1, :3]]),
        np.unravel_index(b, (2, 5)),
        np.ravel_multi_index((b[:3], [0, 1, 2]), (6, 4)),
        np.array_equal(x, v),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_selection(name: str) -> None:
    check(CASES[name], X, N, B, V)


def test_sums_in_floats() -> None:
    check(lambda x: (np.cumsum(x), np.cumsum(x, 1), x.cumsum(0), np.cumprod(x, 1)), X, scale=1e-14)
    check(lambda x, b: np.bincount(b, x[:, 0], 6)[:6], X, B, scale=1e-14)
    check(lambda x: np.cumulative_sum(x, axis=0, include_initial=True), X, scale=1e-14)


def test_interp() -> None:
    def compute(x, v):
        return (
            np.interp(x, v, v**2),
            np.interp(x, v, v**2, left=-5, right=7),
            np.interp(0.2, v, v),
            np.interp(v, v, v * 3),
        )

    check(compute, X, V, scale=1e-15)


def test_python_numbers() -> None:
    check(lambda x: (np.allclose(x, x), np.array_equal(x, x + 1), np.count_nonzero(x > 0)), X)
    check(lambda x: (x.item(3), x[0, 0].item(), x[0].tolist()), X)


@settings(max_examples=12, deadline=None)
@given(
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    count=st.integers(0, 6),
    axis=st.sampled_from([0, 1, None]),
    data=st.data(),
)
def test_any_positions(sizes: tuple, count: int, axis: int | None, data: st.DataObject) -> None:
    x = sample("float64", sizes)
    limit = x.size if axis is None else sizes[axis]
    places = data.draw(st.lists(st.integers(-limit, limit - 1), min_size=count, max_size=count))
    index = np.array(places, dtype=np.int64)
    compiled = qn.compile(lambda x, i: np.take(x, i, axis), fullgraph=True)
    assert_same(compiled(x, index), np.take(x, index, axis))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.booleans(), min_size=0, max_size=9))
def test_any_mask(bits: list) -> None:
    mask = np.array(bits, dtype=bool)
    compiled = qn.compile(lambda mask: np.flatnonzero(mask) * 2, fullgraph=True)
    assert_same(compiled(mask), np.flatnonzero(mask) * 2)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x, n: np.take(x, n + 3, axis=0), IndexError),
        (lambda x, n: np.bincount(n).sum(), ValueError),
        (lambda x, n: np.choose(n, [x[0, 0], x[0, 1]]), ValueError),
        (lambda x, n: np.digitize(x, bins=n), ValueError),
        (lambda x, n: np.unravel_index(n * 100, (2, 3)), ValueError),
    ],
)
def test_mistakes_in_data(function: object, error: type) -> None:
    with pytest.raises(error):
        function(X, N)
    with pytest.raises(error):
        qn.compile(function, fullgraph=True)(X, N)


def test_one_count_is_one_size() -> None:
    def compute(x):
        y, big = x.copy(), x > 0
        count = big.sum()
        y[big] = y[big] ** 2 + np.arange(count)
        return y, x[big] + np.zeros(np.count_nonzero(big)), count

    check(compute, sample("float64", (9,)))
