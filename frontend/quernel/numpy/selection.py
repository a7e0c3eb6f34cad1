"""Elements chosen by position, by a mask, or by a number for each."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.assignment import assigned
from ..primitives.elementwise import apply, where
from ..primitives.gathering import (
    compressed,
    gathered,
    index_array,
    iota,
    places_of,
    positions,
    truth,
)
from ..primitives.operands import array_value, as_array, lift
from ..primitives.shaping import broadcast_shape, broadcast_to
from ..primitives.sizes import integer, require, require_all
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh
from ..traced.bounds import is_nonnegative
from ..traced.views import same_dims
from .creation import zeros
from .joining import concatenate, stack
from .out_arguments import READ_ONLY, stored
from .registry import implements
from .shapes import moveaxis, ravel


def scattered(
    a: TracedArray, places: list[TracedArray], axes: list[int], new: Any, kind: str
) -> None:
    """Store, or add, values at positions that are inside of the array."""
    tracer = a.tracer
    rest = [size for k, size in enumerate(a.shape) if k not in axes]
    value = fresh(tracer, array_value(tracer, new, a.dtype))
    value = broadcast_to(value, (*places[0].shape, *rest))
    operands = [a.value, value.value, *(p.value for p in places)]
    a.write(tracer.op("scatter", operands, axes=axes, kind=kind))


def taken(a: TracedArray, places: TracedArray, axis: int) -> TracedArray:
    """The elements at positions along an axis, which the positions' axes replace."""
    made = gathered(a, [places], [axis])
    if not axis or not places.ndim:
        return made
    return moveaxis(made, tuple(range(places.ndim)), tuple(range(axis, axis + places.ndim)))


@implements(np.take)
def take(
    a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise"
) -> TracedArray:
    """`np.take`."""
    a = lift(a)
    if type(axis) is bool:
        raise TypeError("an integer is required for the axis")
    if axis is None:
        a, axis = ravel(a), 0
    axis = normalize_axis_index(operator.index(axis), a.ndim)
    index = index_array(indices)
    if is_nonnegative(a.tracer, index.size - 1):
        error = IndexError("cannot do a non-empty take from an empty axes.")
        require(a.tracer, a.shape[axis], "greater_equal", 1, error)
    places = positions(index, a.shape[axis], axis, mode)
    made = taken(a, places, axis)
    return stored(fresh(a.tracer, made.value, not made.ndim), out)


def _along(arr: TracedArray, indices: Any, axis: Any) -> tuple[TracedArray, list[TracedArray]]:
    """The array, flat where no axis is named, and a position on every axis."""
    if lift(indices).dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    places = index_array(indices)
    if axis is None:
        if places.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.reshaped((arr.size,), certain=True), 0
    axis = normalize_axis_index(axis, arr.ndim)
    if places.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    own = [1 if k == axis else size for k, size in enumerate(arr.shape)]
    shape = broadcast_shape([tuple(own), places.shape])
    places = positions(places, arr.shape[axis], axis)
    grid = [iota(arr.tracer, shape, k, "int64") for k in range(arr.ndim)]
    grid[axis] = fresh(arr.tracer, broadcast_to(places, shape).value)
    for k, size in enumerate(own):
        if type(size) is int and size == 1 and k != axis:
            grid[k] = apply(np.multiply, grid[k], 0)
    return arr, grid


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> TracedArray:
    """`np.take_along_axis`."""
    arr, grid = _along(lift(arr), indices, axis)
    return gathered(arr, grid, list(range(arr.ndim)))


@implements(np.put_along_axis)
def put_along_axis(arr: TracedArray, indices: Any, values: Any, axis: Any) -> None:
    """`np.put_along_axis`."""
    arr, grid = _along(arr, indices, axis)
    scattered(arr, grid, list(range(arr.ndim)), values, "set")


def cycled(values: Any, count: Any) -> Any:
    """Values over and over again, as often as there are places for them."""
    values = lift(values)
    if not values.ndim:
        return values
    values = values.reshaped((values.size,), certain=True)
    place = iota(values.tracer, (count,), 0, "int64")
    return gathered(values, [apply(np.remainder, place, values.size)], [0])


@implements(np.put)
def put(a: TracedArray, ind: Any, v: Any, mode: str = "raise") -> None:
    """`np.put`."""
    a.require_writeable(f"put: {READ_ONLY}")
    flat = a.reshaped((a.size,), certain=True)
    places = index_array(ind)
    places = places.reshaped((places.size,), certain=True)
    if is_nonnegative(a.tracer, places.size - 1):
        error = IndexError("cannot replace elements of an empty array")
        require(a.tracer, flat.size, "greater_equal", 1, error)
    places = positions(places, flat.size, 0, mode)
    new = given(a, v)
    if not is_nonnegative(a.tracer, new.size - 1):  # NumPy does nothing where there are no values
        if type(new.size) is int:
            return
        held = a.tracer.op("greater_equal", [integer(a.tracer, size) for size in (new.size, 1)])
        a.tracer.check(held, IN_NUMPY, "np.put of no values", undoes=True)
    scattered(flat, [places], [0], cycled(new, places.size), "set")


