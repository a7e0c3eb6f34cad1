"""Python's functions that go through all items of an array, or of a list of the program.

They are captured as helpers of the user's are, so that their loops are loops of the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.counted import Counted
from ..traced.dispatch import dispatch
from ..traced.scalars import bool_of
from ..traced.tracer import Tracer

_SHORT = 16  # items that are taken one by one


def is_long(items: Any) -> bool:
    """Whether so many items are in arrays of the program that a loop goes through them."""
    if type(items) is TracedArray and items.ndim:
        count = items.shape[0]
    elif issubclass(type(items), Counted):
        count = items.count
    else:
        return False
    return type(count) is not int or count > _SHORT


def folded(tracer: Tracer, function: Any, *args: Any) -> Any:
    """What one of the functions below gives."""
    return tracer.rebuilder.function(function, None)(*args)


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


def greatest(items: Any) -> Any:
    """`max` of at least one item."""
    best = items[0]
    for item in items[1:]:
        best = max(best, item)
    return best


def least(items: Any) -> Any:
    """`min` of at least one item."""
    best = items[0]
    for item in items[1:]:
        best = min(best, item)
    return best


def greatest_by(items: Any, key: Any) -> Any:
    """`max` of at least one item, by a key."""
    best, best_key = items[0], key(items[0])
    for item in items[1:]:
        its = key(item)
        if its > best_key:
            best, best_key = item, its
    return best


def least_by(items: Any, key: Any) -> Any:
    """`min` of at least one item, by a key."""
    best, best_key = items[0], key(items[0])
    for item in items[1:]:
        its = key(item)
        if its < best_key:
            best, best_key = item, its
    return best
