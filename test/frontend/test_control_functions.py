"""Functions that call functions: helpers, closures, recursion, folds, patterns."""

from __future__ import annotations

import cmath
import functools

import numpy as np
import pytest
from control import Cases, check_program, name_of

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 4.0])
A = np.arange(30.0).reshape(5, 6)
case = Cases()


@case(X)
def takes_every_kind_of_argument(x):
    def h(a, b=2, *c, d=1, **e):
        return a * b + sum(c) + d + sum(e.values())

    return h(x), h(x, 3, 4, 5, d=2, z=9), h(*[x, 1], d=4)


@case(X, 0.3)
def complex_numbers_of_cmath(x, t):
    return x * cmath.exp(1j), cmath.exp(1j * t) * x, cmath.sqrt(-float(x[0])), cmath.phase(1j)


@case(X)
def recurs_on_known_numbers(x):
    def f(y, n):
        return y if n == 0 else f(y * 2, n - 1) + 1

    return f(x, 6)


@case(X)
def loops_in_helpers(x):
    def factorial(n):
        r = 1
        for i in range(2, n + 1):
            r *= i
        return r

    return factorial(int(x[0])), factorial(int(x[3]))


@case(X)
def returns_from_helpers_early(x):
    def find(y, t):
        for i in range(len(y)):
            for j in range(i):
                if y[i] * y[j] > t:
                    return i, j
        return -1, -1

    return find(x, 8.0), find(x, 100.0)


@case(X)
def closes_over(x):
    functions = []
    for k in range(3):
        functions.append(lambda v, k=k: v * k)
    return [f(x) for f in functions]


@case(X)
def catches_what_is_known(x):
    try:
        return x + np.zeros(99)
    except (ValueError, TypeError):
        y = x * 2
    finally:
        z = 1
    return y + z


@case(X)
def matches(x):
    out = 0
    for k in range(4):
        match k % 3:
            case 0 | 5:
                out = out + x[0]
            case 1:
                out = out + x[1]
            case _:
                out = out - x[k]
    return out


@case(X)
def takes_apart(x):
    a, *b, c = x
    d = {"a": a, "b": b}
    s = 0
    for value in d.values():
        s = s + (value if not isinstance(value, list) else value[0])
    return s + c, d


@case(X)
def folds(x):
    return (
        functools.reduce(lambda a, b: a * b, [v + 1 for v in x]),
        max(i * 2 for i in range(3)),
        any(x[i] > 4 for i in range(6)),
        all(v > -2 for v in x),
        max(x),
        {k: x[k] for k in (0, 1)},
    )


@case(X)
def hands_state_on(x):
    state = (0.0, 1)
    for v in x:
        state = (state[0] + v, state[1] * 2)
    return state


@case(X)
def views_see_writes(x):
    v = x[1:4]
    for i in range(5):
        x[i] += v[0]
    return v.sum()


@case(X)
def binds_to_views(x):
    previous, s = x[0:2], 0.0
    for i in range(4):
        current = x[i : i + 2]
        s += (current * previous).sum()
        previous = current
    return s


@case(X)
def writes_through_names_that_move(x):
    previous, s = x[0:2], 0.0
    for i in range(3):
        current = x[i : i + 2]
        current += 1
        s += previous[0]
        previous = current
    return s


@case(A)
def sweeps_in_place(u):
    n, m = u.shape
    for _ in range(3):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@case(A)
def writes_aliases(u):
    v = u.T
    for i in range(5):
        v[i, :] += u[:, i].sum()
    return u[0, 0]


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_functions_are_pythons(function, args) -> None:
    check_program(function, args)
