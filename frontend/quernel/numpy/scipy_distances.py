"""What stands for functions of `scipy.spatial.distance`, as `scipy_sources` has others."""

from __future__ import annotations

import numpy as np

from .scipy_linalg import norm
from .sources import in_place_of, leave_unless, refuse


def _rows(x):
    x = np.asarray(x)
    if x.dtype.kind == "c":
        refuse("distances of complex numbers")
    return x.astype(np.float64)


def _distances(a, b, metric):
    """The distances of vectors, which are along the last axes."""
    if metric in ("cosine", "correlation"):
        if metric == "correlation":
            a = a - a.mean(-1, keepdims=True)
            b = b - b.mean(-1, keepdims=True)
        lengths = np.sqrt((a * a).sum(-1)) * np.sqrt((b * b).sum(-1))
        return 1.0 - np.clip((a * b).sum(-1) / lengths, -1.0, 1.0)
    if metric == "hamming":
        return (a != b).mean(-1)
    apart = a - b
    if metric == "euclidean":
        return np.sqrt((apart * apart).sum(-1))
    if metric == "sqeuclidean":
        return (apart * apart).sum(-1)
    if metric == "cityblock":
        return np.abs(apart).sum(-1)
    if metric == "chebyshev":
        return np.abs(apart).max(-1)
    refuse("a distance of that name")


@in_place_of("scipy.spatial.distance.cdist")
def cdist(XA, XB, metric="euclidean"):
    a, b = _rows(XA), _rows(XB)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("XA and XB must be 2-dimensional arrays.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    return _distances(a[:, None, :], b[None, :, :], metric)


@in_place_of("scipy.spatial.distance.pdist")
def pdist(X, metric="euclidean"):
    x = _rows(X)
    if x.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {x.shape}).")
    i, j = np.triu_indices(x.shape[0], 1)
    return _distances(x[i], x[j], metric)


@in_place_of("scipy.spatial.distance.squareform")
def squareform(X, force="no", checks=True):
    x = np.asarray(X)
    if force.lower() == "tomatrix" and x.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.lower() == "tovector" and x.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if x.ndim == 1:
        count = int(np.ceil(np.sqrt(x.shape[0] * 2))) if x.shape[0] > 0 else 1
        if count * (count - 1) != x.shape[0] * 2:
            raise ValueError(
                "Incompatible vector size. It must be a binomial coefficient n choose 2 "
                "for some integer n >= 2."
            )
        matrix = np.zeros((count, count), x.dtype)
        i, j = np.triu_indices(count, 1)
        matrix[i, j] = x
        matrix[j, i] = x
        return matrix
    if x.ndim != 2:
        refuse("squareform of more than two axes")
    if x.shape[0] != x.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks:
        leave_unless((x == x.T).all() and (np.diag(x) == 0).all(), "matrices of no distances")
    i, j = np.triu_indices(x.shape[0], 1)
    return x[i, j]


@in_place_of("scipy.spatial.distance.euclidean")
def euclidean(u, v, w=None):
    if w is not None:
        refuse("weights of distances")
    apart = np.asarray(u) - np.asarray(v)
    return norm(apart)
