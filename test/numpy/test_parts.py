"""Complex arrays in NumPy's functions: parts as views, statistics, creation, products."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

Z = sample("float64", (4, 4)) + 1j * sample("float64", (4, 4), 1)
C = Z.astype("complex64")
X = sample("float64", (4, 4), 2)


def written(z, c, x):
    y, squared = z.copy(), np.zeros((4, 4), np.complex128)
    y.real = 1.0
    y.imag[0] = 5
    row = z.copy()[0]
    row.real[...] = 3
    later = y.real
    y[2, 2] = 2j
    y[3] = x[0]
    np.add.at(y, (np.array([0, 0]), np.array([1, 1])), 1j)
    squared[:] = x + 1j
    np.multiply(squared, squared, squared)
    return y, row, later, squared


CASES = {
    "parts": lambda z, c, x: (
        z.real,
        c.imag,
        z[0, 0].real,
        np.real(z),
        np.imag(x),
        np.angle(z),
        np.angle(c, deg=True),
        z.conj(),
        np.conj(x),
        z.real.sum(),
        z.imag.T,
        np.isreal(z),
        np.iscomplexobj(z),
    ),
    "written": written,
    "statistics": lambda z, c, x: (
        z.mean(0),
        z.var(),
        z.std(1),
        c.mean(),
        np.average(z, weights=x),
        np.cov(z),
        np.cumsum(z, 0),
        np.trace(z),
        np.count_nonzero(z, 0),
        np.linalg.norm(z),
        np.linalg.norm(c, axis=1),
        np.linalg.norm(z, 1),
    ),
    "creation": lambda z, c, x: (
        np.linspace(0, 1j, 4),
        np.linspace(z[0, 0], 1, 3),
        np.zeros(3, complex),
        np.full(2, 1j),
        np.eye(3, dtype=complex),
        np.full((2,), z[0, 0]),
        np.array([z[0, 0], 1.0]),
        np.where(x > 0, z, 0),
        np.where(x > 0, c, 1j),
        np.concatenate([z, x]),
        np.stack([c, x.astype("f4")]),
    ),
    "products": lambda z, c, x: (
        z @ x,
        np.vdot(z, z),
        np.vecdot(z, z),
        np.kron(z, x[0]),
        np.einsum("ij,jk->ik", z, x),
        np.tensordot(z, z, 1),
        np.convolve(z[0], z[1]),
        np.correlate(z[0], z[1], "full"),
        np.linalg.solve(z, x),
        np.linalg.det(z),
        np.linalg.cholesky(z @ z.conj().T, upper=True),
        np.linalg.eigvalsh(z + z.conj().T, "U"),
    ),
    "comparisons": lambda z, c, x: (
        np.isclose(z, z + 1e-12),
        np.allclose(z, z),
        np.array_equal(z, c),
        np.isfinite(z),
        np.histogram(x, 3, weights=z),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_complex(name: str) -> None:
    check(CASES[name], Z, C, X, ulp=8, scale=1e-6 if name == "statistics" else 1e-13)
