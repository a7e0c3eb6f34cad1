"""Indices and slices that the program computes, index arrays and masks."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 4.0])
I = np.array([2, 0, 1, 5, 3, 4])  # noqa: E741
A = np.arange(30.0).reshape(5, 6)
case = Cases()


@case(X)
def slices_by_data(x):
    n = int(x[0])
    return x[:n].sum(), x[n:].sum(), x[n], x[-n], x[n - 1 : n + 1], x[n::-1].sum()


@case(X)
def cuts_slices(x):
    y = np.zeros(6)
    for i in range(6):
        y[i] = x[i - 2 : i + 2].sum() + x[i + 3 :].sum() + x[: 4 - i].sum()
    return y


@case(X)
def wraps_indices(x):
    y = np.zeros(6)
    for i in range(-3, 3):
        y[i] = x[i] * 2
    return y


@case(I, X, A)
def gathers(i, x, a):
    return x[i], x[i[::-1]], a[:, i], a[i[:3], i[1:4]], a[1, i], a[i[:2] % 5][:, None], x[[0, -1]]


@case(X, A)
def selects(x, a):
    return (
        x[x > 1],
        x[x > 100],
        (x[x > 1] * 2).sum(),
        a[a > 10],
        a[:, x > 1].sum(axis=1),
        a[x[:5] > 1],
    )


@case(X, np.arange(6.0), A)
def writes_by_masks(x, y, a):
    z, w, v = x.copy(), x.copy(), a.copy()
    z[x > 1] = 0
    w[x > 1] = w[x > 1] ** 2 + y[x > 1]
    v[:, x > 1] = 7
    v[x[:5] > 1] = 3
    return z, w, v


@case(I, X)
def writes_by_indices(i, x):
    y, b = np.zeros(6), np.zeros((5, 6))
    y[i] = x
    y[i[:3]] += 1
    b[:, i] = x
    b[2, i[:2]] = 9
    b[[0, 0, 1]] = 5
    return y, b


@case(X)
def reads_constants(x):
    starts, columns = np.array([0, 2, 3, 5]), np.array([0, 3, 1, 2, 4])
    y = np.zeros(3)
    for i in range(3):
        for k in range(starts[i], starts[i + 1]):
            y[i] += x[columns[k]]
    return y


@case(I, X)
def the_last_duplicate_wins(i, x):
    y = np.zeros(3)
    y[i % 3] = x
    return y


STEPS = [(-1, 0), (1, 0), (0, 1)]


@case(X)
@case(X[::-1].copy())
def numbers_of_lists(x):
    k = x[:3].argmin()
    rates = [0.1, 1.0, 10.0]
    return rates[int(k)], STEPS[k], (True, False)[int(x[0] > 2)], rates[-1 - k]


@case(X)
def elements_of_lists(x):
    parts = (x[0], x[1], x[2])
    k = int(x[:3].argmax())
    return parts[k], [np.float32(1), np.float32(2), np.float32(3)][k], parts[k - 2]


@case(X, [0.5, 2.0, 4.0])
@case(X[::-1].copy(), [0.5, 2.0, 4.0])
def numbers_of_the_callers_list(x, rates):
    return rates[x[:3].argmin()] + 1


@case(np.random.default_rng(0).random(900))
def steps_in_a_loop(x):
    grid = np.zeros((30, 30))
    for r in range(1, 29):
        for q in range(1, 29):
            k = int(x[r * 30 + q] * 2.9)
            grid[r + STEPS[k][0], q + STEPS[k][1]] += x[r]
    return grid


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_indices_are_numpys(function, args) -> None:
    check_program(function, args)


def reads(x, i):
    return x[i[0]]


def reads_in_a_loop(x, i):
    s = 0.0
    for k in range(3):
        s += x[k + i[0]]
    return s


def reads_rows(x, i):
    return A[i]


def writes(x, i):
    x[i] = 1


@pytest.mark.parametrize("function", [reads, reads_in_a_loop, reads_rows, writes], ids=name_of)
@pytest.mark.parametrize("index", [9, -9])
def test_an_index_outside_raises(function, index: int) -> None:
    i = np.array([index, 0])
    with pytest.raises(IndexError) as want:
        function(X.copy(), i)
    compiled = qn.compile(function, fullgraph=True)
    with pytest.raises(IndexError) as got:
        compiled(X.copy(), i)
    assert str(got.value) == str(want.value)
    assert "test_control_indices.py" in str(got.traceback[-1].path)
    compiled(X.copy(), i * 0)


def test_masks_of_another_shape() -> None:
    with pytest.raises(IndexError, match="boolean index did not match"):
        qn.compile(lambda x: x[A[0, :4] > 1], fullgraph=True)(X)


FLOATS = [
    lambda x: x[x[0]],
    lambda x: x[float(x.sum())],
    lambda x: x[x[0] :],
    lambda x: x[: float(x[0])],
    lambda x: np.zeros(x[0]),
    lambda x: np.zeros((2, float(x[0]))),
    lambda x: x.reshape(x[0], 1),
    lambda x: [x[k] for k in range(float(x[0]))],
]


@pytest.mark.parametrize("function", FLOATS)
def test_floats_where_integers_have_to_be(function) -> None:
    with pytest.raises((IndexError, TypeError)) as want:
        function(np.ones(3))
    with pytest.raises(type(want.value)) as got:
        qn.compile(function, fullgraph=True)(np.ones(3))
    assert str(got.value) == str(want.value)


def checks_before_it_writes(x, i):
    for k in range(i.shape[0]):
        a = x[i[k]]
        x[k] = a + 10.0
    return x


def checks_without_a_loop(x, i):
    a = x[i[0]]
    x[1] = a
    for k in range(i.shape[0]):
        x[i[k]] = k + 0.5
    return x


def checks_on_a_side(x, i):
    a = 0.0
    if x[0] > 0.0:
        a = x[i[0]]
    else:
        x[2] = 7.0
    for k in range(i.shape[0]):
        x[k] = x[i[k]] + a
    return x


@pytest.mark.parametrize("last", [2, 9])
@pytest.mark.parametrize(
    "function", [checks_before_it_writes, checks_without_a_loop, checks_on_a_side], ids=name_of
)
def test_arguments_hold_what_was_written_before_an_index_was_outside(function, last: int) -> None:
    x, i = np.arange(1.0, 7.0), np.array([3, 1, 0, last])
    own, plain = x.copy(), x.copy()
    compiled = qn.compile(function, fullgraph=True)
    for array, call in ((plain, function), (own, compiled)):
        with pytest.raises(IndexError) if last > 5 else contextlib.nullcontext():
            call(array, i)
    np.testing.assert_array_equal(own, plain)
    assert compiled.stats()["compiles"] == 1


@pytest.mark.parametrize("sequence", [[1.0, 2.0], (1, 2)])
@pytest.mark.parametrize("place", [2.0, -3.0])
def test_outside_of_a_list(sequence, place) -> None:
    def function(x):
        return sequence[int(x[0])]

    x = np.full(3, place)
    with pytest.raises(IndexError) as expected:
        function(x)
    with pytest.raises(IndexError, match=str(expected.value)):
        qn.compile(function, fullgraph=True)(x)
