"""Programs that read and assign attributes from outside of themselves: what each call gives.

The module is loaded anew for each program and each way of running it, so that a program may change
its classes, globals and objects. As a script it runs all of them compiled and prints what they
give, for the test with a second process.
"""

from __future__ import annotations

import abc
import copy
import functools
import importlib.util
import json
import sys
import types
from dataclasses import dataclass

import numpy as np

import quernel as qn

PROGRAMS = {}
ONES, FOUR = np.ones(2), np.arange(4.0)


def program(run):
    """Add a program: a function of what compiles, which gives all that can be seen."""
    PROGRAMS[run.__name__] = run
    return run


class Box:
    """An object of which the programs add the attributes."""

    def __init__(self, **values):
        vars(self).update(values)


class Scaled:
    k, n, cache = 2.0, 0, None
    shared = Box(n=0.0)
    array = np.zeros(3)
    __gain__ = 3.0
    __kind__ = np.ndarray

    def act(self, x):
        return x + 1

    def lazily(self, x):
        if self.cache is None:
            self.cache = x.sum()
        self.n += 1
        return x * self.cache

    def count(self, x):
        type(self).n += 1
        return x * self.n

    @classmethod
    def count_all(cls, x):
        cls.n += 2
        return x * cls.n

    @staticmethod
    def plain(x):
        return x + 2

    @property
    def total(self):
        return Scaled.n

    @total.setter
    def total(self, value):
        Scaled.n = value * 2

    @functools.cached_property
    def twice(self):
        return self.k * 2


class Derived(Scaled):
    def act(self, x):
        return super().act(x) * 2

    def above(self, x):
        return super().act(x) + self.act(x) + super().k * self.k


class Other(Scaled):
    k = 5.0


class Both(Derived, Other):
    """What has two bases with one base."""


class Slots:
    __slots__ = ("k", "m")


class HidingSlot(Scaled):
    __slots__ = ("k",)


class Answering:
    def __getattr__(self, name):
        return 5.0


class Abstract(abc.ABC):
    n, k = 0, 1.0

    @abc.abstractmethod
    def act(self, x):
        """Act."""


class Concrete(Abstract):
    def act(self, x):
        Abstract.n += 1
        return x * self.k + Concrete.n


@dataclass
class Data:
    a: float = 1.0
    b: float = 2.0


class Layer(qn.Module):
    gain, bias, count = 2.0, None, 0

    def __call__(self, y):
        if self.bias is None:
            self.bias = np.zeros(len(y))
        self.bias = self.bias + 1
        type(self).count += 1
        return y * self.gain + self.bias


class Made:
    count = 0

    def __init__(self, value):
        Made.count += 1
        self.value = value


class Coded(Exception):
    code = 3.0


own = Box(n=0.0, k=0, a=np.zeros(4), sub=Box(n=0.0, a=np.zeros(2)))
OBJECTS, NAMED = [Box(n=0.0), Box(n=1.0)], {"a": Box(n=0.0)}
MODULE = types.ModuleType("module")


# What an object, a class, a module hasn't, and gets


def scales(o, x):
    return x * o.k


@program
def a_default_is_hidden(compiled):
    f, o, log = compiled(scales), Derived(), []
    log.append(f(o, ONES))
    o.k = 8.0
    log.append(f(o, ONES))
    del o.k
    log.append(f(o, ONES))
    for cls, value in ((Derived, 5.0), (Scaled, 6.0)):
        cls.k = value
        log.append(f(o, ONES))
    del Derived.k
    log += [f(o, ONES), f(Other(), ONES), f(Both(), ONES)]
    o.k = np.arange(2.0)
    return [*log, f(o, ONES)]


def scales_two(a, b, x):
    return x * a.k + b.k


@program
def of_two_objects(compiled):
    f, log = compiled(scales_two), []
    for which in range(4):
        a, b = Scaled(), Scaled()
        if which & 1:
            a.k = 10.0
        if which & 2:
            b.k = 20.0
        log += [f(a, b, ONES), f(b, a, ONES), f(a, a, ONES)]
    return log


def with_default(o, x):
    return x * getattr(o, "k", 7.0) + (1.0 if hasattr(o, "m") else 0.0)


@program
def slots_that_are_unset(compiled):
    f, log = compiled(with_default), []
    for cls in (Slots, HidingSlot, Box):
        o = cls()
        log.append(f(o, ONES))
        o.k = 8.0
        log.append(f(o, ONES))
        if cls is not HidingSlot:
            o.m = 1.0
        log.append(f(o, ONES))
        del o.k
        log.append(f(o, ONES))
    Box.k = 3.0
    return [*log, f(Box(), ONES)]


