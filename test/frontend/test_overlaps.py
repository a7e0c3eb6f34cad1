"""Calls whose arguments share memory: how one was made serves the next ones."""

from __future__ import annotations

import numpy as np
import pytest

import quernel


def test_calls_whose_arguments_overlap_alike_are_made_alike():
    def f(a, b, s, t):
        a[1:] = b[:-1] * s + a[:-1] * t
        return a

    compiled = quernel.compile(f, fullgraph=True)
    for k in (0, 40, 80):  # calls that differ in numbers and in their place alone
        for s, t in ((2.0, 2.0), (0.5, 3.0)):
            one, other = np.arange(200.0), np.arange(200.0)
            got = compiled(one[k + 1 : k + 60], one[k : k + 59], s, t)
            want = f(other[k + 1 : k + 60], other[k : k + 59], s, t)
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(one, other)
            assert got.base is one
    assert len(compiled.stats.__self__._shared.recipes) == 1


def test_what_lies_elsewhere_makes_no_other_arrangement():
    def f(a, b, c):
        a[:] = b[::-1] + c
        return a

    compiled = quernel.compile(f, fullgraph=True)
    kept = []
    for _ in range(5):
        x, c = np.arange(9.0), np.ones(9)
        kept += [x, c, np.empty(np.random.default_rng(0).integers(3, 99))]
        np.testing.assert_array_equal(compiled(x, x, c), f(np.arange(9.0), np.arange(9.0), c))
    assert len(compiled.stats.__self__._shared.recipes) == 1


def test_read_only_arguments_and_containers_are_looked_at_anew():
    def f(a, b):
        a[1:] = b[:-1] + 1
        return a

    compiled = quernel.compile(f)
    x = np.arange(9.0)
    compiled(x, x)
    x, y = np.arange(9.0), np.arange(9.0)
    np.testing.assert_array_equal(compiled(x, x), f(y, y.copy()))
    view = x[:]
    view.flags.writeable = False
    want = f(x.copy(), view)
    np.testing.assert_array_equal(compiled(x, view), want)


def test_an_argument_that_only_other_sizes_have_written():
    def f(a, d):
        if len(a) > 1:
            d[1:] = 3
        return a / 2

    compiled = quernel.compile(f, fullgraph=True, dynamic=True)
    compiled(np.ones(4), np.ones(4))
    one = np.ones(1)
    np.testing.assert_array_equal(compiled(one, one.view()), [0.5])
    one.flags.writeable = False
    np.testing.assert_array_equal(compiled(np.ones(1), one), [0.5])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_arrays_that_show_the_same_bytes_as_other_dtypes(dtype):
    def f(a, b):
        a[1:] += 1
        b[2] = b[0] + 3
        return a[::-1], b, b + 1

    compiled = quernel.compile(f, fullgraph=True)
    for size in (5, 9):
        pairs = []
        for call in (compiled, f):
            x = np.arange(float(size))
            pairs.append((*call(x[1:], x.view(dtype)[1:]), x))
        for got, want in zip(*pairs, strict=True):
            np.testing.assert_array_equal(got.view("uint64"), want.view("uint64"))
            assert got.dtype == want.dtype
        *_, got = pairs[0]
        assert [np.shares_memory(got, x) for x in pairs[0][:3]] == [True, True, False]


def test_bytes_of_other_sizes_are_refused():
    def f(a, b):
        a += 1
        return b

    x = np.arange(4.0)
    with pytest.raises(quernel.errors.UnsupportedError, match="and their dtypes differ"):
        quernel.compile(f, fullgraph=True)(x, x.view("int32"))
