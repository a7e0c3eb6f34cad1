"""Reductions over axes, each as NumPy computes it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..capture.array import TracedArray, fresh
from ..capture.numbers import known_if_maybe_empty, least_size
from ..capture.tracer import Tracer, current
from ..capture.views import graph_dims
from .logic import stored, where
from .operands import as_array, dtype_of
from .registry import implements
from .ufuncs import apply

_MISSING = getattr(np, "_NoValue", None)
_KINDS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
_IDENTITY = {"sum": 0, "prod": 1, "all": True, "any": False}


def axes_of(array: TracedArray, axis: Any) -> list[int]:
    """The axes that an ``axis=`` argument names; NumPy's AxisError where there is none such."""
    if axis is None or (array.ndim == 0 and axis in (0, -1)):
        return list(range(array.ndim))
    return sorted(normalize_axis_tuple(axis, array.ndim))


def reduce_value(
    array: TracedArray, kind: str, axis: Any, keepdims: Any = False, scalar: bool = True
) -> TracedArray:
    """A reduction whose result has the operand's dtype."""
    tracer = array.tracer
    axes = axes_of(array, axis)
    for k in axes:
        known_if_maybe_empty(array.shape[k])
    if kind in ("min", "max") and math.prod(least_size(array.shape[k]) for k in axes) == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    value = array.value
    if axes:
        value = tracer.op("reduce", [value], kind=kind, axes=axes)
    if keepdims:
        shape = [1 if k in axes else size for k, size in enumerate(array.shape)]
        value = tracer.op("reshape", [value], shape=graph_dims(shape))
    return fresh(tracer, value, scalar and not value.shape)


def ufunc_reduce(
    ufunc: np.ufunc,
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = _MISSING,
    where: Any = True,
) -> Any:
    """``ufunc.reduce``."""
    tracer = current()
    kind = _KINDS.get(ufunc.__name__)
    if kind is None:
        tracer.fail(f"np.{ufunc.__name__}.reduce is not supported yet", "use sum, prod, min or max")
    array = as_array(tracer, a)
    if kind in ("all", "any"):
        array = array if array.dtype == bool else apply(np.not_equal, array, 0)
    elif dtype is not None:
        array = array.astype(dtype_of(tracer, dtype), copy=False)
    elif kind in ("sum", "prod") and array.dtype.name in ("bool", "int32"):
        array = array.astype(np.int64)
    array = _masked(tracer, array, kind, where)
    answer: Any = reduce_value(array, kind, axis, keepdims)
    if initial is not None and initial is not _MISSING:
        answer = apply(ufunc, answer, initial)
    return stored(answer, out[0] if type(out) is tuple else out)


def _masked(tracer: Tracer, array: TracedArray, kind: str, mask: Any) -> TracedArray:
    if mask is True or mask is _MISSING:
        return array
    if kind not in _IDENTITY:
        tracer.fail(f"where= of a {kind} reduction", "use np.where before the reduction")
    return where(mask, array, array.dtype.type(_IDENTITY[kind]))


def _define(function: Any, ufunc: np.ufunc) -> Any:
    def implementation(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = _MISSING,
        where: Any = True,
    ) -> Any:
        keepdims = keepdims is not _MISSING and keepdims
        return ufunc_reduce(ufunc, a, axis, dtype, out, keepdims, initial, where)

    implementation.__name__ = function.__name__
    return implements(function)(implementation)


def _define_untyped(function: Any, ufunc: np.ufunc, *aliases: Any) -> Any:
    def implementation(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = _MISSING,
        where: Any = True,
    ) -> Any:
        keepdims = keepdims is not _MISSING and keepdims
        return ufunc_reduce(ufunc, a, axis, None, out, keepdims, initial, where)

    implementation.__name__ = function.__name__
    return implements(function, *aliases)(implementation)


sum_ = _define(np.sum, np.add)
prod = _define(np.prod, np.multiply)
max_ = _define_untyped(np.max, np.maximum, np.amax)
min_ = _define_untyped(np.min, np.minimum, np.amin)


