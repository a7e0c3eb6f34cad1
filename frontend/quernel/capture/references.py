"""Which names and containers lead to which memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..traced.memory import storages_of
from ..traced.tracer import current
from .contents import OfSort, arrays_in
from .state import Slot

References = dict[Any, set[tuple]]


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
    found: References = {}
    for path, obj in [*roots, *(others or {}).items()]:
        for at, array in arrays_in(obj, path):
            for storage in storages_of(array):
                found.setdefault(storage, set()).add(plain_path(at))
    return found


def plain_path(path: tuple) -> tuple:
    """A path without the steps into what may be unbound, or is one of several values."""
    return tuple(step for step in path if step != "value" and type(step) is not OfSort)
