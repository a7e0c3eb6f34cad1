"""Bound methods and partial functions: as arguments, read from outside, and compiled ones."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import pickle
import types
import weakref
from typing import Any

import numpy as np
import pytest

import quernel as qn


class Decay:
    def __init__(self, rate: Any) -> None:
        self.rate, self.asked = rate, 0

    def slope(self, t: Any, y: Any) -> Any:
        return t - self.rate * y

    def counted(self, t: Any, y: Any) -> Any:
        self.asked += 1
        return self.slope(t, y)

    @classmethod
    def grown(cls, t: Any, y: Any) -> Any:
        return y * t

    @qn.compile
    def step(self, y: Any, *, h: Any = 1.0) -> Any:
        """One step."""
        return y - h * self.rate * y


def slope(rate: Any, t: Any, y: Any, *, shift: Any = 0.0) -> Any:
    return t - rate * y + shift


def euler(f: Any, y: Any, n: int) -> Any:
    for k in range(n):
        y = y + 0.1 * f(k * 0.1, y)
    return y


Y = np.linspace(0.5, 2.0, 7)
FUNCTIONS = {
    "a method": Decay(0.5).slope,
    "a method of an object with an array": Decay(np.arange(7.0)).slope,
    "a class method": Decay.grown,
    "a partial function": functools.partial(slope, 0.5),
    "one with an array and a name": functools.partial(slope, np.arange(7.0), shift=0.25),
    "one of a method": functools.partial(Decay(0.5).slope, 1.0),
    "one of no arguments": functools.partial(Decay(0.5).slope),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_carry_arguments(name) -> None:
    f = FUNCTIONS[name]
    if name == "one of a method":
        compiled, want = qn.compile(lambda f, y: f(y) + f(2 * y), fullgraph=True), f(Y) + f(2 * Y)
        np.testing.assert_array_equal(compiled(f, Y), want)
        return
    np.testing.assert_array_equal(qn.compile(euler, fullgraph=True)(f, Y, 40), euler(f, Y, 40))
    outside = qn.compile(lambda y: f(0.5, y) + 1, fullgraph=True)
    np.testing.assert_array_equal(outside(Y), f(0.5, Y) + 1)


def test_what_they_carry_may_change() -> None:
    compiled = qn.compile(euler, fullgraph=True)
    decay = Decay(0.5)
    for rate in (0.5, 0.25, 0.125, 2.0):
        decay.rate = rate
        np.testing.assert_array_equal(compiled(decay.slope, Y, 9), euler(decay.slope, Y, 9))
        other = Decay(rate + 1)
        np.testing.assert_array_equal(compiled(other.slope, Y, 9), euler(other.slope, Y, 9))
    assert compiled.stats()["compiles"] == 1
    for rate in (0.5, 0.25):
        f = functools.partial(slope, rate)
        np.testing.assert_array_equal(compiled(f, Y, 9), euler(f, Y, 9))
    assert compiled.stats()["compiles"] == 2
    text = str(compiled.explain(functools.partial(slope, 0.5), Y, 9))
    assert "f: a partial" in text
    assert "f.args[0]: any float" in text


def test_writes_to_the_object() -> None:
    own, other = Decay(0.5), Decay(0.5)
    np.testing.assert_array_equal(
        qn.compile(euler, fullgraph=True)(own.counted, Y, 30), euler(other.counted, Y, 30)
    )
    assert own.asked == other.asked == 30


def test_the_object_beside_its_method() -> None:
    def moved(decay, f, y):
        decay.rate = decay.rate * 2
        return f(0.0, y)

    compiled = qn.compile(moved, fullgraph=True)
    for is_one in (True, False, True):
        own, like = Decay(0.5), Decay(0.5)
        others = (own, like) if is_one else (Decay(0.25), Decay(0.25))
        got = compiled(own, others[0].slope, Y)
        np.testing.assert_array_equal(got, moved(like, others[1].slope, Y))
        assert own.rate == like.rate
    assert compiled.stats()["compiles"] == 2


@pytest.mark.parametrize("turns", [3, 40])
def test_objects_that_a_loop_is_first_to_look_at(turns) -> None:
    decay = Decay(0.5)
    f, bound = (lambda t, y: decay.slope(t, y) + 1), decay.slope
    compiled = qn.compile(euler, fullgraph=True)
    for rate in (0.5, 0.25, np.arange(7.0)):
        decay.rate = rate
        np.testing.assert_array_equal(compiled(f, Y, turns), euler(f, Y, turns))
        again = qn.compile(lambda y: euler(bound, y, turns), fullgraph=True)
        np.testing.assert_array_equal(again(Y), euler(bound, Y, turns))


def test_a_function_that_each_call_makes_is_compiled_once() -> None:
    compiled = qn.compile(lambda f, y: f(y) + 1, fullgraph=True)
    for scale in (2.0, 3.0, 4.0):
        np.testing.assert_array_equal(compiled(lambda y: y * 2, Y * scale), Y * scale * 2 + 1)
    assert compiled.stats()["compiles"] == 1
    assert compiled.stats()["memory_hits"] == 2
    np.testing.assert_array_equal(compiled(lambda y: y * 3, Y), Y * 3 + 1)
    for factor in (2.0, 3.0):  # what it carries along may change
        np.testing.assert_array_equal(compiled(lambda y, k=factor: y * k, Y), Y * factor + 1)
        np.testing.assert_array_equal(compiled(lambda y: y * factor, Y), Y * factor + 1)  # noqa: B023
    assert compiled.stats()["compiles"] == 4


def scaled(factor):
    return lambda y: y * factor


def shifted(shift):
    def f(y, *, by=shift):
        return y + by

    return f


def composed(*functions):
    def f(y):
        for function in functions:
            y = function(y)
        return y

    return f


def powers(factor):
    def power(n, y):
        return y if n == 0 else factor * power(n - 1, y)

    return lambda y: power(3, y)


@pytest.mark.parametrize(
    ("make", "compiles"),
    [
        (scaled, 1),
        (lambda k: scaled(np.arange(7.0) + k), 1),
        (lambda k: scaled([k, k + 1.0][0]), 1),
        (shifted, 1),
        (lambda k: shifted(np.arange(7.0) * k), 1),
        (lambda k: composed(scaled(k), shifted(k), np.sin), 1),
        (lambda k: composed(scaled(k), scaled(k + 1.0), scaled(k)), 1),
        (powers, 3),  # it reaches itself: each is itself a part of a program
    ],
)
def test_a_closure_that_each_call_makes_is_compiled_once(make, compiles) -> None:
    compiled = qn.compile(lambda f, y: f(y) + 1, fullgraph=True)
    for k in (2.0, 3.0, 4.0):
        np.testing.assert_array_equal(compiled(make(k), Y), make(k)(Y) + 1)
    assert compiled.stats()["compiles"] == compiles


def test_closures_are_told_apart() -> None:
    def chosen(f, g, y):
        return f(y) if f is g else f(y) + g(y) * 2

    compiled = qn.compile(chosen, fullgraph=True)
    for k in (2.0, 3.0, 4.0):
        f, g = scaled(k), scaled(k + 1)
        np.testing.assert_array_equal(compiled(f, g, Y), chosen(f, g, Y))
        np.testing.assert_array_equal(compiled(f, f, Y), chosen(f, f, Y))
        np.testing.assert_array_equal(compiled(g, f, Y), chosen(g, f, Y))
    assert compiled.stats()["compiles"] == 2
    text = str(compiled.explain(f, f, Y))
    assert "f has the code of function:" in text
    assert "f.factor: any float" in text
    assert "g: function 0 again" in text


def test_what_a_closure_writes() -> None:
    def counting(counts, says):
        def f(y):
            counts[0] += 1
            says.append(1)
            return y + counts[0]

        return f

    def filling(w):
        def f(y):
            w[0] += 1
            return y + w

        return f

    compiled = qn.compile(lambda f, y: f(y) + f(y))
    for k in range(2):
        own, like = np.arange(7.0) + k, np.arange(7.0) + k
        want = compiled.__wrapped__(filling(like), Y)
        np.testing.assert_array_equal(compiled(filling(own), Y), want)
        np.testing.assert_array_equal(own, like)
    both = [0], [0]
    said: tuple[list, list] = [], []
    got = compiled(counting(both[0], said[0]), Y)
    np.testing.assert_array_equal(got, compiled.__wrapped__(counting(both[1], said[1]), Y))
    assert both == ([2], [2])
    assert said == ([1, 1], [1, 1])


def test_a_closure_of_what_isnt_there_yet() -> None:
    compiled = qn.compile(lambda f, y: f(y) + 1)

    def f(y):
        return y * factor

    with pytest.raises(NameError, match="factor"):
        compiled(f, Y)
    factor = 2.0
    np.testing.assert_array_equal(compiled(f, Y), Y * 2 + 1)


def test_functions_of_one_code_are_told_apart() -> None:
    def made():
        return lambda y: y * 2

    compiled = qn.compile(lambda f, g, y: f(y) if f is g else g(y) + 1, fullgraph=True)
    one, other = made(), made()
    for _ in range(2):
        np.testing.assert_array_equal(compiled(one, one, Y), Y * 2)
        np.testing.assert_array_equal(compiled(one, other, Y), Y * 2 + 1)
    one.__code__ = (lambda y: y * 5).__code__
    np.testing.assert_array_equal(compiled(one, other, Y), Y * 2 + 1)
    np.testing.assert_array_equal(compiled(other, one, Y), Y * 5 + 1)
    one.__code__ = other.__code__
    np.testing.assert_array_equal(compiled(other, one, Y), Y * 2 + 1)


# Compiled methods


def test_bound_methods_are_pythons() -> None:
    decay = Decay(0.5)
    step = decay.step
    assert inspect.ismethod(step)
    assert str(inspect.signature(step)) == "(y: 'Any', *, h: 'Any' = 1.0) -> 'Any'"
    assert step == decay.step != Decay(0.5).step
    assert hash(step) == hash(decay.step)
    assert (step.__doc__, step.__name__, step.__self__) == ("One step.", "step", decay)
    assert step.__func__ is Decay.step
    assert repr(step).startswith("<bound method Decay.step of <")
    assert weakref.WeakMethod(step)() == step
    assert step != 3
    with pytest.raises(TypeError):
        sorted([step, decay.step])
    with pytest.raises(AttributeError, match="nothing"):
        getattr(step, "not" + "hing")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        step()
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        type(step)(Decay.step, decay, name=1)


def test_calls_of_bound_methods() -> None:
    step, want = Decay(0.5).step, Y - 0.5 * Y
    np.testing.assert_array_equal(step(Y), want)
    np.testing.assert_array_equal(step(y=Y), want)
    np.testing.assert_array_equal(step(Y, h=2.0), Y - Y)
    np.testing.assert_array_equal(step(*[Y], h=2.0), Y - Y)
    np.testing.assert_array_equal(list(map(step, [Y, Y]))[1], want)
    holder = type("Holder", (), {"step": step})
    np.testing.assert_array_equal(holder().step(Y), want)
    f = lambda t, y: step(y)  # noqa: E731
    np.testing.assert_array_equal(qn.compile(euler, fullgraph=True)(f, Y, 3), euler(f, Y, 3))
    np.testing.assert_array_equal(qn.compile(lambda f, y: f(y), fullgraph=True)(step, Y), want)


def test_questions_about_bound_methods() -> None:
    decay = Decay(0.5)
    assert "step: 1 kernel" in str(decay.step.explain(Y))
    assert "self.rate: any float" in str(decay.step.explain(Y))
    assert decay.step.lower(Y).text("cpp") == Decay.step.lower(decay, Y).text("cpp")


def test_copies_of_bound_methods() -> None:
    decay = Decay(0.5)
    for made in (pickle.loads(pickle.dumps(decay.step)), copy.deepcopy(decay.step)):
        assert made.__self__ is not decay
        np.testing.assert_array_equal(made(Y), decay.step(Y))
    assert isinstance(decay.step, types.MethodType)


def test_bound_methods_let_go() -> None:
    decay = Decay(0.5)
    decay.own = decay.step
    gone = weakref.ref(decay)
    del decay
    gc.collect()
    assert gone() is None