def given(a: TracedArray, values: Any) -> Any:
    """Values as elements of an array: numbers, also in lists, are converted as in assignments."""
    if type(values) is TracedArray and not values.is_scalar:
        return values
    return fresh(a.tracer, assigned(a.tracer, values, a.dtype, alone=False))


@implements(np.putmask)
def putmask(a: TracedArray, /, mask: Any, values: Any) -> None:
    """`np.putmask`."""
    a.require_writeable(f"putmask: {READ_ONLY}")
    chosen = as_array(a.tracer, mask).astype(bool, copy=False)
    error = ValueError("putmask: mask and data must be the same size")
    require(a.tracer, chosen.size, "equal", a.size, error)
    own = getattr(values, "dtype", a.dtype)
    if np.ndim(values) and not np.can_cast(own, a.dtype):
        raise TypeError(
            f"Cannot cast array data from {own!r} to {a.dtype!r} according to the rule 'safe'"
        )
    new = lift(given(a, values))
    if type(new.size) is int and not new.size:
        return
    if new.ndim and not same_dims(new.shape, a.shape):
        flat = a.reshaped((a.size,), certain=True)
        chosen = ravel(chosen)
        if not is_nonnegative(a.tracer, new.size - 1):
            # Nothing is put where there are no values; the zero is for places that are read then.
            count = fresh(a.tracer, integer(a.tracer, new.size))
            chosen = apply(np.logical_and, chosen, apply(np.greater, count, 0))
            place = iota(a.tracer, (flat.size,), 0, "int64")
            places = apply(np.remainder, place, apply(np.maximum, count, 1))
            values = concatenate([ravel(new), zeros(1, new.dtype)])
            values = gathered(values, [places], [0])
        else:
            values = cycled(new, flat.size)
        flat[...] = where(chosen, values, flat)
        return
    a[...] = where(chosen, new.astype(a.dtype, copy=False), a)


@implements(np.place)
def place(arr: TracedArray, mask: Any, vals: Any) -> None:
    """`np.place`: the values go one after the other to where the mask is true."""
    from .accumulation import cumsum

    if type(arr) is not TracedArray:
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(arr).__name__}")
    chosen = ravel(as_array(arr.tracer, mask)).astype(bool, copy=False)
    new = ravel(lift(given(arr, vals)))
    if not np.can_cast(new.dtype, arr.dtype):
        raise TypeError(
            f"Cannot cast array data from {new.dtype!r} to {arr.dtype!r} according to the rule "
            "'safe'"
        )
    require(arr.tracer, chosen.size, "equal", arr.size, ValueError(_OTHER_SIZE))
    if not is_nonnegative(arr.tracer, new.size - 1):
        values = fresh(arr.tracer, integer(arr.tracer, new.size))
        held = apply(np.logical_or, apply(np.greater, values, 0), apply(np.logical_not, chosen))
        require_all(arr.tracer, held, "ValueError", "Cannot insert from an empty array!")
    if type(new.size) is int and not new.size:
        return
    number = apply(np.remainder, apply(np.subtract, cumsum(chosen), 1), new.size)
    values = gathered(new, [lift(number)], [0])
    chosen, values = (part.reshaped(arr.shape, certain=True) for part in (chosen, values))
    arr[...] = where(chosen, values.astype(arr.dtype, copy=False), arr)


_OTHER_SIZE = "place: mask and data must be the same size"

# Masks


@implements(np.nonzero)
def nonzero(a: Any) -> tuple:
    """`np.nonzero`."""
    a = lift(a)
    if not a.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    places = places_of(a)
    return columns(places) if len(places) > 1 else tuple(places)


def columns(places: list[TracedArray]) -> tuple:
    """Arrays of one shape as what NumPy gives for places: columns of one array."""
    rows = stack(places, places[0].ndim)
    rows.storage.shown = True
    return tuple(rows[..., axis] for axis in range(len(places)))


@implements(np.flatnonzero)
def flatnonzero(a: Any) -> TracedArray:
    """`np.flatnonzero`."""
    return nonzero(ravel(a))[0]


@implements(np.argwhere)
def argwhere(a: Any) -> TracedArray:
    """`np.argwhere`."""
    a = lift(a)
    if not a.ndim:
        a.tracer.fail("np.argwhere of a number", "use an if")
    rows = fresh(a.tracer, stack(places_of(a), 0).value)
    rows.storage.shown = True
    return rows.T


@implements(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> TracedArray:
    """`np.compress`."""
    a, mask = lift(a), truth(lift(condition))
    if axis is None:
        a, axis = ravel(a), 0
    axis = normalize_axis_index(axis, a.ndim)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    lines = moveaxis(a, axis, 0)
    if not (mask.shape[0] is lines.shape[0] or mask.shape[0] == lines.shape[0]):
        lines = lines[: mask.shape[0]]
    return stored(moveaxis(compressed(lines, mask), 0, axis), out)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> TracedArray:
    """`np.extract`."""
    elements, mask = ravel(arr), truth(ravel(condition))
    if same_dims(elements.shape, mask.shape):
        return compressed(elements, mask)
    return take(elements, nonzero(mask)[0])  # which may be shorter, or longer with false ends
