"""Names of which data decide, turn by turn, which dtype, shape or kind they have."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn

X = np.random.default_rng(5).standard_normal(9)


def halves(x):
    c = np.arange(3)
    for v in x:
        c = c / 2 if v > 0 else c + 1
    return c


def halves_and_more(x):
    c = np.arange(3)
    for v in x:
        if v > 0:
            c = c / 2
    d = c * 3
    return d + 1, c


def there_and_back(x):
    c = np.arange(3)
    for v in x:
        if v > 0:
            c = c / 2
        elif v < -0.5:
            c = np.array([5, 6, 7])
        c = c * 2
    return c


def last_of_some(x):
    best = None
    for v in x:
        if v > 0.5:
            best = x * v
    return best


def best_of_some(x):
    best = None
    for i in range(len(x)):
        if (best is None or x[i] > best[0]) and x[i] > 0:
            best = x[:2] * i
    return -1 if best is None else best.sum()


def in_a_condition(x):
    c, i = np.arange(3), 0
    while i < len(x) and c.sum() < 100:
        if x[i] > 0:
            c = c / 2
        c = c * 2 + i
        i += 1
    return c, i


def exchanged(x):
    a, b = np.arange(4), np.ones(4)
    for i in range(len(x)):
        a, b = b, a
        a += i
    return a, b


def written_in_turns(x):
    c = np.zeros(3, np.int64)
    for v in x:
        if v > 0.3:
            c = c + 0.5
        c[1] = c[1] * 3 + 1
    return c


def inside_of_another(x):
    c, total = np.arange(3), 0.0
    for v in x:
        for k in range(3):
            if v > k - 1:
                c = c + x[k]
        total += c.sum()
    return c, total


def behind_an_else(x):
    c = np.arange(3)
    for v in x:
        if v > 1.9:
            break
    else:
        for v in x:
            if v > 0:
                c = c / 2
    return c + 1


def unbound_before(x):
    for v in x:
        c = np.arange(3) if v > 0 else np.ones(3)
        if v > 1:
            c = c * 0.5
    return c


def shapes(x):
    c = np.zeros(2)
    for v in x:
        if v > 0:
            c = np.concatenate((x[:2], x[-2:])) * v
    return c.sum(), c


def largest(x, k):
    best = max(x[0], 2)
    for v in k:
        best = max(best, v)
    return best


@pytest.mark.parametrize(
    "function",
    [
        halves,
        halves_and_more,
        there_and_back,
        last_of_some,
        best_of_some,
        in_a_condition,
        exchanged,
        written_in_turns,
        inside_of_another,
        behind_an_else,
        unbound_before,
        shapes,
    ],
)
def test_names_of_several_sorts(function):
    compiled = qn.compile(function, fullgraph=True)
    for x in (X, -X, abs(X), -abs(X), X[:4], -X[:3]):
        assert_same(compiled(x.copy()), function(x.copy()))


def test_integers_that_no_float_has():
    compiled = qn.compile(largest, fullgraph=True)
    for most in (2**63 - 1, 2**53 + 1, 3, -(2**63)):
        k = np.array([1, most, 0])
        for first in (1.5, 2.0**62):
            x = np.array([first])
            assert_same(compiled(x, k), largest(x, k))


def test_too_many_sorts_unroll_the_loop():
    def growing(x):
        made = x[:1]
        for v in x:
            made = np.append(made, v)
        return made

    compiled = qn.compile(growing, fullgraph=True)
    assert_same(compiled(X), growing(X))
    assert any("unrolled" in note for note in compiled.explain(X).notes)


def quotient(x, n):
    s = 2.0 if x[0] > 0 else n
    return s / (s - 2)


def whole_quotient(x, n):
    s = 2.0 if x[0] > 0 else n
    return s // (s - 2)


def remainder(x, n):
    s = 2.0 if x[0] > 0 else n
    return n % (s - 2)


@pytest.mark.parametrize("function", [quotient, whole_quotient, remainder])
def test_division_by_zero_of_either_type(function):
    compiled = qn.compile(function, fullgraph=True)
    for x, n in ((1.0, 3), (-1.0, 2), (-1.0, 3), (1.0, 2)):
        try:
            expected = function(np.array([x]), n)
        except ZeroDivisionError as error:
            with pytest.raises(ZeroDivisionError, match=f"^{error}$"):
                compiled(np.array([x]), n)
        else:
            assert_same(compiled(np.array([x]), n), expected)
