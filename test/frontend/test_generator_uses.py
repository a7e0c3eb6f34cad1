"""What takes all items of a generator: Python's functions, unpacking, comprehensions."""

from __future__ import annotations

# ruff: noqa: B007, C416, C417  (as programs are)
import functools
import itertools

import numpy as np
import pytest
from control import Cases, check_program, name_of
from own_generators import count, pos, rows, running, three

case = Cases()
R = np.random.default_rng(0)
X = R.normal(size=57)
M = R.normal(size=(9, 4))
NUMBERS = R.integers(-5, 9, 40)


@case(X)
@case(X * 0)
@case(abs(X))
def sum_of_chosen(x):
    return sum(pos(x))


@case(X)
@case(X * 0)
def list_of_chosen(x):
    return list(pos(x))


@case(X)
@case(X * 0)
def array_of_chosen(x):
    return np.array(list(pos(x)))


@case(X)
@case(X * 0)
def least_with_default(x):
    return min(pos(x), default=-1.0)


@case(X)
@case(X * 0)
def any_and_all(x):
    return (any(v > 2 for v in pos(x)), all(v < 3 for v in pos(x)))


@case(X, NUMBERS)
def zip_on_either_side(x, y):
    t = 0.0
    for a, b in zip(pos(x), y, strict=False):
        t += a * b
    for b, a in zip(y, pos(x), strict=False):
        t += a * b * 2
    return t


@case(X)
@case(X * 0)
def first_or_none(x):
    return next(pos(x), None)


@case(X)
def first_above(x):
    return next((v for v in pos(x) if v > 1), -1.0)


@case(X)
def map_and_filter(x):
    return (sum(map(lambda v: v * v, pos(x))), sum(filter(lambda v: v > 1, pos(x))))


@case(X, 5)
@case(X, 0)
@case(X, 1000)
def first_items(x, n):
    return sum(itertools.islice(pos(x), n))


@case(X)
def as_long_as(x):
    return list(itertools.takewhile(lambda v: v < 2, running(x)))


@case(X)
def chained_together(x):
    return sum(itertools.chain(pos(x), running(x), [1.0, 2.0]))


@case(X)
def unpacked_items(x):
    a, b, c = three(x)
    p, *q = three(2.0)
    return (a + b + c, p, q)


@case(X)
def starred_items(x):
    return (max(*three(x[0])), np.stack([*three(x)]).sum(), np.concatenate(list(three(x))))


@case(X)
def reduced_items(x):
    return (
        functools.reduce(lambda a, b: a * 0.5 + b, pos(x)),
        functools.reduce(lambda a, b: a + b, pos(x), 1.0),
    )


@case(X)
def membership(x):
    return (3 in count(5), 7 in count(5), x[3] in running(x))


@case(X)
def comprehensions_over_generators(x):
    return (
        [v * v for v in pos(x) if v < 1],
        np.array([a + b for a, b in zip(running(x), x, strict=False)]),
    )


@case(X)
def genexp_if(x):
    return sum(v * 2 for v in pos(x) if v < 1)


@case(M)
def genexp_two(m):
    return sum(v for r in rows(m) for v in r if v > 0)


@case(X)
def sorted_key(x):

    def g():
        for k in (3, 1, 2):
            yield (k, x[k])

    return sorted(g(), key=lambda p: p[0])


@case(X)
@case(X * 0)
def chosen_by_data(x):
    best = max((v for v in x if v < 1), default=0.0)
    return sum(v for v in x if v > 0), best, any(v > 2 for v in x if v < 3)


@case(X)
@case(X * 0)
def listed_by_data(x):
    inner = (v * v for v in x if v > 0)
    return [v * 2 for v in x if v > 0], np.array([w for w in inner if w < 1])


@case(M)
def expression_bound_to_a_name(m):
    found = (v for r in m for v in r if v > 0)
    t = 0.0
    for k, v in enumerate(found):
        if t > 3:
            break
        t += v
    return t, k


@case(M)
def first_of_data(m):
    return next((i for i, r in enumerate(m) if r[0] > 0.5), -1)


@case(X)
def tuples_and_dicts(x):
    return (
        tuple(three(x[0])),
        dict(enumerate(three(1.5))),
        {k: v for k, v in enumerate(three(x[0]))},
    )


@case(X)
def expressions_in_loops(x):
    for v in x:
        s = sum(w for w in x if w < v)
        if s > 0:
            return s
    return sum(1 for w in x if w > 0)


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_what_takes_the_items(function, args) -> None:
    check_program(function, args)
