"""Python's `min` and `max` of what the program computes, also by a key."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn


def of_places(x):
    return max(range(4), key=lambda k: x[k]), min(range(4), key=x.__getitem__)


def of_tuples(x):
    value, place = max((x[0], 1), (x[1], 2), (x[2], 3), key=lambda pair: abs(pair[0]))
    return value * 2, place


def of_arrays(x):
    shortest = min([x * 2, x + 1, x[::-1].copy()], key=lambda row: row @ row)
    return shortest + 1


def of_numbers_of_two_types(x):
    return max([float(x[0]), 3, float(x[1])], key=abs), min(x[0], 1, x[1], key=lambda v: -v)


def of_what_is_known(x):
    longest = max("a", "bcd", key=len)
    return len(longest) * x, max([2, 1], key=lambda v: -v), max([], key=abs, default=5)


def of_equals(x):
    return min(range(4), key=lambda k: np.sign(x[k]))


def of_many(x):
    return max([(x[k % 4] * k, k, k / 2) for k in range(16)], key=lambda row: row[0])[1]


FUNCTIONS = [
    of_places,
    of_tuples,
    of_arrays,
    of_numbers_of_two_types,
    of_what_is_known,
    of_equals,
    of_many,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_extremes(function):
    compiled = qn.compile(function, fullgraph=True)
    for seed in range(8):
        x = np.random.default_rng(seed).normal(size=4)
        got, want = compiled(x), function(x)
        np.testing.assert_equal(got, want)
        if isinstance(want, tuple):
            assert list(map(type, got)) == list(map(type, want))
    assert compiled.stats()["compiles"] == 1


def test_too_many_objects_to_choose_from():
    def of_rows(x):
        return max([x + k for k in range(16)], key=lambda row: row[0] % 3)

    with pytest.raises(qn.errors.UnsupportedError, match=r"min\(\) or max\(\) of more than 6 obj"):
        qn.compile(of_rows, fullgraph=True)(np.arange(16.0))
