"""`scipy.linalg.expm`: the exponential of matrices, by scaling, a Padé approximant and squaring.

A. H. Al-Mohy and N. J. Higham, "A New Scaling and Squaring Algorithm for the Matrix Exponential",
SIAM J. Matrix Anal. Appl. 31(3), 2009. The order and the scaling of each matrix follow from norms
of its powers, so that a matrix whose powers are smaller than its norm says isn't scaled too far.
"""

from __future__ import annotations

import numpy as np

from .scipy_linalg import solved_by_factors
from .sources import in_place_of, refuse
from .triangles import lu_factors

# Of the approximants of orders 3, 5, 7, 9 and 13: how large the powers of a matrix may be, and how
# large the norm of |A|**(2 * order + 1) may be beside that of |A|, in roundings.
_ORDERS = (3, 5, 7, 9, 13)
_BOUNDS = (
    1.495585217958292e-2,
    2.539398330063230e-1,
    9.504178996162932e-1,
    2.097847961257068,
    4.25,
)
_ROUNDINGS = (
    100800.0,
    10059033600.0,
    4487938430976000.0,
    5914384781877411840000.0,
    113250775606021113483283660800000000.0,
)
# The coefficients of the numerators, from the constant one; a line for each order below 13.
_LOW = (
    (120, 60, 12, 1, 0, 0, 0, 0, 0, 0),
    (30240, 15120, 3360, 420, 30, 1, 0, 0, 0, 0),
    (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1, 0, 0),
    (17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1),
)
_HIGH = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)


@in_place_of("scipy.linalg.expm")
def expm(A):
    a = np.asarray(A)
    if a.size == 1 and a.ndim < 2:
        if a.dtype.kind == "b":
            refuse("exponentials of 16 bits")
        number = a.astype(np.result_type(a.dtype, np.float64)).item()
        return np.array([[np.exp(number)]])
    if a.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.shape[-2:] == (1, 1) and a.size > 0:
        if a.dtype.kind in "biu" and a.dtype.itemsize == 1:
            refuse("exponentials of 16 bits")
        return np.exp(a)
    if a.dtype.kind not in "fc":
        a = a.astype(np.float64)
    if a.size == 0:
        return np.empty_like(a)
    out = np.empty(a.shape, a.dtype)
    matrices, exponentials = (x.reshape(-1, *a.shape[-2:]) for x in (a, out))
    for k in range(len(matrices)):
        exponentials[k] = _exponential(matrices[k])
    return out


def _exponential(a):
    """The exponential of one matrix; that of a triangle is a triangle."""
    is_upper, is_lower = not np.tril(a, -1).any(), not np.triu(a, 1).any()
    if is_upper and is_lower:
        return np.diag(np.exp(np.diagonal(a)))
    x, halvings = _approximated(a)
    if is_upper:
        return np.triu(_squared_triangle(x, a, halvings))
    if is_lower:
        return np.tril(_squared_triangle(x.T, a.T, halvings).T)
    for _ in range(halvings):
        x = x @ x
    return x


def _approximated(a):
    """The exponential of a matrix that was halved often enough, and how often it was."""
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    a8 = a6  # which orders 3 and 5 don't use
    absolute = np.abs(a)
    norm = absolute.sum(0).max()
    order = 4
    d4, d6 = _norm(a4) ** 0.25, _norm(a6) ** (1 / 6)
    d8 = size = max(d4, d6)
    if size < _BOUNDS[0] and _is_exact(absolute, norm, 0):
        order = 0
    elif size < _BOUNDS[1] and _is_exact(absolute, norm, 1):
        order = 1
    else:
        a8 = a4 @ a4
        d8 = _norm(a8) ** 0.125
        size = max(d6, d8)
        if size < _BOUNDS[2] and _is_exact(absolute, norm, 2):
            order = 2
        elif size < _BOUNDS[3] and _is_exact(absolute, norm, 3):
            order = 3
    if order < 4:
        return _low_order(a, a2, a4, a6, a8, order), 0
    d10 = _norm(a6 @ a4) ** 0.1
    halvings = _doublings(min(size, max(d8, d10)) / _BOUNDS[4], 1)
    share = _halved(norm, halvings)
    rest = _power_norm(absolute * share, 27) / (norm * share)
    halvings = halvings + _doublings(rest / (_ROUNDINGS[4] * _rounding(norm)), 26)
    if halvings > 0:
        share = _halved(norm, halvings)
        a, a2 = a * share, a2 * share**2
        a4, a6 = a4 * share**4, a6 * share**6
    return _high_order(a, a2, a4, a6), halvings


