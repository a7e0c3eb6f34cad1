"""Functions that put arrays together, repeat them, or take them apart."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..capture.array import TracedArray, fresh
from ..capture.numbers import known_if_maybe_empty
from ..capture.tracer import current
from ..capture.views import graph_dims
from .logic import stored
from .operands import dtype_of, lift
from .registry import implements
from .shapes import atleast_1d, atleast_2d, atleast_3d, expand_dims, product


@implements(np.concatenate)
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """`np.concatenate`."""
    tracer = current()
    parts = [lift(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        parts, axis = [p.reshaped((p.size,)) for p in parts], 0
    if any(part.ndim != parts[0].ndim or not part.ndim for part in parts):
        raise ValueError("all the input array dimensions must match")
    axis = normalize_axis_index(operator.index(axis), parts[0].ndim)
    kind = np.result_type(*(p.dtype for p in parts)) if dtype is None else dtype_of(tracer, dtype)
    for part in parts:
        known_if_maybe_empty(part.shape[axis])
    values = [tracer.cast(part.value, kind.name) for part in parts]
    if len(values) == 1:
        return stored(fresh(tracer, values[0]), out)
    return stored(fresh(tracer, tracer.op("concatenate", values, axis=axis)), out)


@implements(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, **kw: Any) -> Any:
    """`np.stack`."""
    parts = [lift(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to stack")
    if any(part.ndim != parts[0].ndim for part in parts):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    return concatenate([expand_dims(p, axis) for p in parts], axis, out, dtype=dtype)


def _listed(arrays: Any) -> list:
    return list(arrays) if type(arrays) in (list, tuple) else [*arrays]


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """`np.vstack`."""
    return concatenate([atleast_2d(a) for a in _listed(tup)], 0, dtype=dtype)


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """`np.hstack`."""
    parts = [atleast_1d(a) for a in _listed(tup)]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype)


@implements(np.dstack)
def dstack(tup: Any) -> Any:
    """`np.dstack`."""
    return concatenate([atleast_3d(a) for a in _listed(tup)], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    """`np.column_stack`."""
    parts = [lift(a) for a in _listed(tup)]
    columns = [p if p.ndim >= 2 else atleast_1d(p)[:, None] for p in parts]
    return concatenate(columns, 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """`np.append`."""
    return concatenate([lift(arr), lift(values)], axis)


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`np.roll`: two slices, one after the other."""
    a = lift(a)
    if axis is None:
        return roll(a.reshaped((a.size,), certain=True), shift, 0).reshape(a.shape)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts = shift if type(shift) in (tuple, list) else [shift] * len(axes)
    if len(shifts) != len(axes):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    for amount, k in zip(shifts, axes, strict=True):
        a = _rolled(a, operator.index(amount), k)
    return a if type(a.storage) and a.views == () else fresh(a.tracer, a.value)


def _rolled(a: TracedArray, amount: int, axis: int) -> TracedArray:
    size = a.shape[axis]
    if type(size) is int:
        amount = amount % size if size else 0
    if amount == 0:
        return fresh(a.tracer, a.value)
    before = (slice(None),) * axis
    tail, head = a[(*before, slice(-amount, None))], a[(*before, slice(None, -amount))]
    return concatenate([tail, head], axis)


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """`np.tile`."""
    a = lift(A)
    counts = reps if type(reps) in (tuple, list) else (reps,)
    counts = [operator.index(count) for count in counts]
    rank = max(a.ndim, len(counts))
    counts = [1] * (rank - len(counts)) + counts
    shape = (1,) * (rank - a.ndim) + tuple(a.shape)
    return _repeated(a, shape, counts, inner=False)


def _repeated(a: TracedArray, shape: tuple, counts: list[int], inner: bool) -> TracedArray:
    """Each axis repeated: as a block, or (`inner`) element by element."""
    tracer, wide, repeated = a.tracer, [], []
    for size, count in zip(shape, counts, strict=True):
        wide += [size, 1] if inner else [1, size]
        repeated += [size, count] if inner else [count, size]
    value = tracer.op("reshape", [a.value], shape=graph_dims(wide))
    value = tracer.op("broadcast_to", [value], shape=graph_dims(repeated))
    final = [product((size, count)) for size, count in zip(shape, counts, strict=True)]
    return fresh(tracer, tracer.op("reshape", [value], shape=graph_dims(final)))


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """`np.repeat` with one count for all elements."""
    a = lift(a)
    if type(repeats) in (tuple, list) or type(repeats) is TracedArray:
        a.tracer.fail("np.repeat with a count for each element", "use one count")
    if axis is None:
        a, axis = a.reshaped((a.size,), certain=True), 0
    counts = [1] * a.ndim
    counts[normalize_axis_index(axis, a.ndim)] = operator.index(repeats)
    return _repeated(a, a.shape, counts, inner=True)


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list:
    """`np.split`."""
    a = lift(ary)
    axis = normalize_axis_index(axis, a.ndim)
    size = a.shape[axis]
    if type(indices_or_sections) in (tuple, list):
        edges = [0, *indices_or_sections, None]
    else:
        parts = operator.index(indices_or_sections)
        total = operator.index(size)
        if total % parts:
            raise ValueError("array split does not result in an equal division")
        edges = [k * (total // parts) for k in range(parts)] + [None]
    before = (slice(None),) * axis
    return [a[(*before, slice(lo, hi))] for lo, hi in itertools.pairwise(edges)]
