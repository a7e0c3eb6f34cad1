"""Numbers that a capture has to know, and that are computed from parameters, sizes and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of
from support import assert_same

import quernel as qn

X = np.arange(1.0, 13.0)


def padded(x, sigma):
    width = int(np.ceil(2 * sigma))
    return np.pad(x, width, mode="edge")


def grid(x, end, step):
    n = round(end / step)
    out = np.zeros(n + 1)
    for k in range(n + 1):
        out[k] = x[0] * k * step
    return out


def in_rows(x, n):
    rows = int(np.sqrt(n)) + 1
    return x.reshape(rows, -1)


def a_cube(x):
    depth = int(np.log2(len(x)))
    return x.reshape((2,) * depth)


def sized_by_a_scalar(x, share):
    return np.zeros((int(np.float64(share) * 3), 2)) + x[0]


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (padded, [(X, 1.3), (X, 2.4), (X, 0.2)]),
        (grid, [(X, 1.0, 0.1), (X, 2.0, 0.1), (X, 2.0, 0.5)]),
        (in_rows, [(X, 5), (X, 10), (X, 8)]),
        (a_cube, [(X[:8],), (X[:4],), (X[:2],)]),
        (sized_by_a_scalar, [(X, 2.0), (X, 3.0)]),
    ],
    ids=name_of,
)
def test_numbers_of_parameters(function: Any, calls: list[tuple]) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for args in calls:
        assert_same(compiled(*args), function(*args))


cases = Cases()


@cases(np.exp(2j * np.arange(16)))
@cases(np.exp(2j * np.arange(2)))
def fourier_by_halves(x):
    y, size = x.copy(), 2
    while size <= x.size:
        half = size // 2
        turns = np.exp(-2j * np.pi * np.arange(half) / size)
        blocks = y.reshape(-1, size)
        even = blocks[:, :half].copy()
        odd = blocks[:, half:] * turns
        blocks[:, :half] = even + odd
        blocks[:, half:] = even - odd
        size *= 2
    return y


def by_levels(u, n):
    if n <= 2:
        u[1:-1] = 0
        return u
    coarse = by_levels(u[::2].copy(), n // 2)
    u[::2] += coarse
    return u


@cases(np.arange(17.0), 16)
def recursion_by_a_number(u, n):
    return by_levels(u, n), u


@cases(X)
@cases(-X)
def dicts_on_paths(x):
    low = int(np.argmin(x))
    high = int(np.argmax(x[: low + 1]))
    after = np.nonzero(x[low:] >= x[high])[0]
    found = low + int(after[0]) if after.size else None
    return {"least": x.min(), "value": found}


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_programs(function: Any, args: tuple) -> None:
    check_program(function, args)


def test_a_recursion_by_a_number_that_varies() -> None:
    compiled = qn.compile(recursion_by_a_number, fullgraph=True)
    for n in (16, 8, 4):
        u = np.arange(float(n + 1))
        assert_same(compiled(u.copy(), n), recursion_by_a_number(u.copy(), n))


def test_numbers_of_small_arrays_as_sizes() -> None:
    """What small arrays of constants, sizes and numbers hold is known where a size is needed."""

    def views(a, shape, step):
        least = np.array(shape)
        if ((np.array(a.shape) - least) < 0).any():
            raise ValueError("too large")
        inner = a[tuple(slice(None, None, s) for s in step)].strides
        counts = (np.array(a.shape) - least) // np.array(step) + 1
        sizes = tuple(list(counts) + list(shape))
        return np.lib.stride_tricks.as_strided(a, sizes, tuple(list(inner) + list(a.strides)))

    def padded(a, shape, step):
        widths = np.zeros([a.ndim, 2], dtype=int)
        widths[-1, 0] = step[0]
        sizes = np.array(a.shape)[::-1].copy()
        sizes[0] += 1
        return (
            np.pad(a, widths),
            np.pad(a, np.array([1, 2])),
            np.zeros(sizes),
            np.zeros(sizes.max()),
        )

    for function in (views, padded):
        compiled = qn.compile(function, fullgraph=True)
        for size in ((24, 22), (9, 12)):
            a = np.arange(float(np.prod(size))).reshape(size)
            assert_same(compiled(a, (3, 3), (2, 2)), function(a, (3, 3), (2, 2)))
    with pytest.raises(ValueError, match="too large"):
        qn.compile(views)(np.ones((2, 2)), (3, 3), (2, 2))
