"""Functions that make arrays."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..capture.array import TracedArray, fresh
from ..capture.numbers import isinstance_symbolic
from ..capture.tracer import Tracer, current
from ..capture.views import graph_dims
from .logic import where
from .operands import array_value, as_array, default_float, dtype_of, operand, strong_type
from .registry import implements, is_traced
from .ufuncs import apply


def shape_of(shape: Any) -> tuple:
    """A shape argument as a tuple of sizes."""
    if type(shape) not in (tuple, list):
        shape = (shape,)
    return tuple(item if isinstance_symbolic(item) else operator.index(item) for item in shape)


def filled(tracer: Tracer, shape: Any, scalar: Any) -> TracedArray:
    """An array with every element equal to a zero-dimensional graph value."""
    sizes = shape_of(shape)
    if any(type(size) is int and size < 0 for size in sizes):
        raise ValueError("negative dimensions are not allowed")
    return fresh(tracer, tracer.op("full", [scalar], shape=graph_dims(sizes)))


def _constant(number: int) -> Any:
    def create(
        shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
    ) -> TracedArray:
        tracer = current()
        kind = default_float(tracer) if dtype is None else dtype_of(tracer, dtype)
        return filled(tracer, shape, tracer.constant(kind.type(number)))

    return create


zeros = implements(np.zeros, np.empty, creation=True)(_constant(0))
ones = implements(np.ones, creation=True)(_constant(1))


@implements(np.full, creation=True)
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> TracedArray:
    """`np.full`."""
    tracer = current()
    item = operand(tracer, fill_value)
    kind = strong_type(tracer, item) if dtype is None else dtype_of(tracer, dtype)
    value = array_value(tracer, fill_value, kind)
    if value.shape:
        value = tracer.op("broadcast_to", [value], shape=graph_dims(shape_of(shape)))
        return fresh(tracer, value)
    return filled(tracer, shape, value)


def _like(number: int) -> Any:
    def create(
        a: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> TracedArray:
        return full_like(a, number, dtype, order, subok, shape)

    return create


zeros_like = implements(np.zeros_like, np.empty_like)(_like(0))
ones_like = implements(np.ones_like)(_like(1))


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> TracedArray:
    """`np.full_like`."""
    tracer = current()
    a = as_array(tracer, a)
    kind = a.dtype if dtype is None else dtype_of(tracer, dtype)
    return full(a.shape if shape is None else shape, fill_value, kind)


def iota(tracer: Tracer, shape: tuple, axis: int, dtype: str) -> TracedArray:
    """The index along an axis."""
    value = tracer.op("iota", [], shape=graph_dims(shape), axis=axis, dtype=dtype)
    return fresh(tracer, value)


@implements(np.arange, creation=True)
def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Any = None,
    like: Any = None,
) -> TracedArray:
    """`np.arange`: ``start + i * delta`` with NumPy's `delta`."""
    tracer = current()
    if stop is None:
        start, stop = 0, start
    kind = _arange_type(tracer, start, stop, step) if dtype is None else dtype_of(tracer, dtype)
    if all(type(x) is int or isinstance_symbolic(x) for x in (start, stop)) and step == 1:
        count = stop if type(start) is int and start == 0 else stop - start
        count = max(count, 0) if type(count) is int else count
    else:
        start, stop, step = (_plain(x) for x in (start, stop, step))
        count = max(math.ceil((stop - start) / step), 0)
    if isinstance_symbolic(count) and not hasattr(count, "dim"):
        count.known()
    index = iota(tracer, (count,), 0, kind.name)
    if type(start) is int and start == 0 and step == 1:
        return index
    first = kind.type(start) if not isinstance_symbolic(start) else start
    if not isinstance_symbolic(start):
        step = kind.type(start + step) - first
    return apply(np.add, apply(np.multiply, index, step), first)


def _arange_type(tracer: Tracer, *numbers: Any) -> np.dtype:
    items = [operand(tracer, x) for x in numbers]
    if all(isinstance(item.type, type) for item in items):
        return default_float(tracer) if any(x.type is float for x in items) else np.dtype(np.int64)
    return np.result_type(*(strong_type(tracer, item) for item in items))


def _plain(number: Any) -> Any:
    """A number that the program itself must know."""
    if isinstance_symbolic(number):
        number.known()
    if type(number) is TracedArray:
        return number.item()
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
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    if (type(start) is TracedArray and start.ndim) or (type(stop) is TracedArray and stop.ndim):
        tracer.fail("np.linspace between arrays", "use start + (stop - start) * t[:, None]")
    kind = default_float(tracer) if dtype is None else dtype_of(tracer, dtype)
    parts = num - 1 if endpoint else num
    start, stop = _as_float(start), _as_float(stop)
    delta = apply(np.subtract, stop, start)
    index = iota(tracer, (num,), 0, "float64")
    step = apply(np.divide, delta, parts) if parts > 0 else np.float64("nan")
    line = apply(np.add, _spread(index, step, delta, parts), start)
    if endpoint and num > 1:
        line = where(apply(np.equal, index, float(num - 1)), stop, line)
    if kind.kind in "ib":
        line = apply(np.floor, line)
    line = line.astype(kind, copy=False)
    return (line, step) if retstep else line


