"""Eigenvalues of matrices that needn't be symmetric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import apply
from ..traced.array import TracedArray
from .calling import captured
from .linear_algebra import common, routine, square
from .reductions import all_
from .registry import implements


def _finite(a: Any) -> TracedArray:
    """Square matrices in the dtype of the routines, without infinities and NaN.

    Raises
    ------
    np.linalg.LinAlgError
    """
    a = common(square(a))[0]
    text = "Array must not contain infs or NaNs"
    finite = all_(apply(np.isfinite, a))
    a.tracer.check(finite.value, "LinAlgError", text)
    return a


def _real_values(values: Any) -> Any:
    return values.real if np.all(values.imag == 0) else values


def _real_system(values: Any, vectors: Any) -> Any:
    return (values.real, vectors.real) if np.all(values.imag == 0) else (values, vectors)


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """`np.linalg.eigvals`: real numbers where the matrices and all values are real."""
    a = _finite(a)
    (values,) = routine("eigvals", a)
    if a.dtype.kind == "c":
        return values
    return captured(_real_values, values)


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    """`np.linalg.eig`: real numbers where the matrices and all values are real."""
    from numpy.linalg._linalg import EigResult

    a = _finite(a)
    values, vectors = routine("eig", a)
    if a.dtype.kind == "c":
        return EigResult(values, vectors)
    return EigResult(*captured(_real_system, values, vectors))
