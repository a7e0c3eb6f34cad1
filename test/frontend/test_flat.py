"""`x.flat` is an iterator: a loop goes on with it, and an index has it begin anew."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn

X = np.arange(6.0) + 1


def twice(x):
    items, total = x.flat, 0.0
    for item in items:
        total += item
    for item in items:
        total += item
    return total


def summed(x):
    items = x.flat
    return sum(items), sum(items)


def begun(x):
    items = x.flat
    return next(items), list(items)


def on_a_path(x):
    items = x.flat
    return next(items) if x[0] > 0 else 0.0


def put_back(x):
    items = x.flat
    first = sum(items)
    return first, items[1], sum(items)


def anew(x):
    return sum(x.flat), sum(x.flat), [item + 1 for item in x.flat]


def by_data(x):
    items = x.flat
    for item in items:
        if item > 3:
            break
    else:
        return 0.0, ()
    return item, (1, 2)


def numbered(x):
    total = 0.0
    for number, item in enumerate(x.flat):
        total = total * 0.5 + number * item
    return total


COMPILED = [twice, summed, begun, put_back, anew, by_data, numbered]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", [*COMPILED, on_a_path], ids=lambda f: f.__name__)
def test_results(function):
    compiled = qn.compile(function)
    assert repr(compiled(X)) == repr(function(X)) == repr(compiled(X))


def test_going_on_where_data_say_is_refused():
    with pytest.raises(qn.errors.UnsupportedError, match="where a condition on data holds"):
        qn.compile(on_a_path, fullgraph=True)(X)


@pytest.mark.parametrize("function", COMPILED, ids=lambda f: f.__name__)
def test_uses_are_compiled(function):
    qn.compile(function, fullgraph=True)(X)


def test_a_loop_over_it_is_a_loop_of_the_program_of_which_a_second_one_has_nothing_left():
    """So the time to compile doesn't grow with the array."""
    graph = qn.compile(twice).lower(np.arange(5000.0)).text("quernel")
    assert graph.count("scf.for") == 1
