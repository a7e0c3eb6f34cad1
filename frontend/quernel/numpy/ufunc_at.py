"""``ufunc.at``: in place, and once for each time that an element is named."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.selecting import Selection, chooses, masks_traced
from ..capture.slicing import view_of
from ..primitives.elementwise import apply
from ..primitives.operands import as_array
from ..primitives.shaping import broadcast_to
from ..traced.array import TracedArray, fresh
from ..traced.numbers import DATA, SymbolicSize, graph_dim
from ..traced.open_types import refuse_open_index
from ..traced.tracer import Tracer, current
from .combiners import combiner_of
from .shapes import product
from .ufuncs import one_by_one


def at(ufunc: np.ufunc, a: Any, indices: Any, b: Any = None) -> None:
    """``ufunc.at``.

    NumPy casts results to the dtype of the array as `astype` does, and takes a Python number for an
    array of its own dtype.
    """
    tracer = current()
    if type(a) is not TracedArray or a.is_scalar:
        raise TypeError("first operand must be array")
    if ufunc.nout != 1 or ufunc.nin > 2:
        raise ValueError("Only single output ufuncs supported at this time")
    if ufunc.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if ufunc.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    other = None if b is None else _strong(tracer, b)
    key = indices if type(indices) is tuple else (indices,)
    refuse_open_index(tracer, key)
    if not any(map(chooses, key)):
        part = view_of(a, key)
        new = other if other is None else _given(other, part.shape)
        part[...] = _result(ufunc, part, new, a.dtype)
        return
    made = Selection(a, masks_traced(a, key))
    new = None if other is None else _in_order(made, _given(other, made.shape()))
    kind = _combination(ufunc, a.dtype, other)
    if kind:
        new = new.astype(a.dtype, copy=False)
        new = apply(np.negative, new) if ufunc is np.subtract else new
        operands = [made.view.value, new.value, *(place.value for place in made.places)]
        made.view.write(tracer.op("scatter", operands, axes=made.axes, kind=kind))
    else:
        made.view.write(_one_by_one(tracer, ufunc, made, new))


def _strong(tracer: Tracer, b: Any) -> TracedArray:
    """An operand as the array that NumPy makes of it: no number is weak."""
    array = as_array(tracer, b)
    return fresh(tracer, array.value) if array.is_scalar else array


def _given(other: TracedArray, shape: tuple) -> TracedArray:
    """The operand for each element that is named."""
    if other.ndim > len(shape):
        raise ValueError("array is not broadcastable to correct shape")
    return broadcast_to(other, shape)


def _in_order(made: Selection, new: TracedArray) -> TracedArray:
    """What has a selection's shape with the axes of its positions first."""
    order = made.order()
    return new.transpose(sorted(range(len(order)), key=order.__getitem__))


def _combination(ufunc: np.ufunc, dtype: np.dtype, other: Any) -> str | None:
    """How a scatter combines, where it computes in the array's own dtype and order is free.

    Sums and products of integers of any width wrap around alike.
    """
    negated = ufunc is np.subtract and dtype.kind != "b"
    kind = combiner_of(np.add if negated else ufunc, dtype)
    if kind is None or (dtype.kind == "c" and kind in ("min", "max")):
        return None
    found = ufunc.resolve_dtypes((dtype, other.dtype, None))[-1]
    wraps = kind in ("sum", "prod") and found.kind in "iu" and dtype.kind in "iu"
    return kind if found == dtype or wraps else None


def _result(ufunc: np.ufunc, old: TracedArray, new: Any, dtype: np.dtype) -> TracedArray:
    answer = one_by_one(ufunc, old) if new is None else apply(ufunc, old, new)
    return answer.astype(dtype, copy=False)


def _one_by_one(tracer: Tracer, ufunc: np.ufunc, made: Selection, new: Any) -> Any:
    """The array after a loop over the positions, in C order: a graph value."""
    count, axes = product(made.places[0].shape), made.axes
    places = [place.reshaped((count,), certain=True) for place in made.places]
    if new is not None:
        new = new.reshaped((count, *made.rest), certain=True)
    start, depth = made.view.value, tracer.depth
    counter = tracer.graph.begin_for(0, graph_dim(count), 1, "k")
    try:
        tracer.open_region()
        marker = tracer.graph.enter(start)
        k = tracer.size(counter)
        if type(k) is SymbolicSize:
            tracer.mark(counter, frozenset([DATA]))
        here = [place[k].value for place in places]
        old = fresh(tracer, tracer.op("gather", [marker, *here], axes=axes))
        done = _result(ufunc, old, None if new is None else new[k, ...], made.view.dtype)
        turn = tracer.op("scatter", [marker, done.value, *here], axes=axes, kind="set")
        (value,) = tracer.graph.end_for([(marker, turn)])
    except BaseException:
        tracer.close_regions(depth)
        tracer.graph.discard()
        raise
    tracer.close_region()
    return value