@program
def what_getattr_answers(compiled):
    f, o = compiled(scales), Answering()
    log = [f(o, ONES)]
    o.k = 8.0
    log.append(f(o, ONES))
    Answering.k = 3.0
    return [*log, f(Answering(), ONES)]


def acts(o, x):
    return o.act(x) + o.plain(x) + o.twice + o.__gain__


@program
def methods_that_are_hidden(compiled):
    f, o = compiled(acts), Derived()
    log = [f(o, ONES), f(o, ONES), dict(vars(o))]
    o.act = lambda x: x * 10
    log.append(f(o, ONES))
    o.plain = lambda x: x * 20
    log.append(f(o, ONES))
    o.twice = 50.0
    log.append(f(o, ONES))
    o.__gain__ = 100.0
    log.append(f(o, ONES))
    del o.act
    return [*log, f(o, ONES)]


@program
def what_super_finds(compiled):
    f, o = compiled(Derived.above), Derived()
    log = [f(o, ONES)]
    o.k, o.act = 30.0, lambda x: x * 7
    log.append(f(o, ONES))
    Scaled.k = 4.0
    return [*log, f(o, ONES)]


@program
def what_is_made_lazily(compiled):
    f, log = compiled(Scaled.lazily), []
    for o in (Scaled(), Derived()):
        log += [(f(o, np.full(2, k)), o.n, o.cache) for k in (1.0, 2.0, 3.0)]
    return log


@program
def modules_buffers(compiled):
    f, layer = compiled(Layer.__call__), Layer()
    log = [f(layer, ONES), f(layer, ONES)]
    layer.gain = 7.0
    return [*log, f(layer, ONES), layer.bias, Layer.count]


@program
def fields_with_defaults(compiled):
    f = compiled(lambda o, x: x * o.a + o.b)
    return [f(o, ONES) for o in (Data(), Data(3.0), Data(b=4.0))]


def of_the_class(o, x):
    return x * type(o).k + o.k + o.__class__.k


@program
def through_the_type(compiled):
    f, o = compiled(of_the_class), Scaled()
    log = [f(o, ONES)]
    o.k = 8.0
    log.append(f(o, ONES))
    Scaled.k = 3.0
    log.append(f(o, ONES))
    o.__class__ = Other
    return [*log, f(o, ONES)]


def asks(o, x):
    if hasattr(Scaled, "extra"):
        return x * Scaled.extra
    try:
        return x * MODULE.extra
    except AttributeError:
        return x * (o.extra if hasattr(o, "extra") else getattr(o, "__extra__", 1.0))


@program
def what_is_missing(compiled):
    f, o = compiled(asks), Box()
    log = [f(o, ONES)]
    o.__extra__ = 2.0
    log.append(f(o, ONES))
    o.extra = 3.0
    log.append(f(o, ONES))
    MODULE.extra = 4.0
    log.append(f(o, ONES))
    Scaled.extra = 5.0
    log.append(f(o, ONES))
    del Scaled.extra, MODULE.extra
    return [*log, f(o, ONES)]


class Method:
    def k(self):
        return 1.0

    def act(self, x):
        return x + 1


class Without(Method):
    act, k = None, 3.0


class First:
    k = 4.0


class Mixed(First, Method):
    def above(self, x):
        return x * super().k


def asks_for_methods(o, x):
    y = x if o.act is None else o.act(x)
    return y * (o.k() if callable(o.k) else o.k)


@program
def constants_before_methods(compiled):
    f, log = compiled(asks_for_methods), []
    for cls in (Method, Without, Mixed):
        o = cls()
        log.append(f(o, ONES))
        o.act = None
        log.append(f(o, ONES))
    First.k = 5.0
    return [*log, f(Mixed(), ONES), compiled(Mixed.above)(Mixed(), ONES)]


def copies(o, x):
    made = copy.copy(o)
    made.k = x.sum()
    return made


@program
def copies_of_all_attributes(compiled):
    f, log = compiled(copies), []
    for o in (Box(a=1.0), Scaled(), Slots()):
        log += [text_of_all(f(o, ONES)) for _ in range(2)]
        o.m = 5.0
        log.append(text_of_all(f(o, ONES)))
        o.k = 3.0
        log.append(text_of_all(f(o, ONES)))
        del o.m
        log.append(text_of_all(f(o, ONES)))
    return log


def text_of_all(o):
    """All attributes of an object, in its dict or in slots."""
    return {
        name: getattr(o, name) for name in (*getattr(o, "__dict__", ()), *"km") if hasattr(o, name)
    }


