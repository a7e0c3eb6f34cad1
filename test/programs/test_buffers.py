"""Which arrays share memory, in any order of loops and updates; arguments after exceptions."""

from __future__ import annotations

import pytest
from whole import Program

PROGRAMS: list[Program] = []


def program(make, **how):
    def note(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return note


def one(n, rng):
    return (rng.normal(size=n),)


def two(n, rng):
    return rng.normal(size=n), rng.normal(size=n)


def counted(n, rng):
    return rng.normal(size=n), rng.normal(size=n), n % 3


@program(one)
def loop_then_branch(x):
    for i in range(3):
        x[i] = i
    if x[0] < 5:
        x -= 1


@program(two)
def branch_then_loop_then_branch(x, y):
    x[1] -= 1
    if y[0] > 0:
        x[0] = 1
    else:
        x[:] = y
    for i in range(len(x)):
        x[i] += y[i]
    if x[1] > y[1]:
        x *= 2


@program(one)
def best_of_turns(x):
    best = x + 1
    for i in range(4):
        y = best * 1.1 - i
        if y[0] > best[0] - 1:
            best = y
    return best


@program(two)
def places_exchanged(x, y):
    a, b = x + 1, y * 2
    for i in range(3):
        a, b = b[::-1] + i, a
    return a, b


@program(counted)
def three_places_in_a_circle(x, y, turns):
    a, b, c = x + 1, y + 2, x * y
    for _ in range(turns):
        a, b, c = c, a, b
        a[0] += 1
    return a, b, c


@program(two)
def old_elements_read_later(x, y):
    old = x[1:] * 2
    x[:-1] = y[1:]
    kept = x.copy()
    x[::2] = 0
    return old + x[1:], kept


@program(two)
def old_elements_read_in_a_loop(x, y):
    for i in range(len(x) - 1):
        old = x.copy()
        x[i + 1] = old[i] + y[i]
        y[:] = old[::-1]
    return x.sum()


@program(two)
def condition_that_updates(x, y):
    count = 0
    while x[0] < 10 and count < 20:
        y[1:] = y[:-1] + x[0]
        x += 1
        if y[-1] > 30:
            y[:] = x
        count += 1
    return count


@program(two)
def raised_after_an_update(x, y):
    x += 1
    y[0] = 3
    if x[0] > -100:
        raise ValueError("no")
    x += 1


@program(two)
def raised_before_an_update(x, y):
    twice = x * 2
    if y[0] > -100:
        raise ValueError("no")
    x[:] = twice


@program(two)
def raised_in_a_later_loop(x, y):
    x += 1
    for i in range(30):
        y[i] += i
        x *= 2


@program(two)
def raised_between_versions(x, y):
    for i in range(30):
        x[:] = x[::-1] + y
        y[i] = x[0]
        x[0] = i


@program(two)
def raised_after_an_exchange(x, y):
    for i in range(30):
        old = x.copy()
        x[:] = y
        y[:] = old
        x[i] += 1


@program(two)
def counter_of_an_ended_loop(x, y):
    for i in range(len(x)):  # noqa: B007
        pass
    y, x = x + 0, y
    x = y
    if i:
        x = x.copy()
    return x


@program(lambda n, rng: (rng.normal(size=n) > 0,))
def one_constant_in_a_loop_and_behind_it(flags):
    for _ in flags:
        break
    flags[1] = True


@pytest.mark.parametrize("it", PROGRAMS, ids=lambda it: it.name)
def test_buffers(it):
    it.check()
