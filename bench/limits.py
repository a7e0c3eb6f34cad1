"""What this machine can do at best, measured beside the programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

COPY, PRODUCT = "copy", "product"


@dataclass(frozen=True)
class Limits:
    """What a program can't be faster than.

    Attributes
    ----------
    bandwidth : float
        Bytes a second, read and written ones added, of a copy by all cores.
    peak : float
        Multiplications and additions a second of the BLAS in a product of matrices: the rate that
        is reached, not the one that the processor's clock and vector units promise.
    """

    bandwidth: float
    peak: float

    def seconds(self, moved: int, operations: int) -> tuple[float, str]:
        """The least time for so many bytes and operations, and which of them takes it."""
        return max((moved / self.bandwidth, COPY), (operations / self.peak, PRODUCT))


class Yardsticks:
    """The copy and the products, to be timed in the same rounds as a program.

    Parameters
    ----------
    elements : int
        Length of the array of float64 that is copied.
    order : int
        Rows and columns of the matrices.
    """

    def __init__(self, elements: int, order: int) -> None:
        self.order = order
        self.moved = 2 * 8 * elements
        self._copy = _parallel_copy(np.ones(elements))

    def calls(self, precision: str) -> dict[str, Callable[[], object]]:
        """What has to be timed for a program that computes in this dtype."""
        matrix = np.ones((self.order, self.order), precision)
        multiply = partial(np.matmul, matrix, matrix, out=np.empty_like(matrix))
        return {COPY: self._copy, PRODUCT: multiply}

    def limits(self, times: Mapping[str, Sequence[float]]) -> Limits:
        """The limits that the best of the times of `calls` show."""
        copied, multiplied = min(times[COPY]), min(times[PRODUCT])
        return Limits(self.moved / copied, 2 * self.order**3 / multiplied)


def _parallel_copy(source: np.ndarray) -> Callable[[], object]:
    cores = len(os.sched_getaffinity(0))
    target = np.empty_like(source)
    targets, sources = np.array_split(target, cores), np.array_split(source, cores)
    pool = ThreadPoolExecutor(cores)
    return lambda: list(pool.map(np.copyto, targets, sources))