def by_special_names(o, x):
    return x * Scaled.__gain__ + o.__gain__ if isinstance(x, Scaled.__kind__) else x


@program
def names_with_underscores(compiled):
    f, o = compiled(by_special_names), Scaled()
    log = [f(o, ONES)]
    o.__gain__ = 5.0
    log.append(f(o, ONES))
    Scaled.__gain__ = 7.0
    return [*log, f(o, ONES), compiled(lambda x: x * len(Slots.__slots__))(ONES)]


def of_an_exception(x):
    try:
        if x[0] > 0:
            raise Coded("positive")
        return x + Coded.code
    except Coded as error:
        return x * error.code


@program
def attributes_of_exceptions(compiled):
    f = compiled(of_an_exception)
    log = [f(ONES), f(0 * ONES)]
    Coded.code = 5.0
    return [*log, f(ONES), f(0 * ONES)]


def helper_with_builtins(x):
    return sum([1, 2]) * x


def with_builtins(x):
    least = [abs(k) for k in (-1, 2)]
    return helper_with_builtins(x) * len(x) + float(2) + least[0]


@program
def builtins_that_are_hidden(compiled):
    f = compiled(with_builtins)
    log = [f(ONES)]
    for name in ("len", "sum", "float", "abs"):
        globals()[name] = lambda *parts: 10.0
        log.append(f(ONES))
        del globals()[name]
    return [*log, f(ONES)]


def calls(function, x):
    return function(x)


@program
def builtins_of_an_argument(compiled):
    f, given = compiled(calls), lambda x: x * len(x)
    log = [f(given, ONES)]
    globals()["len"] = lambda x: 9
    log.append(f(given, ONES))
    del globals()["len"]
    return [*log, f(given, ONES)]


def unknown_name(x):
    try:
        return x * unknown
    except NameError:
        return x


@program
def a_name_that_comes(compiled):
    f = compiled(unknown_name)
    log = [f(ONES)]
    globals()["unknown"] = 4.0
    log.append(f(ONES))
    del globals()["unknown"]
    return [*log, f(ONES)]


# Attributes of classes that are assigned


@program
def a_class_counts(compiled):
    f, o, d = compiled(Scaled.count), Scaled(), Derived()
    log = [f(o, ONES), f(d, ONES), f(d, ONES), Scaled.n, Derived.n]
    g = compiled(lambda x: Scaled.count_all(x) + Derived.count_all(x))
    return [*log, g(ONES), g(ONES), Scaled.n, Derived.n, "n" in vars(Other)]


def remembers(x):
    Scaled.last = x.sum()
    Scaled.shared.last = x[0]
    return x * Scaled.last


@program
def a_new_attribute_of_a_class(compiled):
    f = compiled(remembers)
    return [f(ONES), Scaled.last, f(FOUR), Scaled.last, Derived.last, Scaled.shared]


def counts_in_a_loop(x):
    for i in range(len(x)):
        for _ in range(2):
            Scaled.n += 1
        if x[i] > 1:
            Derived.n += 1
        Scaled.last = x[i]
        x[i] = Scaled.n
    return x * Derived.n + Scaled.last


@program
def a_class_counts_in_loops(compiled):
    f = compiled(counts_in_a_loop)
    return [f(FOUR.copy()), f(FOUR.copy()), Scaled.n, Derived.n, Scaled.last, "n" in vars(Derived)]


def in_a_branch(x):
    if x[0] > 0:
        Derived.k = x.sum()
        Scaled.array = x + 1
    return x * Derived.k + Derived.array[0] + Scaled.k


@program
def a_side_assigns_to_a_class(compiled):
    f, log = compiled(in_a_branch), []
    for x in (0 * ONES, ONES, 0 * ONES):
        log += [f(x), "k" in vars(Derived), Derived.k, Scaled.k, Scaled.array]
    return log


def while_it_is_small(x):
    while Scaled.k < x[0]:
        Scaled.k += 2
    return x * Scaled.k


@program
def a_while_loop_of_a_class(compiled):
    f = compiled(while_it_is_small)
    return [f(np.full(2, 7.0)), Scaled.k, f(np.full(2, 9.0)), Scaled.k]


def arrays_of_a_class(x):
    for i in range(3):
        Scaled.array[i] += x[i]
    Other.array = Scaled.array * 2
    for _ in range(3):
        Other.array = Other.array + x
    return Other.array


@program
def a_class_has_arrays(compiled):
    f = compiled(arrays_of_a_class)
    result = f(np.arange(3.0))
    return [result, result is Other.array, Scaled.array, f(np.arange(3.0)), Derived.array]


def by_a_setter(o, x):
    for value in x:
        o.total = o.total + value
    return x * o.total


