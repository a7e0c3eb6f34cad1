"""Classes of the user's, rebuilt for capture as functions are, and what stands for their objects.

A class that captured code meets is replaced by one of the same name and bases, of which the
methods are rebuilt when they are looked up; so Python's own rules say which method a call or an
operator means. Of an argument, the object that stands for it gets the attributes that captured code
looks at, when it does. An object's attributes are an environment: loops and branches treat them as
they treat variables.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any, NoReturn

from .. import _runtime
from ..arguments.leaf_kinds import DICT, FUNCTION, LIST, OBJECT, attribute_leaf
from ..arguments.leaves import Leaf
from ..arguments.named_tuples import class_place
from ..arguments.plain_objects import function_of, own_attributes, own_names, raw_member
from ..errors import UnsupportedError
from ..module import Module
from ..traced.restarts import Restart
from ..traced.tracer import current
from .environment import Environment
from .scopes import Scope

_METHODS = (
    types.FunctionType, staticmethod, classmethod, property, functools.cached_property,
    _runtime.Function,
)  # fmt: skip
# Of a class, beside its methods: what Python and `dataclasses` look up in it.
_KEPT = ("__doc__", "__annotations__", "__match_args__", "__dataclass_fields__", "__hash__")
_LAYOUT = ("__dict__", "__weakref__")
# Methods that say how Python makes classes and looks attributes up.
_OWN_WAYS = ("__getattr__", "__init_subclass__", "__class_getitem__", "__subclasshook__")


class StandIn(type):
    """The class of the classes that stand for the user's."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """An object that captured code makes."""
        return current().rebuilder.classes.made(cls, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        return current().rebuilder.classes.constant(cls, name)


class Root(metaclass=StandIn):
    """What all classes that stand for the user's have in common.

    Attributes
    ----------
    _quernel : Instance
        What is known of the object.
    """

    __slots__ = ("__dict__", "__weakref__", "_quernel")

    def __getattr__(self, name: str) -> Any:
        return current().rebuilder.classes.attribute(self, name)

    def __copy__(self) -> Root:
        return current().rebuilder.classes.copied(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        what = f"copying or pickling an object of the class {type(self).__name__}"
        current().fail(what, "make a new one of its attributes, or use copy.copy()")

    def __repr__(self) -> str:
        what = f"the text of an object of the class {type(self).__name__}"
        return current().fail(what, "use its attributes")

    def __dir__(self) -> Any:
        current().fail("the names of an object's attributes", "name those that you need")


class Instance:
    """What is known of an object that stands for one of the user's.

    Attributes
    ----------
    leaf : Leaf, optional
        The argument that it is, or a part of one; None for an object that captured code has made.
    environment : Environment
        Its attributes, as loops and branches see them.
    initial : dict
        The attributes that were taken from the argument.
    order : dict of str to int
        When attributes were assigned for the first time: loops and branches bind them in another
        order, but an object has them in this one.
    """

    def __init__(self, obj: Root, leaf: Leaf | None) -> None:
        self.leaf = leaf
        self.environment = Environment(Scope(set(), set(), set(), set()), None, fixed=True)
        self.environment.values = vars(obj)
        self.initial: dict[str, Any] = self.environment.loaded
        self.order: dict[str, int] = {}

    def attributes(self, obj: Root) -> list[tuple[str, Any]]:
        """The attributes of the object in the order in which it has got them."""
        return sorted(vars(obj).items(), key=lambda item: self.order.get(item[0], -1))

    def changes(self, obj: Root) -> list[tuple[str, Any]]:
        """The attributes that captured code has assigned, with their values.

        Raises
        ------
        UnsupportedError
        """
        gone = [name for name in self.initial if name not in vars(obj)]
        if gone:
            current().fail(f"deleting `.{gone[0]}` of an argument", "assign None to it")
        initial, now = self.initial, self.attributes(obj)
        return [(k, v) for k, v in now if k not in initial or initial[k] is not v]


class _Member:
    """A method of a class, which is rebuilt when it is looked up."""

    def __init__(self, name: str, raw: Any) -> None:
        self.name, self.raw = name, raw

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return current().rebuilder.classes.bound(self, obj, type(obj) if owner is None else owner)


class _Property(_Member):
    """The same for a property, which stands before the object's own attributes."""

    def __set__(self, obj: Any, value: Any) -> None:
        current().rebuilder.classes.set_property(self, obj, value)


def known_of(obj: Any) -> Instance:
    """What is known of an object that stands for one of the user's.

    Raises
    ------
    UnsupportedError
    """
    try:
        return Root._quernel.__get__(obj)  # type: ignore[attr-defined]
    except AttributeError:
        what = f"an object of the class {type(obj).__name__} that `__new__` has made"
        return current().fail(what, "call the class")


def is_stand_in(obj: Any) -> bool:
    """Whether an object stands for one of a class of the user's."""
    return type(type(obj)) is StandIn


class Classes:
    """The rebuilt classes of one capture, and the objects of them.

    Parameters
    ----------
    rebuilder : Rebuilder

    Attributes
    ----------
    arguments : list of object
        Those that stand for arguments, or for what is read from outside.
    """

    def __init__(self, rebuilder: Any) -> None:
        self.rebuilder, self.tracer = rebuilder, rebuilder.tracer
        self.arguments: list[Root] = []
        self._numbers: dict[int, tuple[int, Leaf]] = {}  # by the identity of the argument
        self._made: dict[type, StandIn] = {}
        self._originals: dict[StandIn, type] = {}
        self._members: dict[tuple[type, str], Any] = {}
        self._objects: dict[int, Root] = {}  # by the identity of the argument

    # Classes

    def of(self, kind: type) -> StandIn:
        """What stands for a class."""
        if kind not in self._made:
            parts: dict[str, Any] = {"__slots__": ()}
            is_namespace = kind is types.SimpleNamespace  # its methods are of C
            parts.update(_NAMESPACE if is_namespace else {})
            for name, raw in () if is_namespace else vars(kind).items():
                if name in _OWN_WAYS or (kind is Module and name == "__setattr__"):
                    continue  # of a module, it moves what doesn't move on the same device
                if isinstance(raw, _METHODS):
                    parts[name] = (_Property if type(raw) is property else _Member)(name, raw)
                elif name in _KEPT:
                    parts[name] = raw
                elif _is_pythons(name) and name not in _LAYOUT and _is_descriptor(raw):
                    self._refuse(kind, name, raw)  # Python would find another method
            bases = [self.of(base) for base in kind.__bases__ if self._is_rebuilt(base)]
            made = StandIn(kind.__name__, tuple(bases) or (Root,), parts)
            made.__module__, made.__qualname__ = kind.__module__, kind.__qualname__
            self._made[kind], self._originals[made] = made, kind
        return self._made[kind]

    @staticmethod
    def _is_rebuilt(base: type) -> bool:
        return base.__module__ not in ("builtins", "abc", "typing")

    def original(self, cls: StandIn) -> type:
        """The class that one stands for."""
        return self._originals[cls]

    def _read(self, kind: type, name: str, raw: Any) -> tuple[Any, Any]:
        """The replacement of a class's member, which is recorded, and the way to it."""
        place = class_place(kind)
        way = None
        if place is not None:
            steps = (("attr", part) for part in place[1].split("."))
            way = (("module", place[0]), *steps)
        here = None if way is None else (*way, ("member", name))
        if _is_descriptor(raw) and not isinstance(raw, _METHODS):
            self._refuse(kind, name, raw)
        if not isinstance(raw, _METHODS):
            return self.rebuilder.read(way, "member", name, kind, raw), here
        self.rebuilder.note_read(way, "member", name, kind, raw)
        function = function_of(raw)
        if isinstance(function, _runtime.Function):
            here = None if here is None else (*here, ("wrapped", ""))
            function = function.__wrapped__
        if not isinstance(function, types.FunctionType):
            self._refuse(kind, name, raw)
        return self.rebuilder.function(function, here), here

    def _refuse(self, kind: type, name: str, raw: Any) -> NoReturn:
        what = f"`{name}` of {kind.__name__}, a {type(raw).__name__}"
        self.tracer.fail(what, "write it as a method")

    def _member(self, cls: StandIn, name: str, raw: Any) -> Any:
        """The replacement of what a class has by a name, or of what a base of it has."""
        kind = self._originals[cls]
        if raw_member(kind, name) is not raw:  # `super` has found it
            kind = next(base for base in kind.__mro__ if vars(base).get(name) is raw)
        if (kind, name) not in self._members:
            self._members[kind, name] = self._read(kind, name, raw)
        return self._members[kind, name][0]

    def constant(self, cls: StandIn, name: str) -> Any:
        """What a class has by a name and is no method.

        Raises
        ------
        AttributeError
        """
        kind = self._originals.get(cls)
        if kind is None or _is_pythons(name) or not _has(kind, name):
            text = f"type object '{cls.__name__}' has no attribute '{name}'"
            raise AttributeError(text, name=name, obj=cls)
        return self._member(cls, name, raw_member(kind, name))

    def bound(self, member: _Member, obj: Any, owner: StandIn) -> Any:
        """What looking a method up gives."""
        raw = member.raw
        if type(raw) is property and obj is None:
            self.tracer.fail(f"`{owner.__name__}.{member.name}`, a property without an object")
        function = self._member(owner, member.name, raw)
        if type(raw) is property:
            return function(obj)
        if isinstance(raw, functools.cached_property) and obj is not None:
            self.note_assignment(obj, member.name)
            value = vars(obj)[member.name] = function(obj)
            return value
        if type(raw) is classmethod:
            return types.MethodType(function, owner)
        is_plain = type(raw) is staticmethod or obj is None
        return function if is_plain else types.MethodType(function, obj)

    def set_property(self, member: _Property, obj: Any, value: Any) -> None:
        """Assign to a property.

        Raises
        ------
        AttributeError
        """
        raw, kind = member.raw, self._originals[type(obj)]
        if raw.fset is None:
            text = f"property {member.name!r} of {kind.__name__!r} object has no setter"
            raise AttributeError(text)
        self._member(type(obj), member.name, raw)  # the whole property is guarded
        here = self._members[kind, member.name][1] if (kind, member.name) in self._members else None
        way = None if here is None else (*here[:-1], ("setter", member.name))
        self.rebuilder.function(raw.fset, way)(obj, value)

    # Objects

    def instance(self, leaf: Leaf) -> Root:
        """What stands for an argument."""
        known = self._objects.get(id(leaf.obj))
        if known is not None:
            return known
        kind = type(leaf.obj)
        obj = self._new(self.of(kind), leaf)
        self._objects[id(leaf.obj)] = obj
        self.arguments.append(obj)
        for name in own_names(leaf.obj):
            member = raw_member(kind, name)
            if isinstance(member, _METHODS) and type(member) is not property:
                # Which Python would find else.
                self._take(leaf, name)
        for name, child in zip(leaf.keys, leaf.children, strict=True):
            self._load(obj, name, child)
        return obj

    def copied(self, obj: Root) -> Root:
        """A new object of the same class with the same attributes, as `copy.copy` makes it."""
        leaf = known_of(obj).leaf
        for name in () if leaf is None else own_attributes(leaf.obj):
            if name not in leaf.keys:
                getattr(obj, name)
        made = self._new(type(obj), None)
        vars(made).update(vars(obj))
        return made

    def number(self, leaves: Iterable[Leaf]) -> None:
        """Number the objects and functions of arguments and reads, in the order of the guards."""
        self._numbers.clear()
        for leaf in leaves:
            self._number(leaf)

    def _number(self, leaf: Leaf) -> None:
        is_counted = self.tracer.counts_containers and leaf.kind in (LIST, DICT)
        if is_counted or leaf.kind in (OBJECT, FUNCTION):
            if id(leaf.obj) in self._numbers:
                return
            self._numbers[id(leaf.obj)] = len(self._numbers), leaf
        # The first leaf that guards meet has the attributes, the parts, or the items.
        if leaf.kind is FUNCTION:
            loaded = self.rebuilder.handed_leaves.get(id(leaf.obj), leaf)
            leaf.keys, leaf.children, leaf.fixed = loaded.keys, loaded.children, loaded.fixed
        elif leaf.kind is OBJECT:
            known = self._objects.get(id(leaf.obj))
            loaded = leaf if known is None else known._quernel.leaf
            if loaded is not leaf:
                leaf.keys, leaf.children, leaf.absent = loaded.keys, loaded.children, loaded.absent
                loaded.keys, loaded.children, loaded.absent = [], [], []
                known._quernel.leaf = leaf
        elif is_counted and (container := self.tracer.container_of(leaf)) is not None:
            loaded = container.leaf
            leaf.children, leaf.keys = loaded.children, loaded.keys
            leaf.absent, leaf.is_open = loaded.absent, loaded.is_open
        for child in leaf.children:
            self._number(child)

    def number_of(self, leaf: Leaf) -> tuple[int, bool]:
        """The number of an object, and whether its leaf was the first that led to it."""
        number, first = self._numbers[id(leaf.obj)]
        return number, first is leaf

    def _new(self, cls: StandIn, leaf: Leaf | None) -> Root:
        obj = object.__new__(cls)
        object.__setattr__(obj, "_quernel", Instance(obj, leaf))
        self.tracer.environments[self.tracer.tick()] = obj._quernel.environment
        return obj

    def _take(self, leaf: Leaf, name: str) -> Leaf:
        try:
            return attribute_leaf(leaf, name)
        except UnsupportedError as error:
            return self.tracer.fail(error.reason, error.hint)

    def _load(self, obj: Root, name: str, child: Leaf) -> Any:
        value = self.rebuilder.wrap(child)
        vars(obj)[name] = obj._quernel.initial[name] = value
        return value

    def attribute(self, obj: Root, name: str) -> Any:
        """An attribute that an object hasn't yet, or that its class has.

        Raises
        ------
        AttributeError
        Restart
            Where a loop or branch is the first to look at it.
        """
        leaf = known_of(obj).leaf
        if leaf is not None and name not in leaf.keys and not _is_pythons(name):
            try:
                child = self._take(leaf, name)
            except AttributeError:
                child = None
            if child is not None:
                if self.tracer.depth:
                    raise Restart(attributes=[child.path])
                return self._load(obj, name, child)
        cls = type(obj)
        kind = self._originals[cls]
        if _has(kind, name) and not _is_pythons(name):
            return self._member(cls, name, raw_member(kind, name))
        own = raw_member(kind, "__getattr__")
        if isinstance(own, (types.FunctionType, _runtime.Function)) and not _is_pythons(name):
            return self._member(cls, "__getattr__", own)(obj, name)
        if leaf is not None and name not in leaf.absent and not _is_pythons(name):
            leaf.absent.append(name)
        text = f"'{cls.__name__}' object has no attribute '{name}'"
        raise AttributeError(text, name=name, obj=obj)

    def made(self, cls: StandIn, args: tuple, kwargs: dict[str, Any]) -> Root:
        """A new object."""
        kind = self._originals[cls]
        if getattr(kind, "__abstractmethods__", None):
            self.tracer.fail(f"a call of the abstract class `{cls.__name__}`")
        obj = self._new(cls, None)
        if raw_member(kind, "__init__") is not object.__init__:
            obj.__init__(*args, **kwargs)
        elif args or kwargs:
            raise TypeError(f"{cls.__name__}() takes no arguments")
        return obj

    def note_assignment(self, obj: Any, name: str) -> None:
        """Note that an attribute of an object is assigned to.

        Raises
        ------
        Restart
            Where checks of the loop or branch around have to know that an argument is changed.
        """
        if not is_stand_in(obj):
            return
        known = known_of(obj)
        known.order.setdefault(name, len(known.order))
        if known.leaf is not None:
            self.tracer.note_assignment()


def _fill_namespace(obj: Root, /, **values: Any) -> None:
    vars(obj).update(values)


def _compare_namespaces(obj: Root, other: Any) -> Any:
    what = "comparing objects of the class SimpleNamespace"
    return current().fail(what, "compare their attributes")


_NAMESPACE = {"__init__": _fill_namespace, "__eq__": _compare_namespaces, "__hash__": None}


def _is_descriptor(raw: Any) -> bool:
    """Whether looking something up in a class gives something else than what stands there."""
    return hasattr(type(raw), "__get__") and not isinstance(raw, type)


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _has(kind: type, name: str) -> bool:
    return any(name in vars(part) for part in kind.__mro__[:-1]) and not isinstance(
        raw_member(kind, name), (types.MemberDescriptorType, types.GetSetDescriptorType)
    )
