"""Triangles and diagonals."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply, where
from ..primitives.gathering import gathered, iota
from ..primitives.layouts import laid_as
from ..primitives.memory_orders import c_or_f
from ..primitives.operands import default_float, dtype_of, lift
from ..primitives.shaping import allowed, shape_of
from ..primitives.sizes import clipped, require
from ..traced.array import TracedArray, fresh
from ..traced.bounds import is_nonnegative
from ..traced.tracer import Tracer, current
from ..traced.views import BroadcastView, DiagonalView, same_dims
from .creation import zeros
from .joining import concatenate, stack
from .reductions import ufunc_reduce
from .registry import implements
from .selection import cycled, given, nonzero
from .shapes import moveaxis


def _kind(tracer: Tracer, dtype: Any) -> np.dtype:
    return default_float(tracer) if dtype in (float, None) else dtype_of(tracer, dtype)


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
    shape = allowed(tracer, (N, N if M is None else M))
    rows, columns = (iota(tracer, shape, axis, "int64") for axis in (0, 1))
    on = apply(np.equal, apply(np.add, rows, k), columns)
    return laid_as(on.astype(_kind(tracer, dtype), copy=False), on, c_or_f(order) or "C")


@implements(np.identity, creation=True)
def identity(n: Any, dtype: Any = None, *, like: Any = None) -> TracedArray:
    """`np.identity`."""
    return eye(n, dtype=dtype)


@implements(np.tri, creation=True)
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float, *, like: Any = None) -> TracedArray:
    """`np.tri`."""
    tracer = current()
    shape = tuple(clipped(tracer, size) for size in shape_of((N, N if M is None else M)))
    return _lower(tracer, shape, k).astype(_kind(tracer, dtype), copy=False)


def _lower(tracer: Tracer, shape: tuple, k: Any) -> TracedArray:
    rows, columns = (iota(tracer, shape, axis, "int64") for axis in (0, 1))
    return apply(np.less_equal, columns, apply(np.add, rows, k))


def _matrix(m: Any) -> TracedArray:
    """An array whose last two axes are a matrix; a vector becomes rows of itself."""
    m = lift(m)
    if not m.ndim:
        raise IndexError("tuple index out of range")
    return m


@implements(np.tril)
def tril(m: Any, k: int = 0) -> TracedArray:
    """`np.tril`."""
    m = _matrix(m)
    shape = m.shape[-2:] if m.ndim > 1 else m.shape * 2
    return where(_lower(m.tracer, shape, k), m, m.dtype.type(0))


@implements(np.triu)
def triu(m: Any, k: int = 0) -> TracedArray:
    """`np.triu`."""
    m = _matrix(m)
    shape = m.shape[-2:] if m.ndim > 1 else m.shape * 2
    return where(_lower(m.tracer, shape, k - 1), m.dtype.type(0), m)


def diagonal_view(a: TracedArray, offset: int, axis1: int, axis2: int) -> TracedArray:
    """The elements of a diagonal, as the last axis; memory is shared."""
    first, second = (normalize_axis_index(k, a.ndim) for k in (axis1, axis2))
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    a = moveaxis(a, (first, second), (-2, -1))
    rows, columns = a.shape[-2:]
    if not (type(rows) is int and type(columns) is int) and (offset or rows != columns):
        a.tracer.fail("a diagonal of a matrix whose sizes the program doesn't know")
    start, count = _extent(rows, columns, offset)
    return a.view(DiagonalView(a.shape, offset, start, count))


def _extent(rows: Any, columns: Any, offset: int) -> tuple[int, Any]:
    """Place in the flattened matrix, and length, of a diagonal."""
    if type(rows) is not int:
        return 0, rows
    if offset >= 0:
        return min(offset, columns), max(min(rows, columns - offset), 0)
    return min(-offset, rows) * columns, max(min(rows + offset, columns), 0)


@implements(np.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TracedArray:
    """`np.diagonal`, a view that can't be written."""
    a = lift(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    view = diagonal_view(a, operator.index(offset), axis1, axis2)
    return view.view(BroadcastView(view.shape))


@implements(np.trace)
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """`np.trace`."""
    return ufunc_reduce(np.add, diagonal(a, offset, axis1, axis2), -1, dtype, out)


@implements(np.diag)
def diag(v: Any, k: int = 0) -> TracedArray:
    """`np.diag`."""
    v = lift(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    k = operator.index(k)
    total = v.size + abs(k)
    padding = zeros(abs(k), v.dtype)
    row = v if not k else concatenate([padding, v] if k > 0 else [v, padding], 0)
    on = eye(total, k=k, dtype=bool)
    return where(on, row, v.dtype.type(0))


@implements(np.diagflat)
def diagflat(v: Any, k: int = 0) -> TracedArray:
    """`np.diagflat`."""
    v = lift(v)
    return diag(v.reshaped((v.size,), certain=True), k)


@implements(np.fill_diagonal)
def fill_diagonal(a: TracedArray, val: Any, wrap: bool = False) -> None:
    """`np.fill_diagonal`."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    read_only = "underlying array is read-only"
    if a.ndim == 2:
        a.require_writeable(read_only)
    known = all(type(size) is int for size in a.shape)
    if a.ndim == 2 and not wrap and (known or same_dims(a.shape[:1], a.shape[1:])):
        view = diagonal_view(a, 0, 0, 1)
        if (values := _values(a, val, view.size)) is not None:
            view[...] = values
        return
    step, end = 1, a.size
    for size in reversed(a.shape[1:]):
        step = step * size + 1
    if a.ndim == 2:
        end = a.size if wrap else _least(a.tracer, a.size, a.shape[1] * a.shape[1])
    else:
        error = ValueError("All dimensions of input must be of equal length")
        for size in a.shape[1:]:
            require(a.tracer, size, "equal", a.shape[0], error)
        a.require_writeable(read_only)
    flat = a.reshaped((a.size,), certain=True)
    if known:
        line = flat[:end:step]
        if (values := _values(a, val, line.size)) is not None:
            line[...] = values
        return
    place = iota(a.tracer, flat.shape, 0, "int64")
    turn = apply(np.floor_divide, place, step)
    chosen = apply(np.equal, apply(np.multiply, turn, step), place)
    chosen = apply(np.logical_and, chosen, apply(np.less, place, end))
    values = given(a, val)
    if values.ndim:
        values = values.reshaped((values.size,), certain=True)
        values = gathered(values, [apply(np.remainder, turn, values.size)], [0])
    flat[...] = where(chosen, values.astype(a.dtype, copy=False), flat)


def _least(tracer: Tracer, first: Any, second: Any) -> Any:
    """The smaller of two sizes, as a number."""
    if is_nonnegative(tracer, second - first):
        return first
    return second if is_nonnegative(tracer, first - second) else apply(np.minimum, first, second)


def _values(a: TracedArray, val: Any, count: Any) -> Any:
    """What is assigned to a diagonal: values over and over again; None where there are none."""
    if np.ndim(val) == 0:
        return val
    values = given(a, val)
    if type(values.size) is int and not values.size:
        return None
    return cycled(values, count)


@implements(np.diag_indices)
def diag_indices(n: Any, ndim: int = 2) -> tuple:
    """`np.diag_indices`."""
    return (iota(current(), (n,), 0, "int64"),) * ndim


@implements(np.diag_indices_from)
def diag_indices_from(arr: Any) -> tuple:
    """`np.diag_indices_from`."""
    a = lift(arr)
    if a.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    return diag_indices(a.shape[0], a.ndim)


def _define_indices(function: Any, from_function: Any, upper: bool) -> None:
    def implementation(n: Any, k: int = 0, m: Any = None) -> tuple:
        tracer = current()
        shape = shape_of((n, n if m is None else m))
        lower = _lower(tracer, shape, k - 1 if upper else k)
        places = nonzero(apply(np.logical_not, lower) if upper else lower)
        return tuple(fresh(tracer, part.value) for part in places)

    def from_array(arr: Any, k: int = 0) -> tuple:
        a = lift(arr)
        if a.ndim != 2:
            raise ValueError("input array must be 2-d")
        return implementation(a.shape[0], k, a.shape[1])

    implements(function)(implementation)
    implements(from_function)(from_array)


_define_indices(np.tril_indices, np.tril_indices_from, False)
_define_indices(np.triu_indices, np.triu_indices_from, True)


@implements(np.vander)
def vander(x: Any, N: Any = None, increasing: bool = False) -> TracedArray:
    """`np.vander`."""
    x = lift(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = operator.index(x.size if N is None else N)
    kind = np.result_type(x.dtype, int)
    column = zeros(x.shape, kind) + kind.type(1)
    columns = []
    for _ in range(count):
        columns.append(column)
        column = apply(np.multiply, column, x)
    if not columns:
        return zeros((x.size, 0), kind)
    return stack(columns if increasing else columns[::-1], axis=1)
