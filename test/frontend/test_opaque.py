"""Objects from outside that have no kind: what a program sees of one counts, and nothing else."""

# The old forms of annotations are objects, too; functions are made here to be compiled.
# ruff: noqa: PLW0108, UP006, UP007, UP035, UP045

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import importlib
import logging
import math
import operator
import os
import pathlib
import re
import sys
import threading
import types
import typing
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union

import numpy as np
import numpy.typing
import pytest

import quernel as qn

X = np.arange(1.0, 6.0)
T = TypeVar("T")
Number = Union[int, float]
Vector = List[float]
Maybe = Optional[int]
Maker = Callable[[int], int]
Floats = numpy.typing.NDArray[np.float64]


class Kind(enum.IntEnum):
    A = 1
    B = 2

    @property
    def double(self):
        return 2 * self.value

    def shifted(self, x):
        return x + self.value


class Mode(enum.Enum):
    SUM = "sum"
    MEAN = "mean"
    scale = 3.0

    def of(self, x):
        return x.sum() if self is Mode.SUM else x.mean()

    @classmethod
    def default(cls):
        return cls.MEAN


class Flags(enum.Flag):
    LEFT = enum.auto()
    RIGHT = enum.auto()
    BOTH = LEFT | RIGHT


class Text(str, enum.Enum):
    UP = "up"
    DOWN = "down"


class Slotted:
    __slots__ = ("a", "__dict__")

    def __new__(cls, *args):
        return object.__new__(cls)

    def __init__(self, a):
        self.a = a
        self.b = 2 * a

    factor = 4.0

    @property
    def c(self):
        return self.a + self.b

    def scaled(self, x):
        return x * self.factor * self.a

    @staticmethod
    def plus(x):
        return x + 1

    @classmethod
    def by_class(cls, x):
        return x * cls.factor


@dataclasses.dataclass(frozen=True)
class Ellipsoid:
    a: float
    b: float


@dataclasses.dataclass
class Options:
    scale: float = 2.0
    power: int = 2


class Table(dict):
    """A dict of the user's."""

    def __missing__(self, key):
        return self["a"] * 2


class Row(list):
    """A list of the user's."""

    def __len__(self):
        return 7


class Pair(collections.namedtuple("Pair", "a b")):
    def total(self):
        return self.a + self.b


class Single:
    """Of which there is one."""

    known = None

    def __new__(cls):
        if cls.known is None:
            cls.known = object.__new__(cls)
        return cls.known

    def __init__(self):
        self.scale, self.values = 2.0, {"a": X}

    def __getitem__(self, name):
        return getattr(self, name)

    def __call__(self, x, by=1.0):
        return x * self.scale * by

    def __contains__(self, name):
        return name in self.values

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(["a", "b"])

    def __mul__(self, x):
        return x * self.scale

    def __eq__(self, other):
        return other == "single"

    __hash__ = object.__hash__

    def __getattr__(self, name):
        if name == "made":
            return 5.0
        raise AttributeError(name)


class Inert(type):
    """A class of classes."""


class OfInert(metaclass=Inert):
    def __init__(self):
        self.a = 4.0


BY_OBJECT = {Slotted(1.0): 2.0}
TWICE = Table(a=2.0, b=3.0)
ROW = Row([1.0, X, 3.0])
PAIR = Pair(1.0, 2.0)
SINGLE = Single()
OF_INERT = OfInert()
QUEUE = collections.deque([1.0, 2.0, X])
RANGE = {np.uint8: (0, 255), np.float64: (-1, 1), "image": None}
BY_DTYPE = {np.dtype("f8"): 2.0, np.dtype("f4"): 3.0}
BY_CLASS = {Ellipsoid: 1.0, Options: 2.0, float: 3.0}
BY_MODE = {Mode.SUM: np.sum, Mode.MEAN: np.mean}
BY_PAIR = {("a", np.float64): 2.0, (1, 2): 3.0}
BY_SET = {frozenset([1, 2]): 2.0}
BY_FUNCTION = {np.sum: 2.0, math.sqrt: 3.0}
TYPES = {np.float64, np.float32}
NAMES = {"a", "b"}
SIZES = {3, 5}
MIXED = {1, "a", None}
FROZEN = frozenset(["a", "b"])
PROXY = types.MappingProxyType({"a": 2.0, "b": X, ("c", 1, int): 3.0})
OTHER_PROXY = types.MappingProxyType({"a": 3.0, "b": X})
ORDERED = collections.OrderedDict(a=2.0, b=3.0)
COUNTS = collections.Counter("aab")
DEFAULTS = collections.defaultdict(float, a=2.0)
LOGGER = logging.getLogger("quernel.test")
LOCAL = threading.local()
LOCAL.scale = 2.0
SLOTTED = Slotted(1.5)
BY_OBJECT[SLOTTED] = 5.0
PATTERN = re.compile("a+")
FACTOR = 2.0
HALF = fractions.Fraction(1, 2)
TENTH = decimal.Decimal("0.1")
DAY = datetime.date(2020, 1, 2)
HOUR = datetime.timedelta(hours=1)
PATH = pathlib.PurePosixPath("/a/b.txt")
SLICE = slice(1, 3)
RANGED = range(1, 4)
BYTES = b"ab"
ARRAY_OF_BYTES = bytearray(b"xyz")
VIEW = memoryview(b"abc")
SENTINEL = object()
LOCK = threading.Lock()
TABLE = {"kind": Kind.B, "logger": LOGGER, "scale": 2.0}
GETTER = operator.attrgetter("shape")


