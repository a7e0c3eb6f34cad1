"""What stands for functions of `scipy.linalg.lapack`, written in NumPy's, in LAPACK's own steps.

What SciPy refuses is left to it: a side that ends by `raise refuse(…)` is carried out by SciPy.
"""

from __future__ import annotations

import numpy as np

from .sources import in_place_of, refuse


def _taken(x, kind, overwrite, most_axes):
    """An operand in memory that LAPACK may write, which is the argument's where that is allowed."""
    a = np.asarray(x)
    if a.dtype.kind == "c" and kind.kind != "c":
        refuse("real numbers of complex ones")
    if a.dtype.kind not in "biufc" or not 1 <= a.ndim <= most_axes:
        refuse("operands that are no vectors")
    if overwrite and a is x and a.dtype == kind and a.flags.f_contiguous:
        return a
    return np.array(a, kind, order="F")


@in_place_of("scipy.linalg.lapack.sgtsv")
def sgtsv(dl, d, du, b, overwrite_dl=0, overwrite_d=0, overwrite_du=0, overwrite_b=0):
    writes = (overwrite_dl, overwrite_d, overwrite_du, overwrite_b)
    return _gtsv(np.dtype(np.float32), dl, d, du, b, *writes)


@in_place_of("scipy.linalg.lapack.dgtsv")
def dgtsv(dl, d, du, b, overwrite_dl=0, overwrite_d=0, overwrite_du=0, overwrite_b=0):
    writes = (overwrite_dl, overwrite_d, overwrite_du, overwrite_b)
    return _gtsv(np.dtype(np.float64), dl, d, du, b, *writes)


def _gtsv(kind, dl, d, du, b, overwrite_dl, overwrite_d, overwrite_du, overwrite_b):
    """Solves systems of three diagonals; LAPACK rounds those of complex numbers in other ways."""
    d = _taken(d, kind, overwrite_d, 1)
    dl = _taken(dl, kind, overwrite_dl, 1)
    du = _taken(du, kind, overwrite_du, 1)
    b = _taken(b, kind, overwrite_b, 2)
    n = d.shape[0]
    if n < 2 or dl.shape[0] != n - 1 or du.shape[0] != n - 1 or b.shape[0] != n:
        raise refuse("operands whose sizes don't fit, and those of one equation")
    with np.errstate(all="ignore"):
        info = _eliminated(dl, d, du, b) if b.ndim == 1 else _eliminated_rows(dl, d, du, b)
        if info == 0:
            _substituted(dl, d, du, b)
    return dl, d, du, b, info


def _eliminated(dl, d, du, b):
    """Gaussian elimination with exchanges of neighbouring rows; the pivot that is 0, from 1."""
    n = d.shape[0]
    pivot, right, x = d[0], du[0], b[0]
    info = 0
    for i in range(n - 1):
        low, following, y = dl[i], d[i + 1], b[i + 1]
        if abs(pivot) >= abs(low):
            if pivot == 0:
                info = i + 1
                break
            fact = low / pivot
            pivot = following - fact * right
            x = y - fact * x
            if i < n - 2:
                dl[i] = 0
                right = du[i + 1]
        else:
            fact = pivot / low
            d[i] = low
            du[i] = following
            b[i] = y
            pivot = right - fact * following
            x = x - fact * y
            if i < n - 2:
                dl[i] = du[i + 1]
                right = -fact * du[i + 1]
                du[i + 1] = right
        d[i + 1] = pivot
        b[i + 1] = x
    if info == 0 and pivot == 0:
        info = n
    return info


def _eliminated_rows(dl, d, du, b):
    """The same for several right-hand sides."""
    n = d.shape[0]
    info = 0
    for i in range(n - 1):
        if abs(d[i]) >= abs(dl[i]):
            if d[i] == 0:
                info = i + 1
                break
            fact = dl[i] / d[i]
            d[i + 1] = d[i + 1] - fact * du[i]
            b[i + 1] = b[i + 1] - fact * b[i]
            if i < n - 2:
                dl[i] = 0
        else:
            fact = d[i] / dl[i]
            d[i] = dl[i]
            following = d[i + 1]
            d[i + 1] = du[i] - fact * following
            if i < n - 2:
                dl[i] = du[i + 1]
                du[i + 1] = -fact * dl[i]
            du[i] = following
            above = b[i].copy()
            b[i] = b[i + 1]
            b[i + 1] = above - fact * b[i + 1]
    if info == 0 and d[n - 1] == 0:
        info = n
    return info


