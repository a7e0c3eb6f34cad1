"""`x.flat` is an iterator, too: what goes on with one runs in NumPy."""

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


REFUSED = [twice, summed, begun, on_a_path]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", [*REFUSED, put_back, anew], ids=lambda f: f.__name__)
def test_results(function):
    compiled = qn.compile(function)
    assert repr(compiled(X)) == repr(function(X)) == repr(compiled(X))


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_going_on_is_refused(function):
    with pytest.raises(qn.errors.UnsupportedError, match=r"going on with an x\.flat"):
        qn.compile(function, fullgraph=True)(X)


@pytest.mark.parametrize("function", [put_back, anew], ids=lambda f: f.__name__)
def test_each_use_from_the_beginning_is_compiled(function):
    qn.compile(function, fullgraph=True)(X)
