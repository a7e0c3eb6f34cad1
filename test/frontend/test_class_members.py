"""Members of classes: attributes by name, private names, functions of libraries as methods."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections import namedtuple
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest
from control import Cases, check_program, name_of
from support import module_of

import quernel as qn

X = np.linspace(-1, 4, 6)
cases = Cases()


class Box:
    level = 1

    def __init__(self, n=0):
        self.n = n

    @property
    def half(self):
        return self._half

    @half.setter
    def half(self, value):
        self._half = value / 2


@cases(X)
def attributes_by_name(x):
    box = Box()
    for name in ("first", "level", "half"):
        setattr(box, name, x * 2)
    return box.first, box.level, box.half


@cases(X)
def attribute_in_turns(x):
    box = Box(2)
    for v in x:
        setattr(box, "n", box.n + v)  # noqa: B010
        if v > 1:
            setattr(box, "last", v)  # noqa: B010
    return box.n, box.last


@cases(X)
def attributes_of_keywords(x):
    def filled(**values):
        box = Box()
        for name, value in values.items():
            setattr(box, name, value * x)
        return box

    made = filled(a=2.0, b=3)
    return made.a, made.b


@cases(X)
def shape_by_name(x):
    y = x.copy()
    setattr(y, "shape", (2, 3))  # noqa: B010
    return y


class Slope:
    __scale = 3

    def __init__(self, x, __factor=2):
        self.found = []
        self.__factor = __factor
        self.__steps = self.__differences(x)
        for i in range(len(x) - 1):
            __step = self.__steps[i] * 2
            self.found.append(__step + self.__scale)

        def __scaled(v):
            return v * self.__factor

        self.scaled = __scaled(x)

    def __differences(self, x):
        total = 0
        for i in range(3):
            total += i
        return np.diff(x) + total

    def most(self):
        for i in range(2):
            self.__factor += i
        return max(v * self.__factor for v in [1, 2])


class Steep(Slope):
    def __differences(self, x):
        return x


@cases(X)
def private_names(x):
    slope, steep = Slope(x), Steep(x)
    return slope.found, slope.scaled, slope.most(), slope._Slope__factor, steep.found


class Backend:
    exp = staticmethod(np.exp)
    norm = staticmethod(np.linalg.norm)
    root = staticmethod(math.sqrt)
    larger = staticmethod(max)

    def all_of(self, x):
        return self.exp(x) + self.norm(x) + self.root(2.0) + Backend.larger(1, 2)


@cases(X)
def functions_as_static_methods(x):
    backend = Backend()
    return backend.all_of(x), backend.exp(x)


class Vector(namedtuple("Vector", "x y")):
    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


@cases(X)
def named_tuples_with_operators(x):
    return Vector(x[0], x[1]) + Vector(x[2], 1)


@cases(X, 3)
def slices(x, n):
    i = np.argmax(x)
    return slice(i - 1, i + 2), [slice(None)], slice(n), slice(int(x[-1]), n)


@runtime_checkable
class Model(Protocol):
    scale: float

    def estimate(self, x): ...


class Plain(Protocol):
    def estimate(self, x): ...


class Base(ABC):
    @abstractmethod
    def estimate(self, x): ...


class Mean:
    def __init__(self, scale=None):
        if scale is not None:
            self.scale = scale

    def estimate(self, x):
        return x.mean()


Base.register(Mean)


GIVEN = Mean(2.0)


@cases(X, Mean)
def checked_by_protocols(x, cls):
    model = GIVEN
    made = [cls(), cls(3.0), model, Box()]
    kinds = [(isinstance(one, Model), isinstance(one, (Base, int))) for one in made]
    return kinds, model.estimate(x) if isinstance(model, Model) else None


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_members(function: Any, args: tuple) -> None:
    check_program(function, args)


class Marked(namedtuple("Marked", "x y")):
    def __init__(self, *args):
        self.mark = 1


def test_errors_and_refusals_of_attributes() -> None:
    def of_an_array(x):
        setattr(x, "b", 1)  # noqa: B010

    with pytest.raises(AttributeError, match=r"'numpy\.ndarray' object has no attribute 'b'"):
        qn.compile(of_an_array, fullgraph=True)(X)
    with pytest.raises(TypeError, match="only be used with @runtime_checkable protocols"):
        qn.compile(lambda x: isinstance(Mean(), Plain), fullgraph=True)(X)
    with pytest.raises(qn.errors.UnsupportedError, match=r"setattr\(\) has an effect that"):
        qn.compile(lambda x: list(map(setattr, [Box()], ["n"], [x])), fullgraph=True)(X)
    with pytest.raises(qn.errors.UnsupportedError, match="returning an object of type Marked"):
        qn.compile(lambda x: Marked(x[0], x[1]), fullgraph=True)(X)


def test_warnings_of_a_text_that_was_loaded_before(tmp_path) -> None:
    text = 'def f(x):\n    "\\m"\n    return x if x[0] is not 1 else -x\n'
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = module_of(tmp_path / "escapes.py", text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(qn.compile(module.f, fullgraph=True)(X), X)
