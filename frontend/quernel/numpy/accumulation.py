"""Running reductions, and differences that undo them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply, where
from ..primitives.operands import as_array, dtype_of, lift
from ..primitives.shaping import broadcast_to
from ..primitives.sizes import clipped
from ..traced.array import TracedArray, fresh
from ..traced.tracer import current
from ..traced.turned import scanned
from ..traced.views import SliceView
from .combiners import combiner_of
from .creation import full
from .one_by_one import accumulate_in_order
from .out_arguments import stored
from .reductions import MISSING, bound, sum_
from .registry import implements
from .ufunc_loops import combining_types

_NAMES = ("a", "axis", "dtype", "out")


def ufunc_accumulate(
    ufunc: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.accumulate``."""
    tracer = current()
    array = as_array(tracer, a)
    out = out[0] if type(out) is tuple else out
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar")
    dtype = out.dtype if dtype is None and out is not None else dtype
    types = combining_types(tracer, ufunc, array.dtype, dtype)
    kind = combiner_of(ufunc, types[0])
    if kind is None or types[0] != types[-1]:
        return stored(lift(accumulate_in_order(tracer, ufunc, array, axis, dtype)), out)
    array = array.astype(dtype_of(tracer, types[0]), copy=False)
    axis = normalize_axis_index(axis, array.ndim)
    value = scanned(tracer, array.value, kind, axis)
    return stored(fresh(tracer, value, layout=array.order), out)


def _define(function: Any, ufunc: np.ufunc) -> Any:
    def implementation(*args: Any, **kwargs: Any) -> Any:
        given = bound(_NAMES, args, kwargs)
        array = lift(given.pop("a"))
        axis = given.pop("axis", None)
        if axis is None:
            array, axis = array.reshaped((array.size,)), 0
        elif not array.ndim:
            array = array.reshaped((1,), certain=True)
        return ufunc_accumulate(ufunc, array, axis, **given)

    implementation.__name__ = function.__name__
    return implements(function)(implementation)


cumsum = _define(np.cumsum, np.add)
cumprod = _define(np.cumprod, np.multiply)


def _define_nan(function: Any, base: Any, neutral: int) -> None:
    def implementation(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = lift(a)
        if array.dtype.kind in "fc":
            array = where(apply(np.isnan, array), array.dtype.type(neutral), array)
        return base(array, *args, **kwargs)

    implements(function)(implementation)


_define_nan(np.nancumsum, cumsum, 0)
_define_nan(np.nancumprod, cumprod, 1)


def _define_cumulative(function: Any, base: Any, neutral: int) -> None:
    def implementation(
        x: Any,
        /,
        *,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> Any:
        from .joining import concatenate

        array = lift(x)
        if axis is None:
            if array.ndim >= 2:
                raise ValueError("For arrays which have more than one dimension ``axis`` is needed")
            axis = 0
        answer = base(array, axis, dtype)
        if include_initial:
            axis = normalize_axis_index(axis, array.ndim)
            shape = tuple(1 if k == axis else size for k, size in enumerate(array.shape))
            answer = concatenate([full(shape, neutral, answer.dtype), answer], axis)
        return stored(answer, out)

    implements(function)(implementation)


_define_cumulative(np.cumulative_sum, cumsum, 0)
_define_cumulative(np.cumulative_prod, cumprod, 1)


@implements(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = MISSING, append: Any = MISSING) -> Any:
    """`np.diff`."""
    from .joining import concatenate

    a = lift(a)
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if not a.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    edges = [_edge(a, edge, axis) for edge in (prepend, append)]
    parts = [part for part in (edges[0], a, edges[1]) if part is not None]
    a = a if len(parts) == 1 else concatenate(parts, axis)
    for _ in range(n):
        sooner, later = neighbours(a, axis)
        a = apply(np.not_equal if a.dtype == bool else np.subtract, later, sooner)
    return a


def neighbours(a: TracedArray, axis: int) -> tuple[TracedArray, TracedArray]:
    """All elements along an axis but the last, and all but the first; nothing of nothing."""
    size = a.shape[axis]
    count = clipped(a.tracer, size - 1, size)
    sizes = [count if k == axis else n for k, n in enumerate(a.shape)]
    start = [size - count if k == axis else 0 for k in range(a.ndim)]
    strides = [1] * a.ndim
    views = SliceView([0] * a.ndim, sizes, strides), SliceView(start, sizes, strides)
    return a.view(views[0]), a.view(views[1])


def _edge(a: TracedArray, edge: Any, axis: int) -> TracedArray | None:
    if edge is MISSING:
        return None
    edge = lift(edge)
    if edge.ndim:
        return edge
    return broadcast_to(edge, tuple(1 if k == axis else n for k, n in enumerate(a.shape)))


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """`np.ediff1d`."""
    from .joining import concatenate

    a = lift(ary)
    sooner, later = neighbours(a.reshaped((a.size,)), 0)
    parts = [apply(np.subtract, later, sooner)]
    if to_begin is not None:
        parts.insert(0, _around(a, to_begin, "to_begin"))
    if to_end is not None:
        parts.append(_around(a, to_end, "to_end"))
    return parts[0] if len(parts) == 1 else concatenate(parts, 0)


def _around(a: TracedArray, numbers: Any, name: str) -> TracedArray:
    """What `np.ediff1d` puts before or behind the differences of an array."""
    numbers = lift(numbers)
    if not np.can_cast(numbers.dtype, a.dtype, "same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return numbers.astype(a.dtype, copy=False).ravel()


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """`np.trapezoid`."""
    y = lift(y)
    axis = normalize_axis_index(axis, y.ndim)
    if x is None:
        distance: Any = dx
    else:
        x = lift(x)
        distance = diff(x, axis=axis if x.ndim == y.ndim else 0)
        if x.ndim == 1:
            distance = distance.reshaped((*distance.shape, *(1,) * (y.ndim - axis - 1)), True)
    sooner, later = neighbours(y, axis)
    pieces = apply(np.multiply, distance, apply(np.add, later, sooner))
    return sum_(apply(np.divide, pieces, 2.0), axis)