@functools.lru_cache(None)
def by_name(name):
    return Ellipsoid(6378137.0, 6356752.3)


@functools.lru_cache
def weights(n):
    return np.arange(float(n))


@functools.cache
def pair(n):
    return n, np.ones(n)


@functools.cache
def nodes(n, kind="a"):
    return {"x": np.linspace(0, 1, n), "kind": kind}


def annotated(x):
    def inner(a: List[int], b: Optional[float] = None) -> Floats:
        return x + a[0]

    return inner([1])


def by_dict_default(x, options={"scale": 2.0}):  # noqa: B006
    return x * options["scale"]


def by_list_default(x, parts=[1.0, 2.0]):  # noqa: B006
    return x * parts[0] + parts[1]


def by_object_default(x, options=Options(3.0)):  # noqa: B008
    return x**options.power * options.scale


def scaled(x):
    return x * FACTOR


def by_function_default(x, function=scaled, total=np.sum, pair=(1.0, (Ellipsoid, 2.0))):
    return function(x) + total(x) + pair[0] * pair[1][1] + (pair[1][0] is Ellipsoid)


def by_sentinel(x, axis=SENTINEL):
    return x.sum() if axis is SENTINEL else x


def by_class_default(x, kind=Ellipsoid):
    return x + (kind is Ellipsoid)


def by_logger_default(x, logger=LOGGER):
    return x + 1


def by_mode_default(x, mode=Mode.SUM):
    return x.sum() if mode == Mode.SUM else x


def with_lock_unused(x, verbose=False):
    lock = LOCK
    if verbose:
        lock.acquire()
    return x + 1


def logs(x):
    LOGGER.debug("the size is %s", x.size)
    if LOGGER.isEnabledFor(logging.DEBUG):
        return x
    return x * 3


def logger_kept(x, verbose=False):
    logger = LOGGER
    if verbose:
        logger.info("x")
    return x * 2


