"""Comparisons of tuples and lists with the program's integers, and conditions of comprehensions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError


def equal(x):
    return (x[0], x[1]) == (x[2], x[3]), (x[0], "a") == (x[2], "b"), (x[0], 1) == (x[2],)


def unequal(x):
    return (x[0], (x[1], "a")) != (x[2], (x[3], "a")), (x[0], x[1]) != [x[2], x[3]]


def ordered(x):
    a, b, c, d = (int(v) for v in x)
    return (a, b) < (c, d), [a, b] <= [c, d], (a, (b,)) > (c, (d, 1)), (a, b) >= (c, d, 5)


def branching(x):
    row, column = np.unravel_index(x.argmax(), (2, 2))
    if (row, column) == (x[0], x[1]):
        return x * 2
    return x + 1


def walked(x):
    place, turns = (0, 0), 0
    while turns < 9:
        new = (int(x[turns % 4]) % 3, turns % 2)
        turns += 1
        if new == place:
            break
        place = new
    return turns, place


@pytest.mark.parametrize("function", [equal, unequal, ordered, branching, walked])
def test_sequences_are_compared(function):
    compiled = qn.compile(function, fullgraph=True)
    for values in itertools.product((0, 1, 2), repeat=4):
        assert_same(compiled(np.array(values)), function(np.array(values)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x[0] * 1.0, 1) == (x[1] * 1.0, 1),  # a NaN equals itself where it is one object
        lambda x: (x[0], 1) < (x[1], 1),  # NumPy's bool, or Python's where all are equal
        lambda x: ([x[0]], 1) <= ([x[1]], 1),
    ],
    ids=["floats", "order of NumPy's numbers", "order of NumPy's numbers within"],
)
def test_what_python_alone_knows_is_refused(function):
    with pytest.raises(UnsupportedError, match="branching on an element"):
        qn.compile(function, fullgraph=True)(np.array([1, 2]))


def others(z):
    out = np.zeros(len(z))
    for i in range(len(z)):
        out[i] = np.sum([z[i] - z[j] for j in range(len(z)) if j != i])
    return out


def handed_on(z):
    total, i = 0.0, 0
    while i < 3:
        total += sum(z[j] for j in range(4) if j != i and j < len(z))
        i += 1
    return total


@pytest.mark.parametrize("function", [others, handed_on])
def test_comprehension_that_selects_by_a_counter(function):
    z = np.arange(6.0) ** 2
    np.testing.assert_array_equal(qn.compile(function, fullgraph=True)(z), function(z))


def with_none(x):
    return x == None, x != None, x == None, x[0] == None, x[0] != None  # noqa: E711


def with_texts(x):
    return x == "a", x != "a", x == b"a", x.sum() == "a", x.sum() != "a", np.full((), 2.0) == None  # noqa: E711


@pytest.mark.parametrize("function", [with_none, with_texts])
def test_no_number_is_equal_to_what_is_none(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for x in (np.arange(3.0), np.arange(6).reshape(2, 3).T, np.ones((2, 0)), np.ones((3, 2)) > 0):
        expected, found = function(x), compiled(x)
        assert [type(item) for item in found] == [type(item) for item in expected]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
            assert getattr(one, "strides", ()) == getattr(other, "strides", ())


def longest_run(x):
    run, longest, before = 0, 0, None
    for v in x:
        if v == before:
            run += 1
        else:
            run, before = 1, v
        longest = max(longest, run)
    return longest, before


def test_a_loop_that_begins_with_none() -> None:
    compiled = qn.compile(longest_run, fullgraph=True)
    for x in (np.array([1.0, 1, 2, 2, 2]), np.array([3, 3]), np.array([np.nan, np.nan])):
        assert str(compiled(x)) == str(longest_run(x))
