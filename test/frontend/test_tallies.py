"""How many elements of data differ, `len(set(y))`, and which one there are most of, `Counter`."""

from __future__ import annotations

import collections
from collections import Counter
from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, check_refused, name_of

import quernel as qn

Y = np.random.default_rng(5).integers(0, 4, 30)
cases = Cases()


@cases(Y)
@cases(np.array([3, 1, 1, 3, 2]))
@cases(np.array([True, False, False]))
def how_many(y):
    found = set(y)
    if len(found) > 3:
        return len(found), np.zeros(len(found))
    return len(set(y[:2])), np.ones(len(Counter(y)))


@cases(Y)
@cases(np.array([3, 1, 1, 3, 2]))
@cases(np.array([0.5, -0.0, 0.0, 1.0]))
def most(y):
    label, count = collections.Counter(y).most_common(1)[0]
    few = Counter([int(y[0]), int(y[1]), int(y[0])]).most_common(1)
    return label, count, few, Counter(y).most_common(1)[0][0]


@cases(np.random.default_rng(2).normal(size=(30, 2)), Y, np.zeros((9, 2)), 5)
def votes(X, y, points, k):
    found = []
    for point in points:
        places = np.argsort(np.sqrt(((X - point) ** 2).sum(axis=1)))[:k]
        found.append(Counter(y[places]).most_common(1)[0][0])
    distances = [np.linalg.norm(points[0] - row) for row in X]
    nearest = [y[i] for i in np.argsort(distances)[:k]]
    return np.array(found), Counter(nearest).most_common(1)[0][0]


@cases(Y)
def of_known_items(y):
    kinds = isinstance(set(y), set), isinstance(Counter(y), dict)
    return len(set("abca")), Counter("abca").most_common(1), len(set()), kinds


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_tallies(function: Any, args: tuple) -> None:
    check_program(function, args)


@pytest.mark.parametrize(
    "function",
    [
        lambda y: sum(v for v in set(y)),
        lambda y: 3 in set(y),
        lambda y: set(y) == {1, 2},
        lambda y: set(y) | {7},
        lambda y: set(y).pop(),
        lambda y: Counter(y)[2],
        lambda y: Counter(y).most_common(2),
        lambda y: Counter(y).most_common(),
        lambda y: np.array(set(y)),
    ],
)
def test_what_else_a_set_is_asked(function: Any) -> None:
    check_refused(function, (Y,), "more of a set, or a Counter, of elements than how many differ")


def test_what_a_counter_cant_tell() -> None:
    compiled = qn.compile(lambda y: Counter(y).most_common(1))
    assert compiled(np.array([2.0, 1.0, 1.0])) == [(1.0, 2)]
    for y, text in (
        (np.array([]), "a Counter of nothing"),
        (np.full(2, np.nan), "a Counter of NaN"),
    ):
        with pytest.warns(qn.errors.FallbackWarning, match=text):
            assert repr(compiled(y)) == repr(Counter(y).most_common(1))
