"""Conditions of `while` loops that write to arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import quernel as qn


def step(x: np.ndarray) -> Any:
    x[0] += 1
    return x[0]


def counted(x: np.ndarray) -> int:
    n = 0
    while step(x) < 5:
        n += 1
    return n


def left(x: np.ndarray) -> int:
    n = 0
    while step(x) < 50 and n < 100:
        n += 2
        if n == 4:
            continue
        if n > 30:
            break
    return n


def nested(x: np.ndarray) -> int:
    n = 0
    for k in range(3):
        while step(x) < 5 * k:
            n += 1
            while step(x) % 3 > 0:
                n += 10
    return n


def into(x: np.ndarray) -> np.ndarray:
    while np.add(x, 1, out=x)[0] < 9:
        x[1] = 2
    return x


def returns(x: np.ndarray) -> float:
    while step(x) < 50:
        if x[0] > 7:
            return x[0] * 2
    return 0.0


@pytest.mark.parametrize("function", [counted, left, nested, into, returns])
def test_as_pythons(function: Callable) -> None:
    x, y = np.zeros(3), np.zeros(3)
    expected, found = function(x), qn.compile(function, fullgraph=True)(y)
    np.testing.assert_equal(found, expected)
    np.testing.assert_equal(y, x)
