"""Selection and comparison: where, clip, isclose and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.operands import (
    as_array,
    lift,
    python_number,
)
from ..primitives.sizes import size_of
from ..raised import IN_NUMPY
from ..signals import let_out
from ..traced.array import TracedArray, fresh
from ..traced.bounds import ask, integer
from ..traced.broadcasting import are_same
from ..traced.dispatch import dispatch
from ..traced.numbers import SymbolicNumber
from ..traced.scalars import bool_of
from ..traced.tracer import Tracer, current
from ..traced.views import SliceView
from .calling import by_source
from .out_arguments import store
from .reductions import all_
from .registry import implements

_MISSING = np._NoValue


@implements(np.where)
def where_or_nonzero(condition: Any, x: Any = _MISSING, y: Any = _MISSING, /) -> Any:
    """`np.where`; with one argument `np.nonzero`."""
    if x is _MISSING and y is _MISSING:
        from .selection import nonzero  # which is seldom meant

        return nonzero(condition)
    if x is _MISSING or y is _MISSING:
        raise ValueError("either both or neither of x and y should be given")
    return where(condition, x, y)


_NONE = object()  # no bound given; a bound of None is one
_OF_UFUNCS = {"where", "casting", "order", "subok", "dtype", "signature"}


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = _NONE,
    a_max: Any = _NONE,
    out: Any = None,
    *,
    min: Any = _NONE,
    max: Any = _NONE,
    **kwargs: Any,
) -> Any:
    """`np.clip`: the upper bound wins over the lower one."""
    low, high = _bounds_given([a_min, a_max], [min, max])
    for name in kwargs:
        if name not in _OF_UFUNCS:
            raise TypeError(f"clip() got an unexpected keyword argument '{name}'")
    a = as_array(current(), a)
    if a.dtype.kind in "iu":
        low, high = _reachable(a.dtype, low, high)
    ufunc, *parts = _bounded(a, low, high)
    return dispatch.ufunc(ufunc, "__call__", tuple(parts), {"out": out, **kwargs})


def _bounds_given(old: list[Any], new: list[Any]) -> list[Any]:
    """The bounds of a call, which gives both by their old names or any by their new ones."""
    has_old = [bound is not _NONE for bound in old]
    if any(has_old) and not all(has_old):
        raise TypeError("clip() needs both bounds")
    if any(has_old) and any(bound is not _NONE for bound in new):
        raise ValueError("clip() takes its bounds by one pair of names")
    return [None if bound is _NONE else bound for bound in (old if any(has_old) else new)]


def _reachable(dtype: np.dtype, low: Any, high: Any) -> tuple[Any, Any]:
    """Bounds without those Python integers that no element of a dtype goes beyond."""
    for bound in (low, high):
        if type(bound) is SymbolicNumber and bound.kind is int and dtype != np.int64:
            bound.tracer.fail("np.clip of narrow integers to a number of the program", "cast it")
    limits = np.iinfo(dtype)
    low = None if type(low) is int and low <= limits.min else low
    return low, None if type(high) is int and high >= limits.max else high


def _bounded(a: TracedArray, low: Any, high: Any) -> tuple:
    """The ufunc that `np.clip` takes, and its operands."""
    if low is None and high is None:
        return np.positive, a
    if low is None:
        return np.minimum, a, high
    return (np.maximum, a, low) if high is None else (np._core.umath.clip, a, low, high)


@implements(np.isclose)
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """`np.isclose`: ``abs(a - b) <= atol + rtol * abs(b)`` for finite `b`, else equality."""
    a, b, rtol, atol = (x if _is_weak(x) else as_array(current(), x) for x in (a, b, rtol, atol))
    if _is_weak(b):
        b = b * 1.0
    elif b.dtype.kind not in "fc":
        b = b.astype(np.float64)
    for tolerance in (rtol, atol):
        _require_finite(tolerance)
    # Python's operators, by which numbers of Python's stay such: arrays decide the dtype.
    margin = atol + rtol * (abs(b) if _is_weak(b) else apply(np.absolute, b))
    near = apply(np.less_equal, apply(np.absolute, apply(np.subtract, a, b)), margin)
    near = apply(
        np.logical_or, apply(np.logical_and, near, apply(np.isfinite, b)), apply(np.equal, a, b)
    )
    if equal_nan:
        both = apply(np.logical_and, apply(np.isnan, a), apply(np.isnan, b))
        near = apply(np.logical_or, near, both)
    return near


def _is_weak(x: Any) -> bool:
    kind = type(x.hint) if type(x) is SymbolicNumber else type(x)
    return kind in (bool, int, float)


def _require_finite(tolerance: Any) -> None:
    """Leave tolerances that aren't finite to NumPy, which warns of them."""
    why = "np.isclose with a tolerance that isn't finite"
    if type(tolerance) in (bool, int, float):
        if not math.isfinite(tolerance):
            current().fail(why, "use np.equal")
    elif type(tolerance) is not SymbolicNumber or type(tolerance.hint) is float:
        finite = _all(as_array(current(), apply(np.isfinite, tolerance)))
        current().check(finite.value, IN_NUMPY, why, undoes=True)


