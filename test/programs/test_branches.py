"""Branches on arrays' values, loops that end early, conditions that depend on the data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from whole import Program

PROGRAMS = []


def program(make, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return add


def vector(n, rng):
    return (rng.normal(size=n),)


@program(vector)
def both_sides(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
        y[0] = 0
    return y


@program(vector)
def only_one_side(x):
    scale = 1.0
    if x[0] < 0:
        scale = -1.0
        x[1:] = 0
    return scale * x


@program(vector)
def elif_chain(x):
    mean = x.mean()
    if mean < -0.2:
        kind = 0
    elif mean < 0.0:
        kind = 1
    elif mean < 0.2:
        kind = 2
    else:
        kind = 3
    return kind


@program(vector, either=True)
def integer_or_float(x):
    value = 0
    if x[0] > 0:
        value = x[0]
    return value * 2.0


@program(vector)
def conditional_expressions(x):
    low = x[0] if x[0] < x[1] else x[1]
    high = x[0] if not x[0] < x[1] else x[1]
    return low, high


@program(vector)
def logic_of_elements(x):
    count = 0
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1] and not x[i] < 0 or x[i] > 2:  # noqa: RUF021
            count += 1
    return count


@program(vector)
def python_minimum_and_maximum(x):
    worst = 0.0
    for i in range(1, len(x)):
        worst = max(worst, abs(x[i] - x[i - 1]), min(x[i], 0.5))
    return worst


@program(vector)
def clamp_in_loop(x):
    for i in range(len(x)):
        if x[i] < -0.5:
            x[i] = -0.5
        elif x[i] > 0.5:
            x[i] = 0.5


@program(lambda n, rng: (rng.normal(size=n), n % 2 == 0))
def python_flag(x, flag):
    if flag:
        return x + 1
    return x[1:]


@program(lambda n, rng: (rng.normal(size=n), None if n < 8 else 2.0))
def optional_argument(x, weight):
    if weight is None:
        weight = x.max()
    return x * weight


@program(vector)
def branch_on_size(x):
    if len(x) > 7:
        return x[:7]
    return x


# Early returns


@program(vector)
def early_return(x):
    if x[0] > 0:
        return x.sum()
    y = x - x.min()
    return y.prod()


@program(vector)
def return_in_loop(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            return i
    return -1


@program(lambda n, rng: (rng.normal(size=(n, n)),), either=True)
def return_in_nested_loops(a):
    for i in range(a.shape[0]):
        for j in range(i):
            if a[i, j] > 1.0:
                return a[i, j] + i * j
    return 0.0


# while


@program(lambda n, rng: (rng.random(n) + 1,))
def until_converged(a):
    guess = np.ones_like(a)
    error = 1.0
    turns = 0
    while error > 1e-10:
        new = 0.5 * (guess + a / guess)
        error = np.abs(new - guess).max()
        guess = new
        turns += 1
    return guess, turns


@program(lambda n, rng: (3 * n,))
def counted_while(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program(lambda n, rng: (np.sort(rng.normal(size=n)), 0.1))
def bisection(x, value):
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@program(lambda n, rng: (rng.random(n) + 0.5,))
def while_with_two_conditions(x):
    total, i = 0.0, 0
    while i < len(x) and total < 3.0:
        total += x[i]
        i += 1
    return total, i


@program(vector)
def endless_until_break(x):
    k = 0
    while True:
        x *= 0.5
        k += 1
        if np.abs(x).max() < 1e-3:
            break
    return k


@program(lambda n, rng: (n,))
def divisors(n):
    a, b = 24 * n, 18
    while b:
        a, b = b, a % b
    return a


# break, continue, else


@program(vector, either=True)
def break_out(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1:
            break
        total += x[i]
    return total


@program(vector)
def break_after_work(x):
    for i in range(len(x)):
        x[i] *= 2
        if x[i] > 1:
            break
        x[i] -= 1
    return i


@program(vector)
def continue_over(x):
    total = 0.0
    for value in x:
        if value < 0:
            continue
        total += math.sqrt(value)
    return total


@program(vector)
def continue_and_break(x):
    kept = np.zeros_like(x)
    count = 0
    for i in range(len(x)):
        if x[i] < -1:
            break
        if x[i] < 0:
            continue
        kept[count] = x[i]
        count += 1
    return kept, count


@program(vector)
def for_else(x):
    for i in range(len(x)):
        if x[i] > 1.5:
            found = i
            break
    else:
        found = -1
    return found


@program(lambda n, rng: (rng.random(n), 0.3 * n))
def while_else(x, limit):
    i, total = 0, 0.0
    while i < len(x):
        total += x[i]
        if total > limit:
            break
        i += 1
    else:
        total = -total
    return total, i


@program(lambda n, rng: (rng.normal(size=(n, n)),))
def break_of_inner_loop(a):
    counts = np.zeros(a.shape[0], np.int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0.5:
                break
            counts[i] += 1
    return counts


@program(lambda n, rng: (2.0, n * 10))
def escape_time(radius, points):
    counts = np.zeros(points, np.int64)
    for p in range(points):
        c = -2.0 + 3.0 * p / points
        z = 0.0
        for k in range(50):
            z = z * z + c
            if abs(z) > radius:
                break
            counts[p] = k
    return counts


@program(lambda n, rng: (rng.integers(0, 6, n),))
def pass_and_nothing(x):
    for _ in range(3):
        pass
    count = 0
    for i in range(len(x)):
        if x[i] == 2:
            pass
        elif x[i] in (1, 3):
            count += 1
    return count


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_branches(case: Program) -> None:
    case.check()
