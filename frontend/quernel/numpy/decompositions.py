"""Decompositions of matrices that needn't be square, and what NumPy makes of them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.operands import lift
from ..primitives.sizes import fitted
from ..raised import IN_NUMPY
from ..traced.array import TracedArray
from ..traced.numbers import isinstance_symbolic
from .creation import empty
from .diagonals import vander
from .linear_algebra import common, matrices, routine, square
from .products import matmul
from .reductions import ufunc_reduce
from .registry import implements
from .shapes import swapaxes
from .statistics import count_nonzero


def _known(a: TracedArray) -> TracedArray:
    """Matrices whose numbers of rows and columns are known: the lesser one is a size, too."""
    for size in a.shape[-2:]:
        if isinstance_symbolic(size):
            operator.index(size)
    return a


def _converted(a: Any) -> TracedArray:
    """The matrices of an argument, in the dtype of the routines.

    Raises
    ------
    np.linalg.LinAlgError
    """
    return _known(common(matrices(a))[0])


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    """`np.linalg.svd`."""
    from numpy.linalg._linalg import SVDResult

    a = _converted(a)
    if hermitian:
        a.tracer.fail("np.linalg.svd with hermitian=", "use np.linalg.eigh")
    if not compute_uv:
        return routine("svdvals", a)[0]
    return SVDResult(*routine("svd_full" if full_matrices else "svd", a))


@implements(np.linalg.svdvals)
def svdvals(x: Any, /) -> TracedArray:
    """`np.linalg.svdvals`."""
    return svd(x, compute_uv=False)


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    """`np.linalg.qr`, but for its modes "raw" and "economic"."""
    from numpy.linalg._linalg import QRResult

    kinds = {"reduced": "qr", "complete": "qr_complete", "r": "qr_r"}
    if mode not in kinds:
        if mode in ("raw", "f", "full", "e", "economic"):
            lift(a).tracer.fail(f"np.linalg.qr with mode={mode!r}", "use mode='reduced'")
        raise ValueError(f"Unrecognized mode '{mode}'")
    made = routine(kinds[mode], _converted(a))
    return made[0] if mode == "r" else QRResult(*made)


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    """`np.linalg.slogdet`."""
    from numpy.linalg._linalg import SlogdetResult

    return SlogdetResult(*routine("slogdet", *common(square(a))))


@implements(np.linalg.matrix_rank)
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """`np.linalg.matrix_rank`."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = lift(A)
    if a.ndim < 2:
        a.tracer.fail("np.linalg.matrix_rank of a vector", "compare it with 0")
    values = svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        share = max(a.shape[-2:]) * np.finfo(values.dtype).eps if rtol is None else lift(rtol)
        largest = ufunc_reduce(np.maximum, values, -1, keepdims=True, initial=0)
        tol = apply(np.multiply, largest, share if rtol is None else share[..., None])
    else:
        tol = lift(tol)[..., None]
    return count_nonzero(apply(np.greater, values, tol), axis=-1)


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """`np.linalg.pinv`."""
    if 0 in lift(a).shape[-2:]:
        *batch, rows, columns = lift(a).shape
        return empty((*batch, columns, rows), lift(a).dtype)
    a = _converted(a)
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    if rcond is None:
        rcond = max(a.shape[-2:]) * np.finfo(a.dtype).eps
    if a.dtype.kind == "c":
        a = apply(np.conjugate, a)
    u, values, vh = svd(a, full_matrices=False, hermitian=hermitian)
    largest = ufunc_reduce(np.maximum, values, -1, keepdims=True)
    large = apply(np.greater, values, apply(np.multiply, lift(rcond)[..., None], largest))
    inverse = where(large, apply(np.divide, 1, where(large, values, 1)), 0).astype(values.dtype)
    turned = apply(np.multiply, inverse[..., None], swapaxes(u, -1, -2))
    return matmul(swapaxes(vh, -1, -2), turned)


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple:
    """`np.linalg.lstsq`; of a matrix of less rank than it could have, data say how many residuals.

    A singular value that is too small has no part in the answer, which is the shortest one then.
    """
    return _least_squares(a, b, rcond)[:4]


