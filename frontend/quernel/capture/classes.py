"""Classes of the user's, rebuilt for capture as functions are, and what stands for their objects.

A class that captured code meets is replaced by one of the same name and bases, of which the
methods are rebuilt when they are looked up; so Python's own rules say which method a call or an
operator means. Of an argument, the object that stands for it gets the attributes that captured code
looks at, when it does. An object's attributes are an environment: loops and branches treat them as
they treat variables.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from .. import _runtime
from ..arguments.leaf_kinds import DICT, FUNCTION, LIST, OBJECT
from ..arguments.leaves import NOTHING, Leaf
from ..arguments.looking import attribute_leaf
from ..arguments.named_tuples import place_of
from ..arguments.plain_objects import (
    HEAP_TYPE,
    function_of,
    has_member,
    own_attributes,
    own_names,
    raw_member,
    slots_of,
)
from ..arguments.python_random import is_base, is_random_class
from ..errors import UnsupportedError
from ..module import Module
from ..traced.tracer import current
from ..traced.undecided import Maybe
from .class_stand_ins import (
    SPARE,
    WORDS,
    Constant,
    Instance,
    Member,
    Property,
    Root,
    StandIn,
    environment_of_attributes,
    is_dunder,
    is_stand_in,
    known_of,
    lack_text,
)
from .environment import Environment

_METHODS = (
    types.FunctionType, staticmethod, classmethod, property, functools.cached_property,
    _runtime.Function,
)  # fmt: skip
# Of a class, beside its methods: what Python and `dataclasses` look up in it.
_KEPT = ("__doc__", "__annotations__", "__match_args__", "__dataclass_fields__", "__hash__")
_LAYOUT = ("__dict__", "__weakref__")
_OF_LAYOUT = (types.MemberDescriptorType, types.GetSetDescriptorType)
_AS_THEY_ARE = (BaseException, tuple)  # users' classes of these aren't rebuilt
# Methods that say how Python makes classes and looks attributes up.
_OWN_WAYS = ("__getattr__", "__init_subclass__", "__class_getitem__", "__subclasshook__")


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
        self._assigned: dict[StandIn, Environment] = {}  # of classes: what is assigned there

    # Classes

    def of(self, kind: type) -> StandIn:
        """What stands for a class."""
        if kind not in self._made:
            parts: dict[str, Any] = {"__slots__": ()}
            is_of_c = kind is types.SimpleNamespace or kind.__module__ == "_random"
            for name, raw in () if is_of_c else vars(kind).items():
                if name in _OWN_WAYS or (kind is Module and name == "__setattr__"):
                    continue  # of a module, it moves what doesn't move on the same device
                if isinstance(raw, _METHODS):
                    parts[name] = (Property if type(raw) is property else Member)(name, raw)
                elif name in _KEPT:
                    parts[name] = raw
                elif not is_dunder(name):
                    parts[name] = Constant(name)
                elif name not in _LAYOUT and _is_descriptor(raw):
                    self._refuse(kind, name, raw)  # Python would find another method
            parts.update(_own_methods(kind))
            bases = [self.of(base) for base in kind.__bases__ if self._is_rebuilt(base)]
            made = StandIn(kind.__name__, tuple(bases) or (Root,), parts)
            type.__delattr__(made, "__slots__")  # which the user's class may have, too
            for name in ("__module__", "__qualname__"):
                type.__setattr__(made, name, getattr(kind, name))
            self._made[kind], self._originals[made] = made, kind
        return self._made[kind]

    @staticmethod
    def _is_rebuilt(base: type) -> bool:
        return base.__module__ not in ("builtins", "abc", "typing")

    def original(self, cls: StandIn) -> type:
        """The class that one stands for."""
        return self._originals[cls]

    def outside(self, kind: Any) -> Any:
        """The class outside of captured code, of one; also of a tuple of classes."""
        if type(kind) is tuple:
            return tuple(map(self.outside, kind))
        return self._originals.get(kind, kind) if type(kind) is StandIn else kind

    def _read(self, kind: type, name: str, raw: Any) -> tuple[Any, Any]:
        """The replacement of a class's member, which is recorded, and the way to it."""
        way = _way_to(kind)
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
        is_python = isinstance(function, types.FunctionType)
        if type(raw) is staticmethod and callable(function) and not is_python:
            return self.rebuilder.replaced(function, here, name, None), here
        if not is_python:
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
        if name in (own := _own_methods(kind)):
            return own[name]
        if (kind, name) not in self._members:
            self._members[kind, name] = self._read(kind, name, raw)
        return self._members[kind, name][0]

    def values(self, cls: StandIn, name: str, behind: Any = None) -> Iterator[Any]:
        """What a class and its bases have by a name, the one that Python takes first.

        Parameters
        ----------
        behind : StandIn, optional
            A class of which, and of those before it, nothing is asked: as `super` does.
        """
        mro = cls.__mro__
        for part in mro if behind is None else mro[mro.index(behind) + 1 :]:
            assigned, kind = self._assigned.get(part), self._originals.get(part)
            if assigned is not None and name in assigned.values:
                yield assigned.values[name]
            elif kind is not None and name in vars(kind):
                raw = vars(kind)[name]
                if not isinstance(raw, _OF_LAYOUT):
                    yield self._member(cls, name, raw)

    def constant(self, cls: StandIn, name: str) -> Any:
        """What a class has by a name and is no method.

        Raises
        ------
        AttributeError
        """
        kind = self._originals.get(cls)
        if kind is not None and not _is_pythons(name):
            for value in self.values(cls, name):
                return value
            if not is_dunder(name):  # which Python looks for itself
                self.note_lack(cls, name)
        raise AttributeError(lack_text(cls, name), name=name, obj=cls)

    def guarded(self, owner: Any, name: str, value: Any) -> Any:
        """An attribute; what a class that is used as it is has besides methods is read."""
        kind = owner if isinstance(owner, type) else type(owner)
        if not issubclass(kind, _AS_THEY_ARE) or not kind.__flags__ & HEAP_TYPE:
            return value
        own = getattr(owner, "__dict__", {}) if kind is not owner else {}
        if is_dunder(name) or name in own or not has_member(kind, name):
            return value
        raw = raw_member(kind, name)
        is_data = raw is value and not _is_descriptor(raw)
        return self._read(kind, name, raw)[0] if is_data else value

    def note_lack(self, owner: Any, name: str) -> None:
        """Note that an object, a class or a function was asked for an attribute that it hasn't."""
        if is_stand_in(owner):
            self._note_absent(owner, name)
        elif isinstance(owner, types.FunctionType) and owner in self.rebuilder.originals:
            original, way = self.rebuilder.originals[owner]
            self.rebuilder.note_nothing(way, "attr", name, vars(original))
        elif type(owner) is StandIn and not has_member(self._originals[owner], name):
            kind = self._originals[owner]
            self.rebuilder.note_nothing(_way_to(kind), "member", name, kind)

    def set_constant(self, cls: StandIn, name: str, value: Any) -> None:
        """Assign to an attribute of a class.

        Raises
        ------
        UnsupportedError
        """
        kind = self._originals[cls]
        if _is_descriptor(raw_member(kind, name)) or _is_descriptor(value):
            what = f"changing `{name}` of the class {cls.__name__}, which is no number or object"
            self.tracer.fail(what, "use an attribute of an object")
        self.tracer.is_assigned = True
        environment = self._environment(cls)
        if name in vars(kind) and name not in environment.loaded:
            # A variable from here on, which has been there before the loops and branches around.
            environment.loaded[name] = self._member(cls, name, vars(kind)[name])
            self.tracer.looks += 1
        environment.values[name] = value

    def _environment(self, cls: StandIn) -> Environment:
        if cls not in self._assigned:
            made = self._assigned[cls] = environment_of_attributes(is_outside=True)
            self.tracer.environments[self.tracer.tick()] = made
            self.tracer.looks += 1
        return self._assigned[cls]

    def assigned(self) -> Iterator[tuple[type, str, Any]]:
        """The attributes of classes that captured code has assigned, with their values."""
        for cls, environment in self._assigned.items():
            for name, value in environment.values.items():
                if environment.loaded.get(name, NOTHING) is not value:
                    yield self._originals[cls], name, value

    def bound(self, member: Member, obj: Any, owner: StandIn) -> Any:
        """What looking a method up gives."""
        raw = member.raw
        if obj is not None and type(raw) is not property:
            self._note_absent(obj, member.name)
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

    def set_property(self, member: Property, obj: Any, value: Any) -> None:
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
        if is_random_class(kind):
            from .python_random import take

            take(self.rebuilder, obj, leaf)
        return obj

    def copied(self, obj: Root) -> Root:
        """A new object of the same class with the same attributes, as `copy.copy` makes it."""
        leaf = known_of(obj).leaf
        if leaf is not None:
            leaf.whole, has = True, own_attributes(leaf.obj)
            for name in has:
                if name not in leaf.keys:
                    getattr(obj, name)
            for name in sorted(slots_of(type(leaf.obj)).keys() - has.keys()):
                self._note_absent(obj, name)
        made = self._new(type(obj), None)
        vars(made).update(vars(obj))
        for name in (WORDS, SPARE):
            if name in vars(made):
                vars(made)[name] = vars(made)[name].copy()
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
                leaf.whole = loaded.whole
                loaded.keys, loaded.children, loaded.absent = [], [], []
                leaf.refused, loaded.refused = loaded.refused, {}
                known._quernel.leaf = leaf
        elif is_counted and (container := self.tracer.container_of(leaf)) is not None:
            loaded = container.leaf
            leaf.children, leaf.keys, leaf.refused = loaded.children, loaded.keys, loaded.refused
            leaf.absent, leaf.is_open = loaded.absent, loaded.is_open
        for child in (*leaf.children, *leaf.refused.values()):
            self._number(child)

    def number_of(self, leaf: Leaf) -> tuple[int, bool]:
        """The number of an object, and whether its leaf was the first that led to it."""
        number, first = self._numbers[id(leaf.obj)]
        return number, first is leaf

    def _new(self, cls: StandIn, leaf: Leaf | None) -> Root:
        obj = object.__new__(cls)
        object.__setattr__(obj, "_quernel", Instance(obj, leaf))
        self.tracer.environments[self.tracer.tick()] = obj._quernel.environment
        self.tracer.looks += leaf is not None
        return obj

    def _take(self, leaf: Leaf, name: str) -> Leaf:
        try:
            return attribute_leaf(leaf, name)
        except UnsupportedError as error:
            return self.tracer.fail(error.reason, error.hint)

    def _load(self, obj: Root, name: str, child: Leaf) -> Any:
        value = self.rebuilder.wrap(child)
        self.load(obj, {name: value})
        return value

    def load(self, obj: Root, attributes: dict[str, Any]) -> None:
        """Give what stands for an argument attributes that it has had from the beginning on."""
        vars(obj).update(attributes)
        known_of(obj).initial.update(attributes)
        self.tracer.looks += 1

    def attribute(self, obj: Root, name: str) -> Any:
        """An attribute that an object hasn't yet, or that its class has.

        Raises
        ------
        AttributeError
        """
        child = self._own(obj, name)
        if child is not None:
            return self._load(obj, name, child)
        cls = type(obj)
        kind = self._originals[cls]
        if not _is_pythons(name) and not isinstance(raw_member(kind, name), _OF_LAYOUT):
            for value in self.values(cls, name):
                self._note_absent(obj, name)
                return value
        own = raw_member(kind, "__getattr__")
        if isinstance(own, (types.FunctionType, _runtime.Function)) and not is_dunder(name):
            return self._member(cls, "__getattr__", own)(obj, name)
        raise AttributeError(lack_text(obj, name), name=name, obj=obj)

    def _own(self, obj: Root, name: str) -> Leaf | None:
        """The leaf of an attribute that an argument has had from the beginning on.

        None where that is known already, or where there is none, which is noted: Python looks for
        names with two underscores by itself.
        """
        leaf = known_of(obj).leaf
        if leaf is None or name in leaf.keys:
            return None
        try:
            return self._take(leaf, name)
        except AttributeError:
            if not is_dunder(name):
                self._note_absent(obj, name)
            return None

    def taken(self, obj: Root, name: str) -> Any:
        """An attribute of an argument that isn't a variable of the program; None if it has none."""
        if name in vars(obj):
            known_of(obj).initial.pop(name, None)
            return vars(obj).pop(name)
        child = self._own(obj, name)
        return None if child is None else self.rebuilder.wrap(child)

    def others(self, owner: Any, name: str) -> list[Any]:
        """What an object or a class has by a name, and what else where data decide that it hasn't.

        All but the last one are such that there may be none.
        """
        cls, own, found = owner, [], []
        if is_stand_in(owner):
            cls = type(owner)
            if name in vars(owner):
                own = [vars(owner)[name]]
                if type(own[0]) is Maybe:
                    own += self._covered(owner, name)
        for value in itertools.chain(own, self.values(cls, name)):
            found.append(value)
            if type(value) is not Maybe:
                break
        return found

    def _covered(self, obj: Root, name: str) -> list[Any]:
        """What an argument has had by a name that a loop or branch has assigned unread, if so."""
        covered = known_of(obj).covered
        child = None if name in covered else self._own(obj, name)
        if child is not None:
            covered[name] = self.rebuilder.wrap(child)
        return [covered[name]] if name in covered else []

    def _note_absent(self, obj: Root, name: str) -> None:
        """Note that an argument has no attribute of its own that would hide what its class has."""
        leaf = known_of(obj).leaf
        if leaf is not None and name not in leaf.keys and name not in leaf.absent:
            leaf.absent.append(name)

    def made(self, cls: StandIn, args: tuple, kwargs: dict[str, Any]) -> Root:
        """A new object."""
        obj = self.bare(cls, *args, **kwargs)
        if raw_member(self._originals[cls], "__init__") is not object.__init__:
            obj.__init__(*args, **kwargs)
        return obj

    def bare(self, cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A new object without attributes, as `object.__new__` makes it."""
        if type(cls) is not StandIn:
            return object.__new__(cls, *args, **kwargs)
        kind = self._originals[cls]
        if getattr(kind, "__abstractmethods__", None):
            self.tracer.fail(f"a call of the abstract class `{cls.__name__}`")
        if (args or kwargs) and raw_member(kind, "__init__") is object.__init__:
            raise TypeError(f"{cls.__name__}() takes no arguments")
        return self._new(cls, None)

    def note_assignment(self, obj: Any, name: str) -> None:
        """Note that an attribute of an object is assigned to."""
        if not is_stand_in(obj):
            return
        known = known_of(obj)
        known.order.setdefault(name, len(known.order))
        self.tracer.is_assigned |= known.leaf is not None


def _fill_namespace(obj: Root, /, **values: Any) -> None:
    vars(obj).update(values)


def _compare_namespaces(obj: Root, other: Any) -> Any:
    what = "comparing objects of the class SimpleNamespace"
    return current().fail(what, "compare their attributes")


_NAMESPACE = {"__init__": _fill_namespace, "__eq__": _compare_namespaces, "__hash__": None}


def _own_methods(kind: type) -> dict[str, Any]:
    """What stands for methods of a class that can't be captured."""
    if not is_base(kind):
        return _NAMESPACE if kind is types.SimpleNamespace else {}
    from .python_random import methods  # which few programs need

    return methods(kind)


def _is_descriptor(raw: Any) -> bool:
    """Whether looking something up in a class gives something else than what stands there."""
    return hasattr(type(raw), "__get__") and not isinstance(raw, type)


def _is_pythons(name: str) -> bool:
    """Whether Python says what a class has by a name."""
    return is_dunder(name) and (hasattr(type, name) or name in _OWN_WAYS)


def _way_to(kind: type) -> tuple | None:
    """The way to a class; None where no module has it."""
    place = place_of(kind)
    if place is None:
        return None
    return (("module", place[0]), *(("attr", part) for part in place[1].split(".")))
