"""Loops that compute what an array is next from the array itself, with NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn


def in_place(turns, u):
    for _ in range(turns):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] - 3 * u[1:-1, :-2])
    return u.sum()


def new_array(turns, u):
    for _ in range(turns):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u = v
    return u


def rolled(turns, u):
    u = u.copy()
    for _ in range(turns):
        u[:] = np.roll(u, 1, 0) + np.roll(u, -1, 1) - u
    return u


def two_species(turns, u):
    u, v = u[:, :40].copy(), u[:, 40:80].copy()
    for _ in range(turns):
        lu = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        lv = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * v[1:-1, 1:-1]
        r = u[1:-1, 1:-1] * v[1:-1, 1:-1] ** 2
        u[1:-1, 1:-1] += 0.16 * lu - r
        v[1:-1, 1:-1] += 0.08 * lv + r
    return u, v


def watched(turns, u):
    changes = np.zeros(turns)
    for t in range(turns):
        before = u[3, 3]
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        changes[t] = abs(u).max() + before
    return changes


def borders(turns, u):
    for _ in range(turns):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u[0, :] = u[1, :]
        u[:, -1] = 0.0
    return u


def moving_part(turns, u):
    for t in range(turns):
        u[t:, 1:] = u[t:, :-1] * 0.5 + u[t:, ::-1][:, 1:]
    return u


def powers(turns, u):
    a = u[:80, :80] * 0.01
    x = u[:80, :80].copy()
    for _ in range(turns):
        x = a @ x + x
    return x


def reversed_turns(turns, u):
    for t in range(turns, 0, -1):
        u[:, 2:] = u[:, :-2] + t * u[:, 2:][:, ::-1]
    return u


def other_turns_inside(turns, u):
    for t in range(3):
        for _ in range(turns):
            u[2:] = u[:-2] * 0.5 + u[2:] + t
        u *= 0.5
    return u


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        in_place, new_array, rolled, two_species, watched, borders, moving_part, powers,
        reversed_turns, other_turns_inside,
    ],
)  # fmt: skip
def test_as_in_numpy(function: Any, dynamic: bool) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic or None)
    for turns in (0, 1, 2, 3, 4, 7, 12):
        u = np.random.default_rng(turns).random((97, 101))
        expected = u.copy()
        reference = function(turns, expected)
        result = compiled(turns, u)
        for a, b in zip(
            result if isinstance(result, tuple) else (result,),
            reference if isinstance(reference, tuple) else (reference,),
            strict=True,
        ):
            if function in (in_place, powers):  # sums
                np.testing.assert_allclose(a, b)
            else:
                assert_same(a, b)
        assert_same(u, expected)


def test_a_loop_of_known_length() -> None:
    def function(u):
        for _ in range(9):
            u[1:-1] = u[2:] + u[:-2] * 0.5
        return u

    u = np.random.default_rng(0).random(10_000)
    assert_same(qn.compile(function, fullgraph=True)(u.copy()), function(u.copy()))


def test_a_turn_of_a_pair_copies_nothing() -> None:
    text = qn.compile(rolled).lower(10, np.ones((200, 200))).text("cpp")
    program = text[text.index('extern "C" int32_t rolled') :]
    pairs = program[program.index("+= 2)") :].partition("ROLLED")[0]
    assert pairs.count("rolled_subtract(") == 2
    assert "copy" not in pairs


def test_explain_says_so() -> None:
    report = qn.compile(rolled).explain(10, np.ones((200, 200)))
    assert "two arrays take turns in place of a temporary that is copied back" in str(report)
