"""What stands for parts of `scipy.stats`."""

from __future__ import annotations

import numpy as np

from .sources import in_place_of

# How many roundings of the largest eigenvalue count as nothing, by the kind of floats.
_ROUNDINGS = {"float32": 1e3, "float64": 1e6}


@in_place_of("scipy.stats._PSD.__init__")
def decompose(self, M, cond=None, rcond=None, lower=True, check_finite=True, allow_singular=True):
    """A matrix that is positive semidefinite, by its eigenvalues.

    Nobody sees the signs of the eigenvectors, which LAPACK's routines choose in several ways.
    """
    self._M = np.asarray(M)
    if check_finite and not np.isfinite(self._M).all():
        raise ValueError("array must not contain infs or NaNs")
    values, vectors = np.linalg.eigh(self._M, "L" if lower else "U")
    bound = cond if rcond is None else rcond
    if bound is None or bound == -1:
        bound = _ROUNDINGS[values.dtype.name] * np.finfo(values.dtype).eps
    eps = bound * np.max(abs(values))
    if np.min(values) < -eps:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    kept = values > eps
    rank = np.count_nonzero(kept)
    if not allow_singular and rank < len(values):
        raise np.linalg.LinAlgError(
            "When `allow_singular is False`, the input matrix must be symmetric positive definite."
        )
    inverse = np.where(np.abs(values) > eps, 1 / np.where(kept, values, 1.0), 0.0)
    self.eps = 1e3 * eps
    self.V = vectors[:, values <= eps]
    self.rank = rank
    self.U = vectors * np.sqrt(inverse)
    self.log_pdet = np.sum(np.log(values[kept]))
    self._pinv = None
