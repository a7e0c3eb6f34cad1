"""Sorting, and what follows from sorted elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..capture.array import TracedArray, fresh
from ..capture.memory import reduced_layout
from ..capture.numbers import isinstance_symbolic
from ..capture.tracer import current
from .creation import empty, laid_as
from .logic import stored, where
from .merging import sort_rows, sort_rows_with_places
from .operands import lift
from .reductions import MISSING, sum_, with_units
from .registry import implements, is_traced
from .selection import gathered, take_along_axis
from .sequences import iota
from .shapes import moveaxis, product, ravel
from .sizes import clipped, fitted, require_all
from .statistics import mean
from .ufuncs import apply

_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def sorted_lines(a: TracedArray, axis: int, with_places: bool) -> tuple[TracedArray, Any]:
    """The elements in order along the last axis, and their places before; `axis` was theirs."""
    tracer = a.tracer
    if a.dtype.kind == "c":
        tracer.fail("sorting complex numbers", "sort outside of the compiled function")
    lines = moveaxis(a, axis, -1)
    shape = lines.shape
    count = shape[-1]
    keys = fresh(tracer, lines.value).reshaped((product(shape[:-1]), count), certain=True)
    keys = fresh(tracer, keys.value)
    spare = empty((count,), a.dtype)
    run = tracer.rebuilder.function
    if not with_places:
        run(sort_rows, None)(keys, spare)
        return keys.reshaped(shape, certain=True), None
    places = iota(tracer, keys.shape, 1, "int64")
    run(sort_rows_with_places, None)(keys, places, spare, empty((count,), np.int64))
    return keys.reshaped(shape, certain=True), places.reshaped(shape, certain=True)


def _line(a: Any, axis: Any) -> tuple[TracedArray, int]:
    a = lift(a)
    if axis is None:
        return ravel(a), 0
    return a, normalize_axis_index(operator.index(axis), a.ndim)


def _check(kind: Any, order: Any) -> None:
    if order is not None or kind not in _KINDS:
        current().fail("sorting with kind= or order= of this", "use np.sort(x)")


@implements(np.sort)
def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> TracedArray:
    """`np.sort`."""
    _check(kind, order)
    a, axis = _line(a, axis)
    values = moveaxis(sorted_lines(a, axis, False)[0], -1, axis)
    return laid_as(fresh(a.tracer, values.value), a, "K")


@implements(np.argsort)
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> TracedArray:
    """`np.argsort`; elements that are equal stay in order."""
    _check(kind, order)
    a, axis = _line(a, axis)
    places = moveaxis(sorted_lines(a, axis, True)[1], -1, axis)
    return fresh(a.tracer, places.value)


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> TracedArray:
    """`np.lexsort`: by the last key, and by those before it where that is equal."""
    parts = [lift(key) for key in keys]
    if not parts:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(part.ndim != parts[0].ndim for part in parts):
        raise ValueError("all keys need to be the same shape")
    mismatch = ValueError("all keys need to be the same shape")
    parts = [parts[0], *(fitted(part, parts[0].shape, mismatch) for part in parts[1:])]
    order = argsort(parts[0], axis)
    for part in parts[1:]:
        order = take_along_axis(order, argsort(take_along_axis(part, order, axis), axis), axis)
    return order


@implements(np.median)
def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    """`np.median` along one axis, or of all elements."""
    a, lines, shape = _lines(a, axis, keepdims)
    count = lines.shape[-1]
    first = clipped(a.tracer, (count - 1) // 2, count)
    last = sum_(lines[..., -1:], axis=-1)  # of no element where there is none
    answer = _unless_nan(mean(lines[..., first : count // 2 + 1], axis=-1), last)
    if axis is not None and answer.ndim > 1:
        gone = [normalize_axis_index(axis, a.ndim)]
        layout = reduced_layout(answer.shape, a.lying, gone)
        answer = fresh(a.tracer, answer.value, layout=layout)
    return stored(_shaped(answer, shape, axis), out)


def _lines(a: Any, axis: Any, keepdims: Any) -> tuple[TracedArray, TracedArray, Any]:
    """The array, its sorted lines, and the shape of a result that keeps the axes."""
    a = lift(a)
    if type(axis) in (tuple, list):
        a.tracer.fail("np.median or np.quantile over several axes", "reshape first")
    kept = None
    if keepdims is not MISSING and keepdims:
        own = None if axis is None else normalize_axis_index(axis, a.ndim)
        kept = tuple(1 if own in (None, k) else size for k, size in enumerate(a.shape))
    line, axis = _line(a, axis)
    return a, sorted_lines(line, axis, False)[0], kept


@implements(np.nanmedian)
def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    """`np.nanmedian` along one axis, or of all elements."""
    a, lines, shape = _lines(a, axis, keepdims)
    if lines.dtype.kind != "f":
        return median(a, axis, out, overwrite_input, keepdims)
    present = apply(np.logical_not, apply(np.isnan, lines))
    count = sum_(present, axis=-1, keepdims=True)
    first = apply(np.maximum, apply(np.floor_divide, apply(np.subtract, count, 1), 2), 0)
    second = apply(np.minimum, apply(np.floor_divide, count, 2), lines.shape[-1] - 1)
    low, high = (take_along_axis(lines, lift(k), -1) for k in (first, second))
    middle = apply(np.divide, apply(np.add, low, high), 2)
    answer = where(apply(np.equal, apply(np.remainder, count, 2), 1), low, middle)[..., 0]
    return stored(_shaped(fresh(a.tracer, answer.value, not answer.ndim), shape, axis), out)


def _unless_nan(answer: Any, last: TracedArray) -> Any:
    """NaN where the last of the sorted elements is NaN."""
    if last.dtype.kind != "f":
        return answer
    made = where(apply(np.isnan, last), last, answer)
    return fresh(made.tracer, made.value, not made.ndim)


def _shaped(answer: Any, shape: Any, axis: Any) -> Any:
    if shape is None:
        return answer
    axes = range(len(shape)) if axis is None else [normalize_axis_index(axis, len(shape))]
    return with_units(lift(answer), list(shape), list(axes))


def _define_quantile(function: Any, scale: float) -> None:
    def implementation(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        tracer = current()
        if method != "linear" or weights is not None:
            tracer.fail(f"np.{function.__name__} with method= or weights=", "interpolate yourself")
        weak = type(q) in (int, float) or isinstance_symbolic(q)
        points = _points(q, scale)
        a, lines, shape = _lines(a, axis, keepdims)
        parts = [_quantile(lines, points, weak)] if not points.ndim else _each(lines, points)
        shaped = [_shaped(part, shape, axis) for part in parts]
        if not points.ndim:
            return stored(shaped[0], out)
        from .joining import stack

        return stored(stack(shaped), out)

    implements(function)(implementation)


def _points(q: Any, scale: float) -> TracedArray:
    """The quantiles as parts of one, all of them between 0 and 1."""
    points = lift(q)
    if points.dtype.kind != "f":
        points = points.astype(np.float64)
    if scale != 1:
        points = apply(np.true_divide, points, scale)
    what = "Quantiles" if scale == 1 else "Percentiles"
    message = f"{what} must be in the range [0, {int(scale)}]"
    if not is_traced(q):
        inside = np.all((np.asarray(q) >= 0) & (np.asarray(q) <= scale))
        if not inside:
            raise ValueError(message)
        return points
    low, high = apply(np.greater_equal, points, 0), apply(np.less_equal, points, 1)
    require_all(points.tracer, apply(np.logical_and, low, high), "ValueError", message)
    return points


def _each(lines: TracedArray, points: TracedArray) -> list:
    if points.ndim != 1:
        points.tracer.fail("quantiles in an array of several axes", "ravel them")
    return [_quantile(lines, points[k], False) for k in range(operator.index(points.shape[0]))]


def _quantile(lines: TracedArray, point: TracedArray, weak: bool) -> Any:
    """NumPy's linear interpolation between the neighbours of a place in the sorted lines."""
    count = lines.shape[-1]
    place = apply(np.multiply, point, count - 1)
    before = apply(np.floor, place)
    share = apply(np.subtract, place, before)
    first = apply(np.maximum, before, 0).astype(np.int64)
    second = apply(np.minimum, apply(np.add, first, 1), count - 1)
    axis = lines.ndim - 1
    low, high = (gathered(lines, [lift(k)], [axis]) for k in (first, second))
    near = apply(np.greater_equal, share, 0.5)
    rest = apply(np.subtract, 1, share)
    if weak and lines.dtype.kind == "f":  # a Python number, which leaves the dtype alone
        share, rest = share.astype(lines.dtype), rest.astype(lines.dtype)
    distance = apply(np.subtract, high, low)
    up = apply(np.add, low, apply(np.multiply, distance, share))
    down = apply(np.multiply, distance, rest)
    answer = where(near, apply(np.subtract, high, down), up)
    return _unless_nan(fresh(lines.tracer, answer.value, not answer.ndim), lines[..., -1])


_define_quantile(np.quantile, 1)
_define_quantile(np.percentile, 100)
