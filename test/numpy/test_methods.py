"""Methods and attributes of arrays, and outputs given by the caller, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import check, sample

import quernel as qn

X = sample("float64", (5, 4))


def flat(x):
    y, u = x.copy(), np.zeros((3, 2))
    y.flat[3] = 7.0
    y.flat[5:9] = x[0]
    taken = y.flat[1:3]
    taken[0] = 9
    u.flat = x[0]
    u.real = u * 2
    return y, taken, u, y.flat[2], len(y.flat)


def outputs(x):
    z, mask, narrow = x.copy(), x > 0, x.astype("f4")
    quotient, rest = np.empty_like(x), np.empty_like(x)
    np.multiply(z, z, z)
    np.logical_not(mask, mask)
    np.divmod(x, 0.3, out=(quotient, rest))
    chosen = np.zeros_like(x)
    np.add(x, 1, out=chosen, where=mask)
    np.add(narrow, narrow, narrow)
    return z, mask, quotient, rest, chosen, narrow


def types(x):
    n = (x * 9).astype(int)
    blank = np.ndarray((2, 3), dtype=np.float64)
    blank[...] = x[:2, :3]
    return blank, np.float64(x[0, 0]), np.float32(x), np.int32(n), isinstance(x, np.ndarray)


CASES = {
    "attributes": lambda x: (
        x.strides,
        x.T.strides,
        x[::2, ::-1].strides,
        x.real,
        x.imag,
        x.mT,
        x.view(),
        x.conj(),
        x.nbytes,
        x.itemsize,
        x.ndim,
        x.T.size,
        x[0, 0].real,
        x[0].dot(x[1]),
    ),
    "parts": lambda x: (
        np.real(x),
        np.imag(x),
        np.angle(x),
        np.isreal(x),
        np.iscomplex(x[0]),
        np.iscomplexobj(x),
    ),
    "flat": flat,
    "outputs": outputs,
    "types": types,
    "clip": lambda x: (np.clip((x * 9).astype(int), 0, 1.5), x.clip(0, 1), x.clip(max=0)),
}


@pytest.mark.parametrize("name", CASES)
def test_member(name: str) -> None:
    check(CASES[name], X)


def test_the_imaginary_part_of_reals_cannot_be_written() -> None:
    def compute(x):
        x.imag = 1.0

    with pytest.raises(TypeError) as want:
        compute(X.copy())
    with pytest.raises(TypeError) as got:
        qn.compile(compute, fullgraph=True)(X.copy())
    assert str(got.value) == str(want.value)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x[x > 0][::2].strides, r"\.strides"),
        (lambda x: np.arctan2.reduce(x, axis=1), r"np\.arctan2\.reduce"),
        (lambda x: np.power.reduceat(x, [0, 2]), r"np\.power\.reduceat"),
    ],
)
def test_refusals(function: object, reason: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match=reason):
        qn.compile(function, fullgraph=True)(X.copy())


def test_a_ufunc_output_of_another_kind() -> None:
    def compute(x):
        n = np.zeros(4, dtype=int)
        np.add(x[0], 1.0, out=n)
        return n

    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
        qn.compile(compute, fullgraph=True)(X)
