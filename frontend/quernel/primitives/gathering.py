"""Elements at positions, and where a mask is true."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..raised import IN_NUMPY
from ..traced.array import TracedArray, constant, fresh
from ..traced.bounds import is_nonnegative
from ..traced.tracer import Tracer
from ..traced.views import graph_dims
from .elementwise import apply, where
from .operands import lift
from .sizes import check, integer, size_of

_NOWHERE = np.int64(2**63 - 1)
_OUTSIDE = "index {0} is out of bounds for axis %d with size {1}"


def iota(tracer: Tracer, shape: tuple, axis: int, dtype: str) -> TracedArray:
    """The index along an axis."""
    value = tracer.op("iota", [], shape=graph_dims(shape), axis=axis, dtype=dtype)
    return fresh(tracer, value)


def index_array(obj: Any) -> TracedArray:
    """Positions as an int64 array.

    Raises
    ------
    TypeError
        For anything but integers.
    """
    if isinstance(obj, list | tuple) and not np.size(obj):
        obj = np.empty(np.shape(obj), np.int64)  # a list without items has no floats
    array = lift(obj)
    if array.dtype.kind not in "iub":
        raise TypeError(
            f"Cannot cast array data from {array.dtype!r} to {np.dtype(np.int64)!r} "
            "according to the rule 'safe'"
        )
    return array.astype(np.int64, copy=False)


def positions(index: TracedArray, size: Any, axis: int, mode: str = "raise") -> TracedArray:
    """Positions along an axis of a size, counted from its start, as NumPy's modes demand."""
    tracer = index.tracer
    if mode in ("wrap", "clip"):
        _require_inside(index, size)
    if mode == "wrap":
        return apply(np.remainder, index, size)
    if mode == "clip":
        return apply(np.minimum, apply(np.maximum, index, 0), size - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    outside = apply(np.logical_or, apply(np.less, index, 0 - size), index >= size)
    inside, wrong = _first(index, outside)
    check(tracer, inside, "IndexError", _OUTSIDE % axis, (wrong, size))
    # The compiler cuts it, so that a load that is moved before the check stays inside.
    return where(apply(np.less, index, 0), apply(np.add, index, size), index)


def _require_inside(index: TracedArray, size: Any) -> None:
    """Leave positions in nothing, which no mode brings inside, to NumPy."""
    tracer, count = index.tracer, index.size
    if is_nonnegative(tracer, size - 1) or (type(count) is int and count == 0):
        return
    why = "a position in an array without elements"
    none = tracer.op("equal", [integer(tracer, count), integer(tracer, 0)])
    some = tracer.op("greater", [integer(tracer, size), integer(tracer, 0)])
    tracer.check(tracer.op("logical_or", [none, some]), IN_NUMPY, why, undoes=True)


def _first(index: TracedArray, outside: TracedArray) -> tuple[Any, TracedArray]:
    """Whether no position is outside, a graph value, and the first one that is."""
    tracer = index.tracer
    if not index.ndim:
        return tracer.op("logical_not", [outside.value]), index
    total = index.size
    index, outside = (part.reshaped((total,), ravel=True) for part in (index, outside))
    places = iota(tracer, (total,), 0, "int64")
    found = where(outside, places, _NOWHERE)
    first = fresh(tracer, tracer.op("reduce", [found.value], kind="min", axes=[0]), True)
    inside = tracer.op("equal", [first.value, tracer.constant(_NOWHERE)])
    place = apply(np.maximum, apply(np.minimum, first, total - 1), 0)
    return inside, gathered(index, [place], [0])


def gathered(a: TracedArray, places: list[TracedArray], axes: list[int]) -> TracedArray:
    """The elements at positions that are inside of the array, their axes first."""
    value = a.tracer.op("gather", [a.value, *(p.value for p in places)], axes=axes)
    return fresh(a.tracer, value, not value.shape)


def truth(a: TracedArray) -> TracedArray:
    """Whether each element isn't zero."""
    known = a.known()
    if known is not None:
        return constant(a.tracer, known != 0)
    return a if a.dtype == bool else apply(np.not_equal, a, 0)


def count_true(mask: TracedArray) -> Any:
    """The number of true elements, as a size of the program."""
    tracer = mask.tracer
    value = tracer.cast(mask.value, "int64")
    if mask.ndim:
        value = tracer.op("reduce", [value], kind="sum", axes=list(range(mask.ndim)))
    return size_of(tracer, value, mask.size)


def compressed(a: TracedArray, mask: TracedArray, size: Any = None) -> TracedArray:
    """The elements where a mask over the leading axes is true."""
    known = mask.known()
    if known is not None:
        places = [constant(a.tracer, part) for part in np.nonzero(known)]
        return gathered(a, places, list(range(mask.ndim)))
    size = count_true(mask) if size is None else size
    attribute = getattr(size, "dim", size)
    return fresh(a.tracer, a.tracer.op("compress", [a.value, mask.value], size=attribute))


def places_of(a: TracedArray) -> list[TracedArray]:
    """For each axis, where the elements are that aren't zero; nothing has to store these."""
    mask = truth(a)
    size = count_true(mask) if mask.known() is None else None
    grid = (iota(a.tracer, a.shape, axis, "int64") for axis in range(a.ndim))
    return [compressed(place, mask, size) for place in grid]
