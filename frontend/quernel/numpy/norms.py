"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply
from ..primitives.operands import lift
from ..traced.array import TracedArray, fresh
from .reductions import ufunc_reduce
from .registry import implements
from .shapes import moveaxis


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.linalg.norm` of vectors and of matrices."""
    x = lift(x)
    if x.dtype.kind not in "fc":
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


@implements(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """`np.linalg.vector_norm` along one axis, or of all elements."""
    x = lift(x)
    if axis is None and not keepdims:
        x, axis = x.reshaped((x.size,), certain=True), 0
    if type(axis) is not int:
        x.tracer.fail("np.linalg.vector_norm over several axes", "use np.linalg.norm")
    return norm(x, ord, axis, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """`np.linalg.matrix_norm`."""
    return norm(x, ord, (-2, -1), keepdims)


def _root(x: TracedArray, axis: Any, keepdims: bool) -> Any:
    if x.dtype.kind == "c":
        real, imag = x.real, x.imag
        square = apply(np.add, apply(np.multiply, real, real), apply(np.multiply, imag, imag))
    else:
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
        counted = apply(np.not_equal, x, 0).astype(magnitude.dtype)
        return ufunc_reduce(np.add, counted, axis, keepdims=keepdims)
    if ord == 1:
        return ufunc_reduce(np.add, magnitude, axis, keepdims=keepdims)
    total = ufunc_reduce(np.add, apply(np.power, magnitude, ord), axis, keepdims=keepdims)
    return apply(np.power, total, magnitude.dtype.type(1 / ord))


def _matrix_norm(x: TracedArray, ord: Any, axes: tuple, keepdims: bool) -> Any:
    if ord in (None, "fro", "f"):
        return _root(x, axes, keepdims)
    rows, columns = (normalize_axis_index(axis, x.ndim) for axis in axes)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    if ord in (1, -1, math.inf, -math.inf):
        summed, picked = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = ufunc_reduce(np.add, apply(np.absolute, x), summed, keepdims=True)
        pick = np.maximum if ord > 0 else np.minimum
        answer = ufunc_reduce(pick, sums, picked, keepdims=True)
        return answer if keepdims else _without(answer, (rows, columns))
    if ord in (2, -2, "nuc"):
        from .decompositions import spectral_norm

        answer = spectral_norm(moveaxis(x, (rows, columns), (-2, -1)), ord)
        shape = [1 if axis in (rows, columns) else size for axis, size in enumerate(x.shape)]
        return answer.reshaped(tuple(shape), certain=True) if keepdims else answer
    raise ValueError("Invalid norm order for matrices.")


def _without(x: TracedArray, axes: tuple) -> TracedArray:
    shape = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
    return fresh(x.tracer, x.reshaped(shape, certain=True).value, not shape)
