"""Functions that repeat elements, or move them around."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..capture.standins import as_integer, is_of_program
from ..primitives.elementwise import apply
from ..primitives.gathering import iota
from ..primitives.operands import lift
from ..primitives.shaping import allowed, broadcast_to
from ..primitives.sizes import require
from ..traced.array import TracedArray, constant, fresh, is_traced
from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import Tracer
from ..traced.views import graph_dims
from .creation import array, zeros
from .joining import concatenate
from .registry import implements
from .selection import taken
from .shapes import flip, moveaxis, product, transpose


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`np.roll`: two slices, one after the other."""
    a = lift(a)
    if axis is None:
        flat = roll(a.reshaped((a.size,), certain=True), shift, 0)
        return flat.reshaped(a.shape, certain=True)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts = shift if type(shift) in (tuple, list) else [shift] * len(axes)
    if len(shifts) == 1:
        shifts = list(shifts) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    layout = a.order
    for amount, k in zip(shifts, axes, strict=True):
        a = _rolled(a, amount, k)
    return fresh(a.tracer, a.value, layout=layout)


def _rolled(a: TracedArray, amount: Any, axis: int) -> TracedArray:
    size = a.shape[axis]
    if isinstance_symbolic(amount) or is_of_program(amount):
        return _rotated(a, as_integer(a.tracer, amount), axis)
    amount = int(amount)
    if type(size) is int:
        amount = amount % size if size else 0
    elif amount:
        return _rotated(a, amount, axis)
    if amount == 0:
        return a
    before = (slice(None),) * axis
    tail, head = a[(*before, slice(-amount, None))], a[(*before, slice(None, -amount))]
    return concatenate([tail, head], axis)


