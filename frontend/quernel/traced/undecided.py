"""Values that aren't one: what a name has where data decide, or decide whether it has any."""

from __future__ import annotations

from typing import Any, NoReturn

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
    condition : graph value or None
        What chooses between them, where that is known.
    """

    __slots__ = ("reason", "places", "condition")

    def __init__(self, reason: str, places: Any = (), condition: Any = None) -> None:
        self.reason, self.places, self.condition = reason, places, condition


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
