"""Calls that run in NumPy: remembered by the runtime, so that the next one costs a comparison."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.leaf_kinds import IDENTITIES, MOST_NESTED, has_many_items, is_plain_key

# So many refusals of one kind of call are remembered with shapes and values of numbers; one more
# and the whole kind is.
_MOST_EXACT = 2
# So many kinds are remembered with the values of strings, flags and the like, and with the lengths
# of lists and what is in them; then types decide.
_MOST_KINDS = 8

_NUMBERS = (int, float, complex, np.number)


class Refusals:
    """What the runtime knows of the calls of a function that can't be compiled.

    A refusal may be for what the call's shapes and numbers are, which nobody tells; so it holds for
    them alone at first. Where more calls that differ in nothing else are refused too, it
    holds for all such calls: capturing each again would cost more than it could gain. Programs that
    are there already still answer first.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self._kinds: Counter = Counter()

    def remember(self, args: tuple, kwargs: dict[str, Any], target: Callable) -> None:
        """Let `target` answer the next calls with such arguments."""
        detour = self.detour(args, kwargs, target)
        if detour is not None:
            self.function.add(detour)

    def detour(self, args: tuple, kwargs: dict[str, Any], target: Callable) -> Any:
        """What lets `target` answer calls with such arguments as these are now; None if nothing."""
        values = (*args, *kwargs.values())
        if any(_is_deep(value) or has_many_items(value) for value in values):
            return None  # a guard can't tell such arguments from others, or takes too long
        kind = (len(args), tuple(kwargs), tuple(_kind(value) for value in values))
        by_value = kind in self._kinds or len(self._kinds) < _MOST_KINDS
        self._kinds[kind] += 1
        exact = by_value and self._kinds[kind] <= _MOST_EXACT
        return _runtime.Detour(
            target,
            nargs=len(args),
            kwnames=tuple(kwargs),
            parameters=[_condition(value, exact, by_value) for value in values],
        )

    def forget(self) -> None:
        """Let `miss` answer all calls again that no program answers."""
        self.function.clear_detours()


def _is_deep(obj: Any, depth: int = 0) -> bool:
    """Whether containers stand in containers too often; one may stand in itself."""
    if type(obj) is dict:
        obj = list(obj.values())
    if type(obj) not in (tuple, list):
        return False
    return depth > MOST_NESTED or any(_is_deep(item, depth + 1) for item in obj)


def _kind(obj: Any) -> tuple:
    """What two objects have in common that differ in shapes and numbers alone."""
    if isinstance(obj, np.ndarray):
        return (type(obj), obj.dtype.str, obj.ndim)
    if type(obj) in (tuple, list):
        return (type(obj), *(_kind(item) for item in obj))
    if _has_plain_keys(obj):
        return (dict, *((type(key), key, _kind(item)) for key, item in obj.items()))
    if type(obj) in (str, bytes, bool, type(None)):
        return (type(obj), obj)
    return (type(obj), id(obj) if isinstance(obj, IDENTITIES) else None)


def _has_plain_keys(obj: Any) -> bool:
    """Whether it is a dict that a guard can look into without running the code of any key."""
    return type(obj) is dict and all(map(is_plain_key, obj))


def _condition(obj: Any, exact: bool, by_value: bool) -> tuple:
    """The runtime's guard for objects like one; `exact`: with the same shapes and numbers."""
    if type(obj) in (tuple, list) and by_value:
        return (type(obj).__name__, [_condition(item, exact, by_value) for item in obj])
    if _has_plain_keys(obj):
        items = [_condition(item, exact, by_value) for item in obj.values()]
        return ("dict", list(obj), items)
    if by_value and isinstance(obj, IDENTITIES):
        return ("is", obj)
    if isinstance(obj, _NUMBERS) and type(obj) is not bool:
        counts = exact and operator.eq(obj, obj)  # NaN is no guard
    else:
        counts = by_value and type(obj) in (str, bytes, bool, type(None))
    return ("value", obj) if counts else ("like", obj, exact)
