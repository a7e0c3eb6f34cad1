"""Loops before whose first turn a name has another dtype, shape or kind than behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from whole import same_call

import quernel as qn


def other_dtype(x, k):
    for i in range(len(x)):
        k = k * 0.5 + x[i]
    return k


def other_dtype_if_there_is_a_turn(x, k):
    i = 0
    while i < len(k) and x[i] > 0:
        k = x + i
        i += 1
    return k + 1


def other_shape(x, k):
    y = x[0]
    for row in np.outer(x, x):
        y = row + y
    return y


def other_kind(x, k):
    best = None
    for e in x:
        if best is None or e < best:
            best = e
    return best


def two_changes(x, k):
    y, z = k, k
    for _ in x:
        y = z + 1
        z = z * 0.5
    return y, z


def left_for_good(x, k):
    for i, e in enumerate(x):
        k = k * e
        if e < 0:
            return k, i
    return k


def number_of_another_type(x, k):
    s = 2
    for e in x:
        s = s + e if e > 0 else e
    return x.astype(np.float32) * s


def element_of_another_type(x, k):
    s = 7
    for i in range(3):
        s = k[s % 3] ^ i
    k[0] = s
    return k & s


def turns_within_turns(x, k):
    for i in range(3):
        for e in x:
            k = k + e
        x = x[::-1] * i
    return k, x


PROGRAMS = [
    other_dtype, other_dtype_if_there_is_a_turn, other_shape, other_kind, two_changes,
    left_for_good, number_of_another_type, element_of_another_type,
    turns_within_turns,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [3, 40])
def test_first_turns(function: Any, n: int) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        same_call(compiled, function, (rng.normal(size=n), rng.integers(0, 9, n)))
    assert compiled.stats()["fallbacks"] == 0


def test_other_turns_are_rolled() -> None:
    compiled = qn.compile(other_dtype, fullgraph=True)
    compiled(np.ones(40), np.arange(40))
    assert "unrolled" not in str(compiled.explain())


def grows(x):
    y = x[:1]
    for e in x:
        y = np.concatenate([y, y[:1] * e])
    return y


def test_what_changes_in_each_turn_is_unrolled() -> None:
    same_call(qn.compile(grows, fullgraph=True), grows, (np.arange(5.0),))
