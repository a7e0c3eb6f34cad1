"""``ufunc.reduceat``: parts of an array, each reduced to an element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.operands import as_array, lift
from ..traced.tracer import current
from .calling import captured
from .one_by_one import reduced_from_first, rows_of
from .out_arguments import stored
from .reductions import is_reduced, ufunc_reduce
from .shapes import moveaxis


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


def _part_of(ufunc: np.ufunc, dtype: np.dtype) -> Any:
    """What reduces a part that has elements: by the compiler, or beginning with its first one."""
    if is_reduced(ufunc, dtype):
        return lambda part: ufunc_reduce(ufunc, part, dtype=part.dtype)
    return lambda part: captured(reduced_from_first, ufunc, part, "")


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
    made = captured(_reduced_at, ufunc, _part_of(ufunc, rows.dtype), rows, places)
    return stored(lift(moveaxis(made, 0, axis)), out)
