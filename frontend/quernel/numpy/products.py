"""Products and norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..capture.array import TracedArray, fresh
from ..capture.tracer import current
from .logic import stored
from .operands import as_array, lift
from .reductions import ufunc_reduce
from .registry import implements
from .ufuncs import apply


def matmul(a: Any, b: Any) -> TracedArray:
    """``a @ b``."""
    tracer = current()
    a, b = as_array(tracer, a), as_array(tracer, b)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    kind = np.result_type(a.dtype, b.dtype)
    if kind.kind == "b":
        tracer.fail("a matrix product of booleans", "cast with .astype(np.int64)")
    value = tracer.op("matmul", [tracer.cast(x.value, kind.name) for x in (a, b)])
    return fresh(tracer, value, not value.shape)


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`np.dot`."""
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        return stored(apply(np.multiply, a, b), out)
    if a.ndim <= 2 and b.ndim <= 2:
        return stored(matmul(a, b), out)
    a.tracer.fail("np.dot of arrays with more than two axes", "use a @ b, whose rule differs")


@implements(np.inner)
def inner(a: Any, b: Any) -> Any:
    """`np.inner`."""
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        return apply(np.multiply, a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return matmul(a, b.T if b.ndim == 2 else b)
    a.tracer.fail("np.inner of arrays with more than two axes", "use a @ b")


@implements(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """`np.vdot`."""
    a, b = lift(a), lift(b)
    return matmul(a.reshaped((a.size,), certain=True), b.reshaped((b.size,), certain=True))


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """`np.outer`."""
    a, b = lift(a), lift(b)
    a = a.reshaped((a.size, 1), certain=True)
    return stored(apply(np.multiply, a, b.reshaped((1, b.size), certain=True)), out)


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm` of vectors, and of matrices the Frobenius, 1 and infinity norms."""
    x = lift(x)
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    if axis is None and (
        ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)
    ):
        return _root(x, None, keepdims)
    axes = tuple(range(x.ndim)) if axis is None else axis
    if type(axes) not in (tuple, list):
        axes = (axes,)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, tuple(axes), keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _root(x: TracedArray, axis: Any, keepdims: bool) -> Any:
    square = apply(np.multiply, x, x)
    return apply(np.sqrt, ufunc_reduce(np.add, square, axis, keepdims=keepdims))


def _vector_norm(x: TracedArray, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord is None or ord == 2:
        return _root(x, axis, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    magnitude = apply(np.absolute, x)
    if ord == math.inf:
        return ufunc_reduce(np.maximum, magnitude, axis, keepdims=keepdims)
    if ord == -math.inf:
        return ufunc_reduce(np.minimum, magnitude, axis, keepdims=keepdims)
    if ord == 0:
        counted = apply(np.not_equal, x, 0).astype(x.dtype)
        return ufunc_reduce(np.add, counted, axis, keepdims=keepdims)
    if ord == 1:
        return ufunc_reduce(np.add, magnitude, axis, keepdims=keepdims)
    total = ufunc_reduce(np.add, apply(np.power, magnitude, ord), axis, keepdims=keepdims)
    return apply(np.power, total, x.dtype.type(1 / ord))


def _matrix_norm(x: TracedArray, ord: Any, axes: tuple, keepdims: bool) -> Any:
    if ord in (None, "fro", "f"):
        return _root(x, axes, keepdims)
    rows, columns = (axis % x.ndim for axis in axes)
    if ord in (1, -1, math.inf, -math.inf):
        summed, picked = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = ufunc_reduce(np.add, apply(np.absolute, x), summed, keepdims=True)
        pick = np.maximum if ord > 0 else np.minimum
        answer = ufunc_reduce(pick, sums, picked, keepdims=True)
        return answer if keepdims else _without(answer, (rows, columns))
    x.tracer.fail(f"np.linalg.norm with ord={ord!r} of a matrix", "use np.linalg outside")


def _without(x: TracedArray, axes: tuple) -> TracedArray:
    shape = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
    return fresh(x.tracer, x.reshaped(shape, certain=True).value, not shape)
