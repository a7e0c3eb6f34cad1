"""Comparisons of symbolic numbers: decided at capture where they are the same in every call.

Any other is a bool of the program. Importing this module gives `Symbolic` Python's comparisons.
"""

from __future__ import annotations

import operator
from typing import Any

from ..traced.numbers import (
    NUMBERS,
    RANK,
    Symbolic,
    SymbolicNumber,
    SymbolicSize,
    derived,
    graph_dim,
    isinstance_symbolic,
    kind_of,
    parameters_known,
    plain_number,
    tracer_of,
)

# What isn't negative where a comparison holds, and where it doesn't: as multiples of left - right.
_CLAIMS = {
    "less": ((-1, -1), (1, 0)),
    "less_equal": ((-1, 0), (1, -1)),
    "greater": ((1, -1), (-1, 0)),
    "greater_equal": ((1, 0), (-1, -1)),
}


def compare(op: str, left: Any, right: Any) -> SymbolicNumber:
    """The truth of a comparison of Python numbers, as a number of the program."""
    kind = max(kind_of(left), kind_of(right), key=RANK.__getitem__)
    made = derived(op, int if kind is bool else kind, left, right, result=bool)
    made.bounds = (0, 1)
    if op in _CLAIMS and all(type(x) in (int, SymbolicSize) for x in (left, right)):
        less = graph_dim(left) - graph_dim(right)
        facts = [sign * less + offset for sign, offset in _CLAIMS[op]]
        made.tracer.claim(made.value, [facts[0]], [facts[1]])
    return made


_COMPARISONS = {
    "lt": ("less", operator.lt),
    "le": ("less_equal", operator.le),
    "gt": ("greater", operator.gt),
    "ge": ("greater_equal", operator.ge),
    "eq": ("equal", operator.eq),
    "ne": ("not_equal", operator.ne),
}


def _comparison(op: str, python: Any) -> Any:
    def method(self: Any, other: Any) -> Any:
        other = plain_number(other)
        if type(other) not in NUMBERS:
            return NotImplemented
        if SymbolicSize in (type(self), type(other)):
            decided = _decided(python, self, other)
            if decided is not None:
                return decided
        left, right = parameters_known(self, other)
        if isinstance_symbolic(left) or isinstance_symbolic(right):
            return compare(op, left, right)
        return python(left, right)

    return method


for _name, (_op, _function) in _COMPARISONS.items():
    setattr(Symbolic, f"__{_name}__", _comparison(_op, _function))


def _decided(python: Any, left: Any, right: Any) -> bool | None:
    """A comparison of sizes that is the same in every call."""
    if not all(type(x) in (int, bool, SymbolicSize) for x in (left, right)):
        return None
    dims = [x.dim if type(x) is SymbolicSize else int(x) for x in (left, right)]
    try:
        return _proven(tracer_of(left, right).graph, python, *dims)
    except OverflowError:
        return None


def _proven(graph: Any, python: Any, left: Any, right: Any) -> bool | None:
    """A comparison that follows from the bounds of the symbols, or None."""
    less, more = left - right, right - left
    if isinstance(less, int):
        return python(less, 0)
    if graph.nonnegative(less - 1):
        return python(1, 0)
    if graph.nonnegative(more - 1):
        return python(0, 1)
    if graph.nonnegative(less) and python(0, 0) == python(1, 0):
        return python(0, 0)
    if graph.nonnegative(more) and python(0, 0) == python(0, 1):
        return python(0, 0)
    return None
