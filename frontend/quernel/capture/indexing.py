"""Indexing of traced arrays: integers, slices, None, Ellipsis, and boolean masks in assignments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .array import TracedArray, constant, fresh
from .numbers import SymbolicNumber, SymbolicSize, isinstance_symbolic, least_size
from .views import SliceView, graph_dims, same_dims

_GATHER = "index with integers, slices, None or ..., or select with np.where"


def get(array: TracedArray, key: Any) -> TracedArray:
    """``array[key]``."""
    key = _tuple(key)
    if _is_advanced(array, key):
        array.tracer.fail("indexing with an array", _GATHER)
    view = view_of(array, key)
    has_ellipsis = any(item is Ellipsis for item in key)
    if view.shape == () and not has_ellipsis and (array.ndim or array.is_scalar or key == ()):
        known = view.known()
        if known is not None:
            storage = constant(array.tracer, known).storage
            return TracedArray(array.tracer, storage, is_scalar=True)
        return fresh(array.tracer, view.value, is_scalar=True)
    return view


def put(array: TracedArray, key: Any, value: Any) -> None:
    """``array[key] = value``."""
    from ..numpy.operands import array_value

    if array.is_scalar:
        raise TypeError(f"'{array.dtype.type.__name__}' object does not support item assignment")
    key = _tuple(key)
    if len(key) == 1 and _is_mask(key[0]):
        _put_mask(array, key[0], value)
        return
    if _is_advanced(array, key):
        array.tracer.fail("assigning to elements selected by an array", _GATHER)
    view = view_of(array, key)
    if view.same_place(value):
        return  # the second half of `x[...] += y`
    new = array_value(array.tracer, value, view.dtype)
    view.write(_broadcast(array.tracer, new, view.shape))


def _broadcast(tracer: Any, value: Any, shape: tuple) -> Any:
    """`value` repeated to `shape`, leading unit axes dropped, as assignment does."""
    dims = graph_dims(shape)
    extra = len(value.shape) - len(dims)
    if extra > 0:
        if any(size != 1 for size in value.shape[:extra]):
            raise ValueError("could not broadcast input array into shape")
        value = tracer.op("reshape", [value], shape=list(value.shape[extra:]))
    if same_dims(value.shape, dims):
        return value
    return tracer.op("broadcast_to", [value], shape=dims)


def _put_mask(array: TracedArray, mask: Any, value: Any) -> None:
    from ..numpy.operands import array_value

    tracer = array.tracer
    chosen = array_value(tracer, mask, np.dtype(bool))
    new = array_value(tracer, value, array.dtype)
    missing = array.ndim - len(chosen.shape)
    if missing < 0 or len(new.shape) > missing:
        tracer.fail(
            "assigning an array to the elements selected by a mask",
            "use np.where(mask, values, x) with values of x's shape",
        )
    if missing:
        chosen = tracer.op("reshape", [chosen], shape=[*chosen.shape, *[1] * missing])
    shape = array.value.shape
    if not all(a == 1 or str(a) == str(b) for a, b in zip(chosen.shape, shape, strict=True)):
        raise IndexError("boolean index did not match indexed array")
    array.write(tracer.op("where", [chosen, new, array.value]))


def _tuple(key: Any) -> tuple:
    return key if type(key) is tuple else (key,)


def _is_mask(item: Any) -> bool:
    return (type(item) is TracedArray and item.dtype == bool) or (
        type(item) is np.ndarray and item.dtype == bool
    )


def _is_advanced(array: TracedArray, key: tuple) -> bool:
    for item in key:
        if type(item) is TracedArray:
            if item.dtype == bool or item.ndim or item.known() is None:
                return True
        elif isinstance(item, list | bool | np.bool_ | np.ndarray) and not isinstance_symbolic(
            item
        ):
            return True
    return False


def view_of(array: TracedArray, key: tuple) -> TracedArray:
    """The view that a basic index selects, also where NumPy would make a scalar of it."""
    items = _expanded(array, key)
    offsets, sizes, strides, shape = [], [], [], []
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            continue
        size = array.shape[axis]
        axis += 1
        if type(item) is slice:
            offset, count, stride = _slice_bounds(item, size)
            shape.append(count)
        else:
            offset, count, stride = _position(item, size, axis - 1), 1, 1
        offsets.append(offset)
        sizes.append(count)
        strides.append(stride)
    if not _is_whole(offsets, sizes, strides, array.shape):
        array = array.view(SliceView(offsets, sizes, strides))
    if not same_dims(array.shape, shape):
        array = array.reshaped(tuple(shape), certain=True)
    elif array.is_scalar:
        array = fresh(array.tracer, array.value)
    return array if array.views else TracedArray(array.tracer, array.storage, (), array.shape)


def _is_whole(offsets: list, sizes: list, strides: list, shape: tuple) -> bool:
    starts = all(type(offset) is int and offset == 0 for offset in offsets)
    return starts and all(stride == 1 for stride in strides) and same_dims(sizes, shape)


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


def _position(item: Any, size: Any, axis: int) -> Any:
    if type(item) is SymbolicNumber:
        item.known()
    index = item if type(item) is SymbolicSize else operator.index(item)
    if type(index) is SymbolicSize:
        behind = index - size
        if type(behind) is int and -2 <= behind < 0:
            return index
        index = operator.index(index)
    least = least_size(size)
    if type(size) is SymbolicSize and not -least <= index < least:
        size.known()
    if not -least <= index < least:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index if index >= 0 else size + index


def _slice_bounds(item: slice, size: Any) -> tuple[Any, Any, int]:
    """Offset, count and stride of a slice along an axis."""
    stride = 1 if item.step is None else operator.index(item.step)
    start, stop = (_number(bound) for bound in (item.start, item.stop))
    if type(size) is int:
        positions = range(size)[slice(start, stop, stride)]
        return (positions.start if len(positions) else 0), len(positions), stride
    if stride == 0:
        raise ValueError("slice step cannot be zero")
    if stride < 0:
        first = size - 1 if start is None else _clipped(start, size, size - 1)
        last = -1 if stop is None else _clipped(stop, size, size - 1)
        count = first - last
    else:
        first = 0 if start is None else _clipped(start, size, size)
        last = size if stop is None else _clipped(stop, size, size)
        count = last - first
    if type(count) is int:
        count = max(count, 0)
    elif least_size(count) < 0:
        size.known()
    step = abs(stride)
    return first, (count if step == 1 else (count + (step - 1)) // step), stride


def _number(bound: Any) -> Any:
    if bound is None or type(bound) is SymbolicSize:
        return bound
    return operator.index(bound)


def _clipped(bound: Any, size: Any, most: Any) -> Any:
    """A slice bound on a symbolic axis, where it is sure to be inside for every size."""
    least = least_size(size)
    if type(bound) is SymbolicSize:
        difference = bound - size
        if type(difference) is int and -least <= difference <= 0:
            return bound
    elif 0 <= bound <= least - (most is not size):
        return bound
    elif -least <= bound < 0:
        return size + bound
    size.known()
