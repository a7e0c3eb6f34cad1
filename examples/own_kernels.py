"""Kernels of one's own in CUDA C++, called with arrays of NumPy's and with arrays on a device.

They are a sum of vectors, and a product of a matrix and a vector; a compiled function calls both.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import quernel as qn
from compare import best, size

own = qn.load(
    Path(__file__).with_suffix(".cu"),
    add=qn.Kernel("float32[n], float32[n] -> float32[n]", grid="(n + 255) // 256", block=256),
    product=qn.Kernel("float32[m, n], float32[n] -> float32[m]", grid="m", block=128),
)


@qn.compile(fullgraph=True, device="cuda")
def step(a, x, b):
    """One step of a fixed-point iteration, with the tangent behind two kernels in CUDA C++."""
    return np.tanh(own.add(own.product(a, x), b)) / 2


def step_in_numpy(a, x, b):
    """The same in NumPy."""
    return np.tanh(a @ x + b) / 2


def main() -> None:
    """Compare with NumPy, and tell the time that a step takes."""
    n = size(8_000, small=65)
    rng = np.random.default_rng(0)
    a = (rng.standard_normal((n, n)) / n).astype(np.float32)
    x, b = rng.standard_normal((2, n)).astype(np.float32)

    # Arrays of NumPy are copied to the device, and the result comes back.
    np.testing.assert_array_equal(own.add(x, b), x + b)
    np.testing.assert_allclose(own.product(a, x), a @ x, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(step(a, x, b), step_in_numpy(a, x, b), rtol=1e-4, atol=1e-6)

    # Arrays on a device aren't copied, and the call doesn't wait for the device.
    there = [qn.to_device(array) for array in (a, x, b)]
    np.testing.assert_array_equal(own.add(there[1], there[2]).to_host(), x + b)
    result = step(*there)
    np.testing.assert_allclose(result.to_host(), step_in_numpy(a, x, b), rtol=1e-4, atol=1e-6)

    def waited() -> None:
        step(*there)
        qn.cuda.synchronize()

    plain, compiled = best(lambda: step_in_numpy(a, x, b)), best(waited)
    print(f"step: NumPy {plain * 1e3:.2f} ms, Quernel {compiled * 1e3:.2f} ms")
    try:
        own.product(a, x[1:])
    except ValueError as error:
        print(error)


if __name__ == "__main__":
    if qn.cuda.is_available():
        main()
    else:
        print(
            "Quernel finds no CUDA device: run this where there is an NVIDIA GPU with its driver."
        )