# Functions of an array, and more arguments, that read what stands above them.
FUNCTIONS = {
    "dict keyed by types": lambda x: np.clip(x, *RANGE[x.dtype.type]),
    "dict keyed by types, get": lambda x: x * len(RANGE.get(x.dtype.type, ())),
    "dict keyed by types, in": lambda x: x + (np.float32 in RANGE),
    "dict keyed by dtypes": lambda x: x * BY_DTYPE[x.dtype],
    "dict keyed by classes": lambda x: x * BY_CLASS[Ellipsoid] + BY_CLASS[float],
    "dict keyed by members": lambda x: BY_MODE[Mode.MEAN](x),
    "dict keyed by pairs": lambda x: x * BY_PAIR["a", x.dtype.type] + BY_PAIR[1, 2],
    "dict keyed by sets": lambda x: x * BY_SET[frozenset([2, 1])],
    "dict keyed by functions": lambda x: x * BY_FUNCTION[np.sum] + BY_FUNCTION[math.sqrt],
    "dict keys": lambda x: x + len([key for key in RANGE if isinstance(key, type)]),
    "dict of anything": lambda x: x * TABLE["scale"] + TABLE["kind"],
    "set of types": lambda x: x + (x.dtype.type in TYPES),
    "set of names": lambda x: x + ("a" in NAMES) + len(NAMES),
    "set of sizes": lambda x: x + (x.shape[0] in SIZES),
    "set of anything": lambda x: x + (None in MIXED) + (3 in MIXED),
    "set iterated": lambda x: x + sum(SIZES),
    "set operations": lambda x: x + len(NAMES | {"c"}) + len(NAMES & {"a"}),
    "frozenset": lambda x: x + ("a" in FROZEN),
    "mappingproxy": lambda x: x * PROXY["a"] + PROXY["b"],
    "mappingproxy, pair": lambda x: x * PROXY["c", 1, int] + (("c", 2) in PROXY),
    "mappingproxy, get": lambda x: x * PROXY.get("c", 2.0) + len(PROXY),
    "mappingproxy, items": lambda x: x * sum(v for k, v in PROXY.items() if k == "a"),
    "OrderedDict": lambda x: x * ORDERED["a"] + sum(ORDERED.values()),
    "Counter": lambda x: x * COUNTS["a"] + COUNTS["z"],
    "defaultdict": lambda x: x * DEFAULTS["a"] + ("z" in DEFAULTS),
    "dict subclass": lambda x: x * TWICE["a"] + TWICE["none"] + len(TWICE) + ("b" in TWICE),
    "dict subclass, items": lambda x: x * sum(v for k, v in TWICE.items()) + TWICE.get("c", 1.0),
    "list subclass": lambda x: x * ROW[0] + ROW[1] + ROW[-1] + len(ROW),
    "list subclass, slice": lambda x: x * sum(ROW[::2]) + (3.0 in ROW[2:]),
    "deque": lambda x: x * QUEUE[0] + QUEUE[-1] + len(QUEUE),
    "deque, loop": lambda x: x * sum([value * 2 for value in QUEUE if value is not QUEUE[2]]),
    "comparison of sequences": lambda x: (
        x + (sys.version_info >= (3, 8)) + (PAIR == (1.0, 2.0)) + (PAIR < (1.0, 1.0)) + (ROW == [])
    ),
    "version": lambda x: x + sys.version_info[0] + sys.version_info.minor + len(sys.argv),
    "environment": lambda x: x + len(os.environ.get("QUERNEL_NONE", "abc")),
    "bytes that change": lambda x: x + VIEW[0] + ARRAY_OF_BYTES[1] + len(VIEW),
    "namedtuple subclass": lambda x: x * PAIR.a + PAIR.total() + PAIR[1] + len(PAIR),
    "own item": lambda x: x * SINGLE["scale"] + SINGLE.values["a"],
    "own call": lambda x: SINGLE(x) + SINGLE(x, by=2.0),
    "own in": lambda x: x + ("a" in SINGLE) + len(SINGLE) + len(list(SINGLE)),
    "own operator": lambda x: x + (SINGLE * 3) + (SINGLE == "single") + (SINGLE != 1),
    "own getattr": lambda x: x + SINGLE.made + getattr(SINGLE, "none", 1.0),
    "own metaclass": lambda x: x * OF_INERT.a,
    "class attribute of a class": lambda x: x * Slotted.factor + Slotted.plus(x),
    "threading.local": lambda x: x * LOCAL.scale,
    "threading.local, getattr": lambda x: x * getattr(LOCAL, "none", 2.0),
    "own attribute": lambda x: x * SLOTTED.b,
    "slot": lambda x: x * SLOTTED.a,
    "class attribute": lambda x: x * SLOTTED.factor,
    "property": lambda x: x * SLOTTED.c,
    "method": lambda x: SLOTTED.scaled(x),
    "static method": lambda x: SLOTTED.plus(x),
    "class method": lambda x: SLOTTED.by_class(x),
    "hasattr": lambda x: x + hasattr(SLOTTED, "none") + hasattr(SLOTTED, "a"),
    "isinstance": lambda x: x + isinstance(SLOTTED, Slotted) + isinstance(LOGGER, logging.Logger),
    "type": lambda x: x + (type(SLOTTED) is Slotted),
    "callable": lambda x: x + callable(SLOTTED) + callable(SINGLE) + callable(Kind),
    "abstract classes": lambda x: (
        x
        + isinstance(SLOTTED, collections.abc.Iterable)
        + isinstance(SINGLE, collections.abc.Sized)
        + isinstance(PROXY, collections.abc.Mapping)
        + isinstance(Kind, type)
    ),
    "comparison": lambda x: x + (SLOTTED == SINGLE) + (SLOTTED != SENTINEL) + (SLOTTED == "a"),
    "keys that are objects": lambda x: x + sum(k.b * v for k, v in BY_OBJECT.items()),
    "item by an object": lambda x: x + BY_OBJECT[SLOTTED] + (SENTINEL in BY_OBJECT),
    "truth": lambda x: x + 1 if SLOTTED else x,
    "identity": lambda x: x + (SENTINEL is SLOTTED) + (SENTINEL is not None) + (SENTINEL == 3),
    "logger": logger_kept,
    "logger that writes nothing": logs,
    "logger's attribute": lambda x: x + len(LOGGER.name),
    "lock": with_lock_unused,
    "TypeVar": lambda x: typing.cast(T, x) + 1,
    "Union": lambda x: typing.cast(Number, x) + 1,
    "List": lambda x: typing.cast(Vector, x) + 1,
    "NDArray": lambda x: typing.cast(Floats, x) + 1,
    "Optional, Callable": lambda x: x + (Maybe is Maker) + (Maybe is not None),
    "subscripts": lambda x: typing.cast(Dict[str, Tuple[int, ...]], x) + 1,
    "annotations": annotated,
    "enum": lambda x: x + Kind.B,
    "enum, is": lambda x: x + (Kind.A is Kind.B),
    "enum, value": lambda x: x * Kind.B.value + len(Mode.SUM.value),
    "enum, name": lambda x: x + len(Mode.SUM.name),
    "enum, call": lambda x: x + Kind(2),
    "enum, item": lambda x: x + Kind["B"],
    "enum, loop": lambda x: x + sum(kind.value for kind in Kind) + len(Kind),
    "enum, in": lambda x: x + (Mode.SUM in Mode),
    "enum, property": lambda x: x * Kind.B.double,
    "enum, method": lambda x: Mode.MEAN.of(x) + Kind.A.shifted(x),
    "enum, class method": lambda x: Mode.default().of(x),
    "enum, other member": lambda x: x * Mode.scale.value,
    "enum, isinstance": lambda x: x + isinstance(Mode.SUM, Mode) + isinstance(Kind.A, int),
    "enum, order": lambda x: x + (Kind.A < Kind.B) + (Kind.A == 1),
    "flag": lambda x: x + bool(Flags.LEFT & Flags.BOTH) + (Flags.LEFT in Flags.BOTH),
    "str enum": lambda x: x + (Text.UP == "up") + len(Text.DOWN),
    "lru_cache, object": lambda x: x * by_name("wgs84").a / by_name("wgs84").b,
    "lru_cache, array": lambda x: x + weights(5),
    "lru_cache, size": lambda x: x + weights(len(x)),
    "lru_cache, shape": lambda x: x + weights(x.shape[0]).sum(),
    "lru_cache, tuple": lambda x: x * pair(5)[0] + pair(5)[1],
    "lru_cache, dict": lambda x: x + nodes(5, kind="b")["x"],
    "dict default": by_dict_default,
    "list default": by_list_default,
    "object default": by_object_default,
    "function default": by_function_default,
    "sentinel default": by_sentinel,
    "class default": by_class_default,
    "logger default": by_logger_default,
    "member default": by_mode_default,
    "pattern": lambda x: x + (PATTERN.match("aab") is not None),
    "fraction": lambda x: x * float(HALF) + HALF.denominator,
    "date": lambda x: x + DAY.year,
    "timedelta": lambda x: x * HOUR.total_seconds(),
    "path": lambda x: x + len(PATH.name),
    "slice": lambda x: x[SLICE],
    "range": lambda x: x[RANGED.start] + len(RANGED),
    "bytes": lambda x: x + BYTES[0],
    "attrgetter": lambda x: x + GETTER(x)[0],
}
# The same as arguments: of objects that programs don't look at any one of the class will do.
ARGUMENTS = {
    "another sentinel": (lambda x, k: x + (k is SENTINEL), object()),
    "member": (lambda x, k: x * 2 if k is Kind.B else x + k, Kind.B),
    "member, value": (lambda x, k: x * k.value, Kind.B),
    "member, text": (lambda x, k: x.sum() if k is Mode.SUM else x, Mode.SUM),
    "member, method": (lambda x, k: k.of(x), Mode.MEAN),
    "flag": (lambda x, k: x + bool(k & Flags.LEFT), Flags.BOTH),
    "unused": (lambda x, k: x + 1, LOGGER),
    "handed on": (lambda x, k: logger_handed(x, k), LOGGER),
    "own attribute": (lambda x, k: x * k.b, SLOTTED),
    "method": (lambda x, k: k.scaled(x), SLOTTED),
    "dict keyed by types": (lambda x, k: x * len(k[x.dtype.type]), RANGE),
    "set of names": (lambda x, k: x + ("a" in k), NAMES),
    "mappingproxy": (lambda x, k: x * k["a"] + k["b"], PROXY),
    "sentinel": (lambda x, k: x + (k is SENTINEL), SENTINEL),
    "generic": (lambda x, k: typing.cast(k, x) + 1, List[int]),
    "pattern": (lambda x, k: x + len(k.findall("aba")), PATTERN),
    "fraction": (lambda x, k: x * float(k), HALF),
    "timedelta": (lambda x, k: x * k.total_seconds(), HOUR),
    "date": (lambda x, k: x + k.year, DAY),
    "memoryview": (lambda x, k: x + 1, VIEW),
    "in a list": (lambda x, k: x + (k[0] is Kind.B) + k[1].b, [Kind.B, SLOTTED]),
    "in a dict": (lambda x, k: x * k["scale"].b, {"scale": SLOTTED}),
}


