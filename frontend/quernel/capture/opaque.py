"""Objects of classes that nothing is known of: what captured code sees in one is read, and guarded.

An object from outside that has no kind is known by itself. Its own attributes are read as those of
modules are, what its class has as members of classes are, methods written in Python are captured,
and what only Python's own code can see is an observation (`arguments/opaque.py`). All else that is
done with such an object is refused.
"""

from __future__ import annotations

import abc
import collections
import enum
import functools
import operator
import types
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from .. import _runtime
from ..arguments.hints import object_hint
from ..arguments.leaves import Leaf
from ..arguments.named_tuples import place_of
from ..arguments.opaque import MISSING, OBSERVATION, Observation, is_plain_value
from ..arguments.plain_objects import HEAP_TYPE, function_of, raw_member
from ..signals import let_out
from ..traced.numbers import isinstance_symbolic
from .classes import StandIn, is_stand_in
from .foreign import Foreign, real_class

_MAPPINGS = (
    dict, types.MappingProxyType, collections.OrderedDict, collections.defaultdict,
    collections.Counter,
)  # fmt: skip
_OF_MAPPINGS = ("get", "items", "keys", "values")
_FUNCTIONS = (types.FunctionType, _runtime.Function)
# Of Python's attributes with two underscores, those that are texts of the class.
_TEXTS = ("__doc__", "__module__", "__name__", "__qualname__")
_METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
# Methods that keep what they have found out, as a cache does.
_KEEPING = ("logging.Logger.isEnabledFor",)
_ABSENT = object()
# What is seen, as a message names it.
_PATHS = {
    "attribute": "{}.{}", "own": "own {}.{}", "had": "{}.{} without __getattr__",
    "item": "{}[{!r}]", "place": "{}[{}]", "length": "len({})", "content": "{}", "answer": "{}()",
}  # fmt: skip


