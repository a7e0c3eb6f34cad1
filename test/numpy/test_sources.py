"""Functions of NumPy that are captured from their own source, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

import quernel as qn

X = sample("float64", (5, 4))
CASES = {
    "polynomials": lambda x: (
        np.polyval(x[0], x),
        np.polyadd(x[0], x[1]),
        np.polyder(x[0]),
        np.polyint(x[0]),
    ),
    "phases": lambda x: np.unwrap(x * 5),
    "weights": lambda x: (
        np.cov(x, fweights=np.array([1, 2, 1, 1])),
        np.cov(x, aweights=x[0] * x[0]),
    ),
    "complex": lambda x: np.nan_to_num((x + 1j * x) / 0),
    "positions": lambda x: np.nanargmax(x, axis=1),
    "axes": lambda x: np.apply_over_axes(np.sum, x, [0, 1]),
}


@pytest.mark.parametrize("name", CASES)
def test_source(name: str) -> None:
    check(CASES[name], X, scale=1e-12)


def test_what_the_source_cannot_do_is_refused() -> None:
    with pytest.raises(qn.errors.UnsupportedError):
        qn.compile(lambda x: np.polymul(x, [1.0]), fullgraph=True)(X[0])
