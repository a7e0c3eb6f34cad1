"""What stands for functions of `scipy.linalg`, written in NumPy's."""

from __future__ import annotations

import numpy as np

from .sources import in_place_of, refuse
from .triangles import lu_factors, solve_triangles


def _finite(a, check_finite):
    return np.asarray_chkfinite(a) if check_finite else np.asarray(a)


def _matrix(a, check_finite):
    a = _finite(a, check_finite)
    if a.dtype.kind in "biu" and a.dtype.itemsize <= 2:
        refuse("matrices of bools, and of integers of 8 and 16 bits")
    return a


@in_place_of("scipy.linalg.det")
def det(a, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    return np.linalg.det(a.astype(np.result_type(a.dtype, np.float64)))


@in_place_of("scipy.linalg.inv")
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    if assume_a is not None:
        refuse("assume_a= of inv")
    a = _matrix(a, check_finite)
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return refuse("a singular matrix")  # SciPy's error says more


@in_place_of("scipy.linalg.solve")
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    if assume_a not in (None, "gen", "general"):
        refuse("assume_a= of solve")
    a, b = _matrix(a, check_finite), _matrix(b, check_finite)
    if a.ndim != 2 or b.ndim > 2:
        refuse("batches of systems")
    if transposed and a.dtype.kind == "c":
        refuse("transposed= of solve for complex numbers")
    try:
        return np.linalg.solve(a.T if transposed else a, b)
    except np.linalg.LinAlgError:
        return refuse("a singular matrix")  # SciPy's error says more


@in_place_of("scipy.linalg.cholesky")
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    try:
        return np.linalg.cholesky(a, upper=not lower)
    except np.linalg.LinAlgError:
        return refuse("a matrix that isn't positive definite")  # SciPy's error says more


@in_place_of("scipy.linalg.cho_factor")
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    factor = cholesky(a, lower, check_finite=False)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)  # what is there stays
    return factor + rest, lower


@in_place_of("scipy.linalg.qr")
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    if pivoting or mode not in ("full", "r", "economic"):
        refuse("pivoting and modes of qr")
    a = _matrix(a, check_finite)
    q, r = np.linalg.qr(a, "reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


@in_place_of("scipy.linalg.block_diag")
def block_diag(*arrs):
    blocks = [np.atleast_2d(block) for block in arrs]
    kind = np.result_type(*[block.dtype for block in blocks])
    rows = sum([block.shape[0] for block in blocks])
    columns = sum([block.shape[1] for block in blocks])
    out = np.zeros((rows, columns), kind)
    i = j = 0
    for block in blocks:
        out[i : i + block.shape[0], j : j + block.shape[1]] = block
        i = i + block.shape[0]
        j = j + block.shape[1]
    return out


@in_place_of("scipy.linalg.svd")
def svd(
    a,
    full_matrices=True,
    compute_uv=True,
    overwrite_a=False,
    check_finite=True,
    lapack_driver="gesdd",
):
    a = _matrix(a, check_finite)
    if not compute_uv:
        return np.linalg.svd(a, full_matrices, compute_uv=False)
    u, s, vh = np.linalg.svd(a, full_matrices)
    return u, s, vh


@in_place_of("scipy.linalg.svdvals")
def svdvals(a, overwrite_a=False, check_finite=True):
    return np.linalg.svd(_matrix(a, check_finite), compute_uv=False)


@in_place_of("scipy.linalg.pinv")
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    a = _matrix(a, check_finite)
    if a.ndim != 2 or atol is not None or return_rank:
        refuse("atol= and return_rank= of pinv, and batches of matrices")
    if rtol is None:
        rtol = max(a.shape) * np.finfo(np.result_type(a.dtype, np.float32)).eps
    return np.linalg.pinv(a, rtol=rtol)


@in_place_of("scipy.linalg.norm")
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    a = _finite(a, check_finite)
    found = np.linalg.norm(a, ord, axis, keepdims)
    # What BLAS and LAPACK compute is a Python number.
    by_library = a.dtype.kind in "fc" and axis is None and not keepdims
    if by_library and a.ndim == 1 and ord in (None, 2):
        return float(found)
    if by_library and a.ndim == 2 and ord in (1, np.inf):
        return float(found)
    return found


@in_place_of("scipy.linalg.solve_triangular")
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True
):
    a, b = _finite(a, check_finite), _finite(b, check_finite)
    if a.ndim != 2 or b.ndim > 2:
        refuse("batches of triangular systems")
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    if trans in (1, "T"):
        a, lower = a.T, not lower
    elif trans in (2, "C"):
        a, lower = a.conj().T, not lower
    kind = np.result_type(a.dtype, b.dtype, np.float32)
    diagonal = np.eye(a.shape[0], dtype=bool)
    if unit_diagonal:
        a = np.where(diagonal, 1, a)
    else:
        zeros = np.diagonal(a) == 0
        if zeros.any():
            i = int(np.argmax(zeros))
            raise np.linalg.LinAlgError(f"singular matrix: resolution failed at diagonal {i}")
    sides = b if b.ndim == 2 else b[:, None]
    return solve_triangles(a.astype(kind), sides.astype(kind), lower).reshape(b.shape)


