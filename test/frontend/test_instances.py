"""Objects of the user's classes: as arguments, changed, made and returned, beside Python itself."""

from __future__ import annotations

import abc
import copy
import dataclasses
import functools
import gc
import json
import os
import re
import subprocess
import sys
import types
import typing
import warnings
import weakref

import numpy as np
import pytest

import quernel as qn
from quernel.call import verify
from quernel.errors import FallbackWarning, UnsupportedError, VerificationError

X = np.linspace(0, 1, 1000)


def state(obj, seen=None):
    """All that can be seen of an object: types, bits, and which parts are one object."""
    seen = {} if seen is None else seen
    if isinstance(obj, np.ndarray):
        return ("array", obj.dtype.str, obj.shape, obj.tobytes(), number(obj, seen))
    if isinstance(obj, (list, tuple)):
        return (type(obj), [state(item, seen) for item in obj])
    if isinstance(obj, dict):
        return {key: state(item, seen) for key, item in obj.items()}
    if isinstance(obj, np.random.Generator):
        return repr(obj.bit_generator.state)
    if hasattr(type(obj), "__slots__") or hasattr(obj, "__dict__"):
        known = id(obj) in seen
        names = sorted(getattr(obj, "__dict__", None) or getattr(type(obj), "__slots__", ()))
        place = number(obj, seen)
        parts = [] if known else [(name, state(getattr(obj, name), seen)) for name in names]
        return (type(obj), place, parts)
    return (type(obj), repr(obj))


def number(obj, seen):
    return seen.setdefault(id(obj), (len(seen), obj))[0]


def answer(function, args):
    """What a call gives or raises, and what its arguments are then."""
    try:
        result = function(*args)
    except Exception as error:
        result = (type(error).__name__, str(error))
    return state([result, list(args)])


def check(function, make, calls=3, **options):
    """Several calls with the same objects do what Python does."""
    ours, pythons = make(), make()
    compiled = qn.compile(function, **({"fullgraph": True} | options))
    for _ in range(calls):
        assert answer(compiled, ours) == answer(function, pythons)
    return compiled


class Sim:
    rate = 0.5
    weights = np.arange(3.0)

    def __init__(self):
        self.x, self.v = X[:8].copy(), np.ones(8)
        self.t, self.n, self.name = 0.0, 3, "a"

    def rolled(self, count):
        for i in range(count):
            self.t += 0.1 * i
            self.x = self.x * 0.5 + self.v * self.rate

    def unrolled(self):
        for array in (self.x, self.v):
            self.t += array.sum()

    def branch(self):
        if self.x.sum() > 3:
            self.t, self.x = self.t + 1, self.x * 2
        else:
            self.v = self.v + 1
        return self

    def perhaps(self):
        if self.x.sum() > 3:
            self.found = self.x.max()
        has = hasattr(self, "found")
        self.x = self.x + 1
        return has

    def perhaps_not(self):
        if self.x.sum() > 3:
            self.found = self.x.max()
        self.x = self.x + 1
        return self.found

    def swap(self):
        self.x, self.v = self.v, self.x

    def while_loop(self):
        count = 0
        while self.t < 3:
            self.t += 0.7
            count += 1
        return count

    def elements(self):
        for i in range(1, 8):
            self.x[i] += self.x[i - 1]

    def constants(self):
        return self.weights * self.x[:3], Sim.rate, type(self).rate, self.__class__.__name__

    def cached(self):
        if not hasattr(self, "cache"):
            self.cache = self.x.sum()
        return self.cache + getattr(self, "nothing", 2.0)

    def counts(self):
        self.n += 1
        return self.x[self.n % 8]

    def keeps_a_view(self):
        self.w = self.x[2:5]
        self.w *= 2
        return self.w

    def by_text(self):
        return self.x.sum() if self.name == "a" else 0.0

    @property
    def energy(self):
        return (self.v**2).sum()

    @energy.setter
    def energy(self, factor):
        self.v = self.v * factor

    @staticmethod
    def next(a):
        return a + 1

    @classmethod
    def scaled(cls, a):
        return a * cls.rate

    def kinds_of_methods(self):
        self.energy = 2.0
        return self.next(self.x).sum() + self.scaled(self.energy)

    @functools.cached_property
    def triple(self):
        return self.x * 3

    def uses_cached_property(self):
        return self.triple.sum() + self.triple[0]

    def raises(self):
        self.t = self.t + 1
        if self.x[0] < 5:
            raise ValueError("too small")

    def raises_index(self):
        self.x += 1
        self.t = self.t + 1
        return self.x[int(self.x[0]) + 100]

    def raises_in_loop(self):
        for i in range(100):
            self.t = self.t + 1
            if self.x[i % 8] > 0.005:
                raise ValueError("too large")

    def no_such(self):
        return self.nothing

    def writes_then_binds(self):
        self.x += 1
        kept = self.x
        self.x = self.x + 1
        kept += 1
        return kept

    def binds_same(self):
        self.y = self.x
        self.y += 1
        return self.x is self.y


