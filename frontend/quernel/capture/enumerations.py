"""Enumerations: members are values of the program, and methods of their classes are captured."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from typing import Any

from ..arguments.leaf_kinds import OPAQUE
from ..arguments.leaves import Leaf
from ..arguments.simple_kinds import VALUE
from ..describe import has_text
from ..signals import let_out
from ..traced.tracer import current
from .foreign import real_class
from .opaque import OutsideClass

# What a member has for good.
_FIXED = ("name", "value", "_name_", "_value_")


class Enumeration(OutsideClass):
    """What captured code has in place of an enumeration, to which nobody can add a member."""

    is_refused = False

    def __call__(self, value: Any) -> Any:
        """The member of a value."""
        hash(value)  # a number of the program has to be known
        return self._found(self._obj, value)

    def __getitem__(self, name: Any) -> Any:
        return self._found(self._obj.__getitem__, name)

    def _found(self, function: Any, asked: Any) -> Any:
        try:
            return self._as_seen(function(asked))
        except (KeyError, TypeError, ValueError) as error:
            let_out(error)
            raise self._tracer.interpreter.raising(error) from None

    def __iter__(self) -> Iterator[Any]:
        return iter([self._as_seen(member) for member in self._obj])

    def __reversed__(self) -> Iterator[Any]:
        return iter([self._as_seen(member) for member in reversed(self._obj)])

    def __len__(self) -> int:
        return len(self._obj)

    def __contains__(self, value: Any) -> bool:
        return real_class(value) in self._obj

    def __getattr__(self, name: str) -> Any:
        members = self._obj.__members__
        if name == "__members__":
            return {key: self._as_seen(member) for key, member in members.items()}
        return self._as_seen(members[name]) if name in members else super().__getattr__(name)

    def _as_seen(self, member: Any) -> Any:
        return member_of(self._tracer.rebuilder, member)


def member_of(rebuilder: Any, member: Any) -> Any:
    """What captured code has for a member: itself, where that has a text."""
    if has_text(member):
        return member
    leaf = Leaf(OPAQUE, f"{type(member).__name__}.{member.name}", member)
    return rebuilder.opaque(leaf, None)


def attribute_of(member: enum.Enum, name: str) -> Any:
    """An attribute of a member that is a value; what its class says of it is captured.

    Raises
    ------
    AttributeError
    """
    owners = (base for base in type(member).__mro__ if name in vars(base))
    owner = next(owners, None)
    is_users = owner and owner.__module__.partition(".")[0] not in sys.stdlib_module_names
    if name in _FIXED or (not is_users and name not in vars(member)):
        return getattr(member, name)
    leaf = Leaf(VALUE, f"{type(member).__name__}.{member.name}", member)
    return current().rebuilder.looks(leaf, None, member).attribute(name)
