"""Kernels that are cut where indices meet the ends of arrays: joined, rolled, padded, windowed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quernel as qn

SIZES = st.sampled_from([0, 1, 2, 5, 63, 64, 65, 71, 100, 133, 200])


def edges(x):
    return np.pad(x, (3, 2), mode="edge") if x.size else np.pad(x, 1)


def rolled(x, shift):
    return np.roll(x, shift) - x + np.roll(x, -1)


def joined(x, y):
    return np.concatenate([y[1:], x, y, x[:3]]) * 2


def windows(x, y):
    padded = np.concatenate([np.zeros(4), x, np.zeros(4)])
    return np.lib.stride_tricks.sliding_window_view(padded, 5) @ np.ones(5) + y.sum()


def neighbours(x, y):
    i = np.arange(len(x))
    return x[np.maximum(i - 2, 0)] + x[np.minimum(i + 3, len(x) - 1)] * (i > 7)


def sides(x, y):
    out = np.zeros(len(x) + len(y))
    out[: len(x)] = x[::-1]
    out[len(x) :] += y
    return np.where(np.arange(len(out)) < len(x) - 5, out, np.roll(out, len(y)))


def grid(x, y):
    a = np.outer(x, y)
    return np.pad(a, ((1, 2), (2, 1))) + np.pad(a, ((2, 1), (0, 3)))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "function", [edges, rolled, joined, windows, neighbours, sides, grid], ids=lambda f: f.__name__
)
def test_all_sizes_give_numpys_elements(function, dynamic):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)

    @settings(max_examples=25, deadline=None, database=None, derandomize=True)
    @given(SIZES, SIZES, st.integers(-70, 70))
    def check(n, m, shift):
        x, y = np.arange(n) + 0.5, np.arange(m) * 3.0 + 1
        arguments = {edges: (x,), rolled: (x, shift)}.get(function, (x, y))
        try:
            want = function(*arguments)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                compiled(*arguments)
            return
        got = compiled(*arguments)
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_array_equal(got, want)

    check()
