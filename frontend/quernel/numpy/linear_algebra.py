"""`np.linalg`: products, and routines that LAPACK carries out."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _runtime
from ..primitives.elementwise import apply
from ..primitives.operands import lift
from ..primitives.shaping import broadcast_shape, broadcast_to
from ..primitives.sizes import fitted
from ..traced.array import TracedArray, fresh
from ..traced.broadcasting import shape_texts
from ..traced.tracer import current
from .out_arguments import stored
from .products import cross, matmul, outer
from .registry import implements
from .shapes import product, ravel, swapaxes, transpose

# The same functions under other rules

implements(np.linalg.matmul)(matmul)


@implements(np.linalg.outer)
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    """`np.linalg.outer` of vectors."""
    a, b = lift(x1), lift(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return outer(a, b)


@implements(np.linalg.cross)
def linalg_cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """`np.linalg.cross`."""
    if any(lift(x).shape[axis] != 3 for x in (x1, x2)):
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return cross(x1, x2, axis=axis)


@implements(np.linalg.diagonal)
def linalg_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """`np.linalg.diagonal` of the last two axes."""
    from .diagonals import diagonal

    return diagonal(x, offset, -2, -1)


@implements(np.linalg.trace)
def linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """`np.linalg.trace` of the last two axes."""
    from .diagonals import trace

    return trace(x, offset, -2, -1, dtype)


# Systems of arrays


@implements(np.linalg.tensorsolve)
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """`np.linalg.tensorsolve`."""
    a, b = lift(a), lift(b)
    if axes is not None:
        moved = [normalize_axis_index(axis, a.ndim) for axis in axes]
        a = transpose(a, [k for k in range(a.ndim) if k not in moved] + moved)
    shape = a.shape[b.ndim - a.ndim :]
    size = product(shape)
    if product(a.shape) != size * size:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    answer = solve(a.reshaped((size, size), certain=True), ravel(b))
    return answer.reshaped(shape, certain=True)


# Routines of LAPACK


# What NumPy says where a matrix has no answer; the others have one for every matrix.
_FAILURES = {
    "solve": "Singular matrix",
    "inv": "Singular matrix",
    "cholesky": "Matrix is not positive definite",
    "eigh": "Eigenvalues did not converge",
    "eigvalsh": "Eigenvalues did not converge",
    "eig": "Eigenvalues did not converge",
    "eigvals": "Eigenvalues did not converge",
    "svd": "SVD did not converge",
    "svd_full": "SVD did not converge",
    "svdvals": "SVD did not converge",
    "qr": "Incorrect argument found while performing QR factorization",
    "qr_complete": "Incorrect argument found while performing QR factorization",
    "qr_r": "Incorrect argument found while performing QR factorization",
}


def routine(kind: str, *arrays: TracedArray) -> list[TracedArray]:
    """The results of a routine, in the dtype in which NumPy computes them."""
    tracer = current()
    if not _runtime.has_lapack():
        tracer.fail(f"np.linalg.{kind} where NumPy lends no LAPACK", "call it outside")
    results = tracer.routine(kind, [array.value for array in arrays], arrays[0].ndim - 2)
    if kind in _FAILURES:
        fine = tracer.op("equal", [results.pop(), tracer.constant(np.int64(0))])
        tracer.check(fine, "LinAlgError", _FAILURES[kind])
    return [fresh(tracer, value, not value.shape) for value in results]


def common(*arrays: TracedArray) -> list[TracedArray]:
    """The arrays in the dtype of the routine: float32 stays, integers become float64."""
    kinds = [a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64) for a in arrays]
    kind = np.result_type(*kinds)
    return [a.astype(kind, copy=False) for a in arrays]


def matrices(a: Any) -> TracedArray:
    """The matrices of an argument.

    Raises
    ------
    np.linalg.LinAlgError
    """
    a = lift(a)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return a


def square(a: Any) -> TracedArray:
    """The matrices of an argument, which have as many rows as columns.

    Raises
    ------
    np.linalg.LinAlgError
    """
    a = matrices(a)
    shape = (*a.shape[:-1], a.shape[-2])
    return fitted(a, shape, np.linalg.LinAlgError("Last 2 dimensions of the array must be square"))


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> TracedArray:
    """`np.linalg.solve`."""
    a, b = common(square(a), lift(b))
    vector = b.ndim == 1
    b = _with_rows(b, a.shape[-1], vector)
    if vector:
        b = b.reshaped((b.size, 1), certain=True)
    batch = broadcast_shape([a.shape[:-2], b.shape[:-2]])
    a, b = (broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    answer = routine("solve", a, b)[0]
    if not vector:
        return answer
    return fresh(a.tracer, answer.reshaped(answer.shape[:-1], certain=True).value)


def _with_rows(b: TracedArray, rows: Any, vector: bool) -> TracedArray:
    """The right-hand sides, as many as the matrix has rows."""
    axis = 0 if vector else b.ndim - 2
    name, signature = ("solve1", "(m,m),(m)->(m)") if vector else ("solve", "(m,m),(m,n)->(m,n)")
    (own, wanted), numbers = shape_texts([(b.shape[axis],), (rows,)])
    text = f"(size {own[1:-2]} is different from {wanted[1:-2]})"
    message = (
        f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        f"{signature} {text}"
    )
    shape = tuple(rows if k == axis else size for k, size in enumerate(b.shape))
    return fitted(b, shape, ValueError(message), numbers)


@implements(np.linalg.inv)
def inv(a: Any) -> TracedArray:
    """`np.linalg.inv`."""
    return routine("inv", *common(square(a)))[0]


@implements(np.linalg.cholesky)
def cholesky(a: Any, /, *, upper: bool = False) -> TracedArray:
    """`np.linalg.cholesky`."""
    a = common(square(a))[0]
    if upper:
        lower = routine("cholesky", _adjoint(a))[0]
        return swapaxes(_conjugate(lower), -1, -2)
    return routine("cholesky", a)[0]


def _conjugate(a: TracedArray) -> TracedArray:
    return apply(np.conjugate, a) if a.dtype.kind == "c" else a


def _adjoint(a: TracedArray) -> TracedArray:
    return _conjugate(a).mT


def _lower_half(a: Any, UPLO: str) -> TracedArray:
    """The matrices with the chosen triangle below."""
    a = common(square(a))[0]
    side = UPLO.upper()
    if side not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if side == "L" else _adjoint(a)


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    """`np.linalg.eigh`."""
    from numpy.linalg._linalg import EighResult

    return EighResult(*routine("eigh", _lower_half(a, UPLO)))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> TracedArray:
    """`np.linalg.eigvalsh`."""
    return routine("eigvalsh", _lower_half(a, UPLO))[0]


@implements(np.linalg.det)
def det(a: Any) -> TracedArray:
    """`np.linalg.det`."""
    return routine("det", *common(square(a)))[0]


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> TracedArray:
    """`np.linalg.matrix_power`, in NumPy's order of products."""
    from .diagonals import eye

    a, n = square(a), operator.index(n)
    if n == 0:
        unit = eye(a.shape[-1], dtype=a.dtype)
        return broadcast_to(unit, a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    if n <= 3:
        squared = a if n == 1 else matmul(a, a)
        return matmul(squared, a) if n == 3 else squared
    power = answer = None
    while n:
        power = a if power is None else matmul(power, power)
        n, bit = divmod(n, 2)
        if bit:
            answer = power if answer is None else matmul(answer, power)
    return answer


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """`np.linalg.multi_dot`: the cheapest order where the sizes are known, else from the left."""
    parts = [lift(part) for part in arrays]
    if len(parts) < 2:
        raise ValueError("Expecting at least two arrays.")
    sizes = [part.shape for part in parts]
    if not all(type(size) is int for shape in sizes for size in shape):
        answer = parts[0]
        for part in parts[1:]:
            answer = matmul(answer, part)
        return stored(answer, out)
    return stored(_chain(parts, _splits(_extents(parts)), 0, len(parts) - 1), out)


def _extents(parts: list[TracedArray]) -> list[int]:
    """Rows of each matrix and columns of the last; vectors at the ends are rows or columns."""
    first, last = parts[0], parts[-1]
    rows = [1] if first.ndim == 1 else [first.shape[0]]
    rows += [part.shape[0] for part in parts[1:]]
    return [*rows, 1 if last.ndim == 1 else last.shape[1]]


def _splits(sizes: list[int]) -> list[list[int]]:
    """Where each range of a chain of products is best divided."""
    count = len(sizes) - 1
    cost = [[0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            cost[i][j], split[i][j] = min(options)
    return split


def _chain(parts: list[TracedArray], split: list[list[int]], i: int, j: int) -> TracedArray:
    if i == j:
        return parts[i]
    k = split[i][j]
    return matmul(_chain(parts, split, i, k), _chain(parts, split, k + 1, j))
