"""Sliding windows are views: they show what is written to their array afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from control import Cases, check_program, name_of
from numpy.lib.stride_tricks import sliding_window_view

import quernel as qn

cases = Cases()


@cases(np.arange(5.0))
def written_before_a_sum(x):
    windows = sliding_window_view(x, 3)
    x[0] = 9
    return windows.sum(), windows[1:].max(1), x


@cases(np.arange(6.0))
def written_in_turns(x):
    windows = sliding_window_view(x, 3)
    for i in range(len(x)):
        x[i] = windows.sum()
    return x


@cases(np.arange(12.0).reshape(3, 4), 1)
@cases(np.arange(12.0).reshape(3, 4), -1)
def written_on_one_side(x, k):
    windows = sliding_window_view(x, (2, 2))
    if x[1, 1] * k > 0:
        x += 1
    return windows.sum(axis=(2, 3))


@cases(np.arange(5.0))
def of_a_local_array(x):
    y = x * 2
    windows = sliding_window_view(y, 2)
    y[2] = 7
    return windows * 1, y


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_same_answer(function, args):
    check_program(function, args)


@pytest.mark.parametrize("axes", [None, (0,), (1, 0), (0, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_window_of_an_argument_is_numpys(axes, order):
    def windows(x):
        return sliding_window_view(x, (2,) * (2 if axes is None else len(axes)), axes)

    x = np.asarray(np.arange(12.0).reshape(3, 4), order=order)
    got, want = qn.compile(windows, fullgraph=True)(x), windows(x)
    np.testing.assert_array_equal(got, want)
    assert (got.strides, str(got.flags)) == (want.strides, str(want.flags))
    assert got.ctypes.data == x.ctypes.data


def test_a_window_is_read_only():
    def written(x):
        x[1] = 5
        sliding_window_view(x, 2)[0, 0] = 7

    x = np.zeros(4)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        qn.compile(written, fullgraph=True)(x)
    np.testing.assert_array_equal(x, [0, 5, 0, 0])


@pytest.mark.parametrize("count", [2, 3, 4])
def test_as_many_elements_as_data_say(count):
    def sums(x):
        return sliding_window_view(x[x > 0], 3).sum(1)

    x = np.zeros(6)
    x[:count] = 1
    compiled = qn.compile(sums, fullgraph=True)
    if count < 3:
        with pytest.raises(ValueError, match="window shape cannot be larger than input array"):
            compiled(x)
    else:
        np.testing.assert_array_equal(compiled(x), sums(x))


@pytest.mark.parametrize("sparse", [False, True])
def test_grids_without_copies_are_views(sparse):
    def grids(x, y):
        a, b = np.meshgrid(x, y, sparse=sparse, copy=False)
        x[0] = 9
        return a + b, np.meshgrid(x, y, sparse=sparse)[0]

    check_program(grids, (np.arange(3.0), np.arange(4.0)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_new_arrays_in_numpys_order(order):
    def made(x):
        return np.tile(x, 1), np.tile(x, (1, 1, 1)), np.block(x), np.broadcast_arrays(x, 1)[0]

    x = np.asarray(np.arange(12.0).reshape(3, 4), order=order)
    for got, want in zip(qn.compile(made, fullgraph=True)(x), made(x), strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.strides == want.strides
        assert (got is x) == (want is x)
