"""Numbers in a row: ranges, and evenly spaced points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply, where
from ..primitives.gathering import iota
from ..primitives.operands import default_float, dtype_of, lift, operand, strong_type
from ..primitives.sizes import clipped, is_nonnegative, require, size_of
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, is_traced
from ..traced.iterables import as_size
from ..traced.numbers import SymbolicNumber, SymbolicSize, isinstance_symbolic
from ..traced.tracer import Tracer, current
from .reductions import any_, bound
from .registry import implements
from .shapes import moveaxis

_TOO_LARGE = "np.arange with a step that is too large beside the range"


@implements(np.arange, creation=True)
def arange(*args: Any, device: Any = None, like: Any = None, **named: Any) -> TracedArray:
    """`np.arange`: ``start + i * delta`` with NumPy's `delta`; one place is that of `stop`."""
    given = bound(("start", "stop", "step", "dtype"), args, named)
    if not args and "stop" not in named:
        raise TypeError("arange() requires stop to be specified.")
    return _arange(**given)


def _arange(start: Any = 0, stop: Any = None, step: Any = 1, dtype: Any = None) -> TracedArray:
    tracer = current()
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if dtype is not None and dtype_of(tracer, dtype).kind == "b":
        tracer.fail("np.arange of bools", "use np.array([False, True])")
    kind = _arange_type(tracer, start, stop, step) if dtype is None else dtype_of(tracer, dtype)
    start, stop, step = (settled(x) for x in (start, stop, step))
    index = iota(tracer, (steps_between(start, stop, step),), 0, kind.name)
    if type(start) is int and start == 0 and type(step) is int and step == 1:
        return index
    if is_traced((start, step)):
        first = lift(start).astype(kind, copy=False)
        following = apply(np.add, start, step)
        delta: Any = apply(np.subtract, lift(following).astype(kind, copy=False), first)
    else:
        first = kind.type(start)
        delta = kind.type(start + step) - first
    return apply(np.add, apply(np.multiply, index, delta), first)


def steps_between(start: Any, stop: Any, step: Any) -> Any:
    """The number of elements of a range."""
    tracer = current()
    whole = all(type(x) in (int, SymbolicSize) for x in (start, stop)) and type(step) is int
    if whole:
        if step == 0:
            raise ZeroDivisionError("division by zero")
        distance = stop - start if step > 0 else start - stop
        if type(distance) is int and distance <= 0:
            return 0
        distance = clipped(tracer, distance)
        return distance if abs(step) == 1 else (distance + (abs(step) - 1)) // abs(step)
    if not is_traced((start, stop, step)):
        ratio = (stop - start) / step
        if ratio == 0 and start != stop:
            tracer.fail(_TOO_LARGE, "use np.array([start])")
        return max(math.ceil(ratio), 0)
    distance = apply(np.subtract, stop, start)
    ratio = apply(np.true_divide, distance, step)
    turns = apply(np.maximum, apply(np.ceil, ratio), 0).astype(np.int64)
    # NumPy begins with an infinite step, or one beside which the distance is nothing.
    usual = apply(np.logical_or, apply(np.not_equal, ratio, 0), apply(np.equal, distance, 0))
    tracer.check(usual.value, IN_NUMPY, _TOO_LARGE, undoes=True)
    return size_of(tracer, turns.value)


def _arange_type(tracer: Tracer, *numbers: Any) -> np.dtype:
    items = [operand(tracer, x) for x in numbers]
    if all(isinstance(item.type, type) for item in items):
        return default_float(tracer) if any(x.type is float for x in items) else np.dtype(np.int64)
    return np.result_type(*(strong_type(tracer, item) for item in items))


def settled(number: Any) -> Any:
    """A number as the program can know it best: itself, a size, or an element at run time."""
    if type(number) is SymbolicNumber and number.kind is int:
        return as_size(number.tracer, number)
    if type(number) is SymbolicNumber and not number.dynamic:
        return number.known()
    if type(number) is TracedArray:
        known = number.known()
        if known is not None:
            return known.item()
        return as_size(number.tracer, number) if number.dtype.kind in "iu" else number
    return number


