"""What basic indices select: views."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray, fresh
from ..traced.bounds import is_scalar_index, position, slice_bounds
from ..traced.broadcasting import Wording, of_slices, unified_to
from ..traced.iterables import is_no_integer
from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import Tracer
from ..traced.views import ReshapeView, SliceView, graph_dims, same_dims


def is_array_index(item: Any) -> bool:
    """Whether an item of a key is an array of positions, or a mask."""
    if type(item) is TracedArray:
        return item.ndim > 0 or item.dtype == bool
    if isinstance_symbolic(item):
        return item.kind is bool
    return isinstance(item, list | tuple | bool | np.bool_ | np.ndarray)


def view_of(array: TracedArray, key: tuple) -> TracedArray:
    """The view that a basic index selects, also where NumPy would make a scalar of it."""
    items = _expanded(array, key)
    if array.is_scalar:
        array = fresh(array.tracer, array.value)
    whole = array
    offsets, sizes, strides, shape, axes = [], [], [], [], []
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            axes.append(-1)
            continue
        size = array.shape[axis]
        axis += 1
        if type(item) is slice:
            offset, count, stride = slice_bounds(array.tracer, item, size)
            shape.append(count)
            axes.append(axis - 1)
        else:
            offset, count, stride = _place(array, item, size, axis - 1), 1, 1
        offsets.append(offset)
        sizes.append(count)
        strides.append(stride)
    view = SliceView(offsets, sizes, strides)
    if not view.is_whole(array.shape):
        array = array.view(view)
    if axes != list(range(array.ndim)):
        return array.view(ReshapeView(array.shape, tuple(shape), axes))
    return whole.again() if array is whole else array


def _expanded(array: TracedArray, key: tuple) -> list:
    """The key with the ellipsis and the missing axes spelled out."""
    used = sum(item is not None and item is not Ellipsis for item in key)
    dots = [k for k, item in enumerate(key) if item is Ellipsis]
    missing = array.ndim - used
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if missing < 0:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, "
            f"but {used} were indexed"
        )
    at = dots[0] if dots else len(key)
    return [*key[:at], *[slice(None)] * missing, *key[at + 1 :]]


def _place(array: TracedArray, item: Any, size: Any, axis: int) -> Any:
    is_number = not is_no_integer(item) and hasattr(item, "__index__")
    if not is_scalar_index(item) and not is_number:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices"
        )
    return position(array.tracer, item, size, axis)


def assigned_value(tracer: Tracer, value: Any, shape: tuple, wording: Wording = of_slices) -> Any:
    """`value` repeated to `shape`, leading unit axes dropped, as assignment does."""
    dims = graph_dims(shape)
    extra = len(value.shape) - len(dims)
    if extra > 0:
        if any(size != 1 for size in value.shape[:extra]):
            return unified_to(tracer, value, shape, wording)  # which raises
        value = tracer.op("reshape", [value], shape=list(value.shape[extra:]))
    value = unified_to(tracer, value, shape, wording)
    if same_dims(value.shape, dims):
        return value
    return tracer.op("broadcast_to", [value], shape=dims)
