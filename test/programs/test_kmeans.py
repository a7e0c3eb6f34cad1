"""The running example: one kernel, no temporary array, one pass over the points."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn


@qn.compile(fullgraph=True)
def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def points(count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = np.repeat([[5, 5], [10, 10]], [count, count], axis=0)
    return centres + rng.standard_normal((2 * count, 2))


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("count", [1, 7, 1000, 100_000])
def test_labels(dtype: str, count: int) -> None:
    X, means = points(count), np.array([[5, 5], [10, 10]], dtype)
    labels = kmeans(X, means)
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, kmeans.__wrapped__(X, means))


def test_more_means_and_columns() -> None:
    rng = np.random.default_rng(1)
    X, means = rng.normal(size=(5000, 7)), rng.normal(size=(13, 7))
    np.testing.assert_array_equal(kmeans(X, means), kmeans.__wrapped__(X, means))


def test_one_kernel_without_temporaries() -> None:
    report = kmeans.explain(points(1000), np.array([[5, 5], [10, 10]]))
    assert len(report.kernels) == 1
    assert report.temporaries == []
    assert report.copies == []
    assert report.kernels[0].parallel
    assert report.kernels[0].bytes_read <= 2000 * 2 * 8 + 4 * 8
