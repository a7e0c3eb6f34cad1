"""What the examples share: run a function in NumPy and compiled, compare results and times."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import quernel as qn


def size(default: int, *, small: int) -> int:
    """The size that the command line asks for: `--small`, `--size N`, or the default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=default)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    arguments = parser.parse_args()
    return small if arguments.small else arguments.size


def best(function: Callable[[], object], rounds: int = 5) -> float:
    """The shortest of several calls, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(function: Callable[..., object], *arguments: object, rtol: float = 1e-12) -> object:
    """Compile `function`, check it against itself in NumPy, print what it became and the times.

    What cancels to almost nothing may differ by more than `rtol`, so 1e-12 is let through as well.
    """
    compiled = qn.compile(function, fullgraph=True)
    expected = function(*arguments)
    result = compiled(*arguments)
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=1e-12)
    assert result.dtype == expected.dtype

    plain_time = best(lambda: function(*arguments))
    compiled_time = best(lambda: compiled(*arguments))
    kernels = len(compiled.explain(*arguments).kernels)
    print(
        f"{function.__name__}: {kernels} kernel{'s' if kernels != 1 else ''}, "
        f"NumPy {plain_time * 1e3:.2f} ms, Quernel {compiled_time * 1e3:.2f} ms, "
        f"{plain_time / compiled_time:.1f}×"
    )
    return result
