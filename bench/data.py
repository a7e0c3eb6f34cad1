"""The arguments of the programs, the same numbers in every run."""

from __future__ import annotations

import numpy as np

Arguments = tuple[object, ...]


def kmeans(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Two blobs of `points / 2` points, and four means."""
    centres = np.repeat([[5.0, 5.0], [10.0, 10.0]], points // 2, axis=0)
    means = np.array([[5.0, 5.0], [10.0, 10.0], [5.0, 10.0], [10.0, 5.0]])
    return centres + normal(points, 2), means


def normal(*shape: int, dtype: type = np.float64) -> np.ndarray:
    """Normally distributed numbers."""
    return np.random.default_rng(0).standard_normal(shape, dtype)


def apart(arrays: np.ndarray) -> Arguments:
    """Arrays with memory of their own instead of those of one."""
    return tuple(map(np.copy, arrays))


def one(*shape: int) -> Arguments:
    """One array of float64."""
    return (normal(*shape),)


def three(size: int) -> Arguments:
    """Three vectors of float64."""
    return apart(normal(3, size))


def rows(count: int, width: int) -> Arguments:
    """A matrix of float32."""
    return (normal(count, width, dtype=np.float32),)


def scaled_rows(count: int, width: int) -> Arguments:
    """A matrix of float32, and a gain for each column."""
    return *rows(count, width), 1 + normal(width, dtype=np.float32)


def shifted_rows(count: int, width: int) -> Arguments:
    """A matrix of float32, and a gain and a bias for each column."""
    return *scaled_rows(count, width), normal(width, dtype=np.float32)


def labelled_rows(count: int, width: int) -> Arguments:
    """A matrix of float32, and a column's index for each row."""
    return *rows(count, width), np.random.default_rng(1).integers(width, size=count)


def polynomial(size: int, degree: int) -> Arguments:
    """Numbers between -1 and 1, and the coefficients of a polynomial."""
    return np.random.default_rng(0).uniform(-1, 1, size), normal(degree + 1)


def heads(batch: int, count: int, length: int, width: int) -> Arguments:
    """Queries, keys and values of float32."""
    return apart(normal(3, batch, count, length, width, dtype=np.float32))


def parts(count: int, size: int) -> Arguments:
    """A tuple of vectors of float64."""
    return (apart(normal(count, size)),)
