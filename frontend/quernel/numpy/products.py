"""Products of vectors and matrices."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply
from ..primitives.operands import as_array, lift
from ..primitives.sizes import require
from ..traced.array import TracedArray, fresh, result
from ..traced.broadcasting import matched, unaligned_text
from ..traced.memory import C_ORDER, product_layout
from ..traced.tracer import current
from .half_precision import HALF
from .out_arguments import stored
from .reductions import ufunc_reduce
from .registry import implements
from .shapes import moveaxis, product, transpose

_MATMUL = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
    "(n?,k),(k,m?)->(n?,m?) (size {2} is different from {1})"
)


def matmul(a: Any, b: Any, mismatch: str = _MATMUL, shown: list | None = None) -> TracedArray:
    """``a @ b``; `mismatch` is the text for sizes that differ, `shown` as `matched` takes it."""
    tracer = current()
    a, b = as_array(tracer, a), as_array(tracer, b)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    kind = np.result_type(a.dtype, b.dtype)
    if kind.kind == "b":
        counted = matmul(a.astype(np.int64), b.astype(np.int64), mismatch, shown)
        return apply(np.not_equal, counted, 0)
    if kind == HALF:  # NumPy adds the products up in float32
        wide = (x.astype(np.float32) for x in (a, b))
        return matmul(*wide, mismatch, shown).astype(HALF)
    first, second = (tracer.cast(x.value, kind.name) for x in (a, b))
    second = matched(tracer, second, {max(b.ndim - 2, 0): a.shape[-1]}, mismatch, shown)
    value = tracer.op("matmul", [first, second])
    return result(tracer, value, product_layout(value.shape, [a.lying, b.lying]))


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`np.dot`."""
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        return stored(apply(np.multiply, a, b), out)
    if a.ndim <= 2 and b.ndim <= 2:
        text = unaligned_text(a.shape, b.shape, max(b.ndim - 2, 0))
        return stored(matmul(a, b, *text), out)
    return stored(tensordot(a, b, (-1, -2 if b.ndim > 1 else -1)), out)


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    """`np.inner`."""
    a, b = lift(a), lift(b)
    if not a.ndim or not b.ndim:
        return apply(np.multiply, a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        text = unaligned_text(a.shape, b.shape, b.ndim - 1)
        return matmul(a, b.T if b.ndim == 2 else b, *text)
    return tensordot(a, b, (-1, -1))


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    """`np.vdot`."""
    a, b = lift(a), lift(b)
    a = apply(np.conjugate, a) if a.dtype.kind == "c" else a
    a, b = (x.reshaped((x.size,), certain=True) for x in (a, b))
    return matmul(a, b, "cannot reshape array of size {2} into shape ({1},)")


@implements(np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """`np.vecdot`."""
    a, b = lift(x1), lift(x2)
    if not (a.ndim and b.ndim):
        raise ValueError("vecdot of an operand without axes")
    error = ValueError("vecdot of lines of {0} and {1} elements")
    sizes = [x.shape[normalize_axis_index(axis, x.ndim)] for x in (a, b)]
    require(a.tracer, sizes[0], "equal", sizes[1], error, tuple(sizes))
    a = apply(np.conjugate, a) if a.dtype.kind == "c" else a
    kind = np.result_type(a.dtype, b.dtype)
    return ufunc_reduce(np.add, apply(np.multiply, a, b), axis, kind)


def matvec(x1: Any, x2: Any) -> TracedArray:
    """`np.matvec`: matrices times vectors."""
    a, b = lift(x1), lift(x2)
    return matmul(a, b[..., None])[..., 0]


def vecmat(x1: Any, x2: Any) -> TracedArray:
    """`np.vecmat`: vectors, conjugated, times matrices."""
    a, b = lift(x1), lift(x2)
    a = apply(np.conjugate, a) if a.dtype.kind == "c" else a
    return matmul(a[..., None, :], b)[..., 0, :]


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """`np.outer`."""
    a, b = lift(a), lift(b)
    a = a.reshaped((a.size, 1), certain=True)
    return stored(apply(np.multiply, a, b.reshaped((1, b.size), certain=True)), out)


@implements(np.tensordot, np.linalg.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """`np.tensordot`: transposed and reshaped to one matrix product."""
    a, b = lift(a), lift(b)
    left, right = _summed_axes(a, b, axes)
    sizes = [(a.shape[i], b.shape[j]) for i, j in zip(left, right, strict=False)]
    known = (pair for pair in sizes if all(type(size) is int for size in pair))
    if len(left) != len(right) or any(x != y for x, y in known):
        raise ValueError("shape-mismatch for sum")
    wanted = {axis: x for axis, (x, _) in zip(right, sizes, strict=True)}
    value = matched(a.tracer, b.value, wanted, "shape-mismatch for sum")
    b = b if value is b.value else fresh(b.tracer, value)
    rest_a = [k for k in range(a.ndim) if k not in left]
    rest_b = [k for k in range(b.ndim) if k not in right]
    outside = (*(a.shape[k] for k in rest_a), *(b.shape[k] for k in rest_b))
    summed = product(a.shape[k] for k in left)
    rows, columns = product(a.shape[k] for k in rest_a), product(b.shape[k] for k in rest_b)
    a = transpose(a, [*rest_a, *left]).reshaped((rows, summed), certain=True)
    b = transpose(b, [*right, *rest_b]).reshaped((summed, columns), certain=True)
    answer = matmul(a, b).reshaped(outside, certain=True)
    return fresh(answer.tracer, answer.value, False)


def _summed_axes(a: TracedArray, b: TracedArray, axes: Any) -> tuple[list[int], list[int]]:
    if type(axes) is int:
        if axes > min(a.ndim, b.ndim):
            raise ValueError("tuple index out of range")
        return list(range(a.ndim - axes, a.ndim)), list(range(axes))
    pairs = [list(part) if type(part) in (tuple, list) else [part] for part in axes]
    left = [normalize_axis_index(k, a.ndim) for k in pairs[0]]
    right = [normalize_axis_index(k, b.ndim) for k in pairs[1]]
    return left, right


@implements(np.kron)
def kron(a: Any, b: Any) -> Any:
    """`np.kron`."""
    a, b = lift(a), lift(b)
    rank = max(a.ndim, b.ndim)
    first = (*(1,) * (rank - a.ndim), *a.shape)
    second = (*(1,) * (rank - b.ndim), *b.shape)
    wide = [size for n in first for size in (n, 1)]
    other = [size for n in second for size in (1, n)]
    products = apply(np.multiply, a.reshaped(tuple(wide), True), b.reshaped(tuple(other), True))
    shape = tuple(product(pair) for pair in zip(first, second, strict=True))
    return fresh(a.tracer, products.reshaped(shape, certain=True).value, not shape)


@implements(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """`np.cross`."""
    from .joining import stack

    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if any(x.shape[-1] not in (2, 3) for x in (a, b)):
        raise ValueError("incompatible dimensions for cross product")
    sizes = [operator.index(x.shape[-1]) for x in (a, b)]
    if sizes != [3, 3]:
        _hear_of_planes(*sizes)
    kind = np.result_type(a.dtype, b.dtype)
    x, y = (
        [part.astype(kind, copy=False)[..., k] for k in range(size)]
        for part, size in zip((a, b), sizes, strict=True)
    )
    if sizes == [2, 2]:
        answer = _minor(x, y, 0, 1)
        return fresh(answer.tracer, answer.value, layout=C_ORDER)
    parts = [_minor(x, y, *pair) for pair in ((1, 2), (2, 0), (0, 1))]
    answer = stack(parts, -1)
    answer = moveaxis(fresh(answer.tracer, answer.value, layout=C_ORDER), -1, axisc)
    answer.storage.shown = True
    return answer


def _minor(x: list, y: list, i: int, j: int) -> TracedArray:
    """``x[i] * y[j] - x[j] * y[i]``, in which a vector of two has no third coordinate."""
    if j == len(y) or i == len(x):
        return apply(np.negative, apply(np.multiply, x[j], y[i]))
    one = apply(np.multiply, x[i], y[j])
    if i == len(y) or j == len(x):
        return one
    return apply(np.subtract, one, apply(np.multiply, x[j], y[i]))


def _hear_of_planes(*sizes: int) -> None:
    """Do what this NumPy does about vectors of two: it warns, and will raise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.cross(*map(np.ones, sizes))
    if caught:
        current().floats.warned()
