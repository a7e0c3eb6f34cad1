"""Refusals for what no program is known to do: that they refuse, and what they say.

Each guards a step that would be wrong where something else has gone past the checks before it.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import quernel as qn
from quernel.capture import contents, results, sides, state
from quernel.errors import UnsupportedError
from quernel.traced import doubts, open_types, tracer, undecided

X = np.arange(6.0) + 1


class Refusing:
    """The part of a tracer that gives up."""

    interpreter = None

    def fail(self, reason, hint=""):
        raise UnsupportedError(reason, hint)


@pytest.fixture
def refusing(monkeypatch):
    fake = Refusing()
    monkeypatch.setattr(tracer._ACTIVE, "tracer", fake, raising=False)
    return fake


def test_too_many_objects(monkeypatch):
    def function(x):
        lists = [[k] for k in range(30)]
        y = x + 1 if x[0] > 0 else x
        return y, len(lists)

    monkeypatch.setattr(contents, "LIMIT", 20)
    text = "more than 20 lists and other objects that loops or branches may change"
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)


def test_a_foreign_iterator(refusing):
    text = "a list_iterator that is kept where a loop or branch may use it"
    with pytest.raises(UnsupportedError, match=text):
        contents.refuse_unknown(iter([1]))


def test_a_part_of_what_may_be_unbound(refusing):
    maybe = undecided.Maybe(None, X)
    text = "reading a part of an object that may be unbound"
    with pytest.raises(UnsupportedError, match=text):
        maybe[0]


def test_an_open_result(monkeypatch):
    number = SimpleNamespace(open=SimpleNamespace(text=lambda: "int or float"))
    monkeypatch.setattr(open_types, "open_types_of", lambda obj: [int, float])
    text = "returning a number that is int or float, as data decide"
    with pytest.raises(UnsupportedError, match=text):
        open_types.refuse_open_result(Refusing(), number)


def test_a_capture_that_raises_in_explain(monkeypatch):
    def broken(*args):
        raise KeyError("broken")

    monkeypatch.setattr(tracer.Tracer, "op", broken)
    found = qn.compile(lambda x: x + 1).explain(X).fallbacks
    assert found[0].reason == "the function can't be captured: KeyError: 'broken'"


def test_going_on_with_a_list(monkeypatch):
    begin = results.ResultTree.__init__

    def begin_part(self, tracer, exact=False):
        begin(self, tracer, True)

    monkeypatch.setattr(results.ResultTree, "__init__", begin_part)
    with pytest.raises(UnsupportedError, match="going on in Python with a list from outside"):
        qn.compile(lambda x: [x + 1], fullgraph=True)(X)


def test_going_on_with_shared_memory():
    tree = SimpleNamespace(tracer=Refusing(), exact=True)
    array = SimpleNamespace(storage=SimpleNamespace(leaf=None, frozen=doubts.Frozen("is shared")))
    text = "going on in Python with arrays that may share memory"
    with pytest.raises(UnsupportedError, match=text):
        results.ResultTree._settle(tree, [(array, [])])


def test_a_view_of_a_place_in_a_loop():
    array = SimpleNamespace(views=[], tracer=Refusing())
    text = "returning a view whose place is known in a loop or branch only"
    with pytest.raises(UnsupportedError, match=text):
        results._know(array, 1)


def test_an_error_of_one_attempt():
    side = SimpleNamespace(tracer=Refusing())
    text = "an exception that is raised in one attempt to capture it only"
    with pytest.raises(UnsupportedError, match=text):
        sides.Branch._until_error(side, lambda: None)


def test_a_value_whose_loop_is_over(refusing):
    text = "an array from inside of a loop or a branch is used after it"
    with pytest.raises(UnsupportedError, match=text):
        getattr(state._Gone(), "shape")  # noqa: B009