class Looks:
    """What is known of an object that captured code looks at.

    Attributes
    ----------
    stand_in : Opaque
        What captured code has in its place.
    leaves : list of Leaf
        The places where it is.
    way : tuple of steps, or None
        A way to it from the compiled function.
    """

    def __init__(
        self, rebuilder: Any, obj: Any, leaf: Leaf, way: Any = None, stand_in: Any = None
    ) -> None:
        self.rebuilder, self.tracer, self.obj = rebuilder, rebuilder.tracer, obj
        self.leaves, self.way = [leaf], way
        self.stand_in = _class_for(type(obj))(self) if stand_in is None else stand_in
        self._memo: dict[tuple, Any] = {}

    def is_again(self, leaf: Leaf, way: Any) -> None:
        """Note one more place where the object is."""
        leaf.fixed = self.leaves[0].fixed
        self.leaves.append(leaf)
        self.way = way if self.way is None else self.way

    def look(self) -> None:
        """Note that the program depends on which object it is."""
        for leaf in self.leaves:
            leaf.fixed = True

    def refuse(self, what: str = "") -> NoReturn:
        """Refuse what can't be done with such an object."""
        path, kind = self.leaves[0].path, type(self.obj).__name__
        origin = "" if self.way is None else ", read from outside of the function"
        what = f": {what}" if what else ""
        hint = object_hint(self.obj, path)
        self.tracer.fail(f"`{path}` is an object of type {kind}{origin}{what}", hint)

    # Reads

    def _read(self, way: Any, kind: str, name: Any, namespace: Any, obj: Any) -> Any:
        self.look()
        key = (kind, name)
        if key not in self._memo:
            self._memo[key] = self.rebuilder.read(way, kind, name, namespace, obj)
        return self._memo[key]

    def observed(self, how: str, asked: Any, key: Any = None) -> Any:
        """What is to be seen of the object, as captured code has it; `MISSING` for nothing.

        Parameters
        ----------
        key : hashable, optional
            Tells what is asked from what else is, where that can't be hashed.
        """
        self.look()
        key = (how, asked if key is None else key)
        if key not in self._memo:
            self._memo[key] = self._seen(how, asked)
        return self._memo[key]

    def _seen(self, how: str, asked: Any) -> Any:
        probe = Observation(self.obj, how, asked)
        done = probe.made()
        if done != probe:
            self.refuse("what it gives is another object each time")
        is_told = _has_text(how, asked)
        way, name = (self.way, [how, asked]) if is_told else (None, [how, None])
        path = _PATHS[how].format(self.leaves[0].path, asked)
        self.rebuilder.note_seen(way, name, probe, OBSERVATION.leaf(done, path, False, 0))
        if is_plain_value(done.seen) or done.seen is MISSING:
            return done.seen
        if how == "content":
            return tuple(map(self.rebuilder.key, done.seen))
        read = self.rebuilder.note_read(way, "sight", name, {None: done.seen}, done.seen)
        here = None if way is None else (*way, ("sight", name))
        return self.rebuilder.replaced(done.seen, here, path, read)

    # Attributes

    def attribute(self, name: str) -> Any:
        """An attribute, as Python finds it.

        Raises
        ------
        AttributeError
        """
        kind = type(self.obj)
        if name == "__class__":
            return kind
        if _is_pythons(name) and name not in _TEXTS:
            self.refuse(f"`.{name}` of it")
        if name in _OF_MAPPINGS and _is_own(kind, name, _MAPPINGS):
            return getattr(_Mapping(self), name)
        if _looks_up_by_itself(kind):
            return self._found(name)
        raw, kept = _member(kind, name), getattr(self.obj, "__dict__", {})
        if raw is not _ABSENT and hasattr(type(raw), "__set__"):
            return self._of_class(name, raw)
        if name in kept:
            return self._read(self.way, "attr", name, kept, kept[name])
        if raw is _ABSENT:
            return self._missing(name)
        if type(kept) is dict and hasattr(self.obj, "__dict__"):
            self.observed("own", name)  # which would stand before that of the class
        return self._of_class(name, raw)

    def _found(self, name: str) -> Any:
        found = self.observed("attribute", name)
        if found is MISSING:
            self.lacks(name)
        return found

    def _missing(self, name: str) -> Any:
        own = raw_member(type(self.obj), "__getattr__")
        if type(own) in _FUNCTIONS:
            self.observed("had", name)
            return self._member("__getattr__")(self.stand_in, name)
        return self._found(name)

    def lacks(self, name: str) -> NoReturn:
        """Python's error for an attribute that isn't there."""
        text = f"'{type(self.obj).__name__}' object has no attribute '{name}'"
        raise AttributeError(text, name=name, obj=self.stand_in)

    def _of_class(self, name: str, raw: Any) -> Any:
        """What a class gives for an attribute of its object."""
        if type(raw) is property:
            return self._member(name)(self.stand_in)
        if type(raw) in _FUNCTIONS:
            method = types.MethodType(self._member(name), self.stand_in)
            keeps = f"{raw.__module__}.{raw.__qualname__}" in _KEEPING
            return self._keeping(name, method) if keeps else method
        if type(raw) is classmethod:
            owner = self.rebuilder.replaced(type(self.obj), None, name, None)
            return types.MethodType(self._member(name), owner)
        return self._found(name) if _is_field(raw) else self._member(name)

    def _keeping(self, name: str, method: Any) -> Any:
        here = None if self.way is None else (*self.way, ("attr", name))
        return cached(self.rebuilder, getattr(self.obj, name), here, method)

    def _member(self, name: str) -> Any:
        self.look()
        found = members_of(self.rebuilder, type(self.obj), name)
        return self.refuse(f"`.{name}` of it") if found is _ABSENT else found

    # Operations

    def operation(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What Python's own syntax does with the object."""
        raw = _member(type(self.obj), name)
        if type(raw) in _FUNCTIONS:
            return self._member(name)(self.stand_in, *args, **kwargs)
        for holder, kinds in _HOLDERS:
            if name in vars(holder) and _is_own(type(self.obj), name, kinds):
                return getattr(holder(self), name)(*args)
        return self.refuse()

    def truth(self) -> bool:
        """Whether it is true."""
        kind = type(self.obj)
        if hasattr(kind, "__bool__"):
            return self.operation("__bool__")
        return self.operation("__len__") > 0 if hasattr(kind, "__len__") else True

    def is_equal(self, other: Any) -> Any:
        """Whether it is equal to another object."""
        if type(self.obj).__eq__ is not object.__eq__:
            return self.operation("__eq__", other)
        self.look()
        return True if self.obj is real_class(other) else NotImplemented

    def is_unequal(self, other: Any) -> Any:
        """The opposite, unless its class says otherwise."""
        if type(_member(type(self.obj), "__ne__")) in _FUNCTIONS:
            return self.operation("__ne__", other)
        answer = self.is_equal(other)
        return answer if answer is NotImplemented else not answer

    def hashed(self) -> int:
        """Its hash, which is that of no other object."""
        if type(self.obj).__hash__ is not object.__hash__:
            self.refuse()
        self.look()
        return hash(self.obj)


class _Mapping:
    """What mappings of Python's have: an item is looked up where captured code asks for it."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks

    def _keys(self) -> tuple:
        return self._looks.observed("content", None)

    def __getitem__(self, key: Any) -> Any:
        found = self._item(key)
        if found is not MISSING:
            return found
        kind = type(self._looks.obj)
        if type(_member(kind, "__missing__")) in _FUNCTIONS:
            return self._looks.operation("__missing__", key)
        if issubclass(kind, collections.defaultdict):
            self._looks.refuse("an item that it would make")
        raise self._looks.tracer.interpreter.raising(KeyError(key))

    def _item(self, key: Any) -> Any:
        hash(key)  # a number of the program has to be known
        return self._looks.observed("item", _outside(self._looks, key))

    def __contains__(self, key: Any) -> bool:
        return self._item(key) is not MISSING

    def __len__(self) -> int:
        return len(self._keys())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys())

    def get(self, key: Any, default: Any = None) -> Any:
        """An item, or what stands for one that isn't there."""
        found = self._item(key)
        return default if found is MISSING else found

    def keys(self) -> tuple:
        """The keys, in their order."""
        return self._keys()

    def values(self) -> list:
        """The items, in the order of the keys."""
        return [self[key] for key in self._keys()]

    def items(self) -> list:
        """Pairs of keys and items."""
        return [(key, self[key]) for key in self._keys()]


class _Sequence:
    """The same of sequences."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks

    def __len__(self) -> int:
        return self._looks.observed("length", None)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [self[k] for k in range(*key.indices(len(self)))]
        found = self._looks.observed("place", operator.index(key))
        if found is MISSING:
            text = f"{type(self._looks.obj).__name__} index out of range"
            raise self._looks.tracer.interpreter.raising(IndexError(text))
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(len(self))])

    def __contains__(self, item: Any) -> bool:
        return item in list(self)

    def compared(self, name: str, other: Any) -> Any:
        """A comparison with another sequence, item by item."""
        kind = next((kind for kind in (tuple, list) if isinstance(self._looks.obj, kind)), None)
        return NotImplemented if kind is None else getattr(kind(self), name)(other)


def _comparison(name: str) -> Any:
    return lambda self, other: self.compared(name, other)


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(_Sequence, _name, _comparison(_name))
_SEQUENCES = (list, tuple, collections.deque, bytearray, memoryview)
_HOLDERS = ((_Mapping, _MAPPINGS), (_Sequence, _SEQUENCES))


def _is_own(kind: type, name: str, kinds: tuple) -> bool:
    """Whether what a class has by a name is that of one of Python's classes."""
    raw = _member(kind, name)
    return any(issubclass(kind, base) and _member(base, name) is raw for base in kinds)


def _is_field(raw: Any) -> bool:
    """Whether a class's member is one of Python's that shows what an object holds."""
    if isinstance(raw, types.DynamicClassAttribute):  # of a member of an enumeration
        return True
    kind = type(raw)
    return not kind.__flags__ & HEAP_TYPE and hasattr(kind, "__get__") and not callable(raw)


def _looks_up_by_itself(kind: type) -> bool:
    """Whether a class finds attributes in a way of its own."""
    owner = next(part for part in kind.__mro__ if "__getattribute__" in vars(part))
    return owner.__module__ != "builtins"


class Opaque(Foreign):
    """What captured code has in place of an object: a class with the name of the object's."""

    is_refused = False

    def __init__(self, looks: Looks) -> None:
        object.__setattr__(self, "_obj", looks.obj)
        object.__setattr__(self, "_quernel", looks)

    def __getattribute__(self, name: str) -> Any:
        return looks_of(self).attribute(name)

    def __getattr__(self, name: str) -> Any:
        looks_of(self).lacks(name)  # as the other has found

    def __setattr__(self, name: str, value: Any) -> None:
        looks_of(self).refuse(f"assigning to `.{name}` of it")

    def __eq__(self, other: Any) -> Any:
        return looks_of(self).is_equal(other)

    def __ne__(self, other: Any) -> Any:
        return looks_of(self).is_unequal(other)

    def __hash__(self) -> int:
        return looks_of(self).hashed()

    def __bool__(self) -> bool:
        return looks_of(self).truth()


class OutsideClass(Foreign):
    """What captured code has in place of a class whose objects it can't make."""

    def __getattr__(self, name: str) -> Any:
        kind = self._obj
        raw = _member(kind, name)
        if raw is _ABSENT or _is_pythons(name) or type(kind) not in _METACLASSES:
            return super().__getattr__(name)
        found = members_of(self._tracer.rebuilder, kind, name)
        if found is _ABSENT or type(raw) is property:
            return super().__getattr__(name)
        return types.MethodType(found, self) if type(raw) is classmethod else found


def members_of(rebuilder: Any, kind: type, name: str) -> Any:
    """The replacement of what a class has by a name, a method's function or an object; guarded.

    `_ABSENT` where it is neither.
    """
    raw, key = _member(kind, name), (kind, name)
    if key not in rebuilder.members:
        kind = next(base for base in kind.__mro__ if name in vars(base))
        rebuilder.members[key] = _replacement(rebuilder, kind, name, raw)
    return rebuilder.members[key]


def _replacement(rebuilder: Any, kind: type, name: str, raw: Any) -> Any:
    way = way_to(kind)
    if type(raw) not in (property, classmethod, staticmethod, *_FUNCTIONS):
        if hasattr(type(raw), "__get__") and not isinstance(raw, type):
            return _ABSENT
        return rebuilder.read(way, "member", name, kind, raw)
    here = None if way is None else (*way, ("member", name))
    function = function_of(raw)
    if isinstance(function, _runtime.Function):
        here = None if here is None else (*here, ("wrapped", ""))
        function = function.__wrapped__
    if type(function) is not types.FunctionType:
        return _ABSENT
    rebuilder.note_read(way, "member", name, kind, raw)
    return rebuilder.function(function, here)


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def looks_of(obj: Any) -> Looks:
    """What is known of an object, by what stands for it."""
    return object.__getattribute__(obj, "_quernel")


def refer_to(objects: list[Foreign]) -> None:
    """Note that the program depends on which objects some are."""
    for obj in objects:
        if issubclass(type(obj), Opaque):
            looks_of(obj).look()


def _operator(name: str) -> Any:
    return lambda self, *args, **kwargs: looks_of(self).operation(name, *args, **kwargs)


_BINARY = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift",
    "rshift", "and", "xor", "or",
)  # fmt: skip
_OTHERS = (
    "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "complex", "int", "float", "index",
    "round", "trunc", "floor", "ceil", "len", "getitem", "setitem", "delitem", "iter", "reversed",
    "contains", "call", "enter", "exit", "str", "repr", "format", "bytes", "reduce_ex",
)  # fmt: skip
for _name in (*_BINARY, *(f"r{name}" for name in _BINARY), *_OTHERS):
    setattr(Opaque, f"__{_name}__", _operator(f"__{_name}__"))


