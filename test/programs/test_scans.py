"""Running sums, extremes and logic, loops that hand on such numbers, and what masks choose.

The sizes are around those of a piece and of the shortest loop that a device's threads share.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from whole import Program

import quernel as qn

AROUND_PIECES = (1, 63, 1025, 1024, 0, 5000)
SEVERAL_LEVELS = (66001, 70000, 2)
PROGRAMS = []


def program(make, sizes=AROUND_PIECES, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, sizes=sizes, **how))
        return function

    return add


def floats(n, rng):
    return (rng.normal(size=n),)


def integers(n, rng):
    return (rng.integers(-(2**62), 2**62, n),)


def single(n, rng):
    return (rng.random(n, np.float32),)


def complexes(n, rng):
    return (rng.normal(size=n) + 1j * rng.normal(size=n),)


def truths(n, rng):
    return (rng.random(n) > 1 / (n + 1),)


def with_nans(n, rng):
    x = rng.normal(size=n)
    x[n // 2 : n // 2 + 3] = np.nan
    return (x,)


def few_rows(n, rng):
    return (rng.normal(size=(3, n)),)


def few_columns(n, rng):
    return (rng.integers(-9, 9, (n, 5)),)


def three_axes(n, rng):
    return (rng.normal(size=(2, n, 3)),)


@program(floats)
def sums_of_floats(x):
    return np.cumsum(x)


@program(floats, SEVERAL_LEVELS)
def sums_of_many_floats(x):
    return np.cumsum(x * 2)


@program(single, scale=1e-4)
def sums_of_single_floats(x):
    return np.cumsum(x)


@program(complexes)
def sums_of_complex_numbers(x):
    return np.cumsum(x)


@program(integers)
def sums_that_wrap_around(x):
    return np.cumsum(x), np.cumsum(x.astype(np.uint32)), np.cumsum(x.astype(np.int8), dtype=np.int8)


@program(integers, SEVERAL_LEVELS)
def sums_of_many_integers(x):
    return np.cumsum(x)


@program(truths)
def counts(b):
    return np.cumsum(b), np.cumsum(~b)


@program(integers)
def products_of_integers(x):
    return np.cumprod(x | 1), np.cumprod(x)


@program(lambda n, rng: (np.arange(n) * 1.0,))
def products_of_floats(x):
    return np.cumprod(x), np.cumprod(1 + 1 / (x + 1))


@program(floats)
def extremes(x):
    return np.maximum.accumulate(x), np.minimum.accumulate(x)


@program(with_nans)
def extremes_with_nans(x):
    return np.maximum.accumulate(x), np.fmax.accumulate(x), np.fmin.accumulate(x[::-1])


@program(integers)
def extremes_of_integers(x):
    return np.maximum.accumulate(x), np.minimum.accumulate(x.astype(np.uint64))


@program(truths)
def logic(b):
    return (
        np.logical_and.accumulate(b),
        np.logical_or.accumulate(~b),
        np.logical_xor.accumulate(b),
    )


@program(integers)
def bits(x):
    return (
        np.bitwise_or.accumulate(x & 0xFF),
        np.bitwise_and.accumulate(x | 0xFF),
        np.bitwise_xor.accumulate(x),
    )


@program(few_rows)
def along_rows(a):
    return np.cumsum(a, axis=1), np.maximum.accumulate(a, axis=-1)


@program(few_columns)
def down_columns(a):
    return np.cumsum(a, axis=0), a.cumsum()


@program(three_axes)
def along_the_axis_between(a):
    return np.cumsum(a, axis=1)


@program(floats)
def backwards_and_every_second(x):
    return np.cumsum(x[::-1]), np.cumsum(x[::2])


@program(floats)
def in_place(x):
    x[:] = np.cumsum(x)


@program(floats)
def of_what_was_scanned(x):
    return np.cumsum(np.cumsum(x) > 0)


@program(floats)
def moving_means(x):
    total = np.cumsum(np.concatenate((np.zeros(1), x)))
    return total[1:] - total[:-1]


@program(integers)
def a_loop_that_stores_and_gives(x):
    out = np.zeros(x.size, np.int64)
    total = 3
    for i in range(x.size):
        total += x[i] >> 40
        out[i] = total
    return out, total


@program(floats)
def a_loop_over_floats(x):
    out = np.zeros(x.size)
    total = 0.5
    for i in range(x.size):
        out[i] = total
        total += x[i]
    return out, total


@program(floats)
def a_loop_with_two_numbers(x):
    out = np.zeros(x.size)
    total, most = 0.0, -1.0
    for i in range(x.size):
        total += x[i]
        most = max(most, x[i] * x[i])
        out[i] = total / most
    return out


@program(floats)
def a_loop_that_reads_what_it_stored(x):
    total = 0.0
    for i in range(1, x.size):
        total += x[i - 1] * 0.5
        x[i] = total
    return x


@program(floats)
def a_loop_whose_term_depends_on_the_sum(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * np.cos(total)
        x[i] = total
    return x


def masked(n, rng):
    return rng.normal(size=n), rng.random(n) > 0.6


@program(masked, (4097, 0, 1, 255, 256, 20000))
def chosen(x, m):
    return x[m], x[~m], x[x > 9], x[x < 9], np.flatnonzero(m), np.count_nonzero(m)


@program(masked, (300001, 5))
def many_chosen(x, m):
    return x[m], np.flatnonzero(x > 1)


@program(few_rows, (1500, 4, 0))
def chosen_of_rows(a):
    return a[a > 0], a[:, 0].sum(), np.argwhere(a > 1)


@program(lambda n, rng: (rng.normal(size=n).round(2),), (4096, 4095, 10000, 1))
def places_of_extremes(x):
    return x.argmin(), x.argmax(), x.min(), x.max(), (x > 3).any(), (x > -9).all()


@program(floats, (300000, 3))
def extremes_of_many(x):
    return x.argmax(), np.abs(x).max(), np.count_nonzero(x > 0), x.std(), (x * 2).mean()


AROUND_TILES = (2048, 2047, 2049, 31, 33, 16)


@program(floats, AROUND_TILES)
def sums_in_tiles(x):
    return np.cumsum(x), np.cumsum(x.astype(np.float32) > 0), np.maximum.accumulate(x)


@program(integers, AROUND_TILES)
def sums_of_short_integers(x):
    return np.cumsum(x.astype(np.int16), dtype=np.int16), np.cumsum(x.astype(np.uint8))


def rows_of_walks(n, rng):
    return (rng.normal(size=(n % 71, 67)),)


@program(rows_of_walks, (64, 70, 1, 0, 33))
def decays_of_rows(a):
    out = np.zeros_like(a)
    ends = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        state = 1.0
        for j in range(a.shape[1]):
            state = 0.9 * state + a[i, j]
            out[i, j] = state
        ends[i] = state
    return out, ends


@program(rows_of_walks, (64, 70, 1, 33))
def decays_in_place(a):
    for i in range(a.shape[0]):
        state = a[i, 0]
        for j in range(a.shape[1]):
            state = max(0.5 * state, a[i, j])
            if state > 0.25:
                a[i, j] = state


@program(rows_of_walks, (64, 70, 1, 33))
def sums_of_neighbours_in_rows(a):
    out = np.zeros_like(a)
    for i in range(a.shape[0]):
        before, total = 0.0, 0.0
        for j in range(a.shape[1]):
            total = 0.5 * total + before * a[i, j]
            before = a[i, j]
            out[i, j] = total - before
    return out


@program(lambda n, rng: (rng.normal(size=(n, 3)), rng.random(n) > 0.6), (2049, 300, 0))
def chosen_rows(a, m):
    return a[m], a[:, 1][m], np.flatnonzero(m[::-1])


@program(lambda n, rng: (rng.integers(-9, 9, n, np.int8),), (2049, 4096, 5000, 1))
def chosen_of_short_integers(x):
    return x[x > 0], x[(x & 1) == 0].astype(np.float32), np.flatnonzero(x)


def zero_and_huge(n, rng):
    """Rows whose products are 0 or infinite in NumPy's order, and NaN in others."""
    x = np.full((6, n), 1e200) * rng.choice([-1, 1], (6, n))
    x[0, :1] = x[2, :1] = x[3, n // 2 : n // 2 + 1] = 0
    return (x,)


@program(zero_and_huge, (70000, 300, 20))
def products_in_order(x):
    rows = x.prod(1), x[0].prod(), x[2, ::-1].prod(), (x[2] / 1e170).astype(np.float32).prod()
    return *rows, x.prod(), x.prod(0), x.T.prod(0), x[0].astype(complex).prod(), x.sum()


@program(zero_and_huge, (70000, 300))
def products_at_places(x):
    places, product = np.arange(x.shape[1]) % 3, np.ones(3)
    np.multiply.at(product, places, x[0])
    return product


def test_threads_share_a_long_sum() -> None:
    lowered = qn.compile(sums_of_floats, fullgraph=True).lower(np.zeros(1000000))
    text = lowered.text("cuda")
    kernels = text[: text.index("#else")].split("__global__")[1:]
    ends = [re.search(r" i < (\d+)", kernel).group(1) for kernel in kernels]
    # The pieces' sums, those of 64 pieces each, what these begin with, and back.
    assert ends == ["15625", "245", "245", "245", "15625"]


def test_a_warp_loads_and_stores_pieces_side_by_side() -> None:
    lowered = qn.compile(sums_of_floats, fullgraph=True).lower(np.zeros(1000000))
    text = lowered.text("cuda")
    kernels = text[: text.index("#else")].split("__global__")[1:]
    tiles = [kernel.count("__shared__ double tile_of_turns[8][544]") for kernel in kernels]
    assert tiles == [1, 1, 0, 1, 1]
    assert "out[at" in kernels[-1] and "] = tile[row * 17 + column];" in kernels[-1]


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_scans(case: Program) -> None:
    case.check()