@program
def a_setter_assigns_to_a_class(compiled):
    f = compiled(by_a_setter)
    return [f(Scaled(), FOUR), Scaled.n, f(Scaled(), FOUR), Scaled.n]


def makes(x):
    total = 0.0
    for value in x:
        total += Made(value).value
    several = [Made(x * k) for k in range(3)]
    return several[2].value + total * Made.count


@program
def a_constructor_counts(compiled):
    f = compiled(makes)
    return [f(FOUR), Made.count, f(ONES), Made.count]


@program
def an_abstract_class_counts(compiled):
    f, o = compiled(Concrete.act), Concrete()
    log = [f(o, ONES), Abstract.n]
    o.k = 4.0
    log += [f(o, ONES), Abstract.n]
    Concrete.k = 9.0
    return [*log, f(Concrete(), ONES)]


def may_raise(x, i):
    Scaled.n += 1
    y = x[i]
    Scaled.n += 10
    if y > 2:
        raise ValueError("too much")
    return y + Scaled.n


@program
def exceptions_after_an_assignment(compiled):
    f, log = compiled(may_raise), []
    for i in (0, 1, 7, 3, 1):
        try:
            log.append(f(FOUR, i))
        except (IndexError, ValueError) as error:
            log.append(str(error))
        log.append(Scaled.n)
    return log


# Objects that a loop or a branch is the first to look at


def bump(value):
    own.n += value
    return own.n


def bump_default(value, box=own):
    box.n += value
    return box.n


def through_helpers(x):
    for i in range(len(x)):
        if x[i] > 0:
            x[i] = bump(x[i]) + bump_default(1.0)
    return x


def itself(x):
    for i in range(len(x)):
        own.n += x[i]
        if x[i] > 1:
            own.k += 1
        own.last = i
        x[i] = own.n
    return x


def arrays(x):
    for i in range(len(x)):
        own.a[i] += i + 1
        own.sub.a = own.sub.a + x[i]
        x[i] = own.a.sum()
    return x


def nested(x):
    i = 0
    while i < len(x):
        own.sub.n += x[i]
        for _ in range(2):
            own.sub.a[0] += 1
        i += 1
    return own.sub.a * own.sub.n


def unrolled(x):
    made = []
    for i in range(3):
        own.n += 1.0
        made.append(own.n * x)
        own.last = i
    return made


def comprehended(x):
    return [bump(value) for value in (1.0, 2.0, 3.0)], x


def in_containers(x):
    for value in x:
        OBJECTS[0].n += value
        if value > 1:
            OBJECTS[1].n, OBJECTS[0].n = OBJECTS[0].n, OBJECTS[1].n
        NAMED["a"].n -= value
    return OBJECTS[0].n + OBJECTS[1].n * NAMED["a"].n


def of_a_class(x):
    for i in range(len(x)):
        Scaled.shared.n += x[i]
        x[i] = Scaled.shared.n
    return x


def defaults(x, box=own, *, other=OBJECTS[0]):
    for value in x:
        box.n += value
        other.n += box.n
    return x * box.n


def replaced(x):
    for value in x:
        new = Slots()
        new.k, new.m = own.sub.n + value, x
        own.sub = types.SimpleNamespace(n=new.k, a=new.m)
    return own.sub.n


def recursive(x):
    def walk(y, n):
        own.k += 1
        return y if n == 0 else walk(y * 2, n - 1) + own.k

    return walk(x, 4)


def left(x):
    for i in range(len(x)):
        own.n += 1
        if x[i] > 2:
            break
    else:
        own.n += 100
    return x * own.n


def tried(x):
    for i in range(len(x)):
        try:
            own.n += 1
            if x[i] > 2:
                raise ValueError
            own.k += 1
        except ValueError:
            own.k -= 10
    return x


def apart(x):
    y = np.ones(2) if x[0] > 0 else (1.0, 2.0)
    bump(2.0)
    Scaled.n += 1
    k = own.n + Scaled.n
    return x * k if isinstance(y, tuple) else x[:2] * k + y


def first_on_a_side(x):
    if x.sum() > 3:
        own.n += 1.0
    else:
        own.n -= 1.0
        own.fresh = x[0]
    return own.n


def make_closure():
    box = Box(n=1.0)

    def grow(value):
        box.n = box.n * 2 + value
        return box.n

    def function(x):
        for i in range(len(x)):
            x[i] = grow(x[i])
        return x * box.n

    return function


