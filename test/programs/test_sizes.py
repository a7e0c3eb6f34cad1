"""Sizes: too large for memory or for 64 bits, equal only when the program runs, given as uint64."""

from __future__ import annotations

import copy
import traceback
from typing import Any

import numpy as np
import pytest
from places import by_place

import quernel as qn

VIRTUAL = np.broadcast_to(np.float64(1), (2**32,))


def outcome(function: Any, args: tuple) -> tuple:
    """What a call gives: its result or its error with the line, and the arguments after it."""
    args = copy.deepcopy(args)
    try:
        return repr(function(*args)), args
    except Exception as error:
        return f"{type(error).__name__}: {error}", args


def same(function: Any, *args: Any, dynamic: bool | None = None) -> None:
    """The same outcome as NumPy's, compiled whole."""
    want, after = outcome(function, args)
    got, ours = outcome(qn.compile(function, fullgraph=True, dynamic=dynamic), args)
    assert got == want
    for a, b in zip(ours, after, strict=True):
        np.testing.assert_array_equal(a, b)


def zeros(n, m):
    t = np.zeros((n, m))
    t[0, 0] = 1
    return t[0, 0]


def ones(n, m):
    t = np.ones((n, m), np.int8)
    for i in range(3):
        t[i, i] += i
    return t[2, 2]


def arange(n, m):
    t = np.arange(n * m)
    t[0] = 5
    return t[0]


def eye(n, m):
    t = np.eye(n, m)
    t[0, 0] = 7
    return t[0, 0]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", [zeros, ones, arange, eye])
@pytest.mark.parametrize("sizes", [(5, 4), (2**31, 2**30), (2**31, 2**33), (2**31, 2**20)])
def test_more_than_there_is(function, sizes, dynamic):
    same(function, *sizes, dynamic=dynamic)


def test_error_names_the_line():
    with pytest.raises(MemoryError, match=r"Unable to allocate 16\.0 PiB for an array") as raised:
        qn.compile(zeros, fullgraph=True, dynamic=True)(2**31, 2**20)
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, "zeros")
    assert last.line == "t = np.zeros((n, m))"


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQfdFD")
def test_error_names_the_dtype(dtype):
    def summed(n):
        t = np.full((n, 2**9), 1, dtype)
        t[0, 0] = 0
        return t[n - 1, 1]

    def returned(n):
        return np.zeros((n, 2**9), dtype) if n > 2**40 else 0

    for function in (summed, returned):
        same(function, 2**44)
        same(function, 2**44, dynamic=True)


@pytest.mark.parametrize(
    ("count", "text"), [(2**30, "array is too big"), (2**33, "iterator is too large")]
)
def test_outer_sum_that_is_too_big(count, text):
    def outer(x, y):
        t = x[:, None] + y
        t[0, 0] = 5
        return t[0, 0]

    with pytest.raises(ValueError, match=text):
        qn.compile(outer, fullgraph=True)(VIRTUAL, np.broadcast_to(np.float64(1), (count,)))


def test_sum_of_a_virtual_row():
    def first(x, y):
        return (x[:, None] + y).cumsum(1)[0, 0]

    compiled = qn.compile(first, fullgraph=True)
    got, _ = outcome(lambda: compiled(np.arange(5.0), VIRTUAL), ())
    shape = "(5, 4294967296) and data type float64"
    assert got == "np.float64(1.0)" or (got.startswith("MemoryError: Unable") and shape in got)


def test_repeat_too_often():
    def repeat(x, n):
        t = np.repeat(x, n)
        t[0] = 1
        return t[3]

    with pytest.raises(ValueError, match=r"too big|negative dimensions"):
        qn.compile(repeat, fullgraph=True, dynamic=True)(np.arange(5.0), 2**61)


def branch_in_loop(x, n):
    for i in range(5):
        if x[i] > 100:
            t = np.zeros((n, n))
            t[1, 1] += i
            x[i] += t[1].sum()
    return x[0]


def no_turn(x, n):
    for i in range(int(x[0])):
        t = np.zeros((n, n))
        t[1, 1] += i
        x[i] += t[1].sum()
    return x[0]


@pytest.mark.parametrize("function", [branch_in_loop, no_turn])
@pytest.mark.parametrize("n", [3, 2**30])
@pytest.mark.parametrize("dynamic", [None, True])
def test_memory_that_no_turn_needs(function, n, dynamic):
    same(function, np.arange(6.0), n, dynamic=dynamic)


def test_pieces_that_fill_a_row():
    def rows(x, y):
        n = len(x)
        r = np.zeros((n, n))
        for k in range(n):
            r[k, :] = np.concatenate((x[:k], y[k:]))
        return r

    same(rows, np.arange(6.0), np.arange(6.0) * 10)
    same(rows, np.arange(6.0), np.arange(6.0) * 10, dynamic=True)


def assigned(a, d, k, step):
    n, i = len(a), 0
    while i < k:
        a[:i] = d[n - step * i :]
        i += 1
    return a


def product(a, d, k, step):
    s, i = a[0] - a[0], 0
    while i < k:
        i += 1
        s += (a[:i] * d[len(d) - step * i :]).sum()
    return s


def counted(a, d, k, step):
    m = 0
    for x in a:
        if x > 2:
            m += step
    return (np.ones(m) + d[:k]).sum()


@pytest.mark.parametrize("function", [assigned, product, counted])
@pytest.mark.parametrize("k", by_place([0, 1, 2, 3, 4], [0, 3]))
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("dynamic", [None, True])
def test_sizes_compared_in_the_program(function, k, step, dynamic):
    same(function, np.arange(7.0), np.arange(7.0) + 0.5, k, step, dynamic=dynamic)


def element(x, u):
    return x[u[0]]


def written(x, u):
    for i in range(3):
        x[u[i]] += 1


def part(x, u):
    return x[: u[0]].sum() - x[u[1] :].sum()


def size(x, u):
    return np.zeros(u[0]).sum()


@pytest.mark.parametrize("function", [element, written, part, size])
@pytest.mark.parametrize("first", [2, 2**63, 2**64 - 1])
@pytest.mark.parametrize("second", [0, 2**64 - 2])
def test_uint64(function, first, second):
    same(function, np.arange(5.0), np.array([first, second, 1], np.uint64))


def guarded(dtype: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """An array with 64 bytes of known contents before and behind it, and the whole memory."""
    itemsize = np.dtype(dtype).itemsize
    memory = np.full(count * itemsize + 128, 0xA5, np.uint8)
    return memory[64:-64].view(dtype), memory


@pytest.mark.parametrize("narrow", ["int8", "uint8", "int16", "int32", "bool"])
@pytest.mark.parametrize("wide", ["float64", "int64"])
@pytest.mark.parametrize("n", by_place([1, 2, 3, 7, 8, 33], [1, 3, 33]))  # around vectors
def test_narrowing_stores_stay_inside(narrow, wide, n):
    def narrowed(d, c, b):
        n = len(d)
        for i in range(0, n, 2):
            if n > 2:
                d[i:] = c[: n - i]
                b[-1] /= np.sign(b[0])

    d, memory = guarded(narrow, n)
    d[...] = 0
    c, b = np.arange(1, n + 1).astype(wide), np.ones((5, n))
    want = d.copy()
    narrowed(want, c, b.copy())
    qn.compile(narrowed, fullgraph=True, dynamic=True)(d, c, b)
    np.testing.assert_array_equal(d, want)
    assert (memory[:64] == 0xA5).all() and (memory[-64:] == 0xA5).all()
