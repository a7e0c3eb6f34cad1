"""Exceptions of generators are Python's; what isn't compiled of them is refused aloud."""

from __future__ import annotations

# ruff: noqa: B007, PLR1708, SIM102  (as programs are)
import itertools

import numpy as np
import pytest
from control import Refused, check_refused, name_of
from own_generators import count, pos, running, three

import quernel as qn

X = np.array([1.0, -2.0, 3.5, 0.5, 4.0])
refused = Refused()


def at_most(x, limit):
    for i, v in enumerate(x):
        if v > limit:
            raise ValueError("too large")
        yield i, v


def raised(x):
    t = 0.0
    for i, v in at_most(x, 3.0):
        x[i] = t
        t += v
    return t


def wrong_number_of_arguments(x):
    made = pos(x, 3)
    x[0] = 100.0
    return sum(made)


def out_of_range(x):
    def items():
        k = 0
        while True:
            yield x[k]
            k += 1

    return sum(items())


def nothing_after_the_loop(x):
    for v in pos(x - 10):
        pass
    return v


def greatest_of_nothing(x):
    return max(pos(x - 10))


def next_of_nothing(x):
    return next(pos(x - 10))


def reduced_to_nothing(x):
    import functools

    return functools.reduce(lambda a, b: a + b, pos(x - 10))


def unbound_in_the_generator(x):
    def items():
        if len(x) > 100:
            k = 1
        yield k

    return sum(items())


RAISING = [
    raised, wrong_number_of_arguments, out_of_range, nothing_after_the_loop, greatest_of_nothing,
    next_of_nothing, reduced_to_nothing, unbound_in_the_generator,
]  # fmt: skip


@pytest.mark.parametrize("function", RAISING, ids=name_of)
def test_exceptions_are_pythons(function) -> None:
    own, plain = X.copy(), X.copy()
    with pytest.raises(Exception) as want:  # noqa: PT011
        function(plain)
    with pytest.raises(want.type) as got:
        qn.compile(function, fullgraph=True)(own)
    assert str(got.value) == str(want.value)
    assert np.array_equal(own, plain)


@refused("returning an object of type generator", X)
def is_returned(x):
    return pos(x)


@refused("a generator that is consumed in two places", X)
def is_consumed_twice(x):
    items = pos(x)
    return sum(items) + sum(items)


@refused("a generator that is consumed in two places", X)
def goes_on_after_next(x):
    items = pos(x)
    t = next(items)
    for v in items:
        t += v
    return t


@refused("going on with a generator one item after the other", X)
def is_taken_by_others(x):
    return list(itertools.pairwise(pos(x)))


@refused("`.send` of a generator", X)
def is_sent_a_value(x):
    items = running(x)
    items.send(None)
    return x


@refused("the text of a generator", X)
def is_a_text(x):
    return str(pos(x))


@refused("a yield inside of try or with", X)
def yields_in_try(x):
    def items():
        try:
            yield x[0]
        finally:
            x[0] = 5.0

    return sum(items())


@refused("a yield within an expression", X)
def yields_in_an_expression(x):
    def items():
        yield (yield x[0]) or 1.0

    return sum(items())


@refused("StopIteration that a generator raises", X)
def stops_by_next(x):
    def items():
        yield x[0]
        yield next(iter(()))

    return sum(items())


@refused("a variable of a generator that has ended, in a function made in it", X)
def functions_that_outlive(x):
    def items():
        k = 3
        yield lambda v: v * k
        k = 4

    return [f(x) for f in list(items())]


@refused("zip() of several generators, or with strict", X)
def zips_two(x):
    t = 0.0
    for a, b in zip(pos(x), running(x), strict=False):
        t += a * b
    return t


@refused("zip() of a generator and an iterator", X)
def zips_an_iterator(x):
    return sum(a * b for a, b in zip(pos(x), itertools.count(), strict=False))


@refused("itertools.islice() of a generator with a start", X)
def skips_items(x):
    return sum(itertools.islice(pos(x), 1, 3))


@refused("a name that a comprehension binds around it", X)
def binds_around(x):
    last = 0
    return sum((last := v) for v in three(x[0])) + last


@refused("generators that go on with one another", X)
def goes_deeper_and_deeper(x):
    def nesting(n):
        yield n
        yield from nesting(n + 1)

    for v in nesting(0):
        if v > x[0] * 1000:
            return v
    return 0


@refused("the generator function sourceless()", X)
def without_source(x):
    return sum(SPACE["sourceless"](x))


SPACE: dict = {}
exec("def sourceless(x):\n    yield x[0]\n", SPACE)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_generators_are_refused_aloud(function, args, text) -> None:
    check_refused(function, args, text)


def test_stop_iteration_by_data_is_a_runtime_error() -> None:
    def total(x):
        def items():
            for v in x:
                if v > 3:
                    raise StopIteration
                yield v

        return sum(items())

    compiled = qn.compile(total)
    assert compiled(X - 10) == total(X - 10)
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        compiled(X)


def test_a_variable_is_read_behind_the_jump_that_is_under_way() -> None:
    def counted(x):
        n = 0
        for v in x:
            if v > 1:
                if v < 2:
                    break
            n += 1
            if v < -1:
                return -5
        return n

    x = np.array([0.5, 1.5, -2.0])
    assert qn.compile(counted, fullgraph=True)(x) == counted(x) == 1


def test_long_loops_are_rolled() -> None:
    def total(n):
        t = 0
        for k, v in enumerate(count(n)):
            t += k * v
        return t

    compiled = qn.compile(total, fullgraph=True)
    assert compiled(10**5) == total(10**5)
    text = compiled.lower(10**5).text("plan")
    assert "a loop of the program" in text
    assert "captured iteration by iteration" not in text