class Sub(Sim):
    rate = 0.25

    def __init__(self, k):
        super().__init__()
        self.k = k

    def constants(self):
        first, *rest = super().constants()
        return first * self.k, rest

    def make(self):
        made = Sub(self.k + 1)
        made.x = self.x
        return made


METHODS = [
    Sim.unrolled, Sim.branch, Sim.perhaps, Sim.perhaps_not, Sim.swap, Sim.while_loop, Sim.elements,
    Sim.constants, Sim.cached, Sim.counts, Sim.keeps_a_view, Sim.by_text, Sim.kinds_of_methods,
    Sim.uses_cached_property, Sim.raises, Sim.raises_index, Sim.raises_in_loop, Sim.no_such,
    Sim.writes_then_binds, Sim.binds_same,
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_method(method):
    check(method, lambda: (Sim(),))


@pytest.mark.parametrize("count", [0, 1, 300, 30000])
def test_a_rolled_loop_hands_on_attributes(count):
    compiled = check(Sim.rolled, lambda: (Sim(), count))
    assert compiled.stats()["fallbacks"] == 0


@pytest.mark.parametrize("method", [Sub.constants, Sub.make, Sub.kinds_of_methods])
def test_subclass(method):
    check(method, lambda: (Sub(3),))


@dataclasses.dataclass
class Part:
    a: np.ndarray
    k: float = 2.0
    items: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: np.ndarray
    k: float = 2.0

    def moved(self, by):
        return Frozen(self.a + by, self.k * 2)


class Vec:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vec(self.x + other.x)

    def __mul__(self, k):
        return Vec(self.x * k)

    __rmul__ = __mul__

    def __getitem__(self, i):
        return self.x[i]

    def __len__(self):
        return len(self.x)

    def __call__(self, y):
        return self.x @ y

    def __neg__(self):
        return Vec(-self.x)

    def __iter__(self):
        return iter([self.x[0], self.x[1]])


class Node:
    def __init__(self, a, following=None):
        self.a, self.following = a, following

    def total(self):
        rest = 0.0 if self.following is None else self.following.total()
        return self.a.sum() + rest


class Box(typing.Generic[typing.TypeVar("T")]):
    def __init__(self, x):
        self.x = x

    def next(self):
        return self.x + 1


class Abstract(abc.ABC):
    @abc.abstractmethod
    def one(self, x): ...

    def two(self, x):
        return self.one(x) * 2


class Concrete(Abstract):
    def one(self, x):
        return x + 1


class Slots:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = X[:3].copy(), 1

    def step(self):
        self.b += 1
        self.a = self.a * self.b
        return self.b


class Manager:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        self.x = self.x + 1
        return self

    def __exit__(self, *details):
        self.x = self.x * 2
        return False


def within(manager):
    with manager as made:
        return made.x.sum()


def raise_k(part):
    part.k = part.k + 1
    return part.k


def double_all(parts):
    for part in parts:
        part.x = part.x * 2


def made_in_turns(x):
    v = Vec(x)
    for i in range(20):
        v = v + Vec(x * i)
    return v.x


def changed_in_turns(x, count):
    v = Vec(x)
    for _ in range(count):
        v.x = v.x * 0.5 + x
    return v


def around(node):
    node.a = node.a + node.following.following.a.sum()
    node.following.a = node.following.a * 2
    return node.following.following.a


def ring():
    first = Node(X[:3].copy())
    first.following = Node(X[3:5].copy(), first)
    return (first,)


def one_twice():
    part = Part(X[:4].copy())
    return part, part


def part_and_itself():
    inner = Part(X[:3])
    return Part(inner), inner


def changed_copies(a, b):
    first, second = copy.copy(a), copy.copy(a + b)
    first.x, second.y = first.x + 1, b
    return first, second, a, first is a


def made_twice(a, b):
    made = a + b
    return made, made


def two():
    return Vec(X[:4]), Vec(X[4:8])


PROGRAMS = {
    "makes": (lambda x: (Part(x * 2), Part(x, 1.0, [x])), lambda: (X[:4].copy(),)),
    "frozen": (Frozen.moved, lambda: (Frozen(X[:4].copy()), 1.5)),
    "one twice": (lambda p, q: (p.k, raise_k(p), q.k, p is q), one_twice),
    "two": (
        lambda p, q: (p.k, raise_k(p), q.k, p is q),
        lambda: (Part(X[:4].copy()), Part(X[:4].copy())),
    ),
    "linked": (Node.total, lambda: (Node(X[:3], Node(X[3:6], Node(X[6:9]))),)),
    "ring": (around, ring),
    "child and itself": (
        lambda p, q: (raise_k(p.a), raise_k(q)),
        part_and_itself,
    ),
    "operators": (lambda a, b: ((a + 2 * b) * 3).x + a[1] + len(b) + a(b.x) + (-a).x, two),
    "iteration": (lambda a, b: [v * 2 for v in a], two),
    "returns new and old": (lambda a, b: [a + b, a, (a + b).x], two),
    "returns one twice": (made_twice, two),
    "copies": (lambda a, b: changed_copies(a, b), two),  # noqa: PLW0108
    "generic": (Box.next, lambda: (Box(X[:3]),)),
    "abstract": (Abstract.two, lambda: (Concrete(), X[:3])),
    "slots": (Slots.step, lambda: (Slots(),)),
    "namespace": (
        lambda n: types.SimpleNamespace(a=n.a + 1, b=n.b),
        lambda: (types.SimpleNamespace(a=X[:3], b=2),),
    ),
    "in a list": (lambda parts: sum(part.x.sum() for part in parts), lambda: (list(two()),)),
    "in a dict": (lambda d: d["a"].x + d["b"].x, lambda: (dict(zip("ab", two(), strict=True)),)),
    "changed in a list": (double_all, lambda: (list(two()),)),
    "manager": (within, lambda: (Manager(X[:3].copy()),)),
    "isinstance": (lambda a, b: a.x.sum() if isinstance(a, Vec) else 0, two),
    "type": (lambda a, b: a.x.sum() if type(a) is Vec else 0, two),
    "made in turns": (made_in_turns, lambda: (X[:3],)),
    "changed in turns": (changed_in_turns, lambda: (X[:3], 3000)),
    "class": (lambda cls, x: cls(x).x + 1, lambda: (Vec, X[:3])),
    "random": (
        lambda s, x: s.random.normal(size=3) + x,
        lambda: (types.SimpleNamespace(random=np.random.default_rng(3)), X[:3]),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check(*PROGRAMS[name])


class Mistake(Exception):
    pass


class Settings:
    def __init__(self):
        self.factor, self.weights, self.calls = 2.0, np.arange(3.0), 0


SETTINGS = Settings()


@functools.lru_cache
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@functools.lru_cache
def ones(n):
    return np.ones(n)


def raises_own(x):
    if x.sum() > 0:
        raise Mistake("too large")
    return x


PLAIN = {
    "an exception of the user's": (raises_own, lambda: (X[:3],)),
    "a function with a cache": (lambda x: x * factorial(5), lambda: (X[:3],)),
    "what can't be hashed": (lambda x: factorial(x), lambda: ([],)),  # noqa: PLW0108
    "keys of many kinds": (
        lambda d: d[1, 2] + d[3.5] + d[None] + d[b"a"],
        lambda: (dict.fromkeys([(1, 2), 3.5, None, b"a"], X[:3]),),
    ),
    "dataclasses.replace": (
        lambda p: (dataclasses.replace(p, k=p.k + 1), dataclasses.is_dataclass(p)),
        lambda: (Part(X[:3], 2.0, [X[3:5]]),),
    ),
    "dataclasses.asdict": (
        lambda p: (dataclasses.asdict(p), dataclasses.astuple(p)),
        lambda: (Part(X[:3], 2.0, [X[3:5], {"a": (1.0,)}, Part(X[:2])]),),
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_python(name):
    check(*PLAIN[name], fullgraph=name != "what can't be hashed")


def test_an_object_read_from_outside():
    def scaled(x):
        SETTINGS.calls += 1
        return x * SETTINGS.factor + SETTINGS.weights

    compiled = qn.compile(scaled, fullgraph=True)
    np.testing.assert_array_equal(compiled(X[:3]), X[:3] * 2 + np.arange(3))
    SETTINGS.factor, SETTINGS.weights = 3.0, np.ones(3)
    np.testing.assert_array_equal(compiled(X[:3]), X[:3] * 3 + 1)
    assert SETTINGS.calls == 2


def test_an_array_that_a_cache_keeps():
    compiled = qn.compile(lambda x: x + ones(3), fullgraph=True)
    np.testing.assert_array_equal(compiled(X[:3]), X[:3] + 1)
    ones(3)[0] = 5.0
    np.testing.assert_array_equal(compiled(X[:3]), X[:3] + [5.0, 1.0, 1.0])
    ones.cache_clear()
    np.testing.assert_array_equal(compiled(X[:3]), X[:3] + 1)


class History:
    def __init__(self):
        self.past, self.x = [], X[:3].copy()

    def step(self):
        self.x = self.x + 1
        self.past.append(self.x.sum())
        self.x = self.x * 2


class Indirect:
    def __init__(self):
        self.parts = {"q": X[:3]}

    def __getattr__(self, name):
        if name in self.__dict__["parts"]:
            return self.__dict__["parts"][name]
        raise AttributeError(name)


class Doubling:
    def __init__(self):
        self.x = X[:3].copy()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)

    def step(self):
        self.x = self.x + 1
        return self.x


def deletes(part):
    del part.x


IN_NUMPY = {
    "a list that grows": (History.step, lambda: (History(),)),
    "__getattr__": (lambda part: part.q + 1, lambda: (Indirect(),)),
    "__setattr__": (Doubling.step, lambda: (Doubling(),)),
    "deletes": (deletes, lambda: two()[:1]),
}


@pytest.mark.parametrize("name", IN_NUMPY)
@pytest.mark.filterwarnings("ignore::quernel.errors.FallbackWarning")
def test_program_that_may_run_in_numpy(name):
    check(*IN_NUMPY[name], fullgraph=False)


# What programs depend on


def test_an_attribute_that_isnt_looked_at_doesnt_count():
    compiled, sim = qn.compile(Sim.by_text, fullgraph=True), Sim()
    compiled(sim)
    sim.other, sim.v = object(), None
    assert compiled(sim) == sim.x.sum()
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] == 1


def test_types_sizes_and_texts_of_attributes_count():
    compiled, sim = qn.compile(Sim.by_text, fullgraph=True), Sim()
    for x in (X[:8], X[:9], X[:10].astype(np.float32), np.arange(5), X[:64].reshape(8, 8).T):
        sim.x = x
        assert compiled(sim) == pytest.approx(x.sum(), 1e-6)
    sim.name = "b"
    assert compiled(sim) == 0


def test_sizes_of_attributes_become_symbols():
    compiled, sim = qn.compile(Sim.by_text, fullgraph=True), Sim()
    for count in range(5, 40):
        sim.x = X[:count]
        assert compiled(sim) == pytest.approx(X[:count].sum())
    stats = compiled.stats()
    assert stats["compiles"] + stats["disk_hits"] <= 3


def test_numbers_of_attributes_become_data():
    compiled, sim = qn.compile(Sim.counts, fullgraph=True), Sim()
    for count in range(40):
        sim.n = count
        assert compiled(sim) == sim.x[(count + 1) % 8]
        assert sim.n == count + 1
    stats = compiled.stats()
    assert stats["compiles"] + stats["disk_hits"] <= 3


def test_a_class_that_is_changed():
    class Changed(Sim):
        pass

    compiled, sim = qn.compile(Changed.constants, fullgraph=True), Changed()
    assert compiled(sim)[2] == 0.5
    Changed.rate = 2.0
    assert compiled(sim)[2] == 2.0
    Changed.weights = np.ones(3)
    np.testing.assert_array_equal(compiled(sim)[0], sim.x[:3])


def test_a_method_that_is_replaced(monkeypatch):
    compiled, a, b = qn.compile(lambda a, b: (a + b).x, fullgraph=True), *two()
    np.testing.assert_array_equal(compiled(a, b), a.x + b.x)
    monkeypatch.setattr(Vec, "__add__", lambda a, b: Vec(a.x - b.x))
    np.testing.assert_array_equal(compiled(a, b), a.x - b.x)


def test_a_property_put_before_an_attribute(monkeypatch):
    compiled, vec = qn.compile(lambda a: a.x + 1, fullgraph=True), Vec(X[:3])
    np.testing.assert_array_equal(compiled(vec), X[:3] + 1)
    monkeypatch.setattr(Vec, "x", property(lambda self: X[3:6]), raising=False)
    np.testing.assert_array_equal(compiled(vec), X[3:6] + 1)


def test_an_attribute_that_wasnt_there():
    compiled, sim = qn.compile(Sim.cached, fullgraph=True), Sim()
    expected = sim.x.sum() + 2
    assert compiled(sim) == expected
    sim.nothing = 5.0
    assert compiled(sim) == expected + 3


def test_two_objects_that_become_one():
    def bump(p, q):
        p.k = p.k + 1
        return q.k

    compiled = qn.compile(bump, fullgraph=True)
    part, other = Part(X[:3]), Part(X[3:6])
    assert compiled(part, other) == 2.0
    assert compiled(part, part) == 4.0
    assert compiled(part, other) == 2.0


def test_written_attributes_that_share_memory():
    def add(p):
        p.a += p.b

    part = types.SimpleNamespace(a=X[:4].copy(), b=X[4:8].copy())
    other = types.SimpleNamespace(a=part.a, b=part.a[::-1])
    compiled = qn.compile(add)
    compiled(part)
    expected = part.a + part.a[::-1]
    with pytest.warns(FallbackWarning, match="share memory"):
        compiled(other)
    np.testing.assert_array_equal(part.a, expected)


def test_what_compiled_code_cant_take_counts_where_it_is_looked_at():
    sim = Sim()
    sim.other = {1, 2}
    check(Sim.by_text, lambda: (sim,))
    with pytest.raises(UnsupportedError, match=r"returning an object of type set"):
        qn.compile(lambda p: p.other, fullgraph=True)(sim)


class Array:
    def __array__(self, dtype=None, copy=None):
        return X


def test_what_stands_for_an_array_is_no_plain_object():
    with pytest.raises(UnsupportedError, match="`a` is an object of type Array"):
        qn.compile(lambda a: a + 1, fullgraph=True)(Array())


def test_an_unaligned_attribute():
    sim = Sim()
    sim.x = np.frombuffer(b"\0" + X[:8].tobytes(), np.uint8)[1:].view(np.float64)
    with pytest.raises(UnsupportedError, match="unaligned or byte-swapped, and an attribute of an"):
        qn.compile(Sim.by_text, fullgraph=True)(sim)


def test_objects_that_lead_to_each_other_arent_returned():
    def makes():
        first, second = Node(1), Node(2)
        first.following, second.following = second, first
        return first

    with pytest.raises(UnsupportedError, match="returning objects that lead to each other"):
        qn.compile(makes, fullgraph=True)()


def test_a_class_without_a_module_isnt_returned():
    class Local:
        pass

    with pytest.raises(UnsupportedError, match="returning an object of the class Local, which no"):
        qn.compile(lambda x: [Local(), x], fullgraph=True)(X)


class Bare:
    def __init__(self, x):
        self.x = x

    def scaled(self, k):
        new = self.__class__.__new__(self.__class__)
        new.x = self.x * k
        return new

    @classmethod
    def of(cls, x):
        new = super().__new__(cls)
        new.x = x
        return new


class Empty:
    pass


def by_class(x):
    return Bare(x).scaled(2).x + Bare.of(x).x


def by_object(x):
    new = object.__new__(Bare)
    new.x = x * 3
    return Bare.__new__(Bare, 1).scaled(1).x if x[0] > 9 else new.x


def without_attributes(x):
    try:
        return object.__new__(Bare).x
    except AttributeError as error:
        return str(error), x


def with_arguments(x):
    return Empty.__new__(Empty, x)


@pytest.mark.parametrize("function", [by_class, by_object, without_attributes])
def test_objects_that_new_makes(function):
    got, want = qn.compile(function, fullgraph=True)(X), function(X)
    np.testing.assert_equal(got, want)


def test_new_takes_what_init_takes():
    for function in (with_arguments, qn.compile(with_arguments, fullgraph=True)):
        with pytest.raises(TypeError, match=r"Empty\(\) takes no arguments"):
            function(X)


def changes_class(a, b):
    a.__class__ = Part


REFUSED = {
    "changing `.__class__` of a Vec": (changes_class, two),
    "`.__dict__` of an object": (lambda a, b: sum(a.__dict__), two),
    "the names of an object's attributes": (lambda a, b: dir(a), two),
    "the text of an object of the class Vec": (lambda a, b: str(a), two),
    "copying or pickling an object of the class Vec": (lambda a, b: copy.deepcopy(a), two),
    "deleting `.x` of an argument": (deletes, lambda: two()[:1]),
    "a call of the abstract class `Abstract`": (lambda x: [Abstract(), x], lambda: (X,)),
    "a property without an object": (lambda: Sim.energy, lambda: ()),
    "which an object has where data decide so, with a default": (
        lambda s: (s.perhaps(), getattr(s, "found", 0.0)),
        lambda: (Sim(),),
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    function, make = REFUSED[text]
    with pytest.raises(UnsupportedError, match=re.escape(text)):
        qn.compile(function, fullgraph=True)(*make())


def test_floating_point_warnings():
    """NumPy is asked what to warn of, and changes the object before the program does."""

    def step(sim):
        sim.x = 1 / (sim.x - sim.x[3])
        sim.v /= sim.v - 1
        sim.t += 1

    compiled, ours, pythons = qn.compile(step, fullgraph=True), Sim(), Sim()
    for _ in range(4):
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always")
            compiled(ours)
        with warnings.catch_warnings(record=True) as want:
            warnings.simplefilter("always")
            step(pythons)
        assert {str(w.message) for w in got} == {str(w.message) for w in want}
        assert state(ours) == state(pythons)


@pytest.mark.parametrize("method", [Sim.branch, Sim.swap, Sim.elements, Sim.counts])
def test_verified(method):
    check(method, lambda: (Sim(),), verify=True)
    check(around, ring, verify=True)


def test_what_verification_finds():
    slots, vec = Slots(), Vec(X[:3])
    with pytest.raises(VerificationError, match="the attributes of x"):
        verify.compare(vec, Vec(X[3:6]), "x")
    verify.compare(verify.copied(slots), slots, "x")


# How users call


def test_bound_methods_partials_and_callable_objects():
    sim = Sim()
    bound = qn.compile(sim.by_text, fullgraph=True)
    assert bound() == sim.x.sum()
    assert bound.stats()["calls"] == 1
    assert "by_text" in str(bound.explain())
    partial = qn.compile(functools.partial(np_scaled, k=3.0), fullgraph=True)
    np.testing.assert_array_equal(partial(X), X * 3)
    # Products of whole numbers, since the BLAS of some processors rounds once a product and sum.
    whole = np.arange(1.0, 7.0)
    vec = qn.compile(Vec(whole[:3]), fullgraph=True)
    assert vec(whole[3:]) == whole[:3] @ whole[3:]
    with pytest.raises(TypeError, match="takes a Python function, not int"):
        qn.compile(3)


def np_scaled(x, k):
    return x * k


class Decorated:
    def __init__(self):
        self.x = X[:5].copy()

    @qn.compile(fullgraph=True)
    def step(self, by):
        self.x = self.x + self.moved(by)

    @qn.compile(fullgraph=True)
    def moved(self, by):
        return self.x * by


def test_decorated_methods():
    obj = Decorated()
    obj.step(2.0)
    np.testing.assert_array_equal(obj.x, X[:5] + X[:5] * 2)


def test_the_order_of_new_attributes():
    def fill(box, x):
        for box.z in x:
            box.y = box.z * 2
            if box.y > 1:
                break
        box.b, box.a = box.y, box.z
        made = types.SimpleNamespace()
        for made.z in x:
            made.a = made.z
        return made

    box, other = types.SimpleNamespace(), types.SimpleNamespace()
    made = qn.compile(fill, fullgraph=True)(box, X[:800])
    expected = fill(other, X[:800])
    assert list(vars(box).items()) == list(vars(other).items())
    assert list(vars(made).items()) == list(vars(expected).items())


class Compiled:
    @qn.compile(fullgraph=True)
    def __init__(self, x):
        self.x = x * 2

    @qn.compile(fullgraph=True)
    def __add__(self, other):
        return Compiled(self.x + other.x)


def test_classes_of_compiled_methods():
    made = qn.compile(lambda x: (Compiled(x) + Compiled(x)).x, fullgraph=True)
    np.testing.assert_array_equal(made(X[:3]), X[:3] * 8)
    np.testing.assert_array_equal((Compiled(X[:3]) + Compiled(X[:3])).x, X[:3] * 8)


class Partly:
    def scaled(self, x, by=1.0):
        return x * by

    doubled = functools.partialmethod(scaled, by=2.0)


class Remembering:
    @functools.lru_cache  # noqa: B019
    def scaled(self, by):
        return by * 2


class Listed:
    __len__ = functools.partialmethod(lambda self, n: n, 3)


@pytest.mark.parametrize(
    ("function", "make", "text"),
    [
        (lambda p: p.doubled(X[:3]), Partly, "`doubled` of Partly, a partialmethod"),
        (lambda p: p.scaled(3), Remembering, "`scaled` of Remembering, a _lru_cache_wrapper"),
        (lambda p: X[: len(p)], Listed, "`__len__` of Listed, a partialmethod"),
    ],
)
def test_methods_of_other_kinds(function, make, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(make())
    check(function, lambda: (make(),), fullgraph=False)


def test_comparing_namespaces():
    def function(n):
        return X[:3] * (n == types.SimpleNamespace(a=n.a))

    text = "comparing objects of the class SimpleNamespace"
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(types.SimpleNamespace(a=2))
    check(function, lambda: (types.SimpleNamespace(a=2),), fullgraph=False)


def test_objects_are_let_go():
    compiled, sim = qn.compile(Sim.by_text, fullgraph=True), Sim()
    compiled(sim)
    gone, array = weakref.ref(sim), weakref.ref(sim.x)
    del sim
    gc.collect()
    assert gone() is None
    assert array() is None


def test_guards_in_words():
    text = str(qn.compile(Sim.cached).explain(Sim()))
    for line in ("self: a Sim", "self.x: float64[8]", "self: no attribute cache"):
        assert line in text


MODULE = """
import json, sys
import numpy as np
import quernel as qn

class Base:
    RATE = {rate}
    def scaled(self, x):
        return x * self.RATE{more}

class Model(Base):
    def __init__(self):
        self.x, self.t, self.part = np.arange(5.0), 0.0, None

    def step(self, dt):
        self.t += dt
        self.x = self.scaled(self.x) + self.t
        return self

step = qn.compile(Model.step, fullgraph=True)
model = Model()
for _ in range(3):
    step(model, 0.5)
stats = step.stats()
print(json.dumps([stats["compiles"], stats["disk_hits"], model.t, model.x.tolist()]))
"""


def test_another_process_finds_the_program(tmp_path):
    def run(rate="2.0", more=""):
        path = tmp_path / "model.py"
        path.write_text(MODULE.format(rate=rate, more=more))
        done = subprocess.run(
            [sys.executable, str(path)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path / "cache")},
        )
        return json.loads(done.stdout)

    compiles, hits, t, x = run()
    assert (compiles > 0, hits, t) == (True, 0, 1.5)
    again = run()
    assert again[0] == 0
    assert again[1] > 0
    assert again[2:] == [t, x]
    other = run(rate="3.0")
    assert other[0] > 0
    assert other[3] != x
    assert run(more=" + 1")[0] > 0
    assert run() == again
