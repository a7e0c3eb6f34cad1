"""Classes of SciPy's that captured code makes objects of, as it does of the user's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
from scipy.interpolate import interp1d
from scipy.stats import multivariate_normal, norm

import quernel as qn

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(20, 3))
COV = np.cov(X.T)
LOW = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])


def density(x, mean, cov):
    return multivariate_normal.pdf(x, mean=mean, cov=cov), multivariate_normal.logpdf(x, mean, cov)


def singular(x, cov):
    return multivariate_normal.pdf(x, cov=cov, allow_singular=True)


def outcome(function, args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    ("x", "mean", "cov"),
    [
        (X, np.zeros(3), np.eye(3)),
        (X, X[0], COV),
        (X[0], X[1], COV),
        (X[:, 0], 0.5, 2.0),
        (X.astype("f4"), np.zeros(3), np.eye(3)),
    ],
)
def test_multivariate_normal(x, mean, cov):
    got, want = qn.compile(density, fullgraph=True)(x, mean, cov), density(x, mean, cov)
    for ours, theirs in zip(got, want, strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_singular_matrices():
    compiled = qn.compile(singular, fullgraph=True)
    np.testing.assert_allclose(compiled(X, LOW), singular(X, LOW), rtol=1e-10)
    x = X * np.array([1, 1, 0]) + X[:, :1] * np.array([0, 0, 1])
    np.testing.assert_allclose(compiled(x, LOW), singular(x, LOW), rtol=1e-10)


@pytest.mark.parametrize("cov", [LOW, -np.eye(3), np.full((3, 3), np.nan), np.ones((2, 3))])
def test_errors(cov):
    compiled = qn.compile(density, fullgraph=True)
    got, want = (outcome(f, (X, np.zeros(3), cov)) for f in (compiled, density))
    assert got == want


def between(x, y, new):
    return interp1d(x, y)(new), interp1d(x, y, fill_value="extrapolate")(new + 5)


def test_interp1d():
    args = np.arange(6.0), X[:6, 0], np.array([0.5, 2.25, 4.0])
    got, want = qn.compile(between, fullgraph=True)(*args), between(*args)
    for ours, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def spectrum(x):
    return np.fft.rfft(x, scipy.fft.next_fast_len(2 * len(x) - 1))


def test_good_sizes():
    compiled = qn.compile(spectrum, fullgraph=True)
    for count in (7, 12, 97):
        x = RANDOM.random(count)
        np.testing.assert_allclose(compiled(x), spectrum(x), rtol=1e-12, atol=1e-12)


def quantiles(p):
    return norm.ppf(p), norm.ppf(p, loc=1.0, scale=2.0), norm.cdf(p)


def test_quantiles():
    p = np.array([0.025, 0.5, 0.975])
    for ours, theirs in zip(qn.compile(quantiles, fullgraph=True)(p), quantiles(p), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-16)


def kinds(x, distribution):
    is_norm = isinstance(distribution, type(norm)) and type(distribution) is type(norm)
    is_other = isinstance(distribution, interp1d) or type(distribution) is interp1d
    made = interp1d(x, x)
    return is_norm, is_other, isinstance(made, interp1d), type(made) == interp1d  # noqa: E721


def test_classes_of_objects_from_outside():
    assert qn.compile(kinds, fullgraph=True)(np.arange(3.0), norm) == kinds(np.arange(3.0), norm)
    line = interp1d(np.arange(3.0), np.arange(3.0))
    assert kinds(np.arange(3.0), line) == (False, True, True, True)
    assert qn.compile(kinds, fullgraph=True)(np.arange(3.0), line) == kinds(np.arange(3.0), line)