def logger_handed(x, logger):
    return x + (logger is not None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_from_outside(name: str) -> None:
    function = FUNCTIONS[name]
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(X), function(X))
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] == 1


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name: str) -> None:
    function, given = ARGUMENTS[name]
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(X, given), function(X, given))
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] == 1


def replace_item(mapping, key, value):
    def change(patch):
        patch.setitem(mapping, key, value)

    return change


def replace_attribute(obj, name, value):
    def change(patch):
        patch.setattr(obj, name, value, raising=False)

    return change


def replace_global(name, value):
    return replace_item(globals(), name, value)


CHANGES = {
    "dict keyed by types": ("dict keyed by types", replace_item(RANGE, np.float64, (0, 2))),
    "dict of a member": ("dict of anything", replace_item(TABLE, "kind", Kind.A)),
    "dict of an object": ("dict of anything", replace_item(TABLE, "logger", None)),
    "one more key": ("dict keys", replace_item(RANGE, np.int8, 1)),
    "set": ("set of names", replace_global("NAMES", {"b", "c", "d"})),
    "set of numbers": ("set iterated", replace_global("SIZES", {4})),
    "set of numbers and truths": ("set of sizes", replace_global("SIZES", {True, 5.0})),
    "mappingproxy": ("mappingproxy", replace_global("PROXY", OTHER_PROXY)),
    "OrderedDict": ("OrderedDict", replace_item(ORDERED, "b", 7.0)),
    "one more of OrderedDict": ("OrderedDict", replace_item(ORDERED, "c", 7.0)),
    "Counter": ("Counter", replace_item(COUNTS, "z", 3)),
    "defaultdict": ("defaultdict", replace_item(DEFAULTS, "z", 1.0)),
    "dict subclass": ("dict subclass", replace_item(TWICE, "a", 5.0)),
    "__missing__": (
        "dict subclass",
        replace_attribute(Table, "__missing__", lambda self, key: 9.0),
    ),
    "one more of a dict subclass": ("dict subclass", replace_item(TWICE, "none", 5.0)),
    "list subclass": ("list subclass", lambda patch: ROW.reverse()),
    "deque": ("deque", lambda patch: QUEUE.rotate(0) or QUEUE.append(4.0)),
    "environment": ("environment", lambda patch: patch.setenv("QUERNEL_NONE", "a")),
    "bytes that change": (
        "bytes that change",
        replace_global("ARRAY_OF_BYTES", bytearray(b"abcd")),
    ),
    "comparison of sequences": ("comparison of sequences", replace_global("PAIR", Pair(0.0, 2.0))),
    "namedtuple subclass": ("namedtuple subclass", replace_global("PAIR", Pair(5.0, 2.0))),
    "item by an object": ("item by an object", replace_item(BY_OBJECT, SLOTTED, 9.0)),
    "key that is an object": ("keys that are objects", replace_item(BY_OBJECT, Slotted(2.0), 9.0)),
    "own item": ("own item", replace_attribute(SINGLE, "scale", 5.0)),
    "own method": ("own item", replace_attribute(Single, "__getitem__", lambda self, k: 9.0)),
    "own getattr": ("own getattr", replace_attribute(SINGLE, "none", 5.0)),
    "own metaclass": ("own metaclass", replace_attribute(OF_INERT, "a", X)),
    "threading.local": ("threading.local", replace_attribute(LOCAL, "scale", 5.0)),
    "none of threading.local": ("threading.local, getattr", replace_attribute(LOCAL, "none", 5.0)),
    "own attribute": ("own attribute", replace_attribute(SLOTTED, "b", 5.0)),
    "own attribute of another kind": ("own attribute", replace_attribute(SLOTTED, "b", X)),
    "slot": ("slot", replace_attribute(SLOTTED, "a", 5.0)),
    "class attribute": ("class attribute", replace_attribute(Slotted, "factor", 5.0)),
    "hidden class attribute": ("class attribute", replace_attribute(SLOTTED, "factor", 5.0)),
    "what a property reads": ("property", replace_attribute(SLOTTED, "b", 9.0)),
    "property": ("property", replace_attribute(Slotted, "c", property(lambda self: self.a))),
    "method": ("method", replace_attribute(Slotted, "scaled", lambda self, x: x - self.a)),
    "hidden method": ("method", replace_attribute(SLOTTED, "scaled", lambda x: x - 1)),
    "no attribute": ("hasattr", replace_attribute(Slotted, "none", 1)),
    "no own attribute": ("hasattr", replace_attribute(SLOTTED, "none", 1)),
    "object": ("slot", replace_global("SLOTTED", Slotted(9.0))),
    "object of another class": ("slot", replace_global("SLOTTED", types.SimpleNamespace(a=9.0))),
    "logger's attribute": ("logger's attribute", replace_attribute(LOGGER, "name", "another")),
    "identity": ("identity", replace_global("SENTINEL", SLOTTED)),
    "class of members": ("enum", replace_global("Kind", enum.IntEnum("Kind", "B A"))),
    "method of members": ("enum, method", replace_attribute(Mode, "of", lambda self, x: x * 2)),
    "class method of members": (
        "enum, class method",
        replace_attribute(Mode, "default", classmethod(lambda cls: cls.SUM)),
    ),
    "cached function": ("lru_cache, array", replace_global("weights", lambda n: np.ones(n))),
    "cached array": ("lru_cache, array", lambda patch: weights(5).fill(7.0)),
    "cleared cache": ("lru_cache, object", lambda patch: by_name.cache_clear()),
    "cached object": ("lru_cache, dict", replace_item(nodes(5, kind="b"), "x", X)),
    "another cached object": ("lru_cache, dict", replace_item(nodes(5, kind="b"), "x", 3.0)),
    "dict default": ("dict default", replace_item(by_dict_default.__defaults__[0], "scale", 7.0)),
    "list default": ("list default", lambda patch: by_list_default.__defaults__[0].reverse()),
    "object default": (
        "object default",
        replace_attribute(by_object_default.__defaults__[0], "scale", 7.0),
    ),
    "what a default's function reads": ("function default", replace_global("FACTOR", 9.0)),
    "default": (
        "dict default",
        replace_attribute(by_dict_default, "__defaults__", ({"scale": 9.0},)),
    ),
    "fraction": ("fraction", replace_global("HALF", fractions.Fraction(3, 7))),
    "timedelta": ("timedelta", replace_global("HOUR", datetime.timedelta(hours=2))),
    "date": ("date", replace_global("DAY", datetime.date(2021, 1, 2))),
    "pattern": ("pattern", replace_global("PATTERN", re.compile("c"))),
    "path": ("path", replace_global("PATH", pathlib.PurePosixPath("/a/abcdef"))),
    "attrgetter": ("attrgetter", replace_global("GETTER", operator.attrgetter("strides"))),
    "generic": ("Optional, Callable", replace_global("Maybe", Maker)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    which, change = CHANGES[name]
    function = FUNCTIONS[which]
    compiled = qn.compile(function, fullgraph=True)
    before = function(X)
    np.testing.assert_array_equal(compiled(X), before)
    with monkeypatch.context() as patch:
        change(patch)
        for _ in range(2):
            np.testing.assert_array_equal(compiled(X), function(X))
    np.testing.assert_array_equal(compiled(X), function(X))
    stats = compiled.stats()
    assert stats["compiles"] + stats["disk_hits"] <= 3


def test_sets_that_change_are_noticed() -> None:
    names, sizes = {"a", "b"}, {1, 2}
    compiled = qn.compile(lambda x: x + ("z" in names) + (3 in sizes) + sum(sizes), fullgraph=True)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(X), compiled.__wrapped__(X))
        names.symmetric_difference_update("z")
        sizes.add(3)
    sizes.add(7)
    np.testing.assert_array_equal(compiled(X), compiled.__wrapped__(X))


def test_a_logger_that_writes(caplog: pytest.LogCaptureFixture) -> None:
    compiled = qn.compile(logs)
    np.testing.assert_array_equal(compiled(X), X * 3)
    with caplog.at_level(logging.DEBUG, LOGGER.name), warnings.catch_warnings():
        warnings.simplefilter("ignore", qn.FallbackWarning)
        np.testing.assert_array_equal(compiled(X), X)
        np.testing.assert_array_equal(compiled(X * 2), X * 2)
    assert caplog.messages == ["the size is 5"] * 2
    np.testing.assert_array_equal(compiled(X), X * 3)
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] >= 1
    assert len(caplog.messages) == 2