def _class_for(kind: type) -> type:
    """A class of the same name, which messages show."""
    return type(kind.__name__, (Opaque,), {"__qualname__": f"<locals>.{kind.__name__}"})


def _is_known(obj: Any) -> bool:
    """Whether an argument is one that nothing stands for."""
    if type(obj) is tuple:
        return all(map(_is_known, obj))
    is_type = isinstance(obj, type) and type(obj) is not StandIn
    return is_type or is_plain_value(obj) or isinstance(obj, (np.dtype, enum.Enum))


def _outside(looks: Looks, key: Any) -> Any:
    """The key outside of captured code for which one stands."""
    if type(key) in (tuple, frozenset):
        return type(key)(_outside(looks, part) for part in key)
    if isinstance(key, types.FunctionType) or is_stand_in(key):
        looks.refuse("an item whose key is a function or an object")
    if type(key) is StandIn:
        return looks.rebuilder.classes.original(key)
    return real_class(looks.rebuilder.outside(key))


def way_to(kind: type) -> Any:
    """The way to a class from its module; None where it isn't there."""
    place = place_of(kind)
    if place is None:
        return None
    return (("module", place[0]), *(("attr", part) for part in place[1].split(".")))


def _member(kind: type, name: str) -> Any:
    """What a class has by a name, as it stands there."""
    for part in kind.__mro__:
        if name in vars(part):
            return vars(part)[name]
    return _ABSENT


