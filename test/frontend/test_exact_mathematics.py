"""Functions of `math` that Python computes exactly, of numbers of the program."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

RNG = np.random.default_rng(1)


def outcome(function: Callable, args: tuple) -> Any:
    try:
        answer = function(*args)
    except UnsupportedError:
        raise
    except Exception as error:
        return type(error), str(error)
    return type(answer), repr(answer)


@pytest.mark.parametrize(
    ("function", "cases"),
    [
        (
            lambda a, b: (math.gcd(a, b), math.lcm(a, b), math.gcd(a, b, a + 6), math.lcm(a)),
            [(12, 18), (0, 5), (-12, 18), (7, 0), (0, 0), (2**40, 2**20 * 3), (np.int64(9), 6)],
        ),
        (lambda n: math.factorial(n) + 0, [(0,), (1,), (5,), (20,), (-1,), (True,), (2.5,)]),
        (
            lambda n, k: (math.comb(n, k), math.perm(n, k)),
            [(5, 2), (5, 0), (5, 7), (20, 10), (-1, 2), (3, -2), (10, 10)],
        ),
        (lambda n: math.perm(n) + 0, [(6,), (0,), (-1,)]),
        (
            lambda n: math.isqrt(n) + 0,
            [(0,), (15,), (16,), (17,), (2**62,), (2**63 - 1,), (3037000499**2 - 1,), (-4,)],
        ),
        (lambda x: [math.factorial(int(v)) for v in x], [(np.array([3.0, 4.0]),)]),
    ],
)
def test_integers(function: Callable, cases: list[tuple]) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for args in cases:
        assert outcome(compiled, args) == outcome(function, args), args


def summed(x: np.ndarray) -> float:
    return math.fsum(x)


SUMS = [
    np.array([1e100, 1.0, -1e100]),
    np.array([1e16, 1.0, 1.0]),
    np.array([0.1] * 10),
    np.array([1e-16, 1, 1e16]),
    np.array([2.0**53, 1, 2.0**-60]),
    np.array([-(2.0**53), -1, -(2.0**-60)]),
    np.array([0.0, -0.0]),
    *(np.ldexp(RNG.integers(-3, 4, 20) / 1, RNG.integers(-60, 60, 20)) for _ in range(20)),
]


@pytest.mark.parametrize(
    "function", [lambda x: math.fsum(x) + 0.0, lambda x: statistics.fmean(x) + 0.0]
)
def test_sums_are_rounded_once(function: Callable) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for x in SUMS:
        assert outcome(compiled, (x,)) == outcome(function, (x,)), x


@pytest.mark.parametrize("x", [[np.inf, 1.0], [np.nan, 2.0], [1e308, 1e308, -1e308]])
def test_sums_of_what_is_not_finite_are_left(x: list) -> None:
    compiled = qn.compile(summed)
    with pytest.warns(qn.FallbackWarning, match="math.fsum of what isn't finite"):
        assert outcome(compiled, (np.array(x),)) == outcome(summed, (np.array(x),))


def test_wide_integers_are_left() -> None:
    compiled = qn.compile(lambda x: math.factorial(int(x[0])) % 1000003)
    with pytest.warns(qn.FallbackWarning, match="a Python integer of more than 64 bits"):
        assert compiled(np.array([25.0])) == math.factorial(25) % 1000003


def test_sums_in_any_order_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"math\.fsum with fastmath=True, which sums in any"):
        qn.compile(summed, fullgraph=True, fastmath=True)(SUMS[0])
