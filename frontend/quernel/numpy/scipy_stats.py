"""What stands for parts of `scipy.stats`."""

from __future__ import annotations

import numpy as np

from .sources import in_place_of, leave_unless, refuse

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


def _places(axis, rank):
    """The axes that a function of statistics goes along."""
    places = []
    for k in [axis] if np.isscalar(axis) else axis:
        if not isinstance(k, (int, np.integer)):
            refuse("axes that aren't integers")
        places.append(k + rank if k < 0 else k)
    if not all(0 <= k < rank for k in places):
        raise np.exceptions.AxisError(f"`axis` is out of bounds for array of dimension {rank}")
    if len(set(places)) != len(places):
        raise np.exceptions.AxisError("`axis` must contain only distinct elements")
    return places


@in_place_of("scipy.stats._broadcast_shapes")
def broadcast_shapes(shapes, axis=None):
    """The shapes that arrays have together, where axes to go along keep their own sizes."""
    if not shapes:
        return shapes
    rank = max([len(shape) for shape in shapes])
    rows = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    places = [] if axis is None else _places(axis, rank)
    common = []
    for k in range(rank):
        size = 1
        for row in rows:
            if k not in places and row[k] != 1:
                if size != 1 and row[k] != size:
                    raise ValueError("Array shapes are incompatible for broadcasting.")
                size = row[k]
        common.append(size)
    if axis is None:
        return tuple(common)
    own = [[row[k] if k in places else common[k] for k in range(rank)] for row in rows]
    return [tuple(shape) for shape in own]


@in_place_of("scipy.stats._broadcast_shapes_remove_axis")
def broadcast_shapes_remove_axis(shapes, axis=None):
    """The shape that arrays have together without the axes to go along."""
    shape = broadcast_shapes(shapes, axis)
    if axis is None:
        return shape
    places = _places(axis, len(shape[0]))
    return tuple([size for k, size in enumerate(shape[0]) if k not in places])


@in_place_of("scipy._contains_nan")
def contains_nan(a, nan_policy="propagate", *, xp_omit_okay=False, xp=None):
    """Whether there is NaN in a sample."""
    if nan_policy not in ("propagate", "raise", "omit"):
        refuse("an unknown nan_policy")
    a = np.asarray(a)
    if a.size > 0 and a.dtype.kind in "fc":
        leave_unless(not np.isnan(a).any(), "NaN in samples")
    return False
