"""Cosine and sine transforms of SciPy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.fft
import scipy.fftpack

import quernel as qn
from quernel.errors import UnsupportedError

RANDOM = np.random.default_rng(0)
X = RANDOM.random((5, 8))


def of_fft(x, kind, axis, norm, n):
    return (
        scipy.fft.dct(x, kind, n, axis, norm),
        scipy.fft.idct(x, kind, n, axis, norm),
        scipy.fft.dst(x, kind, n, axis, norm),
        scipy.fft.idst(x, kind, n, axis, norm),
    )


def of_fftpack(x, kind, axis, norm, n):
    return (
        scipy.fftpack.dct(x, kind, n, axis, norm),
        scipy.fftpack.idct(x, kind, n, axis, norm),
        scipy.fftpack.dst(x, kind, n, axis, norm),
        scipy.fftpack.idst(x, kind, n, axis, norm),
    )


def spectra(x):
    return (
        scipy.fftpack.fft(x),
        scipy.fftpack.ifft(x, 5, axis=0),
        scipy.fftpack.fft2(x),
        scipy.fftpack.ifft2(x),
    )


def orthogonal(x):
    return scipy.fft.dct(x, orthogonalize=True), scipy.fft.idct(
        x, norm="ortho", orthogonalize=False
    )


def check(function, *args):
    got, want = qn.compile(function, fullgraph=True)(*args), function(*args)
    for ours, theirs in zip(got, want, strict=True):
        assert ours.dtype == theirs.dtype
        tolerance = 1e-6 if theirs.dtype.itemsize == 4 or theirs.dtype == "c8" else 1e-13
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("kind", "norm"), list(itertools.product((2, 3), (None, "ortho"))))
def test_transforms(kind, norm):
    for axis, n in ((-1, None), (0, None), (-1, 5), (1, 11)):
        check(of_fft, X, kind, axis, norm, n)
        check(of_fftpack, X, kind, axis, norm, n)


def test_others():
    for norm in ("backward", "forward"):
        check(of_fft, X, 2, -1, norm, None)
    check(of_fft, X.astype("f4"), 2, -1, None, None)
    check(of_fft, np.arange(7), 3, -1, "ortho", None)
    check(of_fft, np.ones(1), 2, -1, "ortho", None)
    check(spectra, X)
    check(orthogonal, X)


def of_complex(x):
    return scipy.fft.dct(x + 1j)


def first(x):
    return scipy.fft.dct(x, 1)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (of_complex, "cosine and sine transforms of complex numbers"),
        (first, "cosine and sine transforms of other types than 2 and 3"),
    ],
)
def test_refused(function, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)