def outside(function):
    """Add a program of one function that changes `own` and what else is outside."""

    def run(compiled):
        f, log = compiled(function), []
        for x in (FOUR, FOUR, 0 * ONES):
            log += [f(x.copy()), own, OBJECTS, NAMED, Scaled.shared, Scaled.n]
        return log

    PROGRAMS[f"outside_{function.__name__}"] = run


for one in (
    through_helpers, itself, arrays, nested, unrolled, comprehended, in_containers, of_a_class,
    defaults, replaced, recursive, left, tried, apart, first_on_a_side, make_closure(),
):  # fmt: skip
    outside(one)


def both_ways(x, box):
    for value in x:
        own.n += value
        box.n *= 2
    return x * own.n


@program
def an_argument_is_what_is_outside(compiled):
    f, box = compiled(both_ways), Box(n=3.0)
    log = [f(FOUR, own), own.n, f(FOUR, box), own.n, box, f(FOUR, own), own.n]
    globals()["own"] = Box(n=10.0)
    return [*log, f(FOUR, box), own.n, box]


HELPERS = {"total": np.zeros(2), "state": Box(n=0.0)}
ADD = """
def add(value):
    total[0] += value
    state.n += 1
    return total[0] * state.n
"""
exec(ADD, HELPERS)


def in_another_module(x):
    for i in range(len(x)):
        x[i] = np.random.normal() + HELPERS_ADD(x[i])
    return x


HELPERS_ADD = HELPERS["add"]


@program
def what_a_helpers_module_has(compiled):
    f, log = compiled(in_another_module), []
    np.random.seed(3)
    for _ in range(2):
        log += [f(FOUR.copy()), HELPERS["total"], HELPERS["state"].n, np.random.rand()]
    return log


def default_on_a_side(o, x):
    if x[0] > 0:
        o.k = x.sum()
        o.array = x * 2
    o.k += 1
    return o.array[:2] + o.k + (10.0 if hasattr(o, "k") else 20.0)


def none_on_a_side(o, x):
    if x[0] > 0:
        o.cache = x * 2
    shown = x if o.cache is None else o.cache
    return shown + o.k


@program
def a_side_hides_a_default(compiled):
    log = []
    for function in (default_on_a_side, none_on_a_side):
        f, o, with_own = compiled(function), Scaled(), Scaled()
        with_own.k, with_own.cache, with_own.array = 10.0, np.arange(2.0), np.arange(3.0)
        for x in (0 * ONES, ONES, 0 * ONES):
            log += [f(o, x), dict(vars(o)), f(with_own, x), dict(vars(with_own)), f(Scaled(), x)]
    return log


def default_in_turns(o, x):
    for value in x:
        if value > 1:
            o.n += 1
        o.k = o.k + value
    return x * o.n + o.k


@program
def iterations_hide_a_default(compiled):
    f, o, log = compiled(default_in_turns), Scaled(), []
    for x in (0 * ONES, FOUR, ONES, ONES[:0]):
        log += [f(o, x), dict(vars(o)), f(Scaled(), x)]
    return log


def perhaps_has(o, x):
    if x[0] > 0:
        o.extra = 1.0
    has = hasattr(o, "extra")
    return x + (10.0 if has else 20.0)


@program
def a_side_makes_an_attribute(compiled):
    f, log = compiled(perhaps_has), []
    for make in (Box, lambda: Box(extra=5.0), Scaled):
        for x in (0 * ONES, ONES):
            o = make()
            log += [f(o, x), f(o, x), dict(vars(o))]
    Scaled.extra = 3.0
    return [*log, f(Scaled(), 0 * ONES)]


# What runs the programs


def loaded(name):
    """This module anew, under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, __file__)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(program, way, compiled):
    """What a program gives, in a module of its own, as text."""
    module = loaded(f"{way}_{program}")
    return module.text_of(module.PROGRAMS[program](compiled))


def text_of(value):
    """All that can be seen of what a program gives."""
    if isinstance(value, (np.ndarray, np.generic)):
        return [type(value).__name__, value.dtype.str, value.tolist()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(text_of, value)]
    if isinstance(value, dict):
        return {name: text_of(part) for name, part in value.items()}
    if type(value).__module__ in (__name__, "types"):
        return [type(value).__name__, text_of(dict(sorted(vars(value).items())))]
    return [type(value).__name__, value]


def main():
    """Run all programs compiled, and print what each gives and has compiled, as JSON."""
    functions = []

    def compiled(function):
        functions.append(qn.compile(function, fullgraph=True))
        return functions[-1]

    given = {}
    for program in PROGRAMS:
        functions.clear()
        made = outcome(program, "whole", compiled)
        given[program] = made, sum(function.stats()["compiles"] for function in functions)
    print(json.dumps(given))


if __name__ == "__main__":
    main()
