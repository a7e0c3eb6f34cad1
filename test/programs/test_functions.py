"""Functions of functions: helpers, closures, lambdas, recursion, methods, comprehensions, math."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from whole import Program

import quernel as qn

PROGRAMS = []
WEIGHT = 0.75
TABLE = (1.0, -2.0, 1.0)


def program(make, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return add


def vector(n, rng):
    return (rng.normal(size=n),)


def smooth(a, weight=0.5):
    a[1:-1] += weight * (a[2:] - a[:-2])


def turned(a):
    return a[::-1]


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def transform(x):
    """Recursion on a static size."""
    n = x.shape[0]
    if n == 1:
        return x
    even, odd = transform(x[::2]), transform(x[1::2])
    factor = np.arange(n // 2) / n
    return np.concatenate([even + factor * odd, even - factor * odd])


class Filter:
    """A plain object with a method and attributes."""

    def __init__(self, gain):
        self.gain = gain

    def apply(self, x):
        return x * self.gain + self.offset(x)

    @staticmethod
    def offset(x):
        return x.min()


FILTER = Filter(3.0)


@program(vector)
def helper_that_mutates(x):
    for _ in range(3):
        smooth(x)
        smooth(x, weight=0.25)


@program(vector)
def helper_with_a_view(x):
    y = turned(x)
    y[0] = 7
    return x.sum()


@program(vector)
def helper_in_a_loop(x):
    def step(a, b):
        return a * WEIGHT + b

    total = 0.0
    for value in x:
        total = step(total, value)
    return total


@program(vector)
def helper_that_branches(x):
    def sign(v):
        if v > 0:
            return 1
        if v < 0:
            return -1
        return 0

    total = 0
    for i in range(len(x)):
        total += sign(x[i]) * i
    return total


@program(vector)
def closure_over_locals(x):
    shift = x.mean()

    def shifted(k):
        return x - shift * k

    return shifted(1) + shifted(2)


@program(vector)
def lambdas(x):
    poly = lambda v: TABLE[0] * v * v + TABLE[1] * v + TABLE[2]  # noqa: E731
    return poly(x) + (lambda v, k=2: v * k)(x)  # noqa: PLC3002


@program(vector)
def nonlocal_counter(x):
    count = 0

    def add(value):
        nonlocal count
        count += 1
        return value + count

    return add(x) + add(x), count


@program(lambda n, rng: (rng.normal(size=n), 5))
def static_recursion(x, k):
    return x * factorial(4) + factorial(3)


@program(lambda n, rng: (rng.normal(size=n),), sizes=(4, 8, 16))
def recursion_on_shapes(x):
    return transform(x)


@program(vector)
def star_arguments(x):
    def weigh(first, *rest, scale=1.0, **named):
        total = first * scale
        for k, item in enumerate(rest):
            total = total + item * k
        return total + named["extra"]

    parts, named = (x, x * 2, x * 3), {"extra": x.max()}
    return weigh(*parts, scale=0.5, **named)


@program(lambda n, rng: (rng.normal(size=n),))
def default_arguments(x, scale=2.0, axis=0, name="unused"):
    return x.sum(axis=axis) * scale


@program(vector)
def comprehensions(x):
    parts = [x * k for k in range(4) if k != 2]
    pairs = {k: part.sum() for k, part in enumerate(parts)}
    return sum(part for part in parts), pairs[0] + pairs[1], max(p.max() for p in parts)


@program(vector)
def partial_application(x):
    twice = functools.partial(np.multiply, 2)
    return twice(x)


@program(vector)
def mathematics(x):
    total = 0.0
    for i in range(len(x)):
        v = abs(x[i])
        total += math.sin(v) + math.sqrt(v) * math.exp(-v) + math.atan2(v, 2) + math.log1p(v)
        total += math.floor(v * 3) + math.ceil(v) - math.pi * math.hypot(v, 1.0) + math.pow(v, 2)
    return total


@program(vector)
def mathematics_of_integers(x):
    n = len(x)
    return x * (math.gcd(n, 12) + math.isqrt(n) + math.comb(5, 2)), math.isnan(x[0])


@program(vector)
def builtins(x):
    n = len(x)
    q, r = divmod(n, 3)
    values = [float(n), int(3.7), bool(n), round(2.567, 1), pow(2, 5), abs(-n), sum([1, 2, n])]
    return x * q + r, sum(values), isinstance(x, np.ndarray), complex(1, 2)


@program(vector, either=True)
def builtins_of_elements(x):
    a, b = x[0] * 10, x[1]
    return (
        int(a),
        float(b),
        bool(a > b),
        abs(a),
        round(a),
        min(a, b),
        max(a, b, 0.0),
        divmod(a, 3.0),
    )


@qn.compile
def doubled(x):
    return x * 2


@program(vector)
def another_compiled_function(x):
    return doubled(x) + doubled(x + 1)


@program(vector)
def tuples_and_dictionaries(x):
    state = {"low": x.min(), "high": x.max()}
    (a, b), *rest = (state["low"], state["high"]), x[0], x[1]
    return {"span": b - a, "rest": tuple(rest)}, [a, b]


@program(vector, either=True)
def annotated_and_walrus(x):
    total: float = 0.0
    if (top := x.max()) > 1:
        total += top
    x[0] = y = total
    return y, top


@program(vector)
def deleted_names(x):
    y = x * 2
    z = y + 1
    del y
    return z


@program(vector)
def asserts_that_hold(x):
    assert x.ndim == 1
    assert x.shape[0] > 2, "too short"
    return x.sum()


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_functions(case: Program) -> None:
    case.check()
