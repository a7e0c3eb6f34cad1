"""`sum`, `min`, `max`, `any` and `all` of arrays of many elements, and of lists of the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of
from support import assert_same

import quernel as qn

LONG = np.random.RandomState(0).rand(1000) * 9
GAPS = np.where(LONG > 7, np.nan, LONG)

case = Cases()


@case(LONG)
def sums(x):
    small = x.astype("i1")
    return x / sum(x), sum(x, 1.5), sum(x.astype("f4")), sum(small), sum(x > 4), sum(x, start=x[:3])


@case(LONG)
def sums_of_rows(x):
    return sum(x.reshape(-1, 2)), sum(x.reshape(-1, 2, 2), np.ones(2)), sum(x[x > 4])


@case(LONG)
def extremes(x):
    return max(x), min(x), max(x.astype("u1")), min(x > 4), max(x[x > 3])


@case(GAPS)
def extremes_beside_nan(x):
    return np.array([max(x), min(x), max(x[::-1]), min(x[5:])])


@case(LONG)
def extremes_by_a_key(x):
    return max(x, key=abs), min(x, key=lambda v: (v - 4) ** 2), max(x.reshape(-1, 2), key=np.sum)


@case(LONG)
def truths(x):
    return any(x > 8.99), all(x > 0), any(x < 0), all(x), any(x.reshape(-1, 1) > 8), all(x[:, None])


@case(LONG)
def within_a_loop(x):
    total = np.zeros(3)
    for k in range(3):
        total[k] = sum(x[k * 100 : k * 100 + 100]) - max(x[k * 200 : k * 200 + 50])
    return total


@case(LONG)
def of_a_list_that_grows(x):
    return sum(collected(x)), max(collected(x)), min(collected(x), key=abs), any(collected(x))


def collected(x):
    out = []
    for v in x:
        if v > 3:
            out.append(v + 1)
    return out


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_program(function: Any, args: tuple) -> None:
    check_program(function, args)


@pytest.mark.parametrize("function", [any, all, max])
def test_rows_have_no_truth(function: Any) -> None:
    compiled = qn.compile(lambda x: (function(x),), fullgraph=True)
    with pytest.raises(ValueError, match="The truth value of an array with more than one element"):
        compiled(LONG.reshape(-1, 2))


def test_sizes_that_differ() -> None:
    def function(x):
        return sum(x), max(x), any(x > 8.9)

    compiled = qn.compile(function, fullgraph=True)
    for n in (1000, 900, 2, 17, 30):
        assert_same(compiled(LONG[:n]), function(LONG[:n]))


@pytest.mark.parametrize("function", [max, min])
def test_nothing_has_no_extreme(function: Any) -> None:
    compiled = qn.compile(lambda x: function(x[x > 3]), fullgraph=True)
    assert compiled(LONG) == function(LONG[LONG > 3])
    texts = []
    for call in (lambda: compiled(LONG * 0), lambda: function([])):
        with pytest.raises(ValueError, match="empty") as caught:
            call()
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
