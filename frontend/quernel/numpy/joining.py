"""Functions that put arrays together, repeat them, or take them apart."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.joining import joined, stacked
from ..primitives.layouts import in_fortran
from ..primitives.operands import dtype_of, lift, operand
from ..traced.array import TracedArray, fresh
from ..traced.bounds import require_same
from ..traced.memory import C_ORDER
from ..traced.numbers import SymbolicSize, is_dynamic
from ..traced.tracer import current
from ..traced.views import SliceView
from .out_arguments import stored
from .registry import implements
from .shapes import atleast_1d, atleast_2d, atleast_3d, moveaxis

_LARGE = 2 * 512 * 512  # of depth times elements: beyond, np.block fills a whole new array
_MISMATCH = (
    "all the input array dimensions except for the concatenation axis must match exactly, but "
    "along dimension {}, the array at index 0 has size {} and the array at index NUMBER has size {}"
)


@implements(np.concatenate)
def concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """`np.concatenate`."""
    parts = [lift(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        tracer = current()
        kinds = [kind for a in arrays for kind in operand(tracer, a).kinds]
        if any(isinstance(kind, type) and kind is not bool for kind in kinds):
            tracer.fail("np.concatenate of Python's numbers", "convert them: np.float64(x)")
        parts, axis = [p.reshaped((p.size,)) for p in parts], 0
    if any(part.ndim != parts[0].ndim or not part.ndim for part in parts):
        raise ValueError("all the input array dimensions must match")
    axis = normalize_axis_index(operator.index(axis), parts[0].ndim)
    kind = None if dtype is None else dtype_of(current(), dtype)
    return stored(joined(parts, axis, _MISMATCH, kind), out)


@implements(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, **kw: Any) -> Any:
    """`np.stack`."""
    if _has_rows_of_data(arrays) and out is None and dtype is None:
        return moveaxis(arrays, 0, axis).copy()
    parts = [lift(a) for a in arrays]
    if parts:
        axis = normalize_axis_index(axis, parts[0].ndim + 1)
    kind = None if dtype is None else dtype_of(current(), dtype)
    return stored(stacked(parts, axis, kind), out)


def _listed(arrays: Any) -> list:
    return list(arrays) if type(arrays) in (list, tuple) else [*arrays]


def _has_rows_of_data(arrays: Any) -> bool:
    """Whether arrays are the rows of one array, or its elements, of which data say how many."""
    return type(arrays) is TracedArray and 0 < arrays.ndim <= 2 and is_dynamic(arrays.shape[0])


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """`np.vstack`."""
    if _has_rows_of_data(tup) and tup.ndim == 2 and dtype is None:
        return tup.copy()
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


@implements(np.block)
def block(arrays: Any) -> Any:
    """`np.block`."""
    depth, probe = 0, arrays
    while type(probe) is list:
        if not probe:
            raise ValueError("List at arrays cannot be empty")
        depth, probe = depth + 1, probe[0]
    rank = max(depth, *(part.ndim for part in _leaves(arrays)))
    made = _joined(arrays, depth, rank)
    answer = fresh(made.tracer, made.value, layout=made.order if depth else C_ORDER)
    if answer.storage.layout.contiguous or depth * operator.index(made.size) <= _LARGE:
        return answer
    return in_fortran(answer, _leaves(arrays))


def _leaves(arrays: Any) -> list[TracedArray]:
    if type(arrays) is not list:
        return [lift(arrays)]
    return [leaf for item in arrays for leaf in _leaves(item)]


def _joined(arrays: Any, depth: int, rank: int) -> TracedArray:
    if type(arrays) is not list:
        part = lift(arrays)
        return part.reshaped((*(1,) * (rank - part.ndim), *part.shape), certain=True)
    return concatenate([_joined(item, depth - 1, rank) for item in arrays], -depth)


def _pieces(axis: int, least_rank: int) -> Any:
    def implementation(ary: Any, indices_or_sections: Any) -> list:
        a = lift(ary)
        if a.ndim < least_rank:
            raise ValueError(f"only works on arrays of {least_rank} or more dimensions")
        return split(a, indices_or_sections, axis if a.ndim > axis else 0)

    return implementation


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list:
    """`np.split`."""
    a = lift(ary)
    if _places(indices_or_sections) is None:
        axis = normalize_axis_index(axis, a.ndim)
        total, parts = a.shape[axis], _parts(indices_or_sections)
        message = "array split does not result in an equal division"
        if type(total) is int and total % parts:
            raise ValueError(message)
        if type(total) is SymbolicSize:
            require_same(a.tracer, total, total // parts * parts, message)
            return _cut(a, axis, [total // parts] * parts)
    return array_split(a, indices_or_sections, axis)


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list:
    """`np.array_split`: the first pieces are the longer ones."""
    a = lift(ary)
    axis = normalize_axis_index(axis, a.ndim)
    places = _places(indices_or_sections)
    if places is not None:
        before = (slice(None),) * axis
        edges = itertools.pairwise([0, *places, None])
        return [a[(*before, slice(lo, hi))] for lo, hi in edges]
    parts = _parts(indices_or_sections)
    return _cut(a, axis, [(a.shape[axis] + parts - 1 - k) // parts for k in range(parts)])


def _parts(sections: Any) -> int:
    parts = operator.index(sections)
    if parts <= 0:
        raise ValueError("number sections must be larger than 0.")
    return parts


def _cut(a: TracedArray, axis: int, sizes: list) -> list:
    """The views that make up an array along an axis, of these sizes."""
    pieces, start = [], 0
    for size in sizes:
        offsets, shape = [0] * a.ndim, list(a.shape)
        offsets[axis], shape[axis] = start, size
        pieces.append(a.view(SliceView(offsets, shape, [1] * a.ndim)))
        start += size
    return pieces


def _places(indices_or_sections: Any) -> list | None:
    """Where an array is cut; None where what is given is the number of pieces."""
    if type(indices_or_sections) is not TracedArray:
        sequence = type(indices_or_sections) in (tuple, list)
        return list(indices_or_sections) if sequence else None
    if not indices_or_sections.ndim:
        return None
    known = indices_or_sections.known()
    return list(indices_or_sections) if known is None else known.tolist()


implements(np.vsplit)(_pieces(0, 2))
implements(np.hsplit)(_pieces(1, 1))
implements(np.dsplit)(_pieces(2, 3))
