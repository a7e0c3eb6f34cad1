"""Routines of LAPACK, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

import quernel as qn

A, T = sample("float64", (4, 4)), sample("float64", (2, 4, 4), 1)
CASES = {
    "solve": lambda a, t: (
        np.linalg.solve(a, a[0]),
        np.linalg.solve(a, a.T),
        np.linalg.solve(t, a),
        np.linalg.solve(a.astype("f4"), a[0].astype("f4")),
        np.linalg.solve((a * 9).astype(int), a[0]),
    ),
    "inverse": lambda a, t: (np.linalg.inv(a), np.linalg.inv(t), np.linalg.matrix_power(a, -2)),
    "cholesky": lambda a, t: (
        np.linalg.cholesky(a @ a.T),
        np.linalg.cholesky(t @ t.mT),
        np.linalg.cholesky(a @ a.T, upper=True),
    ),
    "determinant": lambda a, t: (np.linalg.det(a), np.linalg.det(t)),
    "eigenvalues": lambda a, t: (
        np.linalg.eigvalsh(a @ a.T),
        np.linalg.eigvalsh(a, "U"),
        np.linalg.eigh(t @ t.mT).eigenvalues,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_routine(name: str) -> None:
    check(CASES[name], A, T, scale=1e-6 if name == "solve" else 1e-11)


def test_eigenvectors() -> None:
    def compute(a):
        values, vectors = np.linalg.eigh(a @ a.T)
        return vectors @ (values[:, None] * vectors.T)

    check(compute, A, scale=1e-13)


@pytest.mark.parametrize(
    ("function", "matrix"),
    [
        (np.linalg.inv, np.ones((3, 3))),
        (np.linalg.cholesky, -np.eye(3)),
        (np.linalg.inv, np.ones((2, 3))),
        (np.linalg.det, np.ones(3)),
    ],
)
def test_mistakes(function: object, matrix: np.ndarray) -> None:
    with pytest.raises(np.linalg.LinAlgError) as want:
        function(matrix)
    with pytest.raises(np.linalg.LinAlgError) as got:
        qn.compile(lambda a: function(a) + 0, fullgraph=True)(matrix)
    assert str(got.value) == str(want.value)
