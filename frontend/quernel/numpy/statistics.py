"""Means, variances and covariances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..primitives.elementwise import apply
from ..primitives.operands import as_array, dtype_of, lift, python_number
from ..primitives.shaping import broadcast_to
from ..primitives.sizes import check, fitted, integer, is_nonnegative, require_elements
from ..raised import EVENTS
from ..traced.array import TracedArray, fresh
from ..traced.numbers import SymbolicSize, isinstance_symbolic
from ..traced.tracer import current
from ..traced.views import same_dims
from .calling import by_source
from .half_precision import HALF
from .logic import clip
from .out_arguments import stored
from .reductions import MISSING, axes_of, bound, keeps, ufunc_reduce
from .registry import implements
from .shapes import squeeze, transpose

_NO_MEANS = ZeroDivisionError("division by zero")
_MEAN = ("a", "axis", "dtype", "out", "keepdims")
_VAR = ("a", "axis", "dtype", "out", "ddof", "keepdims")
_SUMMED_AS_FLOAT = "biu"
_EXACT_IN_FLOAT32 = 2**24
# Older releases of NumPy count everything as a Python integer.
_COUNTS_IN_PYTHON = type(np.count_nonzero(np.zeros(1))) is int


def count_of(array: TracedArray, axis: Any, mask: Any = True, keepdims: bool = False) -> Any:
    """The number of elements that a reduction takes together."""
    size = math.prod(array.shape[k] for k in axes_of(array, axis))
    if mask is True or mask is MISSING or (type(size) is int and size == 0):
        return size
    if mask is False:
        return 0
    return ufunc_reduce(np.add, broadcast_to(mask, array.shape), axis, np.int64, None, keepdims)


def _strong(count: Any) -> Any:
    """A count as NumPy's statistics have it: an int64, not a Python integer."""
    tracer = current()
    if isinstance_symbolic(count):
        return fresh(tracer, integer(tracer, count), True)
    return np.int64(count) if type(count) is int else count


def over(total: TracedArray, count: Any) -> TracedArray:
    """``total / count`` in the dtype of `total`; NumPy divides in float64."""
    if type(count) is int and count == 0:  # the compiler may divide, and sets no flag
        current().floats.heard("", EVENTS["invalid"])
    if total.dtype == np.float32 and type(count) is int and count <= _EXACT_IN_FLOAT32:
        return apply(np.divide, total, np.float32(count))  # rounded twice it is the same
    return apply(np.divide, total, _strong(count)).astype(total.dtype, copy=False)


def unless_none(answer: TracedArray, count: TracedArray) -> TracedArray:
    """The answer; NaN where the count is zero, which sets the flag of invalid values there."""
    one = apply(np.divide, count, count)  # a choice would let the compiler pass over 0 / 0
    return apply(np.multiply, answer, one.astype(answer.dtype, copy=False))


@implements(np.mean)
def mean(*args: Any, **kwargs: Any) -> Any:
    """`np.mean`: the sum, in float64 for integers, over the count."""
    return _mean(**bound(_MEAN, args, kwargs))


def _mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    where: Any = True,
) -> Any:
    array = as_array(current(), a)
    keep = keeps(keepdims)
    dtype = _summed_in(array, dtype, out)
    is_half = dtype is None and array.dtype == HALF
    total = ufunc_reduce(
        np.add, array, axis, np.float32 if is_half else dtype, None, keep, where=where
    )
    answer = over(total, count_of(array, axis, where, keep))
    return stored(answer.astype(HALF) if is_half and out is None else answer, out)


def _summed_in(array: TracedArray, dtype: Any, out: Any) -> Any:
    if dtype is None and array.dtype.kind in _SUMMED_AS_FLOAT:
        return np.float64
    return out.dtype if dtype is None and out is not None else dtype


@implements(np.var)
def var(*args: Any, **kwargs: Any) -> Any:
    """`np.var` in NumPy's two passes."""
    return _var(**bound(_VAR, args, kwargs))


def _var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    mean: Any = MISSING,
    correction: Any = MISSING,
    last: Any = None,
    skips_nan: bool = False,
) -> Any:
    """The variance; the last sum, as NumPy has it, in the dtype of the array that it goes to.

    Of no more elements than `ddof` it is infinite or NaN; where NaN is skipped, it is NaN.
    """
    array = as_array(current(), a)
    keep = keeps(keepdims)
    if correction is not MISSING:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if dtype is None and array.dtype.kind in _SUMMED_AS_FLOAT:
        dtype = np.float64
    if mean is MISSING or mean is None:
        total = ufunc_reduce(np.add, array, axis, dtype, None, True, where=where)
        mean = over(total, count_of(array, axis, where, True))
    deviation = apply(np.subtract, array, mean)
    last = out if out is not None else last
    kind = last.dtype if dtype is None and last is not None else dtype
    total = ufunc_reduce(np.add, _magnitude(deviation), axis, kind, None, keep, where=where)
    freedom = _freedom(count_of(array, axis, where, keep), ddof)
    answer = over(total, freedom)
    if skips_nan and type(freedom) is TracedArray:
        answer = unless_none(answer, freedom)
    return stored(answer, out)


def _magnitude(deviation: TracedArray) -> TracedArray:
    if deviation.dtype.kind != "c":
        return apply(np.multiply, deviation, deviation)
    real, imag = deviation.real, deviation.imag
    return apply(np.add, apply(np.multiply, real, real), apply(np.multiply, imag, imag))