def _rotated(a: TracedArray, amount: Any, axis: int) -> TracedArray:
    """A roll by an amount, or along an axis, that only the running program knows."""
    size = a.shape[axis]
    place = apply(np.subtract, iota(a.tracer, (size,), 0, "int64"), amount)
    return taken(a, apply(np.remainder, place, size), axis)


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """`np.rot90`."""
    m = lift(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    turns = operator.index(k) % 4
    if turns == 0:
        return m[...]
    if turns == 2:
        return flip(flip(m, axes[0]), axes[1])
    order = list(range(m.ndim))
    first, second = (normalize_axis_index(axis, m.ndim) for axis in axes)
    order[first], order[second] = second, first
    if turns == 1:
        return transpose(flip(m, axes[1]), order)
    return flip(transpose(m, order), axes[1])


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """`np.tile`."""
    a = lift(A)
    counts = list(reps) if type(reps) in (tuple, list) else [reps]
    rank = max(a.ndim, len(counts))
    counts = [1] * (rank - len(counts)) + counts
    shape = (1,) * (rank - a.ndim) + tuple(a.shape)
    if all(type(count) is int and count == 1 for count in counts):
        return array(a, ndmin=rank)
    return _repeated(a, shape, counts, inner=False)


def _repeated(a: TracedArray, shape: tuple, counts: list, inner: bool) -> TracedArray:
    """Each axis repeated: as a block, or (`inner`) element by element."""
    tracer, wide, repeats = a.tracer, [], []
    counts = allowed(tracer, counts)
    for size, count in zip(shape, counts, strict=True):
        wide += [size, 1] if inner else [1, size]
        repeats += [size, count] if inner else [count, size]
    value = tracer.op("reshape", [a.value], shape=graph_dims(wide))
    value = tracer.op("broadcast_to", [value], shape=graph_dims(repeats))
    final = [product(pair) for pair in zip(shape, counts, strict=True)]
    return fresh(tracer, tracer.op("reshape", [value], shape=graph_dims(final)))


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """`np.repeat`."""
    a = lift(a)
    if axis is None:
        a, axis = a.reshaped((a.size,), certain=True), 0
    axis = normalize_axis_index(axis, a.ndim)
    if type(repeats) in (tuple, list, np.ndarray, TracedArray):
        given = lift(repeats)
        if given.dtype.kind not in "iub":
            raise TypeError(
                f"Cannot cast array data from {given.dtype!r} to {np.dtype(np.int64)!r} "
                "according to the rule 'safe'"
            )
        if given.ndim and not (type(given.size) is int and given.size == 1):
            return _by_counts(a, given, axis)
        known = given.known()
        repeats = given.reshaped((), certain=True) if known is None else int(known.reshape(()))
    counts: list[Any] = [1] * a.ndim
    counts[axis] = repeats
    return _repeated(a, a.shape, counts, inner=True)


def _by_counts(a: TracedArray, counts: TracedArray, axis: int) -> TracedArray:
    from .searching import repeated

    if counts.ndim != 1:
        raise ValueError("object too deep for desired array")
    _check_one_each(a.tracer, a.shape[axis], counts.shape[0])
    return repeated(a, counts.astype(np.int64, copy=False), axis)


def _check_one_each(tracer: Tracer, size: Any, given: Any) -> None:
    """See that there is a count for each line; where only the program knows, it looks."""
    error = ValueError("operands could not be broadcast together with shape ({0},) ({1},)")
    require(tracer, size, "equal", given, error, (size, given))


@implements(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """`np.resize`: the elements over and over again."""
    a = lift(a)
    shape = allowed(a.tracer, new_shape, "all elements of `new_shape` must be non-negative")
    total = product(shape)
    if type(a.size) is int and a.size == 0:
        return zeros(shape, a.dtype)
    flat = a.reshaped((a.size,), certain=True)
    place = apply(np.remainder, iota(a.tracer, (total,), 0, "int64"), a.size)
    made = taken(flat, place, 0)
    made.storage.shown = True
    return made.reshaped(shape, certain=True)


def _spliced(arr: Any, axis: Any) -> tuple[TracedArray, int]:
    a = lift(arr)
    if axis is None:
        a, axis = a.reshaped((a.size,), certain=True), 0
    return a, normalize_axis_index(axis, a.ndim)


def _known(obj: Any, what: str) -> Any:
    """Positions that the program itself spells out."""
    if is_traced(obj):
        known = lift(obj).known()
        if known is None:
            lift(obj).tracer.fail(f"{what} at positions that only the data say", "use a mask")
        return known
    return obj


@implements(np.delete, order="F")
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """`np.delete` of positions that the program spells out."""
    a, axis = _spliced(arr, axis)
    obj = obj if type(obj) is slice else _known(obj, "np.delete")
    kept = np.delete(np.arange(operator.index(a.shape[axis])), obj)
    return _rearranged(a, kept, axis)


@implements(np.insert, order="F")
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """`np.insert` at positions that the program spells out."""
    a, axis = _spliced(arr, axis)
    obj = obj if type(obj) is slice else _known(obj, "np.insert")
    size = operator.index(a.shape[axis])
    new = lift(values).astype(a.dtype, copy=False)
    new = new.reshaped((*(1,) * (a.ndim - new.ndim), *new.shape), certain=True)
    if type(obj) is not slice and not np.ndim(obj):
        new = moveaxis(new, 0, axis)
    places = np.arange(size)[obj] if type(obj) is slice else np.asarray(obj)
    places = np.flatnonzero(places) if places.dtype == bool else places
    count = operator.index(new.shape[axis]) if places.size == 1 else places.size
    shape = tuple(count if k == axis else n for k, n in enumerate(a.shape))
    order = np.insert(np.arange(size), obj, size + np.arange(count))
    return _rearranged(concatenate([a, broadcast_to(new, shape)], axis), order, axis)


def _rearranged(a: TracedArray, order: np.ndarray, axis: int) -> TracedArray:
    return taken(a, constant(a.tracer, order.astype(np.int64)), axis)
