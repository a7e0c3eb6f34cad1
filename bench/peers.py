"""The same programs in the peers that are installed; none of them is required.

Inputs are converted before the clock starts where a peer has arrays of its own, and results are
waited for.
"""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable

import numpy as np

import programs

LABELS = {"numba": "Numba prange", "jax": "JAX", "torch": "torch.compile"}


def installed() -> list[str]:
    """The peers that can be imported here."""
    return [name for name in LABELS if importlib.util.find_spec(name)]


def candidates(
    program: str, *arrays: np.ndarray, only: str | None = None
) -> dict[str, Callable[[], object]]:
    """Calls of `program` on `arrays`, one for each installed peer that has it."""
    found = {}
    for name in installed():
        if only in (None, name):
            with contextlib.suppress(ImportError):
                found[LABELS[name]] = _PEERS[name](program, arrays)
    return found


def _numba(program: str, arrays: tuple[np.ndarray, ...]) -> Callable[[], object]:
    import numba

    @numba.njit(parallel=True)
    def kmeans(X, means):
        labels = np.empty(X.shape[0], np.int64)
        for i in numba.prange(X.shape[0]):
            nearest, label = np.inf, 0
            for j in range(means.shape[0]):
                distance = 0.0
                for c in range(X.shape[1]):
                    difference = X[i, c] - means[j, c]
                    distance += difference * difference
                if distance < nearest:
                    nearest, label = distance, j
            labels[i] = label
        return labels

    @numba.njit
    def multiply_add(a, b, c):
        return a * b + c

    @numba.njit(parallel=True)
    def chain(a):
        return (((((a + 1.0) * 0.5 - 3.0) * a + 2.0) * 0.25 - a) * 1.5 + 7.0) * a

    function = {"kmeans": kmeans, "multiply_add": multiply_add, "chain": chain}[program]
    return lambda: function(*arrays)


def _jax(program: str, arrays: tuple[np.ndarray, ...]) -> Callable[[], object]:
    import jax

    jax.config.update("jax_enable_x64", True)
    function = jax.jit(programs.over(jax.numpy)[program])
    inputs = [jax.numpy.asarray(array) for array in arrays]
    return lambda: function(*inputs).block_until_ready()


def _torch(program: str, arrays: tuple[np.ndarray, ...]) -> Callable[[], object]:
    import torch

    function = torch.compile(programs.over(np)[program])
    return lambda: function(*arrays)


_PEERS = {"numba": _numba, "jax": _jax, "torch": _torch}