@implements(np.allclose)
def allclose(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.allclose`."""
    return python_number(_all(isclose(a, b, *args, **kwargs)), bool)


def _all(mask: TracedArray) -> TracedArray:
    return all_(mask)


@implements(np.nan_to_num, order="K")
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """`np.nan_to_num`."""
    x = as_array(current(), x)
    if x.dtype.kind != "f":
        if x.dtype.kind == "c":
            return by_source(np.nan_to_num, x, copy, nan, posinf, neginf)
        return fresh(x.tracer, x.value, not x.ndim, x.order) if copy or not x.ndim else x
    limits = np.finfo(x.dtype)
    high = limits.max if posinf is None else x.dtype.type(posinf)
    low = limits.min if neginf is None else x.dtype.type(neginf)
    answer = where(apply(np.isnan, x), x.dtype.type(nan), x)
    answer = where(apply(np.equal, x, math.inf), high, answer)
    answer = where(apply(np.equal, x, -math.inf), low, answer)
    if not copy and not x.is_scalar:
        x[...] = answer
        if x.ndim:
            return x
    return fresh(x.tracer, answer.value, not x.ndim, answer.order)


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """`np.array_equal`."""
    a, b = lift(a1), lift(a2)
    if a.ndim != b.ndim:
        return False
    if are_same(a.shape, b.shape):
        return a.shape == b.shape and python_number(_all(_same(a, b, equal_nan)), bool)
    tracer = a.tracer
    pairs = list(zip(a.shape, b.shape, strict=True))
    ask(tracer, *a.shape, *b.shape)
    sizes = [tracer.op("equal", [integer(tracer, size) for size in pair]) for pair in pairs]
    least = tuple(_lesser(tracer, *pair) for pair in pairs)
    a, b = (x.view(SliceView([0] * x.ndim, list(least), [1] * x.ndim)) for x in (a, b))
    value = _all(_same(a, b, equal_nan)).value
    for size in sizes:
        value = tracer.op("logical_and", [value, size])
    return bool_of(tracer, value)


def _lesser(tracer: Tracer, a: Any, b: Any) -> Any:
    """The lesser of two sizes that aren't proven equal."""
    value = tracer.op("minimum", [integer(tracer, size) for size in (a, b)])
    return size_of(tracer, value, b)


def _same(a: TracedArray, b: TracedArray, equal_nan: bool) -> TracedArray:
    same = apply(np.equal, a, b)
    if not equal_nan or not {a.dtype.kind, b.dtype.kind} <= set("fc"):
        return same
    both = apply(np.logical_and, apply(np.isnan, a), apply(np.isnan, b))
    return apply(np.logical_or, same, both)


@implements(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    """`np.array_equiv`."""
    a, b = lift(a1), lift(a2)
    rank = min(a.ndim, b.ndim)
    if not are_same(a.shape[a.ndim - rank :], b.shape[b.ndim - rank :]):
        a.tracer.fail("np.array_equiv of arrays whose sizes may differ", "compare the sizes before")
    try:
        same = apply(np.equal, a, b)
    except ValueError as error:
        let_out(error)
        return False
    return python_number(_all(same), bool)


def _as_ufunc(answer: Any, out: Any) -> Any:
    """`answer`, repeated to ``out=`` where that is given."""
    if out is None:
        return answer
    return store(current(), np.logical_and, out, answer, True, "same_kind")


@implements(np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    """`np.isneginf`."""
    return _as_ufunc(apply(np.equal, _ordered(x), -math.inf), out)


@implements(np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    """`np.isposinf`."""
    return _as_ufunc(apply(np.equal, _ordered(x), math.inf), out)


def _ordered(x: Any) -> Any:
    x = lift(x)
    if x.dtype.kind == "c":
        raise TypeError(
            f"This operation is not supported for {x.dtype} values because it would be ambiguous."
        )
    return x


@implements(np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """`np.real_if_close` of real numbers."""
    a = lift(a)
    if a.dtype.kind == "c":
        a.tracer.fail("np.real_if_close: the result's dtype depends on the data", "use x.real")
    return a


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """`np.iscomplexobj`."""
    return lift(x).dtype.kind == "c"


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """`np.isrealobj`."""
    return lift(x).dtype.kind != "c"
