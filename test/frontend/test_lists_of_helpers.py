"""Lists that helpers fill and their callers read."""

from __future__ import annotations

import copy
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from control import Cases, name_of

import quernel as qn

cases = Cases()
X = np.random.default_rng(3).random(60)
POINTS = np.random.default_rng(4).random((30, 2))
Found = namedtuple("Found", "places count")


def large(x):
    return [v for v in x if v > 0.5]


def none_large(x):
    return [v for v in x if v > 2]


def stack(x):
    places = []
    for k in range(x.size):
        while places and x[places[-1]] < x[k]:
            places.pop()
        places.append(k)
    return places


def pairs(x):
    made = []
    for k in range(x.size):
        if x[k] > 0.5:
            made.append((k, x[k] * 2))
    return made


def half_hull(points):
    kept = []
    for p in points:
        while len(kept) >= 2:
            a, b = kept[-2], kept[-1]
            if (b[0] - a[0]) * (p[1] - b[1]) - (b[1] - a[1]) * (p[0] - b[0]) > 0:
                break
            kept.pop()
        kept.append(p)
    return kept


def with_count(x):
    places = stack(x)
    return places, len(places)


def perhaps(x):
    found = stack(x)
    if x[0] > 0.5:
        return None
    return found


@cases(POINTS)
def hull(points):
    points = points[np.lexsort((points[:, 1], points[:, 0]))]
    lower, upper = half_hull(points), half_hull(points[::-1])
    return np.array(lower[:-1] + upper[:-1]), len(lower) + len(upper)


@cases(POINTS)
def rows(points):
    total = np.zeros(2)
    for k, p in enumerate(half_hull(points)):
        total += p * k
    return total, np.vstack(half_hull(points))


@cases(POINTS)
def one_row(points):
    return half_hull(points)[-1]


@cases(X)
@cases(X[:1])
def counted(x):
    return len(large(x)), len(stack(x)), [len(pairs(x)), stack(x)], {"a": large(x)}


@cases(X)
def items(x):
    places = stack(x)
    return places[0], places[-1], places[1:3], x[places[len(places) - 1]], x[places], x[places[1:]]


@cases(X)
def looped(x):
    total = 0.0
    for k in stack(x):
        total += x[k] * k
    for k, v in pairs(x):
        total += v / (k + 1)
    for a, b in zip(stack(x), large(x), strict=False):
        total += a * b
    return total


@cases(X)
@cases(X - 1)
def truths(x):
    found = large(x)
    if not found:
        return -1.0
    return 1.0 if stack(x) else 0.0


@cases(X)
def arrays(x):
    return np.array(stack(x)), np.asarray(large(x)).sum(), np.mean(large(x)), np.array(pairs(x))


@cases(X)
def through_helpers(x):
    def last_of(places):
        return places[-1]

    places, count = with_count(x)
    return last_of(places), count, len(places + places), (places + places)[count]


@cases(X)
def kinds(x):
    places = stack(x)
    return isinstance(places, list), type(places) is list, places is None, places is not None


@cases(X)
def in_containers(x):
    found = Found(stack(x), len(stack(x)))
    held = {"places": stack(x), "values": [large(x), stack(x)]}
    return found.count, found.places[0], held["places"][1], len(held["values"][0])


@cases(X, 5)
@cases(X, 30)
def in_a_loop(x, n):
    total = 0
    for k in range(n):
        places = stack(x[k:])
        total += len(places) + places[-1]
    return total


@cases(X)
def of_branches(x):
    places = stack(x) if x[0] > 0.5 else stack(x[1:])
    return len(places), places[0]


@cases(X)
@cases(1 - X)
def perhaps_none(x):
    found = perhaps(x)
    return -1 if found is None else len(found)


@cases(X[:12])
def changed_by_the_caller(x):
    places = stack(x)
    places.append(100)
    places[0] = -1
    return places, len(places), sum(places), sorted(places), places == stack(x), 100 in places


@cases(X[:12])
def passed_to_python(x):
    return list(stack(x)), tuple(stack(x)), max(stack(x)), stack(x) * 2, str(len(stack(x)))


@cases(X[:12])
def unpacked(x):
    first, *rest = stack(x)
    return first, rest, [*stack(x), 7], none_large(x)


@cases(X)
def returned_whole(x):
    return stack(x)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_lists_of_helpers(function: Any, args: tuple) -> None:
    want = function(*copy.deepcopy(args))
    compiled = qn.compile(function)
    for _ in range(2):
        assert_alike(compiled(*args), want)


WHOLE = [
    hull, rows, counted, items, looped, truths, arrays, through_helpers, kinds, in_containers,
    in_a_loop, returned_whole,
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "args"), [row for row in cases.rows if row[0] in WHOLE], ids=name_of
)
def test_they_compile(function: Any, args: tuple) -> None:
    qn.compile(function, fullgraph=True)(*args)


def test_an_index_outside_is_pythons_error() -> None:
    compiled = qn.compile(lambda x, k: stack(x)[k], fullgraph=True)
    assert compiled(X, 0) == stack(X)[0]
    for k in (60, -61):
        with pytest.raises(IndexError, match="list index out of range"):
            compiled(X, k)


def assert_alike(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for pair in zip(got, want, strict=True):
            assert_alike(*pair)
    elif isinstance(want, dict):
        assert_alike(list(got.items()), list(want.items()))
    elif isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-13)
    elif isinstance(want, float):
        assert got == pytest.approx(want, rel=1e-13)
    else:
        assert got == want