@implements(np.linspace, creation=True)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`np.linspace`: ``arange(0, num) * step + start`` with the end point set."""
    tracer = current()
    num = _count(num)
    kind = _inexact(tracer, start, stop)
    final = kind if dtype is None else dtype_of(tracer, dtype)
    start, stop = (lift(x).astype(kind, copy=False) for x in (start, stop))
    delta = apply(np.subtract, stop, start)
    column = (num, *(1,) * delta.ndim)
    index = iota(tracer, column, 0, kind.name)
    parts = num - 1 if endpoint else num
    width = clipped(tracer, parts - 1, num) + 1
    step = apply(np.divide, delta, width)
    y = apply(np.add, _spread(index, step, delta, width), start)
    if endpoint:
        place = iota(tracer, column, 0, "int64")
        last = apply(np.logical_and, apply(np.equal, place, parts), apply(np.greater, place, 0))
        y = where(last, stop, y)
    if axis != 0:
        y = moveaxis(y, 0, normalize_axis_index(axis, y.ndim))
    if final.kind in "iu":
        y = apply(np.floor, y)
    y = y.astype(final, copy=False)
    return (y, _step_of(step, parts)) if retstep else y


def _step_of(step: TracedArray, parts: Any) -> Any:
    """The step between points; NaN, Python's, where there are no two of them."""
    if type(parts) is SymbolicSize and not is_nonnegative(parts.tracer, parts - 1):
        parts = parts.known()
    return step if type(parts) is SymbolicSize or parts > 0 else np.nan


def _count(num: Any) -> Any:
    num = as_size(current(), num)
    shown = () if type(num) is int else (num,)
    text = num if type(num) is int else "{0}"
    error = ValueError(f"Number of samples, {text}, must be non-negative.")
    require(current(), num, "greater_equal", 0, error, shown)
    return num


def _inexact(tracer: Tracer, *numbers: Any) -> np.dtype:
    """NumPy's dtype for evenly spaced points between numbers or arrays."""
    items = [operand(tracer, x) for x in numbers]
    if all(isinstance(item.type, type) for item in items):
        return np.result_type(default_float(tracer), *(item.type(0) for item in items))
    kinds = [item.type(0) if isinstance(item.type, type) else item.type for item in items]
    return np.result_type(*kinds, 0.0)


def _spread(index: TracedArray, step: Any, delta: Any, parts: Any) -> TracedArray:
    """The distance from the start; a step that vanishes is avoided as NumPy avoids it."""
    regular = apply(np.multiply, index, step)
    known = step.known() if type(step) is TracedArray else step
    if known is not None and not isinstance_symbolic(known) and np.all(np.not_equal(known, 0)):
        return regular
    scaled = apply(np.multiply, apply(np.divide, index, parts), delta)
    return where(any_(apply(np.equal, step, 0)), scaled, regular)


@implements(np.logspace, creation=True)
def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`np.logspace`."""
    if type(base) is TracedArray and base.ndim:
        base.tracer.fail("np.logspace with an array of bases", "use base ** np.linspace(...)")
    y = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    powers = apply(np.power, base, y)
    return powers if dtype is None else powers.astype(dtype, copy=False)


@implements(np.geomspace, creation=True)
def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`np.geomspace` of real numbers: powers of ten between the logarithms, end points set."""
    tracer = current()
    if not is_traced((start, stop)) and (np.any(np.equal(start, 0)) or np.any(np.equal(stop, 0))):
        raise ValueError("Geometric sequence cannot include zero")
    kind = np.result_type(_inexact(tracer, start, stop), *([] if dtype is None else [dtype]))
    if kind.kind == "c":
        tracer.fail("np.geomspace of complex numbers", "use np.exp(np.linspace(...))")
    start, stop = (lift(x).astype(kind, copy=False) for x in (start, stop))
    sign = apply(np.sign, start)
    start, stop = apply(np.divide, start, sign), apply(np.divide, stop, sign)
    exponents = (apply(np.log10, x) for x in (start, stop))
    y = logspace(*exponents, num=num, endpoint=endpoint, dtype=kind)
    place = iota(tracer, y.shape, 0, "int64")
    y = where(apply(np.equal, place, 0), start, y)
    if endpoint:
        y = where(apply(np.equal, place, apply(np.maximum, y.shape[0] - 1, 1)), stop, y)
    y = apply(np.multiply, y, sign)
    if axis != 0:
        y = moveaxis(y, 0, normalize_axis_index(axis, y.ndim))
    return y if dtype is None else y.astype(dtype_of(tracer, dtype), copy=False)
