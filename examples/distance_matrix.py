"""All distances between two sets of points: the n × m × d array of differences is never stored."""

from __future__ import annotations

import numpy as np

from compare import compare, size


def distances(A, B):
    """Distance of each row of `A` to each row of `B`."""
    return np.sqrt(((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=-1))


if __name__ == "__main__":
    n = size(2000, small=65)
    rng = np.random.default_rng(0)
    result = compare(distances, rng.standard_normal((n, 3)), rng.standard_normal((n, 3)))
    print(f"{result.shape[0]}×{result.shape[1]} distances, the nearest pair at {result.min():.5f}")
