"""Named tuples as arguments: fields, methods, writes, other classes, classes that change."""

from __future__ import annotations

import copy
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import assert_same

import quernel as qn

Pair = namedtuple("Pair", "a b")


class State(NamedTuple):
    position: Any
    speed: Any
    time: float = 0.0

    def energy(self):
        return (self.speed * self.speed).sum() / 2

    @property
    def later(self):
        return self.time + 1


def fields(pair, y):
    a, b = pair
    return pair.a * y + pair[1], a + b, len(pair), Pair(pair.b, y)


def methods(state, n):
    return state.energy(), state.later, state._replace(time=n)


def turns(state, n):
    for _ in range(n):
        state = State(state.position + 0.5 * state.speed, state.speed - 1, state.time + 0.5)
    return state


def written(state, n):
    state.position[0] = n
    state.speed[:] += state.position
    return state.position, [state]


def nested(pair, y):
    return pair.a.position * y + pair.b["x"]


STATE = State(np.arange(4.0), np.ones(4))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (fields, (Pair(2.0, 3), np.ones(3))),
        (fields, (Pair(np.arange(3), 2.5), np.arange(3.0))),
        (methods, (STATE, 4)),
        (turns, (STATE, 20)),
        (written, (STATE, 7)),
        (nested, (Pair(STATE, {"x": 1}), np.full(4, 3.0))),
    ],
)
def test_named_tuples_are_arguments(function, args):
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        assert_same(compiled(*ours), function(*theirs))
        np.testing.assert_equal(ours, theirs)
    assert compiled.stats()["compiles"] <= 2


def test_other_classes_are_other_programs():
    def first(p):
        return p[0] * 2

    compiled = qn.compile(first, fullgraph=True)
    x = np.ones(3)
    for argument in (Pair(x, 1), State(x, 1), (x, 1), [x, 1], Pair(x, 2)):
        np.testing.assert_array_equal(compiled(argument), first(argument))
    assert compiled.stats()["compiles"] == 4
    assert "p: Pair of 2" in str(compiled.explain(Pair(x, 1)))


def test_class_that_changes():
    class Local(NamedTuple):
        x: Any
        scale = 2.0

        def scaled(self):
            return self.x * self.scale

    def call(local):
        return local.scaled()

    globals()["Local"] = Local
    Local.__qualname__ = "Local"
    try:
        compiled = qn.compile(call, fullgraph=True)
        local = Local(np.ones(2))
        assert compiled(local)[0] == 2
        Local.scale = 3.0
        assert compiled(local)[0] == 3
        Local.scaled = lambda self: self.x + 9
        assert compiled(local)[0] == 10
    finally:
        del globals()["Local"]


class Kept(NamedTuple):
    x: Any

    @staticmethod
    def twice(y):
        return y * 2


def test_static_methods():
    compiled = qn.compile(lambda p: p.twice(p.x) + 1, fullgraph=True)
    np.testing.assert_array_equal(compiled(Kept(np.ones(2))), np.full(2, 3.0))


def test_what_cant_be_described_is_known_by_itself():
    class Inner(NamedTuple):
        x: Any

    given = Inner(np.ones(2))
    compiled = qn.compile(lambda p: p.x + 1, fullgraph=True)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(given), np.full(2, 2.0))
    with pytest.raises(qn.errors.UnsupportedError, match="is an object of type Inner"):
        qn.compile(lambda p: p, fullgraph=True)(given)
