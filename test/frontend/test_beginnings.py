"""How often a capture begins: the function, and its loops and branches by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.capture import trace
from quernel.capture.state import State

X = np.linspace(-1.0, 1.0, 60)
MATRIX = 3 * np.eye(5) + 1


@pytest.fixture
def begun(monkeypatch):
    """What has begun: attempts at functions, and pieces that were forgotten."""
    counts = {"attempts": 0, "forgotten": 0}

    def counted(owner: Any, name: str, what: str) -> None:
        function = getattr(owner, name)

        def count(*args: Any) -> Any:
            counts[what] += 1
            return function(*args)

        monkeypatch.setattr(owner, name, count)

    counted(trace, "_attempt", "attempts")
    counted(State, "discard", "forgotten")
    return counts


# Numbers that have to be known


def sized(x, n, m):
    grid = np.zeros((n, m))
    spacing = 2.0 / (n - 1)
    return grid + x[:m] * spacing, n * m


def reshaped(x, rows):
    return x.reshape(rows, -1).sum(axis=rows % 2)


def chosen(x, how, power):
    if how > 2:
        return x**power
    return x * np.int64(2) ** power


def meshed(x, n, low):
    rows, columns = np.mgrid[0:n, 0:n]
    return x[0] * rows + columns + np.linspace(low, 1, n)


# Divisors that are parameters


def steps(u, dt, dx, n):
    for _ in range(n):
        u[1:-1] += dt / dx**2 * (u[2:] - 2 * u[1:-1] + u[:-2]) / (2 * dx)
        u[0] += 1 / dt
    return u[:3]


def in_branch(x, scale):
    total = 0.0
    for value in x:
        if value > 0:
            total += 1.0 / scale
    return total


# Lists that grow


def appended(x, n):
    out = []
    for i in range(n):
        out.append(x[i % 5] * i)
    return np.array(out)


def selected(x):
    found, places = [], []
    for i in range(len(x)):
        if x[i] > 0:
            found.append(x[i])
            places.append(i)
    return np.array(found), places


def states(x, n):
    seen = [x]
    for _ in range(n):
        x = x * 0.5 + 1
        seen.append(x.copy())
    return np.array(seen)


# What a loop's text says


def gradients(a, b, n):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    square = r @ r
    for _ in range(n):
        ap = a @ p
        alpha = square / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / square) * p
        square = new
    return x


def nested(x, n):
    out = np.zeros(3)
    for _ in range(n):
        for j in range(3):
            x = x + 0.5 * j
            out[j] += x.sum()
    return x, out


def written_now_and_then(x, n):
    y = x
    for i in range(n):
        x = x * 0.5
        if i == 2:
            x[0] = 7
    return x, y


def left_by_break(x, tolerance):
    for i in range(50):
        x = x * 0.5
        if np.abs(x).max() < tolerance:
            x[0] = i
            break
    else:
        return -x
    return x


def left_by_return(x, value):
    for i in range(len(x)):
        for j in range(len(x)):
            if x[i] + x[j] == value:
                return i, j
            if j > i:
                break
    return None


@pytest.mark.parametrize(
    ("function", "args", "attempts", "forgotten"),
    [
        (sized, (X, 5, 4), 1, 0),
        (reshaped, (X, 6), 1, 0),
        (chosen, (X, 3, 2), 1, 0),
        (chosen, (X, 1, 3), 1, 0),
        (meshed, (X, 4, 0.5), 1, 0),
        (steps, (X, 1e-6, 0.1, 5), 1, 0),
        (in_branch, (X, 0.25), 1, 0),
        (appended, (X, 40), 3, 2),
        (selected, (X,), 3, 4),
        (states, (X, 30), 3, 2),
        (gradients, (MATRIX, X[:5], 8), 1, 0),
        (nested, (X, 4), 1, 0),
        (written_now_and_then, (X, 20), 1, 0),
        (left_by_break, (X, 1e-5), 1, 0),
        (left_by_return, (X, X[3] + X[40]), 1, 0),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_begins_once(
    begun: dict, function: Any, args: tuple, attempts: int, forgotten: int
) -> None:
    compiled = qn.compile(function, fullgraph=True)
    expected = function(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in args))
    found = compiled(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in args))
    assert_same(found, expected, scale=1e-14)  # products of matrices are BLAS's in NumPy
    assert begun["attempts"] <= attempts
    assert begun["forgotten"] <= forgotten


# What the text doesn't say


def never_left(x, debug):
    total = 0.0
    for value in x:
        if debug:
            break
        total += value
    return total


def left_at_once(x, debug):
    total = 0.0
    for value in x:
        if debug:
            return total
        total += value
    return total


@pytest.mark.parametrize("function", [never_left, left_at_once], ids=lambda f: f.__name__)
@pytest.mark.parametrize("debug", [False, True])
def test_jumps_that_are_not_carried_out(function: Any, debug: bool) -> None:
    compiled = qn.compile(function, fullgraph=True)
    assert_same(compiled(X, debug), function(X, debug))


def test_a_loop_that_is_never_left_counts() -> None:
    compiled = qn.compile(never_left, fullgraph=True)
    assert "while" not in compiled.lower(X, False).text("loops")


# Divisions by zero


@pytest.mark.parametrize("function", [steps, in_branch], ids=lambda f: f.__name__)
def test_a_parameter_may_be_any_but_zero(function: Any) -> None:
    compiled = qn.compile(function, fullgraph=True)
    rest = (0.1, 5) if function is steps else ()
    for scale in (0.5, 0.25, 3.0):
        found, expected = X.copy(), X.copy()
        assert_same(compiled(found, scale, *rest), function(expected, scale, *rest))
        assert_same(found, expected)
    assert compiled.stats()["compiles"] == 1
    found = X.copy()
    with pytest.raises(ZeroDivisionError) as raised:
        compiled(found, 0.0, *rest)
    with pytest.raises(ZeroDivisionError) as expected_error:
        function(X.copy(), 0.0, *rest)
    assert str(raised.value) == str(expected_error.value)
    assert compiled.stats()["compiles"] == 1


def test_a_division_that_no_iteration_comes_to() -> None:
    compiled = qn.compile(in_branch, fullgraph=True)
    assert compiled(X, 2.0) == in_branch(X, 2.0)
    assert compiled(-np.abs(X), 0.0) == 0.0


def caught(x, scale):
    found = 0.0
    for value in x:
        try:
            found += value / scale
        except ZeroDivisionError:
            found -= 1
    return found


def test_a_division_whose_exception_is_handled() -> None:
    compiled = qn.compile(caught)
    numbers = [1.0, 2.0, 3.0] * 10
    for scale in (2.0, 0.0, 4.0):
        assert_same(compiled(numbers, scale), caught(numbers, scale))


# A number that two places have, and one that later calls have another value of


def reads_its_own(x, n, m):
    return np.zeros(n) + m, x[:m].sum(), n


@pytest.mark.parametrize("calls", [[(3, 2), (4, 2), (4, 3), (3, 3)], [(2, 2), (2, 2), (5, 1)]])
def test_values_are_guarded(calls: list) -> None:
    compiled = qn.compile(reads_its_own, fullgraph=True)
    for n, m in calls:
        assert_same(compiled(X, n, m), reads_its_own(X, n, m))
