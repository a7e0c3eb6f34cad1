"""Objects of any other class: a program demands what it has seen of one, and nothing else.

What is seen by Python's own means (an item of a mapping, what a cached function has kept) no guard
of the runtime knows. So it is an *observation*, which the runtime compares with another one of the
same object: they are equal where the same is to be seen now.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..describe import Undescribable, describe, type_text
from ..signals import let_out
from .leaves import Leaf, LeafKind, Likeness, Mismatch, Pattern, ProgramFacts, Wrapper
from .plain_objects import is_array_like
from .python_random import memory_of


class Missing:
    """What is seen where there is nothing."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = Missing()
_EXACT = (bool, int, str, bytes)
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def _attribute(obj: Any, name: str) -> Any:
    return getattr(obj, name, MISSING)


def _own(obj: Any, name: str) -> bool:
    return name in getattr(obj, "__dict__", ())


def _had(obj: Any, name: str) -> bool:
    return _own(obj, name) or any(name in vars(part) for part in type(obj).__mro__)


def _item(obj: Any, key: Any) -> Any:
    return _base(type(obj)).get(obj, key, MISSING)  # a `defaultdict` would make what it lacks


def _place(obj: Any, k: int) -> Any:
    length = _length(obj, None)
    return _base(type(obj)).__getitem__(obj, k) if -length <= k < length else MISSING


def _length(obj: Any, _: Any) -> int:
    return _base(type(obj)).__len__(obj)


@functools.lru_cache(maxsize=1000)
def _base(kind: type) -> Any:
    """The class of Python's that a user's one is made of, whose own methods are captured."""
    return next(part for part in kind.__mro__ if part.__module__ in ("builtins", "collections"))


def _content(obj: Any, _: Any) -> tuple:
    return tuple(_base(type(obj)).__iter__(obj))


def _answer(function: Callable[..., Any], given: Any) -> Any:
    args, kwargs = given
    return function(*args, **kwargs)


_WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "attribute": _attribute,
    "own": _own,
    "had": _had,
    "item": _item,
    "place": _place,
    "length": _length,
    "content": _content,
    "answer": _answer,
    "itself": lambda obj, _: obj,
    "memory": lambda obj, _: memory_of(obj),
}


class Observation:
    """One way to look at an object, and what has been seen, as soon as somebody has looked.

    Parameters
    ----------
    how : str
        ``"attribute"``, whether it has one of its ``"own"`` or from its class (``"had"``),
        ``"item"``, that at a ``"place"``, the ``"length"``, all the ``"content"``, or the
        ``"answer"`` of a function to arguments.
    asked : object
        The name, the key, or the arguments as a pair of a tuple and a dict.
    """

    __slots__ = ("obj", "how", "asked", "seen")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, obj: Any, how: str, asked: Any) -> None:
        self.obj, self.how, self.asked = obj, how, asked

    def now(self) -> Any:
        """What there is to be seen."""
        return _WAYS[self.how](self.obj, self.asked)

    def made(self) -> Observation:
        """This one, made: what is seen now counts."""
        done = Observation(self.obj, self.how, self.asked)
        done.seen = self.now()
        return done

    def __eq__(self, other: Any) -> bool:
        """Whether what has been seen here is what `other` sees now."""
        return self is other or same(self.seen, other.now())


def same(first: Any, second: Any) -> bool:
    """Whether two objects are one, or plain values that nobody can tell apart."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if type(first) in _EXACT:
        return first == second
    if type(first) is tuple:
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(same(*pair) for pair in pairs)
    return is_plain_value(first) and describe(first) == describe(second)


def is_plain_value(obj: Any) -> bool:
    """Whether an object is nothing but a value, of which there may be several."""
    return type(obj) in _PLAIN or isinstance(obj, np.generic)


class ObservationKind(LeafKind):
    """Observations, among what a function reads from outside.

    The pattern has the text of what has been seen, where that is a plain value; anything else is
    read behind it.
    """

    name = "seen"
    is_constant = True

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        return Leaf(self, path, obj) if type(obj) is Observation else None

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, leaf.obj.how)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, self._text(leaf.obj.now())]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[Any, Any]) -> tuple:
        if type(obj) is not Observation:
            raise Mismatch
        try:
            done = obj.made()
        except Exception as error:  # of the user's code
            let_out(error)
            raise Mismatch from None
        if self._text(done.seen) != pattern[1]:
            raise Mismatch
        return ("value", done)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path} gives {pattern[1]}"]

    @staticmethod
    def _text(seen: Any) -> str:
        if is_plain_value(seen):
            return describe(seen)
        if type(seen) is tuple:
            return f"({', '.join(map(ObservationKind._text, seen))})"
        try:
            return describe(seen) if isinstance(seen, type) else f"a {type_text(seen)}"
        except Undescribable:
            return f"a {type_text(seen)}"


class OpaqueKind(LeafKind):
    """All other objects: they are known by themselves, as far as programs look at them.

    The pattern has the object's number, which tells it from others, the text of its class, and
    whether the program looks at it. One that it doesn't look at may be any object of the class.
    What the program sees in it is read from outside. Iterators are none: to look at one changes it;
    nor is what stands for an array, at which NumPy looks in ways of its own.
    """

    name = "opaque"
    is_constant = True

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if hasattr(type(obj), "__next__") or is_array_like(type(obj)):
            return None
        return Leaf(self, path, obj)

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, type_text(leaf.obj))

    def text(self, leaf: Leaf) -> str:
        return f"an object of type {type(leaf.obj).__name__}"

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.opaque(leaf)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, captured.opaque(leaf), type_text(leaf.obj), leaf.fixed]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[Any, Any]) -> tuple:
        _, number, text, is_seen = pattern
        if type_text(obj) != text or self.leaf(obj, "", False, 0) is None:
            raise Mismatch
        if not is_seen:
            return ("like", obj, False)
        if symbols.setdefault((self.name, number), obj) is not obj:
            raise Mismatch
        mine = (self.name, number)
        if any(known is obj and key != mine for key, known in symbols.items()):
            raise Mismatch
        return ("is", obj)

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        is_seen = leaf.fixed and likeness.exact
        return ("is", leaf.obj) if is_seen else ("like", leaf.obj, False)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        _, number, text, is_seen = pattern
        name = text.rpartition(".")[2]
        return [f"{path} is object {number}, a {name}" if is_seen else f"{path}: any {name}"]


OPAQUE, OBSERVATION = OpaqueKind(), ObservationKind()
