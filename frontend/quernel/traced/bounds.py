"""Indices and slices along an axis: proven to be inside, checked, or cut to it when it runs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .array import TracedArray
from .iterables import as_size, is_no_integer
from .numbers import DATA, SymbolicNumber, SymbolicSize, isinstance_symbolic
from .numbers import origins as origins_of
from .restarts import Restart
from .tracer import Tracer

_DATA = frozenset([DATA])


def is_nonnegative(tracer: Tracer, size: Any) -> bool:
    """Whether a size is at least 0 in every call and turn."""
    if type(size) is int:
        return size >= 0
    if tracer.graph.nonnegative(size.dim):
        return True
    return any(tracer.graph.nonnegative(size.dim - fact) for fact in tracer.assumed)


def ask(tracer: Tracer, *sizes: Any) -> None:
    """Begin anew with the numbers known that sizes come from; what is left the program looks at.

    A size of an argument is a symbol where it has differed between calls, and stays one.

    Raises
    ------
    Restart
    """
    known = [size for size in sizes if isinstance_symbolic(size)]
    values = tracer.parameters_of(origins_of(*known))
    if values:
        raise Restart(values=values)


def integer(tracer: Tracer, size: Any) -> Any:
    """The int64 graph value of a size."""
    if type(size) is SymbolicSize:
        return tracer.op("dim", [], dim=size.dim)
    return tracer.constant(np.int64(size))


def require_same(
    tracer: Tracer, a: Any, b: Any, message: str, shown: Any = (), exception: str = "ValueError"
) -> None:
    """Stop the program with an exception where two sizes differ.

    Parameters
    ----------
    shown : sequence of sizes
        Those that the message has places for.
    """
    same = tracer.op("equal", [integer(tracer, size) for size in (a, b)])
    tracer.check(same, exception, message, [integer(tracer, size) for size in shown])


# Indices


def position(tracer: Tracer, item: Any, size: Any, axis: int | None) -> Any:
    """The place that an index names along an axis, counted from its start.

    Parameters
    ----------
    axis : int, optional
        For the message; None for the elements of ``x.flat``.

    Raises
    ------
    IndexError
        Where the index is outside; where only the program knows, it raises.
    """
    index = as_size(tracer, item, "i")
    if type(index) is int and type(size) is int:
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for {_along(axis)}size {size}")
        return index if index >= 0 else size + index
    if is_nonnegative(tracer, index):
        if is_nonnegative(tracer, size - 1 - index):
            return index
    elif is_nonnegative(tracer, -1 - index) and is_nonnegative(tracer, size + index):
        return size + index
    ask(tracer, index, size)
    return _checked(tracer, index, size, axis)


def _along(axis: int | None) -> str:
    return "" if axis is None else f"axis {axis} with "


def _checked(tracer: Tracer, index: Any, size: Any, axis: int | None) -> Any:
    """The place of an index that may be outside: the program checks it."""
    place, count = integer(tracer, index), integer(tracer, size)
    inside = tracer.op("less", [place, count])
    wrapped = place
    if not is_nonnegative(tracer, index):
        least = tracer.op("negative", [count])
        above = tracer.op("greater_equal", [place, least])
        inside = tracer.op("logical_and", [above, inside])
        zero = tracer.constant(np.int64(0))
        negative = tracer.op("less", [place, zero])
        wrapped = tracer.op("where", [negative, tracer.op("add", [place, count]), place])
    message = f"index {{0}} is out of bounds for {_along(axis)}size {{1}}"
    tracer.check(inside, "IndexError", message, [place, count])
    # Cut as well, so that a load that is moved before the check stays inside of the array.
    value = _cut(tracer, wrapped, 0, size - 1)
    return tracer.symbol_of(value, 0, size - 1, "i", origins_of(index, size) | _DATA)


def _cut(tracer: Tracer, value: Any, low: int, high: Any) -> Any:
    value = tracer.op("minimum", [value, integer(tracer, high)])
    return tracer.op("maximum", [value, integer(tracer, low)])


# Slices


def slice_bounds(tracer: Tracer, item: slice, size: Any) -> tuple[Any, Any, int]:
    """Offset, count and stride of a slice along an axis."""
    stride = 1 if item.step is None else operator.index(item.step)
    if stride == 0:
        raise ValueError("slice step cannot be zero")
    start, stop = (_bound(tracer, bound) for bound in (item.start, item.stop))
    if all(type(part) is int or part is None for part in (start, stop, size)):
        positions = range(size)[slice(start, stop, stride)]
        return (positions.start if len(positions) else 0), len(positions), stride
    if stride < 0:
        first = size - 1 if start is None else _clipped(tracer, start, size, -1)
        last = -1 if stop is None else _clipped(tracer, stop, size, -1)
        count = _count(tracer, first - last, size)
    else:
        first = 0 if start is None else _clipped(tracer, start, size, 0)
        last = size if stop is None else _clipped(tracer, stop, size, 0)
        count = _count(tracer, last - first, size)
    step = abs(stride)
    return first, (count if step == 1 else (count + (step - 1)) // step), stride


def _bound(tracer: Tracer, bound: Any) -> Any:
    if is_no_integer(bound):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return None if bound is None else as_size(tracer, bound, "bound")


def _clipped(tracer: Tracer, bound: Any, size: Any, low: int) -> Any:
    """A bound of a slice, cut to the axis: between `low`, 0 or -1, and the size plus `low`."""
    high = size if low == 0 else size - 1
    sign = _sign(tracer, bound)
    if sign < 0:
        bound = size + bound
    if sign:
        above = is_nonnegative(tracer, bound - low)
        below = is_nonnegative(tracer, high - bound)
        if above and below:
            return bound
        if above and is_nonnegative(tracer, bound - high):
            return high
        if below and is_nonnegative(tracer, low - bound):
            return low
    ask(tracer, bound, size)
    value = integer(tracer, bound)
    if not sign:
        negative = tracer.op("less", [value, tracer.constant(np.int64(0))])
        moved = tracer.op("add", [value, integer(tracer, size)])
        value = tracer.op("where", [negative, moved, value])
    value = _cut(tracer, value, low, high)
    return tracer.symbol_of(value, low, high, "bound", origins_of(bound, size) | _DATA)


def _sign(tracer: Tracer, bound: Any) -> int:
    """1 for a bound that is never negative, -1 for one that always is, 0 where nobody knows."""
    if is_nonnegative(tracer, bound):
        return 1
    return -1 if is_nonnegative(tracer, -1 - bound) else 0


def _count(tracer: Tracer, count: Any, size: Any) -> Any:
    """``max(count, 0)``."""
    if is_nonnegative(tracer, count):
        return count
    if is_nonnegative(tracer, 0 - count):
        return 0
    ask(tracer, count, size)
    zero = tracer.constant(np.int64(0))
    value = tracer.op("maximum", [integer(tracer, count), zero])
    return tracer.symbol_of(value, 0, size, "count", origins_of(count, size) | _DATA)


def is_scalar_index(item: Any) -> bool:
    """Whether an item of a key is one integer."""
    if type(item) is TracedArray:
        return item.ndim == 0 and item.dtype.kind in "iu"
    if type(item) in (SymbolicSize, SymbolicNumber):
        return item.kind is int
    return isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_)