def _as_float(number: Any) -> Any:
    """A number as NumPy's linspace takes it: times 1.0."""
    if type(number) is TracedArray:
        return number.astype(np.float64, copy=False)
    return number * 1.0 if isinstance_symbolic(number) else np.float64(number)


def _spread(index: TracedArray, step: Any, delta: Any, parts: int) -> TracedArray:
    """The distance from the start; a step that vanishes is avoided as NumPy avoids it."""
    if parts <= 0:
        return apply(np.multiply, index, delta)
    regular = apply(np.multiply, index, step)
    if not is_traced(step) and step != 0:
        return regular
    scaled = apply(np.multiply, apply(np.divide, index, parts), delta)
    return where(apply(np.equal, step, 0), scaled, regular)


@implements(np.eye, creation=True)
def eye(
    N: Any,
    M: Any = None,
    k: int = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> TracedArray:
    """`np.eye`."""
    tracer = current()
    kind = default_float(tracer) if dtype in (float, None) else dtype_of(tracer, dtype)
    shape = shape_of((N, N if M is None else M))
    rows, columns = (iota(tracer, shape, axis, "int64") for axis in (0, 1))
    return apply(np.equal, apply(np.add, rows, operator.index(k)), columns).astype(kind)


@implements(np.identity, creation=True)
def identity(n: Any, dtype: Any = None, *, like: Any = None) -> TracedArray:
    """`np.identity`."""
    return eye(n, dtype=dtype)


@implements(np.array, creation=True)
def array(
    obj: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> TracedArray:
    """`np.array`."""
    return _converted(obj, dtype, bool(copy), ndmin)


@implements(np.asarray, np.asanyarray, np.ascontiguousarray, creation=True)
def asarray(obj: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> TracedArray:
    """`np.asarray` and its kin."""
    return _converted(obj, dtype, bool(kwargs.get("copy")), 0)


def _converted(obj: Any, dtype: Any, copy: bool, ndmin: int) -> TracedArray:
    tracer = current()
    made = as_array(tracer, obj)
    if made.is_scalar:
        made = fresh(tracer, made.value)
    if dtype is not None:
        kind = dtype_of(tracer, dtype)
        if made.storage.known is not None and not made.views:
            from ..capture.array import constant

            made = constant(tracer, made.storage.known.astype(kind))
        elif made.dtype != kind:
            made = made.astype(kind)
    if made.ndim < ndmin:
        made = made.reshaped((*(1,) * (ndmin - made.ndim), *made.shape), certain=True)
    return made.copy() if copy and made is obj else made


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> TracedArray:
    """`np.copy`."""
    made = as_array(current(), a)
    return fresh(made.tracer, made.value)


@implements(np.tri, creation=True)
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float, *, like: Any = None) -> TracedArray:
    """`np.tri`."""
    tracer = current()
    kind = default_float(tracer) if dtype is float else dtype_of(tracer, dtype)
    return _lower(tracer, shape_of((N, N if M is None else M)), operator.index(k)).astype(kind)


def _lower(tracer: Tracer, shape: tuple, k: int) -> TracedArray:
    rows, columns = (iota(tracer, shape, axis, "int64") for axis in (0, 1))
    return apply(np.less_equal, columns, apply(np.add, rows, k))


@implements(np.tril)
def tril(m: Any, k: int = 0) -> TracedArray:
    """`np.tril`."""
    m = as_array(current(), m)
    return where(_lower(m.tracer, m.shape[-2:], k), m, m.dtype.type(0))


@implements(np.triu)
def triu(m: Any, k: int = 0) -> TracedArray:
    """`np.triu`."""
    m = as_array(current(), m)
    return where(_lower(m.tracer, m.shape[-2:], k - 1), m.dtype.type(0), m)


@implements(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple:
    """`np.meshgrid`."""
    tracer = current()
    arrays = [as_array(tracer, x) for x in xi]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[0], order[1] = 1, 0
    axis_of = {k: order.index(k) for k in order}
    sizes = [arrays[k].size for k in order]
    grids = []
    for k, item in enumerate(arrays):
        shape = [1] * len(arrays)
        shape[axis_of[k]] = item.size
        value = tracer.op("reshape", [item.value], shape=graph_dims(shape))
        if not sparse:
            value = tracer.op("broadcast_to", [value], shape=graph_dims(sizes))
        grids.append(fresh(tracer, value))
    return tuple(grids)
