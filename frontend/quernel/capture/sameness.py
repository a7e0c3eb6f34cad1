"""Whether memories, views and arrays that own their memory are the same."""

from __future__ import annotations

from typing import Any

from .restarts import Restart


def same_memory(first: Any, second: Any) -> bool:
    """Whether two memories are one, or chosen alike from the same places."""
    if first is second:
        return True
    chooses = getattr(first, "condition", None)
    return (
        chooses is not None
        and chooses is getattr(second, "condition", None)
        and first.first.same_place(second.first)
        and first.second.same_place(second.second)
    )


def same_owner(first: Any, second: Any) -> bool:
    """Whether two memories are of one array, whichever data choose."""
    if first is second:
        return True
    chooses = getattr(first, "condition", None)
    return (
        chooses is not None
        and chooses is getattr(second, "condition", None)
        and first.first.is_same(second.first)
        and first.second.is_same(second.second)
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
