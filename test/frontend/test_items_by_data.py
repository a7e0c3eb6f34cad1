"""Items of Python's lists and tuples at places that only data know, and `sorted` by data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, check_refused, name_of

import quernel as qn

X = np.array([2.0, -1.0, 0.0, 3.0])
ROWS = np.random.default_rng(3).normal(size=(30, 2)).round(1)
cases = Cases()


class Cell:
    def __init__(self, value):
        self.value, self.count = value, 0


@cases(X, 1)
@cases(X, 3)
def at_an_integer_of_either_type(x, last):
    i = np.argmin(x)
    if last >= i + 1:
        i = last
    found = [1.5, 2.5, 3.5, 4.5]
    found[i] += 1
    return found, (1, 2, 3, 4)[i]


@cases(X)
@cases(-X)
def of_any_kinds(x):
    def doubled(v):
        return v * 2

    def negative(v):
        return -v

    k = np.argmin(x)
    functions = [doubled, negative, np.sin, abs]
    return ["a", "b", "c", "d"][k], [1, 2.5, None, "x"][k], functions[int(k)](x)


@cases(X)
@cases(-X)
def of_arrays(x):
    parts = [x * 2, x + 1, x * 3]
    part = parts[np.argmin(x[:3])]
    part += 1
    parts[int(x[0] > 0)][0] = 9.0
    return parts, part


@cases(X, np.array([0, 2, 1, 1]))
@cases(X, np.arange(40) % 3)
def of_arrays_in_turns(x, places):
    parts, total = [x * 2, x + 1, x * 3], 0.0
    for k in places:
        total += parts[k].sum()
        parts[k][0] += 1
    return parts, total


@cases(X)
@cases(-X)
def of_objects_and_dicts(x):
    cells = [Cell(x[0]), Cell(x[1]), Cell(x[2])]
    cells[np.argmin(x[:3])].count += 1
    found = [{"m": x[0], "n": 1}, {"m": x[1], "n": 2}]
    found[int(x[0] > x[1])]["n"] += 5
    grid = [[x[0], 1.0], [2.0, x[1]]]
    one = grid[np.argmin(x[:2])][np.argmax(x[:2])]
    return [cell.count for cell in cells], cells[np.argmax(x[:3])].value, found, one


@cases(X)
def sorted_numbers(x):
    return sorted(x), sorted([x[2], x[0]], reverse=True), sorted(x.tolist()), sorted([2, 1])


@cases(X)
def sorted_tuples(x):
    pairs = [(x[i] ** 2, i) for i in range(4)]
    by_place = sorted(range(4), key=lambda i: x[i])
    values = {i: x[i] for i in range(4)}
    return (
        sorted(pairs),
        sorted(pairs, key=lambda p: p[0], reverse=True),
        sorted(pairs, key=lambda p: (-p[0], p[1])),
        by_place,
        [x[i] for i in by_place],
        sorted(values, key=values.get),
    )


@cases(X)
@cases(-X)
def sorted_in_place(x):
    found = [x[0], x[1], x[2]]
    other = found
    if x[0] > 0:
        found.sort()
    known = [3, 1, 2]
    known.sort(reverse=True)
    return other, found, known


@cases(ROWS[:, 0])
@cases(-ROWS[:7, 0])
def sorted_lists_that_grow(x):
    found, pairs = [], []
    for i, v in enumerate(x):
        if v > 0:
            found.append(v)
            pairs.append((v, i))
    ordered = sorted(found)
    return ordered, found, len(ordered), sorted(pairs, key=lambda p: p[0], reverse=True)


@cases(ROWS, np.arange(30), np.zeros(2), 3)
def nearest(X, y, x, k):
    distances = (np.sqrt(((x - r) ** 2).sum()) for r in X)
    near = sorted(((d, t) for d, t in zip(distances, y, strict=False)), key=lambda p: p[0])
    return [t for _, t in near[:k]]


@cases(ROWS)
def sorted_in_turns(x):
    total = 0.0
    for row in x:
        total += sorted(row)[1] + sorted(row, key=lambda v: -v)[0]
    return total


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_items(function: Any, args: tuple) -> None:
    check_program(function, args)


def test_places_outside() -> None:
    def at(x, last):
        i = np.argmin(x)
        if last > 1:
            i = last
        return ["a", "b"][i], [1.0, 2.0][i]

    compiled = qn.compile(at, fullgraph=True)
    assert compiled(X, 0) == at(X, 0)
    for last in (2, 7):
        with pytest.raises(IndexError, match=r"^list index out of range$"):
            compiled(X, last)


def test_nan_has_no_place_in_an_order() -> None:
    def ordered(x):
        return sorted([x[0], x[1], x[2]])

    x = np.array([2.0, np.nan, 1.0])
    compiled = qn.compile(ordered)
    assert repr(compiled(X)) == repr(ordered(X))
    with pytest.warns(qn.errors.FallbackWarning, match=r"sorted\(\) by NaN"):
        assert repr(compiled(x)) == repr(ordered(x))


def test_what_is_not_sorted() -> None:
    check_refused(lambda x: sorted([x[0], 2.0, 1]), (X,), "sorted() of these by what data say")
    check_refused(lambda x: sorted(x + 0j), (X,), "sorted() of these by what data say")
    check_refused(
        lambda x: sorted(x, key=lambda v: (v, 1)), (ROWS[:, 0],), "sorted() by what are no numbers"
    )
