"""`np.histogram`, to the last element at every edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X = sample("float64", (5, 4))
CASES = {
    "bins": lambda x, n, v: (np.histogram(x), np.histogram(x, 5, range=(-1, 1))),
    "weights": lambda x, n, v: (
        np.histogram(x, 4, weights=np.abs(x)),
        np.histogram(x, v, weights=x),
    ),
    "edges": lambda x, n, v: (np.histogram(x, v), np.histogram(n, [0, 1, 3])),
    "density": lambda x, n, v: np.histogram(x, 7, density=True),
    "dtypes": lambda x, n, v: (
        np.histogram(n, 3),
        np.histogram(x.astype("f4"), 6),
        np.histogram(n, 5, (0, 5)),
    ),
    "one value": lambda x, n, v: np.histogram(x * 0, 3),
    "edges alone": lambda x, n, v: np.histogram_bin_edges(x, 4),
}


@pytest.mark.parametrize("name", CASES)
def test_histogram(name: str) -> None:
    check(CASES[name], X, np.array([3, -1, 0, 2, 2]), np.sort(X[0]), scale=1e-14)


@settings(max_examples=15, deadline=None)
@given(
    bins=st.integers(1, 40),
    start=st.floats(-1e3, 1e3),
    width=st.floats(1e-3, 1e3),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_elements_on_every_edge(bins: int, start: float, width: float, dtype: str) -> None:
    edges = np.linspace(start, start + width, bins + 1).astype(dtype)
    near = np.concatenate([edges, np.nextafter(edges, edges.dtype.type(np.inf)), edges[:1]])

    def compute(x):
        return np.histogram(x, bins)

    try:
        want = compute(near)
    except ValueError:
        return  # too many bins for the range
    assert_same(qn.compile(compute, fullgraph=True)(near), want)


def test_mistakes_in_data() -> None:
    compiled = qn.compile(lambda x: np.histogram(x, 3), fullgraph=True)
    with pytest.raises(ValueError, match=r"autodetected range of \[nan, nan\] is not finite"):
        compiled(np.array([1.0, np.nan]))
    rising = qn.compile(lambda x, e: np.histogram(x, bins=e), fullgraph=True)
    with pytest.raises(ValueError, match="must increase monotonically"):
        rising(X, np.array([1.0, 0.0]))


GRIDS = {
    "bins": lambda x, y: np.histogram2d(x, y)[::-1],
    "ranges": lambda x, y: np.histogram2d(x, y, bins=5, range=[[0, 1], [0.2, 0.8]]),
    "weights": lambda x, y: np.histogram2d(x, y, bins=[3, 4], weights=x),
    "density": lambda x, y: np.histogram2d(x, y, bins=[[0, 0.2, 0.7, 1], 5], density=True),
    "edges": lambda x, y: np.histogram2d(x, y, bins=[0, 0.1, 0.4, 0.9]),
    "dtypes": lambda x, y: np.histogram2d(x.astype("f4"), (y * 9).astype(int), bins=4),
    "rows": lambda x, y: np.histogramdd(np.stack([x, y, x * y], axis=1), bins=(2, 3, 4)),
    "one axis": lambda x, y: np.histogramdd(x, bins=3),
    "arrays": lambda x, y: np.histogramdd((x, y, x), bins=2, density=True),
    "one value": lambda x, y: np.histogram2d(x * 0, y),
}


@pytest.mark.parametrize("case", GRIDS)
def test_grids(case: str) -> None:
    x, y = np.random.default_rng(5).random((2, 400)).round(2)
    check(GRIDS[case], x, y)


def test_mistakes_about_grids() -> None:
    x = np.random.default_rng(5).random(40)
    for bad, message in [
        (lambda x: np.histogram2d(x, x[1:]), "x and y must have the same length"),
        (lambda x: np.histogramdd((x, x), bins=(2, 3, 4)), "The dimension of bins must be equal"),
        (lambda x: np.histogramdd((x, x), bins=(0, 3)), "must be positive, when an integer"),
        (lambda x: np.histogramdd((x, x), range=[(0, 1)]), "one entry per dimension"),
        (lambda x: np.histogramdd((x, x), bins=([1, 0], 3)), "must be monotonically increasing"),
    ]:
        with pytest.raises(ValueError, match=message):
            qn.compile(bad, fullgraph=True)(x)