def _freedom(count: Any, ddof: Any) -> Any:
    """Degrees of freedom, never negative."""
    if not isinstance_symbolic(ddof) and type(ddof) is not TracedArray:
        if type(count) in (int, float):
            return max(count - ddof, 0)
        if type(count) is SymbolicSize and ddof == 0:
            return count
        if type(count) is SymbolicSize and type(ddof) is int:
            rest = count - ddof
            if is_nonnegative(current(), rest):
                return rest
    return apply(np.maximum, apply(np.subtract, _strong(count), ddof), 0)


@implements(np.std)
def std(*args: Any, **kwargs: Any) -> Any:
    """`np.std`: the root of the variance."""
    given = bound(_VAR, args, kwargs)
    out = given.pop("out", None)
    return stored(apply(np.sqrt, _var(**given, last=out)), out)


def _present(array: TracedArray) -> TracedArray:
    return apply(np.logical_not, apply(np.isnan, array))


def _define_nan(function: Any, base: Any, **others: Any) -> None:
    """A statistic of the elements that aren't NaN."""

    def implementation(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = as_array(current(), a)
        if array.dtype.kind not in "fc":
            return base(array, *args, **kwargs)
        return base(array, *args, **kwargs, where=_present(array), **others)

    implements(function)(implementation)


_define_nan(np.nanmean, mean)
_define_nan(np.nanvar, var, skips_nan=True)
_define_nan(np.nanstd, std, skips_nan=True)


@implements(np.average)
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    """`np.average`."""
    array = lift(a)
    keep = keepdims is not MISSING and bool(keepdims)
    if weights is None:
        answer = mean(array, axis=axis, keepdims=keep)
        require_elements(array.tracer, list(answer.shape), _NO_MEANS)
        scale: Any = fresh(array.tracer, array.tracer.constant(answer.dtype.type(1)))
        scale = apply(np.multiply, scale, count_of(array, axis))
    else:
        weights = _weights(array, axis, lift(weights))
        kinds = [array.dtype, weights.dtype, *(["f8"] if array.dtype.kind in "biu" else [])]
        kind = np.result_type(*kinds)
        scale = ufunc_reduce(np.add, weights, axis, kind, keepdims=keep)
        _refuse_zero(scale)
        products = apply(np.multiply, array.astype(kind, copy=False), weights)
        answer = apply(np.divide, ufunc_reduce(np.add, products, axis, keepdims=keep), scale)
    if not returned:
        return answer
    if answer.ndim:
        scale = broadcast_to(scale, answer.shape).copy()
    return answer, scale.astype(answer.dtype, copy=False)


def _weights(array: TracedArray, axis: Any, weights: TracedArray) -> TracedArray:
    """The weights along the axes that are averaged over."""
    differ = TypeError("Axis must be specified when shapes of a and weights differ.")
    if axis is None:
        return fitted(weights, array.shape, differ)
    axes = normalize_axis_tuple(axis, array.ndim)
    message = "Shape of weights must be consistent with shape of a along specified axis."
    is_whole = len(axes) != array.ndim or same_dims(weights.shape, array.shape)
    if weights.ndim == array.ndim and is_whole:
        return fitted(weights, array.shape, ValueError(message))
    weights = fitted(weights, tuple(array.shape[k] for k in axes), ValueError(message))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    shape = tuple(size if k in axes else 1 for k, size in enumerate(array.shape))
    return transpose(weights, order).reshaped(shape, certain=True)


def _refuse_zero(scale: TracedArray) -> None:
    tracer = scale.tracer
    nonzero = ufunc_reduce(np.logical_and, apply(np.not_equal, scale, 0.0), None)
    if hasattr(tracer.graph, "check"):
        message = "Weights sum to zero, can't be normalized"
        check(tracer, nonzero.value, "ZeroDivisionError", message)


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """`np.cov`."""
    tracer = current()
    if fweights is not None or aweights is not None:
        return by_source(np.cov, m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    parts = [lift(part) for part in (m, y) if part is not None]
    if any(part.ndim > 2 for part in parts):
        raise ValueError("m has more than 2 dimensions")
    kind = np.result_type(*(part.dtype for part in parts), np.float64)
    kind = kind if dtype is None else dtype_of(tracer, dtype)
    rows = [_observations(part, kind, rowvar) for part in parts]
    from .joining import concatenate
    from .products import matmul

    x = rows[0] if len(rows) == 1 else concatenate(rows, 0)
    ddof = ddof if ddof is not None else int(not bias)
    count = _freedom(x.shape[1], ddof)
    x = apply(np.subtract, x, mean(x, axis=1, keepdims=True))
    products = matmul(x, apply(np.conjugate, x.T) if kind.kind == "c" else x.T)
    scaled = apply(np.multiply, products, apply(np.true_divide, 1, _strong(count)))
    return squeeze(scaled.astype(kind, copy=False))  # NumPy multiplies in place


def _observations(part: TracedArray, kind: np.dtype, rowvar: bool) -> TracedArray:
    part = part.astype(kind, copy=False)
    if part.ndim < 2:
        return part.reshaped((1, part.size), certain=True)
    return part if rowvar else part.T


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """`np.corrcoef`."""
    from .diagonals import diagonal

    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return apply(np.divide, c, c)
    deviation = apply(np.sqrt, diagonal(c).real)
    c = apply(np.divide, apply(np.divide, c, deviation[:, None]), deviation[None, :])
    if c.dtype.kind != "c":
        return clip(c, -1, 1)
    parts = [lift(clip(part, -1, 1)).value for part in (c.real, c.imag)]
    return fresh(c.tracer, c.tracer.op("complex", parts))


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """`np.count_nonzero`."""
    array = lift(a)
    mask = array if array.dtype == bool else apply(np.not_equal, array, 0)
    answer = ufunc_reduce(np.add, mask, axis, keepdims=keepdims)
    whole = axis is None and not keepdims
    return python_number(answer, int) if whole and _COUNTS_IN_PYTHON else answer
