"""The programs that are measured, as their users write them, and their data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def kmeans_data(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Two blobs of `points / 2` points, and four means."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[5.0, 5.0], [10.0, 10.0]], points // 2, axis=0)
    means = np.array([[5.0, 5.0], [10.0, 10.0], [5.0, 10.0], [10.0, 5.0]])
    return centres + rng.standard_normal((points, 2)), means


def over(xp: Any) -> dict[str, Callable[..., Any]]:
    """The programs as their users write them, over the namespace `xp`."""

    def kmeans(X, means):
        return xp.argmin(xp.linalg.norm(X - means[:, None], axis=2), axis=0)

    def multiply_add(a, b, c):
        return a * b + c

    def chain(a):
        return (((((a + 1.0) * 0.5 - 3.0) * a + 2.0) * 0.25 - a) * 1.5 + 7.0) * a

    return {"kmeans": kmeans, "multiply_add": multiply_add, "chain": chain}
