"""The variables of a function that is interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .scopes import Scope
from .tracer import current

TOO_MANY = (
    "a name that may be too many values, as data decide, one after the other",
    "copy an array now and then: y = y.copy(); write to parts of one array",
)
_MOST_NESTED = 200


class _Unbound:
    """What stands for the value of a name that has none."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()


def _refuse_reading(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    from .tracer import current

    interpreter = current().interpreter
    if type(self) in (Either, Conflict):
        interpreter.apart(self, "a part of an object")
    current().fail("reading a part of an object that may be unbound", "bind it on both sides")


class _Unread:
    """What isn't one value: Python's own functions find it in containers, and can't read it."""

    __slots__ = ()


for _name in (
    "eq ne lt le gt ge hash bool len iter contains getitem setitem call add radd sub rsub mul "
    "rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror xor "
    "rxor lshift rlshift rshift rrshift neg pos abs invert int float complex index round repr str "
    "format array copy deepcopy"
).split():
    setattr(_Unread, f"__{_name}__", _refuse_reading)


class Maybe(_Unread):
    """The value of a name that has one only where a condition of the program holds.

    Attributes
    ----------
    bound : graph value
        Zero-dimensional, bool.
    """

    __slots__ = ("bound", "value")

    def __init__(self, bound: Any, value: Any) -> None:
        self.bound, self.value = bound, value


class Conflict(_Unread):
    """What a name is bound to where the two sides of a branch don't agree.

    Attributes
    ----------
    reason : str
        Why it can't be read.
    places : list
        Where the two sides can be captured apart from each other.
    """

    __slots__ = ("reason", "places")

    def __init__(self, reason: str, places: Any = ()) -> None:
        self.reason, self.places = reason, places


class Either(_Unread):
    """A value that is one of two, as data decide, and that couldn't be joined into one.

    Attributes
    ----------
    condition : graph value
        Zero-dimensional, bool: the value is `first` where it holds, else `second`.
    first, second : object
        Whatever a function can return. Their graph values are defined on both paths; those of the
        path that isn't taken may be anything.
    reason : str
        Why the two can't be joined.
    places : list
        Where the two paths can be captured apart from each other.
    born : int
        The tracer's tick when it was made.
    nested : int
        How many choices there are at most from it to a value.
    """

    __slots__ = ("condition", "first", "second", "reason", "places", "born", "nested")

    def __init__(
        self, condition: Any, first: Any, second: Any, reason: str = "", places: Any = ()
    ) -> None:
        self.condition, self.first, self.second = condition, first, second
        self.reason, self.places = reason, places
        self.born = current().tick()
        self.nested = nested(first, second)


def nested(*parts: Any) -> int:
    """How many choices there are at most from a choice of two parts to a value.

    Raises
    ------
    UnsupportedError
        Where there are more than what looks at a value can go through.
    """
    found = 1 + max(getattr(part, "nested", 0) for part in parts)
    if found > _MOST_NESTED:
        current().fail(*TOO_MANY)
    return found


class Environment:
    """Names and their values, inside the environment of the function around.

    Attributes
    ----------
    values : dict
        Values of the function's own names, and of the interpreter's hidden ones, whose names
        begin with ``%``.
    fixed : bool
        Whether the names belong to a function that isn't interpreted: they can't be assigned.
    """

    __slots__ = ("scope", "values", "outer", "fixed", "__weakref__")

    def __init__(self, scope: Scope, outer: Environment | None, fixed: bool = False) -> None:
        self.scope, self.outer, self.fixed = scope, outer, fixed
        self.values: dict[str, Any] = {}

    def owner(self, name: str) -> Environment | None:
        """The environment that a name belongs to; None for a global name."""
        if name in self.scope.own:
            return self
        if name in self.scope.global_ or self.outer is None:
            return None
        return self.outer.owner(name)

    def chain(self) -> list[Environment]:
        """This environment and those around it."""
        return [self] if self.outer is None else [self, *self.outer.chain()]


@contextmanager
def forgotten(tracer: Any, environment: Environment, stays: bool) -> Iterator[None]:
    """Let states have an environment as long as somebody may see its names.

    Parameters
    ----------
    stays : bool
        Whether functions within may see them afterwards. Where it ends by an exception, nobody
        does, though the exception keeps it, and with it what the program doesn't have.
    """
    key = tracer.tick()
    tracer.environments[key] = environment
    try:
        yield
    except BaseException:
        stays = False
        raise
    finally:
        if not stays:
            tracer.environments.discard(key)