def test_threads_have_values_of_their_own() -> None:
    compiled, found = qn.compile(FUNCTIONS["threading.local"], fullgraph=True), []
    np.testing.assert_array_equal(compiled(X), X * 2)

    def run():
        LOCAL.scale = 9.0
        found.append(compiled(X))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0], X * 9)
    np.testing.assert_array_equal(compiled(X), X * 2)


def read_of(x, obj):
    return x * obj.b


def handed_on(x, obj):
    return logger_handed(x, obj) * 2


def test_an_object_of_each_call() -> None:
    compiled = qn.compile(handed_on, fullgraph=True)
    for k in range(20):
        np.testing.assert_array_equal(compiled(X, Slotted(k)), X * 2 + 2)
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] == 1
    compiled = qn.compile(read_of)
    for k in range(4):
        np.testing.assert_array_equal(compiled(X, Slotted(k)), X * 2 * k)
    with pytest.warns(qn.FallbackWarning, match="there were more than 4 programs"):
        compiled(X, Slotted(4))
    for k in range(20):
        np.testing.assert_array_equal(compiled(X, Slotted(k)), X * 2 * k)
    assert compiled.stats()["compiles"] == 4


def test_which_object_it_is() -> None:
    def same(x, a, b):
        return x + (a is b) + 2 * (a == SENTINEL) + 4 * (b in (SENTINEL, a))

    compiled, other = qn.compile(same, fullgraph=True), object()
    for a in (SENTINEL, other):
        for b in (SENTINEL, other):
            np.testing.assert_array_equal(compiled(X, a, b), same(X, a, b))
            np.testing.assert_array_equal(compiled(X, a, b), same(X, a, b))


