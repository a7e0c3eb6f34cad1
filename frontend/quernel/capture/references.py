"""Which names and containers lead to which memory."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from ..traced.memory import storages_of
from ..traced.tracer import current
from .contents import OfSort, arrays_in
from .state import Slot


class References:
    """Which paths lead to each memory: told apart when that is asked, which is seldom.

    Parameters
    ----------
    arrays : list of (path, TracedArray)
    """

    def __init__(self, arrays: list[tuple[tuple, Any]]) -> None:
        self._arrays = arrays

    @functools.cached_property
    def _paths(self) -> dict[Any, set[tuple]]:
        found: dict[Any, set[tuple]] = {}
        for path, array in self._arrays:
            for storage in storages_of(array):
                found.setdefault(storage, set()).add(plain_path(path))
        return found

    def get(self, storage: Any) -> set[tuple]:
        """The paths that lead to a memory."""
        return self._paths.get(storage, set())

    def add(self, storage: Any, path: tuple) -> None:
        """Note one more path to a memory."""
        self._paths.setdefault(storage, set()).add(path)


def references_of(
    slots: Iterable[Slot], held: list[Any], others: dict[tuple, Any] | None = None
) -> References:
    """Which paths lead to each memory, those in lists and dicts from outside among them.

    Parameters
    ----------
    slots : variables
        Those that what follows may read.
    held : list
        What the loops around run over.
    others : dict, optional
        More objects, by their paths.
    """
    roots = [(slot.key, slot.get()) for slot in slots]
    roots += [(("held", k), obj) for k, obj in enumerate(held)]
    roots += [(("outer", k), outer.obj) for k, outer in enumerate(current().containers)]
    roots += (others or {}).items()
    return References([found for path, obj in roots for found in arrays_in(obj, path)])


def plain_path(path: tuple) -> tuple:
    """A path without the steps into what may be unbound, or is one of several values."""
    return tuple(step for step in path if step != "value" and type(step) is not OfSort)
