"""Whether memories, views and arrays that own their memory are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .restarts import Restart


def same_memory(first: Any, second: Any) -> bool:
    """Whether two memories are one, or chosen alike from the same places."""
    return _chosen_alike(first, second, lambda side, other: side.same_place(other))


def same_owner(first: Any, second: Any) -> bool:
    """Whether two memories are of one array, whichever data choose."""
    return _chosen_alike(first, second, lambda side, other: side.is_same(other))


def _chosen_alike(first: Any, second: Any, are_same: Callable[[Any, Any], bool]) -> bool:
    """Whether two memories are one, or chosen by one condition from sides that are the same."""
    if first is second:
        return True
    chooses = getattr(first, "condition", None)
    return (
        chooses is not None
        and chooses is getattr(second, "condition", None)
        and are_same(first.first, second.first)
        and are_same(first.second, second.second)
    )


def same_view(first: Any, second: Any) -> bool:
    """Whether two views show the same part of what they are views of."""
    if first is second:
        return True
    if first.doubt is not None or second.doubt is not None:
        return False  # two copies, perhaps
    try:
        return first.form() == second.form()
    except Restart:
        return False
