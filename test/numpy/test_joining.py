"""Joining, splitting, repeating, moving and padding, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X, T = sample("float64", (5, 4)), sample("float64", (2, 5, 4), 1)


def copied_where(x, t):
    y = np.zeros_like(x)
    np.copyto(y, x, where=x > 0)
    np.copyto(y[0], 1.5)
    return y


CASES = {
    "split": lambda x, t: (
        np.split(x, 5),
        np.array_split(x[0], 3),
        np.hsplit(x, 2),
        np.vsplit(x, [1, 3]),
        np.dsplit(t, 2),
        np.hsplit(x[0], [1]),
    ),
    "block": lambda x, t: (
        np.block([[x, x], [x + 1, x]]),
        np.block([x[0], x[1]]),
        np.block([[x[:4], np.zeros((4, 1))], [np.ones((1, 4)), 2.0]]),
    ),
    "roll": lambda x, t: (
        np.roll(x, 1),
        np.roll(x, -2, 0),
        np.roll(x, (1, 2), (0, 1)),
        np.roll(t, 3, axis=-1),
        np.roll(x, 1, (0, 1)),
    ),
    "rot90": lambda x, t: (
        np.rot90(x),
        np.rot90(x, 2),
        np.rot90(t, -1, (1, 2)),
        np.rot90(x, 4),
    ),
    "tile": lambda x, t: (
        np.tile(x[0], (3, 1)),
        np.tile(x, 2),
        np.tile(x, (2, 1, 3)),
        np.repeat(x, 3),
        np.repeat(x, 2, axis=1),
        np.repeat(x, 0, 0),
    ),
    "fortran order": lambda x, t: (
        np.reshape(x, (4, 5), order="F"),
        x.ravel(order="F"),
        np.ravel(t, "F"),
        x.flatten("F"),
        np.reshape(t, (4, -1), order="F"),
        x.ravel("K"),
        x.reshape((2, 10), order="A"),
    ),
    "insert": lambda x, t: (
        np.insert(x[0], 1, 9.0),
        np.insert(x, 2, x[0], axis=0),
        np.insert(x, 1, 5, axis=1),
        np.insert(x[0], -1, [1, 2]),
        np.delete(x, 1, 0),
        np.delete(x[0], slice(1, 3)),
        np.delete(x, -1, axis=1),
        np.delete(x, 3),
        np.delete(x[0], [0, 2]),
        np.delete(x, slice(None, None, 2), 0),
        np.delete(x[0], np.array([True, False, False, True])),
        np.insert(x[0], [0, 2], 9),
        np.insert(x[0], [1, 1], [5.0, 6.0]),
        np.insert(x, [1, 3], x[:, :2], axis=1),
    ),
    "pad": lambda x, t: (
        np.pad(x, 1),
        np.pad(x[0], (2, 3), constant_values=(1, 2)),
        np.pad(x, ((1, 0), (0, 2)), constant_values=9.5),
        np.pad((x * 9).astype(int), [(1, 2)], "constant"),
    ),
    "select": lambda x, t: (np.select([x > 1, x > 0], [x, x * 2], -1.0), np.nan_to_num(x / 0)),
    "copyto": copied_where,
}

CHOICES = {
    "select": lambda x: (
        np.select([x < 0, x < 1], [x, 7], np.nan),
        np.select([x < 0, x > 1], [1, 2.5]),
        np.select([x < 0, x > 1], [True, x], 0),
    ),
    "choose": lambda x: (
        np.choose((x > 0).astype(int), [x, 0.5]),
        np.choose(x > 0, [1, 0.5]),
        np.choose(x > 0, [x, x * 2]),
    ),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("x", [X, X.astype("f4"), (X * 9).astype("i1"), np.float32(0.5)])
def test_numbers_among_choices_have_no_dtype_of_their_own(name: str, x: np.ndarray) -> None:
    check(CHOICES[name], x)


def test_select_names_the_condition_that_is_none() -> None:
    with pytest.raises(TypeError, match="invalid entry 1 in condlist: should be boolean ndarray"):
        qn.compile(lambda x: np.select([x > 0, x], [x, x]))(X)


@pytest.mark.parametrize("name", CASES)
def test_arrangement(name: str) -> None:
    check(CASES[name], X, T)


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "edge"])
def test_pad_continues(mode: str) -> None:
    def compute(x):
        return [np.pad(x[:size], ((5, 6), (1, 2)), mode) for size in (1, 2, 3, 5)]

    check(compute, X)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "edge"])
def test_pad_goes_around_any_number_of_times(mode: str, dynamic: bool) -> None:
    """Widths below, at and above the size, and the size that is one element less."""

    def compute(x):
        return np.pad(x, ((0, 0), (3, 2), (1, 4)), mode), np.pad(x[0, 0], (4, 0), mode) * 2

    compiled = qn.compile(compute, fullgraph=True, dynamic=dynamic)
    for n in range(1, 7):
        for m in (1, 3, 4, 5):
            x = np.arange(2.0 * n * m).reshape(2, n, m)
            for want, got in zip(compute(x), compiled(x), strict=True):
                np.testing.assert_array_equal(got, want)
                assert got.strides == want.strides


@settings(max_examples=10, deadline=None)
@given(
    first=st.integers(1, 6),
    second=st.integers(1, 6),
    mode=st.sampled_from(["full", "same", "valid"]),
    dtype=st.sampled_from(["float64", "int32"]),
)
def test_convolve(first: int, second: int, mode: str, dtype: str) -> None:
    def compute(a, v):
        return np.convolve(a, v, mode), np.correlate(a, v, mode)

    arrays = sample(dtype, (first,)), sample(dtype, (second,), 1)
    assert_same(qn.compile(compute, fullgraph=True)(*arrays), compute(*arrays), scale=1e-14)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_the_ends_of_a_convolution_multiply_no_infinity_by_zero(mode: str) -> None:
    def compute(a, v):
        return np.convolve(a, v, mode), np.correlate(a, v, mode), np.correlate(v, a, mode)

    a, v = np.ones(8), np.array([np.inf, 1.0, -np.inf])
    with np.errstate(invalid="ignore"):
        want = compute(a, v)
        assert_same(qn.compile(compute, fullgraph=True)(a, v), want)


def test_windows() -> None:
    view = np.lib.stride_tricks.sliding_window_view
    check(lambda x: (view(x, 3, axis=0), view(x, (2, 2))), X)


def test_counts_of_repeats() -> None:
    counts = np.array([1, 0, 2, 1, 3])
    check(lambda x, n: (np.repeat(x, n, axis=0).sum(0), np.repeat(x[:, 0], n).max()), X, counts)
    with pytest.raises(ValueError, match="repeats may not contain negative values"):
        qn.compile(lambda x, n: np.repeat(x, n, axis=0).sum(), fullgraph=True)(X, -counts)


def test_a_shift_that_the_program_computes() -> None:
    shift = np.array([3, -7])
    check(lambda x, n: (np.roll(x, n[0], 0), np.roll(x, n[1])), X, shift)
    check(
        lambda x, n: (np.roll(x, n[0] * 0.75, 1), np.roll(x, float(n[1])), np.roll(x, 1.5)),
        X,
        shift,
    )


def test_resize() -> None:
    check(lambda x: (np.resize(x, (3, 3)), np.resize(x, 25)), X)


@pytest.mark.parametrize("count", [2, 3, 8, 32])
def test_many_parts_are_stored_one_by_one(count: int) -> None:
    def joined(parts):
        return np.concatenate(parts), np.stack(parts, axis=1), np.hstack(parts) * 2

    compiled = qn.compile(joined, fullgraph=True)
    rng = np.random.default_rng(count)
    for size in (1, 5, 70, 71, 1500):
        parts = tuple(rng.standard_normal(size) for _ in range(count))
        assert_same(compiled(parts), joined(parts))