def test_a_cache_that_keeps_nothing() -> None:
    @functools.lru_cache(maxsize=0)
    def made(n):
        return np.ones(n)

    text = "`made` is an object of type .*: what it gives is another object each time"
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(lambda x: x + made(5), fullgraph=True)(X)


def test_a_class_of_each_call() -> None:
    compiled = qn.compile(handed_on)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qn.FallbackWarning)
        for _ in range(20):
            made = type("Made", (threading.local,), {})()
            np.testing.assert_array_equal(compiled(X, made), X * 2 + 2)
    stats = compiled.stats()
    assert stats["compiles"] + stats["disk_hits"] <= 5


def test_a_global_of_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = qn.compile(lambda x: x + (SENTINEL is not SLOTTED))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qn.FallbackWarning)
        for _ in range(20):
            monkeypatch.setitem(globals(), "SENTINEL", object())
            np.testing.assert_array_equal(compiled(X), X + 1)
    stats = compiled.stats()
    assert stats["compiles"] + stats["disk_hits"] <= 17


@functools.lru_cache
def fails(n):
    raise ValueError(f"no {n}")


@functools.lru_cache
def takes_array(x):
    return x


@functools.lru_cache
def array_of(ellipsoid):
    return np.full(5, ellipsoid.a)


@functools.lru_cache
def number_of(ellipsoid, kind=float):
    return kind(ellipsoid.a)