def _norm(a):
    """The greatest of the sums of columns."""
    return np.abs(a).sum(0).max()


def _power_norm(absolute, exponent):
    """The norm of a power of a matrix that has no negative elements."""
    sums = absolute.sum(0)
    for _ in range(exponent - 1):
        sums = sums @ absolute
    return sums.max()


def _rounding(norm):
    return np.finfo(norm.dtype).eps / 2


def _is_exact(absolute, norm, order):
    """Whether what an approximant leaves out is lost in roundings."""
    if norm < _BOUNDS[order]:
        return True
    rest = _power_norm(absolute, 2 * _ORDERS[order] + 1)
    return rest <= norm * (_ROUNDINGS[order] * _rounding(norm))


def _doublings(x, step):
    """How many steps lead from 1 to a number, of so many doublings each; none to infinity."""
    if x > 1 and x < np.inf:
        return int(np.ceil(np.log2(x) / step))
    return 0


def _halved(norm, count):
    """1, so often halved, in the type of the norm."""
    return np.ldexp(norm.dtype.type(1), -count)


def _low_order(a, a2, a4, a6, a8, order):
    c = np.array(_LOW, a.real.dtype)[order]
    unit = np.eye(len(a), dtype=a.dtype)
    u = a @ (a8 * c[9] + a6 * c[7] + a4 * c[5] + a2 * c[3] + unit * c[1])
    v = a8 * c[8] + a6 * c[6] + a4 * c[4] + a2 * c[2] + unit * c[0]
    return _quotient(u, v, unit)


def _high_order(a, a2, a4, a6):
    c = _HIGH
    unit = np.eye(len(a), dtype=a.dtype)
    odd = a6 @ (a6 * c[13] + a4 * c[11] + a2 * c[9])
    u = a @ (odd + a6 * c[7] + a4 * c[5] + a2 * c[3] + unit * c[1])
    even = a6 @ (a6 * c[12] + a4 * c[10] + a2 * c[8])
    v = even + a6 * c[6] + a4 * c[4] + a2 * c[2] + unit * c[0]
    return _quotient(u, v, unit)


def _quotient(u, v, unit):
    """(v - u)**-1 @ (v + u), where small matrices lose nothing beside the unit.

    By the factors of the transposed matrix, as in SciPy: those of triangles round otherwise.
    """
    factors, exchanged = lu_factors((v - u).T)
    return 2 * solved_by_factors(factors, exchanged, u, 1) + unit


def _squared_triangle(x, a, halvings):
    """The exponential of an upper triangle, whose diagonals are computed anew at each squaring."""
    if halvings == 0:
        return x
    n = len(a)
    diagonal, beside = np.diagonal(a), np.diagonal(a, 1)
    apart = np.arange(n) - np.arange(n)[:, None]
    share = _halved(np.abs(diagonal[:1])[0], halvings)
    x = np.where(apart == 0, np.exp(diagonal * share), x)
    for _ in range(halvings):
        share = share * 2
        d = diagonal * share
        first = np.zeros(n, a.dtype)
        first[1:] = _divided(d[:-1], d[1:]) * (beside * share)
        x = np.where(apart == 0, np.exp(d), np.where(apart == 1, first, x @ x))
    return x


def _divided(x, y):
    """The differences of the exponentials of two numbers, divided by that of the numbers."""
    swapped = y.real > x.real
    greater, apart = np.where(swapped, y, x), np.where(swapped, x - y, y - x)
    slope = np.where(apart == 0, 1, np.expm1(apart) / np.where(apart == 0, 1, apart))
    return np.exp(greater) * slope
