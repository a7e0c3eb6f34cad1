"""Python's functions that go through all items of an array, or of a list of the program.

They are captured as helpers of the user's are, so that their loops are loops of the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.dispatch import dispatch
from ..traced.iterables import SHORT, Rest, turns_of
from ..traced.iterators import Iterating
from ..traced.scalars import bool_of
from ..traced.tracer import Tracer


def is_long(tracer: Tracer, items: Any) -> bool:
    """Whether the program has, or computes, so many items that a loop goes through them."""
    turns = turns_of(tracer, items)
    if turns is None or turns.has_table:
        return False
    return type(turns.count) is not int or turns.count > SHORT


def folded(tracer: Tracer, function: Any, *args: Any) -> Any:
    """What one of the functions below gives."""
    return tracer.rebuilder.function(function, None)(*args)


def first_and_rest(tracer: Tracer, items: Any) -> tuple[Any, Any]:
    """The first of some items that there are, and the others."""
    turns = turns_of(tracer, items)
    if issubclass(type(items), Iterating):
        items.claim()
        items.passed(False)
    return turns.item(0), Rest(turns, 1)


def truth_of(tracer: Tracer, items: Any, is_any: bool) -> Any:
    """`any` or `all` of many items."""
    if type(items) is TracedArray and items.ndim == 1:
        found = dispatch.function(np.any if is_any else np.all, (items,), {})
        return bool_of(tracer, found.value)
    return folded(tracer, some if is_any else each, items)


def total(items: Any, start: Any) -> Any:
    """`sum`."""
    for item in items:
        start = start + item
    return start


def some(items: Any) -> bool:
    """`any`."""
    for item in items:  # noqa: SIM110  (which is what this stands for)
        if item:
            return True
    return False


def each(items: Any) -> bool:
    """`all`."""
    for item in items:  # noqa: SIM110
        if not item:
            return False
    return True


def greatest(best: Any, rest: Any) -> Any:
    """`max` of an item and the rest."""
    for item in rest:
        best = max(best, item)
    return best


def least(best: Any, rest: Any) -> Any:
    """`min` of an item and the rest."""
    for item in rest:
        best = min(best, item)
    return best


def greatest_by(best: Any, rest: Any, key: Any) -> Any:
    """`max` of an item and the rest, by a key."""
    best_key = key(best)
    for item in rest:
        its = key(item)
        if its > best_key:
            best, best_key = item, its
    return best


def least_by(best: Any, rest: Any, key: Any) -> Any:
    """`min` of an item and the rest, by a key."""
    best_key = key(best)
    for item in rest:
        its = key(item)
        if its < best_key:
            best, best_key = item, its
    return best


def reduction(best: Any, rest: Any, function: Any) -> Any:
    """`functools.reduce` of an item, or an initial value, and the rest."""
    for item in rest:
        best = function(best, item)
    return best