def _least_squares(a: Any, b: Any, rcond: Any) -> tuple:
    """What `np.linalg.lstsq` returns, and whether the matrix has full rank."""
    a, b = common(lift(a), lift(b))
    is_vector = b.ndim == 1
    for array in (a, b[:, None] if is_vector else b):
        if array.ndim != 2:
            text = f"{array.ndim}-dimensional array given. Array must be two-dimensional"
            raise np.linalg.LinAlgError(text)
    _known(a)
    rows, columns = a.shape
    if not (rows and columns):
        a.tracer.fail("np.linalg.lstsq of no rows or columns", "treat that case before")
    mismatch = np.linalg.LinAlgError("Incompatible dimensions")
    b = fitted(b, (rows, *b.shape[1:]), mismatch)
    sides = b[:, None] if is_vector else b
    if rcond is None:
        rcond = np.finfo(np.float64).eps * max(rows, columns)
    u, values, vh = svd(a, full_matrices=False)
    large = apply(np.greater, values, apply(np.multiply, values[:1], rcond))
    rank = ufunc_reduce(np.add, large.astype(np.int64), 0)
    is_full = apply(np.equal, rank, min(rows, columns))
    adjoint = [apply(np.conjugate, swapaxes(x, 0, 1)) for x in (u, vh)]
    divisors = where(large, values, 1).astype(values.dtype)
    parts = apply(np.divide, matmul(adjoint[0], sides), divisors[:, None])
    x = matmul(adjoint[1], where(large[:, None], parts, 0).astype(parts.dtype))
    residuals = np.empty(0, values.dtype)
    if rows > columns:
        count = apply(np.multiply, is_full, sides.shape[1])
        residuals = _residuals(a, sides, x)[:count]
    x = x[:, 0].copy() if is_vector else x
    return x, residuals, rank.astype(np.int32)[()], values, is_full


def _residuals(a: TracedArray, b: TracedArray, x: TracedArray) -> Any:
    """The squares of what is left of each right-hand side."""
    left = apply(np.absolute, apply(np.subtract, b, matmul(a, x)))
    return ufunc_reduce(np.add, apply(np.multiply, left, left), 0)


@implements(np.polyfit)
def polyfit(
    x: Any,
    y: Any,
    deg: Any,
    rcond: Any = None,
    full: Any = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """`np.polyfit`, of coefficients alone."""
    x, y = (apply(np.add, lift(part), 0.0) for part in (x, y))
    if full or cov:
        x.tracer.fail("np.polyfit with full= or cov=", "call it outside")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    y = fitted(y, (*x.shape, *y.shape[1:]), TypeError("expected x and y to have same length"))
    if rcond is None:
        rcond = operator.index(x.shape[0]) * np.finfo(x.dtype).eps
    left = vander(x, operator.index(deg) + 1)
    if w is not None:
        left, y = _weighted(left, y, apply(np.add, lift(w), 0.0))
    squares = ufunc_reduce(np.add, apply(np.multiply, left, left), 0)
    scale = apply(np.sqrt, squares)
    found, *_, is_full = _least_squares(apply(np.divide, left, scale), y, rcond)
    x.tracer.check(is_full.value, IN_NUMPY, "np.polyfit of a matrix of less rank", undoes=True)
    return apply(np.divide, found, scale if y.ndim == 1 else scale[:, None])


def _weighted(left: TracedArray, right: TracedArray, w: TracedArray) -> tuple:
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    w = fitted(w, right.shape[:1], TypeError("expected w and y to have the same length"))
    weights = w[:, None]
    return (
        apply(np.multiply, left, weights),
        apply(np.multiply, right, weights if right.ndim == 2 else w),
    )


def spectral_norm(x: TracedArray, ord: Any) -> TracedArray:
    """The matrix norms that singular values give: their largest, their least, or their sum."""
    values = svd(x, compute_uv=False)
    if ord == "nuc":
        return ufunc_reduce(np.add, values, -1)
    return ufunc_reduce(np.maximum if ord > 0 else np.minimum, values, -1)
