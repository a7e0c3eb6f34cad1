"""The variables of a function that is interpreted."""

from __future__ import annotations

from typing import Any

from .scopes import Scope


class _Unbound:
    """What stands for the value of a name that has none."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()


class Maybe:
    """The value of a name that has one only where a condition of the program holds.

    Attributes
    ----------
    bound : graph value
        Zero-dimensional, bool.
    """

    __slots__ = ("bound", "value")

    def __init__(self, bound: Any, value: Any) -> None:
        self.bound, self.value = bound, value


class Conflict:
    """What a name is bound to where the two sides of a branch don't agree.

    Attributes
    ----------
    reason : str
        Why it can't be read.
    """

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Either:
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
    """

    __slots__ = ("condition", "first", "second", "reason", "places")

    def __init__(
        self, condition: Any, first: Any, second: Any, reason: str = "", places: Any = ()
    ) -> None:
        self.condition, self.first, self.second = condition, first, second
        self.reason, self.places = reason, places


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
