"""Methods of ufuncs that combine elements one after the other, as loops that are captured."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..capture.array import TracedArray
from ..capture.tracer import Tracer, current
from .logic import stored
from .operands import as_array, dtype_of, lift
from .registry import captured
from .shapes import moveaxis
from .ufuncs import combining_types

# Of one axis NumPy's vector loops make something else than their calls one after the other.
_OTHERWISE = {np.arctan2, np.power}


def _reduced(ufunc: Any, rows: Any, start: Any) -> Any:
    result = start
    for k in range(len(rows)):
        result = ufunc(result, rows[k])
    return result


def _reduced_from_first(ufunc: Any, rows: Any, text: Any) -> Any:
    if len(rows) == 0:
        raise ValueError(text)
    result = rows[0].copy()
    for k in range(1, len(rows)):
        result = ufunc(result, rows[k])
    return result


def _accumulated(ufunc: Any, rows: Any) -> Any:
    made = np.empty(rows.shape, rows.dtype)
    if len(rows) > 0:
        result = rows[0].copy()
        made[0] = result
        for k in range(1, len(rows)):
            result = ufunc(result, rows[k])
            made[k] = result
    return made


def _reduced_at(ufunc: Any, reduce: Any, rows: Any, places: Any) -> Any:
    made = np.empty((len(places), *rows.shape[1:]), rows.dtype)
    for k in range(len(places)):
        first = places[k]
        if first < 0 or first >= len(rows):
            raise IndexError(
                f"index {first} out-of-bounds in {ufunc.__name__}.reduceat [0, {len(rows)})"
            )
        behind = places[k + 1] if k + 1 < len(places) else len(rows)
        if first < behind:
            made[k] = reduce(rows[first:behind])
        else:
            made[k] = rows[first]
    return made


def rows_of(
    tracer: Tracer, ufunc: np.ufunc, name: str, array: TracedArray, axis: Any, dtype: Any
) -> TracedArray:
    """An array in the dtype in which NumPy combines its elements, that of the axis first."""
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError(f"{name} only supported for binary functions")
    types = combining_types(tracer, ufunc, array.dtype, dtype)
    if types[0] != types[1] or (ufunc in _OTHERWISE and name != "accumulate"):
        why = f"np.{ufunc.__name__}.{name} of {array.dtype}"
        tracer.fail(f"{why}, which isn't its calls one after the other", "write the loop")
    array = array.astype(dtype_of(tracer, types[0]), copy=False)
    return moveaxis(array, normalize_axis_index(axis, array.ndim), 0)


def reduce_in_order(
    tracer: Tracer, ufunc: np.ufunc, array: TracedArray, axis: int, dtype: Any, initial: Any
) -> Any:
    """``ufunc.reduce`` along one axis."""
    from .creation import full

    rows = rows_of(tracer, ufunc, "reduce", array, axis, dtype)
    if initial is None and ufunc.identity is None:
        text = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        return captured(_reduced_from_first, ufunc, rows, text)
    if initial is None:  # an identity of all bits is -1 for unsigned numbers, too
        start = np.asarray(ufunc.identity).astype(rows.dtype)[()]
    else:
        start = rows.dtype.type(initial)
    return captured(_reduced, ufunc, rows, full(rows.shape[1:], start, rows.dtype)[()])


def accumulate_in_order(
    tracer: Tracer, ufunc: np.ufunc, array: TracedArray, axis: int, dtype: Any
) -> Any:
    """``ufunc.accumulate``."""
    rows = rows_of(tracer, ufunc, "accumulate", array, axis, dtype)
    return moveaxis(captured(_accumulated, ufunc, rows), 0, axis)


def _part_of(ufunc: np.ufunc) -> Any:
    """What reduces a part that has elements: by the compiler, or beginning with its first one."""
    from .reductions import has_kind, ufunc_reduce

    if has_kind(ufunc):
        return lambda part: ufunc_reduce(ufunc, part, dtype=part.dtype)
    return lambda part: captured(_reduced_from_first, ufunc, part, "")


def reduceat(
    ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.reduceat``."""
    tracer = current()
    array, places = as_array(tracer, array), lift(indices)
    out = out[0] if type(out) is tuple else out
    dtype = out.dtype if dtype is None and out is not None else dtype
    axis = normalize_axis_index(axis, array.ndim)
    rows = rows_of(tracer, ufunc, "reduceat", array, axis, dtype)
    places = places.astype(np.int64, copy=False)
    made = captured(_reduced_at, ufunc, _part_of(ufunc), rows, places)
    return stored(lift(moveaxis(made, 0, axis)), out)
