"""The plan of a program: what its capture has decided about loops, branches and lists."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import quernel as qn

X = np.random.default_rng(3).normal(size=60)


def plan_of(function, *args):
    compiled = qn.compile(function, fullgraph=True)
    text = compiled.lower(*args).text("plan")
    first = function.__code__.co_firstlineno
    for number in range(first + 40, first, -1):
        text = text.replace(f"{__file__.rpartition('/')[2]}:{number}:", f"{number - first}:")
    return text.replace(f"{__file__.rpartition('/')[2]}:{first}: ", "")


def hold_last(x, keep):
    last = None
    out = np.zeros(len(x))
    for i, v in enumerate(x):
        if v < 0:
            continue
        last = v if last is None else keep * last + v
        out[i] = last
    return out


def swap(a, b, n):
    for _ in range(n):
        a[1:-1] = (b[:-2] + b[2:]) * 0.5
        a, b = b, a
    return a


def rows(x):
    found = []
    for r in x:
        if r[0] > 0:
            found.append(r * 2)
    return np.array(found)


def mixed(x):
    s = 0.0
    for k in (1, 2, 3):
        s = s + x[:k].sum()
    while s > 1:
        s = s * 0.5
    t = 1
    if x[0] > 0:
        t = x[0]
    return s, t


def peeled(x):
    best = 0
    for row in x:
        best = row * 2
    return best


PLANS = {
    hold_last: (
        (X, 0.5),
        """
        3: for i, v in enumerate(x)
            a loop of the program, by its counter
            hands on last: None or float64
            captured once for each kind that such a name may have
        4: if v < 0
            both sides, joined behind them: last
        """,
    ),
    swap: (
        (X.copy(), X.copy(), 10),
        """
        1: for _ in range(n)
            a loop of the program, by its counter
            hands on a: float64[60]; b: float64[60]
            writes to a, b
            captured once for each kind that such a name may have
        """,
    ),
    rows: (
        (np.ones((40, 3)),),
        """
        def rows(x)
            found: a list that the program fills
        2: for r in x
            a loop of the program, by its counter
            hands on found: a list that the program fills
        3: if r[0] > 0
            both sides, joined behind them: found
        """,
    ),
    mixed: (
        (X,),
        """
        2: for k in (1, 2, 3)
            captured iteration by iteration: it runs over Python's own objects
        4: while s > 1
            a loop of the program, by a condition
            hands on s: float64
        7: if x[0] > 0
            both sides, joined behind them: t
        """,
    ),
}


@pytest.mark.parametrize("function", PLANS, ids=lambda f: f.__name__)
def test_the_plan_says_what_was_decided(function):
    args, text = PLANS[function]
    assert plan_of(function, *args) == textwrap.dedent(text).lstrip()


def test_without_decisions_the_plan_says_so():
    assert plan_of(lambda x: x + 1, X) == ("No loops, and no branches that data decide.\n")


def test_a_loop_whose_first_iteration_differs():
    text = plan_of(peeled, np.ones((5, 3)))
    assert "a loop of the program" in text
