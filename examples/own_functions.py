"""Functions of one's own in C++, called with NumPy's arrays and as a part of a compiled function.

They are a sum of vectors, and a product of a matrix and a vector.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import quernel as qn
from compare import best, size

own = qn.load(
    Path(__file__).with_suffix(".cpp"),
    add="float64[n], float64[n] -> float64[n]",
    product="context, float64[m, n], float64[n] -> float64[m], status",
)


@qn.compile(fullgraph=True)
def step(a, x, b):
    """One step of a fixed-point iteration, with the tangent around two functions in C++."""
    return np.tanh(own.add(own.product(a, x), b)) / 2


def step_in_numpy(a, x, b):
    """The same in NumPy."""
    return np.tanh(a @ x + b) / 2


if __name__ == "__main__":
    n = size(2_000, small=65)
    rng = np.random.default_rng(0)
    a, x, b = rng.standard_normal((n, n)) / n, rng.standard_normal(n), rng.standard_normal(n)

    np.testing.assert_array_equal(own.add(x, b), x + b)
    np.testing.assert_allclose(own.product(a, x), a @ x, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(step(a, x, b), step_in_numpy(a, x, b), rtol=1e-9, atol=1e-12)

    plain = best(lambda: step_in_numpy(a, x, b))
    compiled = best(lambda: step(a, x, b))
    print(f"step: NumPy {plain * 1e3:.2f} ms, Quernel {compiled * 1e3:.2f} ms")
    try:
        own.product(a, x[1:])
    except ValueError as error:
        print(error)
