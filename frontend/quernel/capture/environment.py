"""The variables of a function that is interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .scopes import Scope


class Environment:
    """Names and their values, inside the environment of the function around.

    Attributes
    ----------
    values : dict
        Values of the function's own names, and of the interpreter's hidden ones, whose names
        begin with ``%``.
    fixed : bool
        Whether the names belong to a function that isn't interpreted: they can't be assigned.
    loaded : dict
        Values that names have had from the beginning on, though nobody had asked for them: the
        attributes of an object of the user's, in the order in which they were looked at.
    is_outside : bool
        Whether what has these names was there before the capture began: an object or a class.
    """

    __slots__ = ("scope", "values", "outer", "fixed", "loaded", "is_outside", "__weakref__")

    def __init__(
        self,
        scope: Scope,
        outer: Environment | None,
        fixed: bool = False,
        is_outside: bool = False,
    ) -> None:
        self.scope, self.outer, self.fixed = scope, outer, fixed
        self.is_outside = is_outside
        self.values: dict[str, Any] = {}
        self.loaded: dict[str, Any] = {}

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