def _substituted(dl, d, du, b):
    """The solution of the triangle that elimination has left, in place of the right-hand sides."""
    n = d.shape[0]
    second = b[n - 1] / d[n - 1]
    b[n - 1] = second
    first = (b[n - 2] - du[n - 2] * second) / d[n - 2]
    b[n - 2] = first
    for i in range(n - 3, -1, -1):
        first, second = (b[i] - du[i] * first - dl[i] * second) / d[i], first
        b[i] = first


@in_place_of("scipy.linalg.lapack.sptsv")
def sptsv(d, e, b, overwrite_d=0, overwrite_e=0, overwrite_b=0):
    return _ptsv(np.dtype(np.float32), d, e, b, overwrite_d, overwrite_e, overwrite_b)


@in_place_of("scipy.linalg.lapack.dptsv")
def dptsv(d, e, b, overwrite_d=0, overwrite_e=0, overwrite_b=0):
    return _ptsv(np.dtype(np.float64), d, e, b, overwrite_d, overwrite_e, overwrite_b)


def _ptsv(kind, d, e, b, overwrite_d, overwrite_e, overwrite_b):
    """Solves systems of a positive definite matrix of three diagonals."""
    d = _taken(d, kind, overwrite_d, 1)
    e = _taken(e, kind, overwrite_e, 1)
    b = _taken(b, kind, overwrite_b, 2)
    n = d.shape[0]
    if n < 2 or e.shape[0] != n - 1 or b.shape[0] != n:
        raise refuse("operands whose sizes don't fit, and those of one equation")
    with np.errstate(all="ignore"):
        info = _definite(d, e)
        if info == 0:
            _substituted_both_ways(d, e, b)
    return d, e, b, info


def _definite(d, e):
    """The factors of a positive definite matrix; the pivot that isn't positive, from 1."""
    n = d.shape[0]
    pivot = d[0]
    info = 0
    for i in range(n - 1):
        if pivot <= 0:
            info = i + 1
            break
        beside = e[i]
        fact = beside / pivot
        e[i] = fact
        pivot = d[i + 1] - fact * beside
        d[i + 1] = pivot
    if info == 0 and pivot <= 0:
        info = n
    return info


def _substituted_both_ways(d, e, b):
    n = d.shape[0]
    x = b[0]
    for i in range(1, n):
        x = b[i] - x * e[i - 1]
        b[i] = x
    x = b[n - 1] / d[n - 1]
    b[n - 1] = x
    for i in range(n - 2, -1, -1):
        x = b[i] / d[i] - x * e[i]
        b[i] = x


def _of_bands(ab, b, check_finite, least):
    """Bands, right-hand sides, and the type of numbers in which LAPACK solves the systems.

    That has all integers of the operands, and is `least` at least where there are some.
    """
    ab = np.asarray_chkfinite(ab) if check_finite else np.asarray(ab)
    b = np.asarray_chkfinite(b) if check_finite else np.asarray(b)
    if ab.ndim != 2 or not 1 <= b.ndim <= 2:
        refuse("batches of systems of bands")
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if ab.shape[1] < 2 or b.size == 0:
        raise refuse("bands of less than two equations")
    floats = [np.float32 if x.dtype.kind in "fc" else least for x in (ab, b)]
    kind = np.result_type(ab.dtype, b.dtype, *floats)
    if kind.kind == "c":
        refuse("bands of complex numbers")
    return ab, b, kind


@in_place_of("scipy.linalg.solve_banded")
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    lower, upper = l_and_u
    if lower != 1 or upper != 1:
        refuse("other bands than one below and one above the diagonal")
    ab, b, kind = _of_bands(ab, b, check_finite, np.float64)
    if ab.shape[0] != 3:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 (3) does not equal "
            f"ab.shape[0] ({ab.shape[0]})"
        )
    beside = ab[2, :-1], ab[1], ab[0, 1:]
    writes = (overwrite_ab, overwrite_ab, overwrite_ab, overwrite_b)
    *_, x, info = _gtsv(kind, *beside, b, *writes)
    if info > 0:
        raise np.linalg.LinAlgError("singular matrix")
    return x


@in_place_of("scipy.linalg.solveh_banded")
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    ab, b, kind = _of_bands(ab, b, check_finite, np.float32)
    if ab.shape[0] != 2:
        refuse("other bands than the diagonal and the one beside it")
    d, e = (ab[0], ab[1, :-1]) if lower else (ab[1], ab[0, 1:])
    *_, x, info = _ptsv(kind, d, e, b, overwrite_ab, overwrite_ab, overwrite_b)
    if info > 0:
        raise np.linalg.LinAlgError(f"{info}th leading minor not positive definite")
    return x