@in_place_of("scipy.linalg.lu_factor")
def lu_factor(a, overwrite_a=False, check_finite=True):
    a = _matrix(a, check_finite)
    if a.ndim != 2:
        refuse("batches of matrices")
    factors, exchanged = lu_factors(a)
    try:
        if (np.diagonal(factors) == 0).any():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        return refuse("a singular matrix")  # SciPy warns
    return factors, exchanged.astype(np.int32)


def _order(exchanged, count):
    """The rows of a matrix in the order that exchanges one after the other give."""
    order = np.arange(count)
    for i in range(len(exchanged)):
        j = exchanged[i]
        order[i], order[j] = order[j], order[i]
    return order


@in_place_of("scipy.linalg.lu_solve")
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, exchanged = lu_and_piv
    b = _finite(b, check_finite)
    if factors.ndim != 2 or b.ndim > 2:
        refuse("batches of systems")
    if factors.shape[0] != b.shape[0]:
        raise ValueError(f"Shapes of lu {factors.shape} and b {b.shape} are incompatible")
    return solved_by_factors(factors, exchanged, b, trans)


def solved_by_factors(factors, exchanged, b, trans):
    """The solution for a matrix, its transpose or its adjoint, from LAPACK's factors of it."""
    order = _order(exchanged, b.shape[0])
    if trans == 0:
        return _by_factors(factors, b[order], 0)
    x = _by_factors(factors, b, trans)
    out = np.empty(x.shape, x.dtype)
    out[order] = x
    return out


def _by_factors(factors, b, trans):
    first = trans == 0
    x = solve_triangular(factors, b, trans, first, first, check_finite=False)
    return solve_triangular(factors, x, trans, not first, not first, check_finite=False)


@in_place_of("scipy.linalg.lu")
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    a = _matrix(a, check_finite)
    if a.ndim != 2:
        refuse("batches of matrices")
    rows, columns = a.shape
    if min(rows, columns) < 2:
        refuse("matrices of one row or column")
    factors, exchanged = lu_factors(a)
    least = min(rows, columns)
    lower = np.tril(factors[:, :least], -1) + np.eye(rows, least, dtype=factors.dtype)
    upper = np.triu(factors[:least])
    place = np.empty(rows, np.int64)
    place[_order(exchanged, rows)] = np.arange(rows)
    if permute_l:
        return lower[place], upper
    if p_indices:
        return place.astype(np.int32), lower, upper
    return np.eye(rows, dtype=factors.real.dtype)[place], lower, upper


@in_place_of("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    first = solve_triangular(c, b, 0 if lower else 2, lower, check_finite=check_finite)
    return solve_triangular(c, first, 2 if lower else 0, lower, check_finite=check_finite)


@in_place_of("scipy.linalg.toeplitz")
def toeplitz(c, r=None):
    c = np.asarray(c)
    r = c.conj() if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        refuse("batches of matrices")
    both = np.concatenate((c[::-1], r[1:]))
    places = np.arange(c.size)[:, None] - np.arange(r.size)
    return both[c.size - 1 - places]


@in_place_of("scipy.linalg.hankel")
def hankel(c, r=None):
    c = np.asarray(c)
    r = np.zeros_like(c) if r is None else np.asarray(r)
    both = np.concatenate((c, r[1:]))
    return both[np.arange(c.size)[:, None] + np.arange(r.size)]


@in_place_of("scipy.linalg.circulant")
def circulant(c):
    c = np.asarray(c)
    if c.ndim != 1:
        refuse("batches of matrices")
    return c[(np.arange(c.size)[:, None] - np.arange(c.size)) % c.size]
