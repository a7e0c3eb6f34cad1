"""Calls that differ in texts, functions and what is read from outside: few have programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import assert_same

import quernel as qn

X = np.arange(6.0)
SCALE = 1.0


def named(x, name, *, flag=None):
    if not name:
        raise ValueError("no name")
    return x * len(name)


def labelled(x, labels):
    return x * len(labels), labels[0]


def summed(function, low, high):
    return function(np.linspace(low, high, 20)).sum()


def scaled(x):
    return x * SCALE


def test_texts_have_so_many_programs() -> None:
    compiled = qn.compile(named)
    for k in range(16):
        assert_same(compiled(X, f"name {k}"), named(X, f"name {k}"))
    assert compiled.stats()["compiles"] == 16
    text = "the value of `name` has to be part of the program, and there were more than 16"
    with pytest.warns(qn.FallbackWarning, match=text):
        assert_same(compiled(X, "name 16"), named(X, "name 16"))
    for k in range(40):
        assert_same(compiled(X, f"name {k}"), named(X, f"name {k}"))
    assert compiled.stats()["fallbacks"] == 25
    with pytest.raises(ValueError, match="no name"):
        compiled(X, "")


def test_each_text_counts_by_itself() -> None:
    compiled = qn.compile(named, fullgraph=True)
    for name, flag in itertools.product("abcdef", ("x", "y", None, b"z")):
        assert_same(compiled(X, name, flag=flag), named(X, name, flag=flag))
    assert compiled.stats()["compiles"] == 24


def test_texts_in_lists_count() -> None:
    compiled = qn.compile(labelled)
    for k in range(16):
        compiled(X, [f"label {k}", "b"])
    with pytest.warns(qn.FallbackWarning, match=r"the value of `labels\[0\]` has to be part"):
        assert_same(compiled(X, ["label", "b"]), labelled(X, ["label", "b"]))
    assert_same(compiled(X, ["a"]), labelled(X, ["a"]))
    assert compiled.stats()["fallbacks"] == 1


def test_functions_that_read_something_else_have_so_many_programs() -> None:
    def quotient(k):
        def f(t):
            return t / (k + 1.0)

        f.of = k  # with an attribute of its own it is known by itself, not by its code
        return f

    compiled = qn.compile(summed)
    for k in range(16):
        assert_same(compiled(quotient(k), 0.0, 1.0), summed(quotient(k), 0.0, 1.0), ulp=4)
    text = "what is read from outside, by the function or by one that it is given, has to be part"
    with pytest.warns(qn.FallbackWarning, match=text):
        assert_same(compiled(quotient(16), 0.0, 1.0), summed(quotient(16), 0.0, 1.0))
    before = compiled.stats()["compiles"]
    for k in range(30):
        compiled(quotient(k), 0.0, 1.0)
    assert compiled.stats()["compiles"] == before == 16


def test_functions_of_one_text_share_a_program() -> None:
    compiled = qn.compile(summed, fullgraph=True)
    for _ in range(30):
        compiled(lambda t: t * t, 0.0, 1.0)
    assert compiled.stats()["compiles"] == 1


def test_globals_have_so_many_programs(monkeypatch) -> None:
    compiled = qn.compile(scaled)
    for k in range(16):
        monkeypatch.setitem(globals(), "SCALE", float(k))
        assert_same(compiled(X), scaled(X))
    monkeypatch.setitem(globals(), "SCALE", 99.0)
    with pytest.warns(qn.FallbackWarning, match="what is read from outside"):
        assert_same(compiled(X), scaled(X))
    for k in (3, 50, 4):
        monkeypatch.setitem(globals(), "SCALE", float(k))
        assert_same(compiled(X), scaled(X))
    assert compiled.stats()["compiles"] == 16
    assert compiled.stats()["fallbacks"] == 2
