"""What goes wrong in a compiled program: the exception, its message, its line; clear refusals.

PYTEST_DONT_REWRITE: the programs' own asserts have the words that Python gives them.
"""

from __future__ import annotations

import inspect
import time
import traceback

import numpy as np
import pytest
from whole import same_call

import quernel as qn
from quernel.errors import UnsupportedError


def line_of(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def past_the_end(x, count):
    total = 0.0
    for i in range(count):
        total += x[i]  # here
    return total


def written_past_the_end(x, count):
    for i in range(count):
        x[i + 2] = i  # here


def indexed_by_data(x, where):
    for k in range(len(where)):
        x[where[k]] += 1  # here


def row_past_the_end(x, count):
    total = 0.0
    for i in range(count):
        total += x[i, 0] + x[0, i]  # here
    return total


def gathered_past_the_end(x, where):
    return x[where]  # here


PAST = [
    (past_the_end, (np.arange(5.0), 6)),
    (written_past_the_end, (np.arange(5.0), 4)),
    (indexed_by_data, (np.arange(4.0), np.array([0, 3, 4, 1]))),
    (indexed_by_data, (np.arange(4.0), np.array([0, -4, -5]))),
    (row_past_the_end, (np.ones((3, 9)), 4)),
    (gathered_past_the_end, (np.arange(4.0), np.array([0, 7]))),
]


@pytest.mark.parametrize(("function", "args"), PAST)
def test_index_error_names_its_line(function, args) -> None:
    compiled = qn.compile(function, fullgraph=True)
    same_call(compiled, function, args)
    with pytest.raises(IndexError) as caught:
        compiled(*args)
    text = "".join(traceback.format_exception(caught.value))
    assert f"{__file__}" in text and str(line_of(function, "# here")) in text


def test_the_last_good_index_is_fine() -> None:
    compiled = qn.compile(past_the_end, fullgraph=True)
    for count in (5, 0, 3):
        same_call(compiled, past_the_end, (np.arange(5.0), count))
    for count in (6, 5, 100):
        same_call(compiled, past_the_end, (np.arange(5.0), count))


def checked(x, limit):
    for i in range(len(x)):
        assert x[i] < limit, "too large"
    return x.sum()


def checked_without_words(x, limit):
    total = x.sum()
    assert total < limit
    return total


@pytest.mark.parametrize("function", [checked, checked_without_words])
def test_asserts(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for limit in (100.0, 1.5, 100.0):
        same_call(compiled, function, (np.arange(5.0), limit))


def raising(x):
    if x.sum() < 0:
        raise ValueError("the sum is negative")
    return np.sqrt(x.sum())


def divided(x):
    n = int(x[0])
    return 10 // n, 10 % n


@pytest.mark.parametrize("function", [raising, divided])
def test_exceptions_of_the_program(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for first in (3.0, -9.0, 0.0):
        same_call(compiled, function, (np.array([first, 0.0, 0.0]),))


def shapes_differ(x, n):
    return x[:n] + x[: n + 1]


def shapes_differ_in_a_loop(x):
    total = x[:0].sum()
    for i in range(len(x)):
        total += (x[:i] * x[: 5 - i]).sum()
    return total


@pytest.mark.parametrize("args", [(shapes_differ, 3), (shapes_differ_in_a_loop,)])
def test_shapes_that_differ(args) -> None:
    function, *rest = args
    same_call(qn.compile(function), function, (np.arange(6.0), *rest))


def endless_recursion(x):
    return endless_recursion(x + 1)


def generator(x):
    yield x.sum()


def inner_generator(x):
    def parts():
        yield x[0]
        yield x[1]

    items = parts()
    return next(items) + next(items)


def runs_text(x):
    exec("x += 1")
    return x


def makes_a_class(x):
    class Local:
        value = x.sum()

    return Local().value


@pytest.mark.parametrize(
    "function",
    [endless_recursion, generator, inner_generator, runs_text, makes_a_class],
)
def test_clear_refusals(function) -> None:
    started = time.monotonic()
    with pytest.raises(UnsupportedError) as caught:
        qn.compile(function, fullgraph=True)(np.arange(4.0))
    assert time.monotonic() - started < 20
    assert caught.value.file == __file__
    assert len(caught.value.reason) < 200


@pytest.mark.parametrize("function", [inner_generator, runs_text, makes_a_class])
def test_refused_functions_still_run(function) -> None:
    compiled = qn.compile(function)
    with pytest.warns(qn.errors.FallbackWarning):
        assert np.array_equal(compiled(np.arange(4.0)), function(np.arange(4.0)))
