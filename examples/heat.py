"""One step of the heat equation: slices are index arithmetic, so the stencil is one loop."""

from __future__ import annotations

import numpy as np

from compare import compare, size


def step(T, alpha):
    """The inner points of `T` one step later."""
    inner = T[1:-1, 1:-1]
    neighbours = T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:]
    return inner + alpha * (neighbours - 4.0 * inner)


if __name__ == "__main__":
    n = size(3000, small=67)
    T = np.zeros((n, n))
    T[n // 4 : n // 2, n // 4 : n // 2] = 100.0
    result = compare(step, T, 0.1)
    print(f"the hottest inner point is at {result.max():.1f}")