@functools.lru_cache
def made_of(n):
    return Ellipsoid(n, 2.0)


def adds(x):
    NAMES.add("q")
    return x


def adds_number(x):
    for k in range(3):
        SIZES.add(k)
    return x


def setattr_of_member(x):
    Kind.A.extra = 3
    return x


REFUSED = {
    "adding": (adds, "changing the set `NAMES`"),
    "adding a number": (adds_number, "changing the set `SIZES`"),
    "assigning to a member": (setattr_of_member, "changing `.extra` of a Kind"),
    "assigning": (lambda x: setattr_of(x), "assigning to `.a` of it"),
    "operator": (lambda x: x + SLOTTED, "an operand of type Slotted"),
    "operator on the left": (lambda x: SLOTTED + x, "`SLOTTED` is an object of"),
    "call": (lambda x: LOCK(), "`LOCK` is an object of type lock, read from outside"),
    "method in C": (lambda x: x + LOCK.locked(), "`.locked` of it"),
    "with": (lambda x: within(x), "`LOCK` is an object of type lock"),
    "text": (lambda x: x + len(str(SLOTTED)), "`SLOTTED` is an object of type Slotted"),
    "special attribute": (lambda x: x + len(SLOTTED.__dict__), "`.__dict__` of it"),
    "array of it": (lambda x: np.asarray(SLOTTED), "SLOTTED|Slotted"),
    "result": (lambda x: SLOTTED, "`SLOTTED` is an object of type Slotted"),
    "missing item": (lambda x: x + DEFAULTS["z"], "an item that it would make"),
    "key that is an object": (
        lambda x: x + DEFAULTS[lambda: 1],
        "an item whose key is a function or an object",
    ),
    "item of data": (lambda x: x + PROXY[x[0]], "hashing an array element"),
    "number of data in a cache": (
        lambda x: x * made_of(float(x[0])).a,
        "a key of a dict, or an item of a set, from a number that is only known when",
    ),
    "object in a cache": (
        lambda x: x * array_of(Ellipsoid(2.0, 3.0)),
        "an array or object that a cache outside of the program keeps",
    ),
}


def setattr_of(x):
    SLOTTED.a = 3.0
    return x


