"""What stands for the user's classes and their objects while code is captured.

Looking something up there asks `Classes` (`classes.py`) of the running capture.
"""

from __future__ import annotations

from typing import Any

from ..arguments.leaves import Leaf
from ..traced.tracer import current
from .environment import Environment
from .scopes import Scope

# The hidden attributes of a generator of Python's random numbers: arrays of the program.
WORDS, SPARE = "the words of the generator", "the number that it has left"


class StandIn(type):
    """The class of the classes that stand for the user's."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """An object that captured code makes."""
        return current().rebuilder.classes.made(cls, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        return current().rebuilder.classes.constant(cls, name)

    def __eq__(cls, other: object) -> bool:
        return cls is other or current().rebuilder.classes.outside(cls) is other

    def __hash__(cls) -> int:
        return type.__hash__(cls)

    def __setattr__(cls, name: str, value: Any) -> None:
        current().rebuilder.classes.set_constant(cls, name, value)


class Root(metaclass=StandIn):
    """What all classes that stand for the user's have in common.

    Attributes
    ----------
    _quernel : Instance
        What is known of the object.
    """

    __slots__ = ("__dict__", "__weakref__", "_quernel")

    def __new__(cls, *args: Any, **kwargs: Any) -> Root:
        """What captured code calls as `object.__new__`."""
        return current().rebuilder.classes.bare(cls, *args, **kwargs)

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


type.__delattr__(Root, "__slots__")  # which the user's classes may have


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
    covered : dict
        What the argument had by names that a loop or branch has assigned before anybody read them.
    order : dict of str to int
        When attributes were assigned for the first time: loops and branches bind them in another
        order, but an object has them in this one.
    memory, begun : TracedArray, pair of graph values
        Of a generator from outside: where it has its words, and the hidden ones as they were.
    """

    def __init__(self, obj: Root, leaf: Leaf | None) -> None:
        self.leaf = leaf
        self.environment = environment_of_attributes(is_outside=leaf is not None)
        self.environment.values = vars(obj)
        self.initial: dict[str, Any] = self.environment.loaded
        self.covered: dict[str, Any] = {}
        self.order: dict[str, int] = {}
        self.memory: Any = None
        self.begun: Any = None

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
        pairs = ((k, v) for k, v in now if k not in (WORDS, SPARE))
        return [(k, v) for k, v in pairs if k not in initial or initial[k] is not v]


def environment_of_attributes(is_outside: bool) -> Environment:
    """The attributes of an object, or of a class, as loops and branches see them."""
    return Environment(Scope(set(), set(), set(), set()), None, fixed=True, is_outside=is_outside)


class Member:
    """A method of a class, which is rebuilt when it is looked up."""

    def __init__(self, name: str, raw: Any) -> None:
        self.name, self.raw = name, raw

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return current().rebuilder.classes.bound(self, obj, type(obj) if owner is None else owner)


class Property(Member):
    """The same for a property, which stands before the object's own attributes."""

    def __set__(self, obj: Any, value: Any) -> None:
        current().rebuilder.classes.set_property(self, obj, value)


class Constant:
    """What is no method, where Python finds it before what bases have by the same name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        classes = current().rebuilder.classes
        if obj is None:
            return classes.constant(owner, self.name)
        return classes.attribute(obj, self.name)


def known_of(obj: Any) -> Instance:
    """What is known of an object that stands for one of the user's."""
    return Root._quernel.__get__(obj)  # type: ignore[attr-defined]


def is_stand_in(obj: Any) -> bool:
    """Whether an object stands for one of a class of the user's."""
    return type(type(obj)) is StandIn


def is_dunder(name: str) -> bool:
    """Whether a name is one that Python may look for by itself."""
    return name.startswith("__") and name.endswith("__")


def lack_text(owner: Any, name: str) -> str:
    """What Python says of an attribute that an object, or a class, hasn't."""
    if isinstance(owner, type):
        return f"type object '{owner.__name__}' has no attribute '{name}'"
    return f"'{type(owner).__name__}' object has no attribute '{name}'"