@implements(np.any)
def any_(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`np.any`."""
    return ufunc_reduce(np.logical_or, a, axis, None, out, keepdims is True, where=where)


@implements(np.all)
def all_(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`np.all`."""
    return ufunc_reduce(np.logical_and, a, axis, None, out, keepdims is True, where=where)


def count_of(array: TracedArray, axis: Any) -> Any:
    """The number of elements that a reduction takes together."""
    return math.prod(array.shape[k] for k in axes_of(array, axis))


@implements(np.mean)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """`np.mean`: the sum, in float64 for integers, over the count."""
    array = as_array(current(), a)
    if where is not True and where is not _MISSING:
        current().fail("where= of np.mean", "use np.sum(..., where=mask) / np.sum(mask)")
    if dtype is None and array.dtype.kind in "bi":
        dtype = np.float64
    total = ufunc_reduce(np.add, array, axis, dtype, None, keepdims is True)
    return stored(_over(total, count_of(array, axis)), out)


def _over(total: TracedArray, count: Any) -> TracedArray:
    """``total / count`` in the dtype of `total`; a Python count keeps it."""
    return apply(np.divide, total, count)


@implements(np.var)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = _MISSING,
    correction: Any = _MISSING,
) -> Any:
    """`np.var` in NumPy's two passes."""
    array = as_array(current(), a)
    if where is not True and where is not _MISSING:
        current().fail("where= of np.var", "use np.where and sums")
    if dtype is None and array.dtype.kind in "bi":
        dtype = np.float64
    if correction is not _MISSING:
        ddof = correction
    if mean is _MISSING or mean is None:
        total = ufunc_reduce(np.add, array, axis, dtype, None, True)
        mean = _over(total, count_of(array, axis))
    deviation = apply(np.subtract, array, mean)
    square = apply(np.multiply, deviation, deviation)
    answer = ufunc_reduce(np.add, square, axis, dtype, None, keepdims is True)
    count = count_of(array, axis) - ddof
    if type(count) in (int, float):
        count = max(count, 0)
    return stored(_over(answer, count), out)


@implements(np.std)
def std(a: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
    """`np.std`: the root of the variance."""
    if len(args) > 2:  # axis, dtype, out, ddof, keepdims
        out, args = args[2], (*args[:2], None, *args[3:])
    return stored(apply(np.sqrt, var(a, *args, **kwargs)), out)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """`np.ptp`: greatest minus least."""
    greatest = max_(a, axis=axis, keepdims=keepdims)
    return stored(apply(np.subtract, greatest, min_(a, axis=axis, keepdims=keepdims)), out)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.count_nonzero`."""
    answer = sum_(apply(np.not_equal, as_array(current(), a), 0), axis=axis, keepdims=keepdims)
    if axis is None and not keepdims:
        current().fail("np.count_nonzero gives a Python int", "use np.sum(x != 0)")
    return answer


def _define_position(function: Any) -> None:
    kind = function.__name__

    def implementation(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        array = as_array(current(), a)
        keep = keepdims is not _MISSING and keepdims
        flat = axis is None or (array.ndim == 0 and axis in (0, -1))
        shape = [1] * array.ndim
        if flat:
            array = array.reshaped((array.size,), certain=True)
        axis = 0 if flat else normalize_axis_index(axis, array.ndim)
        if least_size(array.shape[axis]) == 0:
            raise ValueError(f"attempt to get {kind} of an empty sequence")
        value = array.tracer.op("argreduce", [array.value], kind=kind, axis=axis)
        if keep:
            if not flat:
                shape = [1 if k == axis else n for k, n in enumerate(array.shape)]
            value = array.tracer.op("reshape", [value], shape=graph_dims(shape))
        return stored(fresh(array.tracer, value, not value.shape), out)

    implements(function)(implementation)


_define_position(np.argmin)
_define_position(np.argmax)


def _define_nan(function: Any, base: Any, fill: Any) -> None:
    """A reduction that takes NaN for its identity."""

    def implementation(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = as_array(current(), a)
        if array.dtype.kind != "f":
            return base(array, *args, **kwargs)
        return base(where(apply(np.isnan, array), array.dtype.type(fill), array), *args, **kwargs)

    implements(function)(implementation)


_define_nan(np.nansum, sum_, 0)
_define_nan(np.nanprod, prod, 1)


@implements(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    """`np.average`."""
    array = as_array(current(), a)
    if returned:
        current().fail("np.average(returned=True)", "compute the sum of the weights itself")
    if weights is None:
        return mean(array, axis=axis, keepdims=keepdims is True)
    weights = as_array(current(), weights)
    if weights.ndim != array.ndim:
        current().fail("np.average with weights of another shape", "broadcast the weights")
    scale = sum_(weights, axis=axis, keepdims=keepdims is True)
    total = sum_(apply(np.multiply, array, weights), axis=axis, keepdims=keepdims is True)
    return apply(np.divide, total, scale)