def within(x):
    with LOCK:
        return x + 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    function, text = REFUSED[name]
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)


ERRORS = {
    "no attribute": lambda x: x + SLOTTED.none,
    "no own attribute": lambda x: x + LOCAL.none,
    "no item": lambda x: x * PROXY["none"],
    "no key of types": lambda x: x * RANGE[np.int8],
    "no member": lambda x: x * Kind["C"],
    "no value": lambda x: x * Kind(7),
    "no attribute of a member": lambda x: x * Kind.A.none,
    "cached function that raises": lambda x: x + fails(3),
    "unhashable argument": lambda x: x + by_name([1]),
    "unhashable array": lambda x: x + takes_array(x),
}


def error_of(function):
    try:
        function(X)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_pythons(name: str) -> None:
    function = ERRORS[name]
    compiled = qn.compile(function, fullgraph=True)
    expected = error_of(function)
    assert expected is not None
    for _ in range(2):
        found = error_of(compiled)
        assert (type(found), str(found)) == (type(expected), str(expected))


def catches(x):
    try:
        return x * PROXY["none"]
    except KeyError:
        return x + getattr(SLOTTED, "none", 5.0)


def loops(x):
    for k in range(x.shape[0]):
        x[k] = x[k] * SLOTTED.b + PROXY["b"][k] + weights(5)[k]
    return x


def branches(x):
    return x * SLOTTED.a if x[0] > 0 else x + weights(5)


def cached_by_loops(x):
    s = 0.0
    for k in range(3):
        s += weights(k + 2).sum() * x[k]
    return s


def by_size(x, n):
    return x + weights(n)[: x.shape[0]].sum()


def cached_by_objects(x):
    return x * number_of(Ellipsoid(2.0, 3.0)) + made_of((1, 2)).a[0] + number_of(CLASSED, int)


CLASSED = Ellipsoid(3.0, 4.0)


@pytest.mark.parametrize("function", [cached_by_objects, catches, loops, branches, cached_by_loops])
def test_in_control_flow(function: Callable[..., Any]) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for x in (X, -X, X * 2):
        np.testing.assert_allclose(compiled(x.copy()), function(x.copy()), rtol=1e-13)


def test_cached_by_arguments() -> None:
    compiled = qn.compile(by_size, fullgraph=True)
    for n in (3, 4, 5, 3):
        np.testing.assert_array_equal(compiled(X, n), by_size(X, n))
    assert compiled.stats()["compiles"] <= 4


def test_compiled_functions_in_cached_ones() -> None:
    doubled = qn.compile(lambda x: x * 2, fullgraph=True)

    @functools.lru_cache
    def made(n):
        return doubled(np.arange(float(n)))

    compiled = qn.compile(lambda x: x + made(5), fullgraph=True)
    np.testing.assert_array_equal(compiled(X), X + 2 * np.arange(5.0))


CODE = """
import enum, functools, threading
import numpy as np

class Kind(enum.IntEnum):
    A = {a}
    B = 2

class Made:
    factor = {factor}
    def __new__(cls):
        return object.__new__(cls)

MADE, LOCAL = Made(), threading.local()
MADE.a = LOCAL.scale = {a}
TABLE = {{Kind.A: {factor}, int: {a}}}

@functools.lru_cache
def kept(n):
    return {a}, np.full(n, {factor})

def by_attribute(x):
    return x * MADE.a

def by_class(x):
    return x * MADE.factor

def by_local(x):
    return x * LOCAL.scale

def by_member(x):
    return x * Kind.A.value

def by_table(x):
    return x * TABLE[Kind.A] + TABLE[int]

def by_cache(x):
    return x * kept(5)[0] + kept(5)[1]

def by_default(x, options={{"a": {a}, Kind: {factor}}}, made=MADE):
    return x * options["a"] + options[Kind] * made.a
"""
NAMES_OF_CODE = re.findall(r"def (by_\w+)", CODE)


@pytest.mark.parametrize("name", NAMES_OF_CODE)
def test_other_processes(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    hits = []
    for a, factor in ((3, 4.0), (3, 4.0), (5, 4.0), (3, 7.0), (3, 4.0)):
        text = CODE.format(a=a, factor=factor)
        (tmp_path / "of_objects.py").write_text(text + f"# {len(hits)}\n")
        importlib.invalidate_caches()
        sys.modules.pop("of_objects", None)
        function = getattr(importlib.import_module("of_objects"), name)
        compiled = qn.compile(function, fullgraph=True)
        np.testing.assert_array_equal(compiled(X), function(X))
        hits.append(compiled.stats()["disk_hits"])
    assert hits[1] and hits[-1]