def _has_text(how: str, asked: Any) -> bool:
    """Whether an entry of the cache can have what is asked, and say it again in another process."""
    parts = (asked,)
    if how == "answer":
        args, kwargs = asked
        parts = (*args, *kwargs.values())
    return all(type(part) in (type(None), bool, int, str) for part in parts)


def cached(rebuilder: Any, obj: Any, here: Any, inlined: Any) -> Any:
    """What stands for a function that has a cache outside of the program.

    It is called, and what it has kept is read, as anything from outside is: as long as it is kept,
    the program holds. With an object that something stands for, the function is captured.

    Parameters
    ----------
    inlined : callable
        The function without its cache.
    """
    answer_of = answers(rebuilder, obj, here)

    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        for part in given:
            hash(part)  # a number of the program has to be known
        if all(map(_is_known, given)):
            return answer_of(*args, **kwargs)
        answer = inlined(*args, **kwargs)
        parts = answer if type(answer) is tuple else (answer,)
        if all(is_plain_value(part) or isinstance_symbolic(part) for part in parts):
            return answer
        rebuilder.tracer.fail(
            "an array or object that a cache outside of the program keeps", "pass it instead"
        )

    call.__name__ = obj.__name__
    return call


def answers(rebuilder: Any, function: Any, here: Any) -> Any:
    """What calls a function outside of the program, whose answers are observations."""
    looks = Looks(rebuilder, function, Leaf(OBSERVATION, function.__name__, function), here)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            key = functools._make_key(args, kwargs, True)
            return looks.observed("answer", (args, kwargs), key)
        except Exception as error:
            let_out(error)
            if rebuilder.tracer.failure is not None:
                raise
            raise rebuilder.tracer.interpreter.raising(error) from None

    return call
