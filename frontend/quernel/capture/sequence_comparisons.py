"""Tuples and lists with integers of the program, compared item by item as Python does."""

from __future__ import annotations

import operator
from typing import Any

from ..traced.array import TracedArray
from ..traced.numbers import isinstance_symbolic
from ..traced.scalars import either_of, truth
from ..traced.tracer import Tracer
from .standins import is_of_program

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_STRICT = {
    operator.lt: operator.lt,
    operator.le: operator.lt,
    operator.gt: operator.gt,
    operator.ge: operator.gt,
}


def compared_by_items(tracer: Tracer, compare: Any, left: Any, right: Any) -> Any:
    """What a comparison of two sequences gives: a bool, a graph value, or None.

    None where Python itself is to compare them: none of the items is the program's, or one that is
    isn't an integer. (Python takes a NaN for equal to itself as long as it is one object, which
    the program doesn't know.) An order is of the type that the items' order has, so those with
    NumPy's numbers are left to Python, too.
    """
    if not _are_sequences(left, right) or not any(map(_is_of_program, (*left, *right))):
        return None
    equal = [_equal(tracer, a, b) for a, b in zip(left, right, strict=False)]
    if None in equal:
        return None
    if compare in (operator.eq, operator.ne):
        same = _all(tracer, equal) if len(left) == len(right) else False
        return same if compare is operator.eq else _opposite(tracer, same)
    if any(map(_is_numpys, (*left, *right))):
        return None
    return _ordered(tracer, compare, left, right, equal)


def _ordered(tracer: Tracer, compare: Any, left: Any, right: Any, equal: list[Any]) -> Any:
    """The order of the first items that aren't equal, else that of the lengths."""
    answer: Any = compare(len(left), len(right))  # where all that both have is equal
    for a, b, same in reversed(list(zip(left, right, equal, strict=False))):
        if same is True:
            continue
        if _are_sequences(a, b):
            first = compared_by_items(tracer, _STRICT[compare], a, b)
            first = _STRICT[compare](a, b) if first is None else first
        else:
            first = truth(tracer, _STRICT[compare](a, b))
        answer = either_of(tracer, [first, _all(tracer, [same, answer])])
    return answer


def _equal(tracer: Tracer, left: Any, right: Any) -> Any:
    """Whether two items are equal: a bool, a graph value, or None where that isn't for us."""
    if _are_sequences(left, right):
        if len(left) != len(right):
            return False
        parts = [_equal(tracer, a, b) for a, b in zip(left, right, strict=True)]
        return None if None in parts else _all(tracer, parts)
    if type(left) in _PLAIN and type(right) in _PLAIN:
        return left is right or left == right
    if _is_integer(left) and _is_integer(right):
        return truth(tracer, left == right)
    return None


def _are_sequences(left: Any, right: Any) -> bool:
    return type(left) in (tuple, list) and type(left) is type(right)


def _is_of_program(item: Any) -> bool:
    if type(item) in (tuple, list):
        return any(map(_is_of_program, item))
    return is_of_program(item)


def _is_numpys(item: Any) -> bool:
    if type(item) in (tuple, list):
        return any(map(_is_numpys, item))
    return type(item) is TracedArray


def _is_integer(item: Any) -> bool:
    if type(item) is TracedArray:
        return item.is_scalar and item.dtype.kind in "biu"
    return isinstance(item, int) or (isinstance_symbolic(item) and item.kind in (bool, int))


def _all(tracer: Tracer, conditions: list[Any]) -> Any:
    return _opposite(tracer, either_of(tracer, [_opposite(tracer, c) for c in conditions]))


def _opposite(tracer: Tracer, condition: Any) -> Any:
    if isinstance(condition, bool):
        return not condition
    return tracer.op("logical_not", [condition])
