"""Factors that are triangles, and systems of triangles: LAPACK's routines beside `np.linalg`."""

from __future__ import annotations

from ..traced.array import TracedArray
from .linear_algebra import common, routine
from .registry import implements


def lu_factors(a: TracedArray) -> tuple[TracedArray, TracedArray]:
    """The factors of matrices, in one array, and the row that each row was exchanged with.

    Parameters
    ----------
    a : [..., m, n]

    Returns
    -------
    factors : [..., m, n]
        What is below the diagonal is the lower one, whose diagonal is 1.
    exchanged : [..., min(m, n)] int64
        As LAPACK's, but from 0.
    """
    factors, exchanged = routine("lu", *common(a))
    return factors, exchanged


def solve_triangles(a: TracedArray, b: TracedArray, lower: bool) -> TracedArray:
    """The solutions of systems of one triangle, whose diagonal has no zeros.

    Parameters
    ----------
    a : [n, n]
    b : [n, k]
    """
    return routine("solve_lower" if lower else "solve_upper", *common(a, b))[0]


for _function in (lu_factors, solve_triangles):
    implements(_function)(_function)
