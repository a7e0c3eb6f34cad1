"""Items of lists and dicts from outside in loops and branches, and what classes and keys hold."""

from __future__ import annotations

import enum
import typing

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.arange(4.0) + 1


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Model:
    table: typing.ClassVar[dict] = {"a": 1.0}
    best: typing.ClassVar[list] = [0.0, 0.0]
    last: typing.ClassVar[typing.Any] = None

    def __init__(self):
        self.a, self.d = [1.0, 2.0, X.copy()], {"a": 1.0, "b": X.copy()}


def seen(obj):
    """All that can be seen of an object."""
    if isinstance(obj, Model):
        return (Model, seen(vars(obj)))
    if isinstance(obj, (list, tuple)):
        return (type(obj), [seen(item) for item in obj])
    if isinstance(obj, dict):
        return [(key, seen(item)) for key, item in obj.items()]
    return (type(obj), repr(obj))


def outcomes(function, make):
    """What calls one after the other give, and leave behind."""
    Model.table, Model.best, Model.last = {"a": 1.0}, [0.0, 0.0], None
    x, *others = make()
    found = []
    for sign in (1, -1, 1):
        try:
            answer = function(x * sign, *others)
        except ValueError as error:
            answer = str(error)
        found.append(seen([answer, others, Model.table, Model.best]))
    return found


# In loops


def either_item(x, m):
    for v in x:
        if v > 0:
            m.a[0] += v
        else:
            m.a[1] -= v
    return m.a[0]


def by_another_name(x, m):
    items = m.a
    for k in range(x.shape[0]):
        items[2] = items[2] * x[k]
        m.d["b"] = items[2]
    return m.a[2] is m.d["b"], len(m.d)


def item_of_an_array(x, a):
    for _ in range(20):
        a[2] = a[2] * 0.9
    return a[2]


def swapped(x, a):
    k = 0
    while k < x.shape[0] and a[0] < 5:
        a[0], a[1] = a[1], a[0] + x[k]
        k += 1
    return k


def all_of_a_dict(x, d):
    for k in range(x.shape[0]):
        for name in d:
            d[name] = d[name] + x[k]
    return x


def of_a_class(x):
    for v in x:
        Model.best[0] = Model.best[0] + v
        if v > Model.best[1]:
            Model.best[1] = v * 2.0
        Model.table["a"] += v
    return x * len(Model.table)


def adds(a, v):
    a[0] = a[0] + v


def by_a_helper(x, a):
    for v in x:
        adds(a, v)
    return a[0]


def left_early(x, a):
    for v in x:
        a[0] = a[0] + v
        if a[0] > 3:
            break
    else:
        a[1] = -1.0
    return x


def given_back(x, a):
    for v in x:
        if v > 1:
            return a
        a[0] = a[0] + v
    return x


def raises(x, a):
    for v in x:
        a[0] = a[0] + v
        if a[0] > 3:
            raise ValueError("too much")
    return x


def catches(x, a):
    try:
        raises(x, a)
    except ValueError:
        a[1] = 9.0
    return x


# In branches


def on_one_side(x, a):
    if x[0] > 0:
        a[0], a[1] = a[1], a[0]
    return a


def and_appended(x, a):
    if x[0] > 0:
        a[0] = 5.0
    a.append(a[0])
    return x


def on_both_sides(x, m):
    if x[0] > 0:
        m.d["a"] = x.sum()
        m.a[2] = x
    else:
        m.d["a"] = 0.0
    return len(m.a), len(m.d)


def open_and_whole(x, m):
    if x[0] > 0:
        m.d["a"] = x.sum()
        m.a.append(1)
    else:
        m.d["a"] = 0.0
    return m.d["a"]


# What classes hold


def kept_by_a_class(x, a):
    Model.last = a
    a.append(x.sum())
    return Model.last is a


# Keys


def of_types_beside(x, d):
    d["n"] = x.sum()
    return len(d), d[float] * x, d[Color.RED], list(d) == [float, (int, str), Color.RED, "n"]


def pair():
    return (X.copy(), [1.0, 2.0])


def model():
    return (X.copy(), Model())


ROWS = [
    *((f, model) for f in (either_item, by_another_name, on_both_sides, open_and_whole)),
    *(
        (f, pair)
        for f in (
            swapped, by_a_helper, left_early, given_back, raises, on_one_side, and_appended,
            kept_by_a_class,
        )
    ),
    (item_of_an_array, lambda: (X.copy(), [1.0, 2.0, X.copy()])),
    (all_of_a_dict, lambda: (X.copy(), {"a": 1.0, "b": 2.0})),
    (of_a_class, lambda: (X.copy(),)),
    (of_types_beside, lambda: (X.copy(), {float: 2.0, (int, str): 3, Color.RED: 4.0, "n": 1})),
]  # fmt: skip


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize(("function", "make"), ROWS, ids=lambda x: getattr(x, "__name__", ""))
def test_as_in_python(function, make, fullgraph):
    expected = outcomes(function, make)
    assert outcomes(qn.compile(function, fullgraph=fullgraph), make) == expected


def test_what_is_caught_outside_of_a_loop():
    expected = outcomes(catches, pair)
    assert outcomes(qn.compile(catches), pair) == expected


def test_a_key_without_a_text_is_left_to_python():
    def function(x, d):
        d[Color.RED] = x.sum()
        return x * len(d)

    text = "setting a key of type Color of the dict `d`"
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X, {Color.RED: 1.0})


def test_keys_are_found_again_by_comparing():
    """Another tuple, or frozenset, of classes is the same key."""

    def function(x, d):
        d["n"] = x.sum()
        return len(d), d[int, str] * x

    compiled, kinds = qn.compile(function, fullgraph=True), [int, str]
    for _ in range(4):
        compiled(X, {tuple(kinds): 2.0, frozenset(kinds): 3.0, "n": 1.0})
    assert compiled.stats()["memory_hits"] >= 2
