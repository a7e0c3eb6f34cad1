"""The gamma function and its kin of `scipy.special`, against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from support import module_of

import quernel as qn

special = pytest.importorskip("scipy.special")
NAN, INF = np.nan, np.inf
RANDOM = np.random.default_rng(3)
POSITIVE = np.concatenate(
    [np.logspace(-10, 5, 200), np.arange(1.0, 30), np.linspace(0.5, 30, 300), [1e300, INF, NAN]]
)
REAL = np.concatenate([POSITIVE, -POSITIVE, [0.0, -0.0], np.linspace(-20, 0, 101)])
SHARES = np.concatenate(
    [RANDOM.random(300), np.logspace(-300, -1, 99), 1 - np.logspace(-15, -1, 50), [0, 1, 0.5, NAN]]
)
ODDS = np.array([-0.1, 1.1, 2.5])
LARGE = np.concatenate([np.linspace(-50, 50, 301), [700, 713, 800, INF, -INF, NAN, 0.0, -0.0]])
A, B = RANDOM.random((2, 200)) * 20 + 0.5

CASES = {
    "gammaln": (REAL,),
    "gamma": (np.concatenate([np.linspace(-30, 171, 999), [0.0, -0.0, 172, 1e9, INF, -INF, NAN]]),),
    "psi": (REAL,),
    "ndtri": (np.concatenate([SHARES, ODDS]),),
    "erfinv": (np.concatenate([SHARES, -SHARES, ODDS]),),
    "erfcinv": (np.concatenate([2 * SHARES, ODDS]),),
    "i0": (LARGE,),
    "i0e": (LARGE,),
    "i1": (LARGE,),
    "i1e": (LARGE,),
    "beta": (A, B),
    "betaln": (A, B),
    "binom": (np.arange(40.0), np.floor(np.arange(40) / 2.2)),
    "zeta": (A + 1, B),
    "polygamma": (1, A),
    "comb": (np.array([5, 6, 30]), np.array([2, 3, 1])),
    "digamma": (np.arange(1, 9),),
}
CALL = """
from scipy import special

def f({names}):
    return special.{name}({names})
"""


def function_of(name, count, tmp_path):
    names = ", ".join("abc"[:count])
    return module_of(tmp_path / f"{name}_call.py", CALL.format(name=name, names=names)).f


def check(function, args, rtol, atol=0.0):
    got, want = qn.compile(function, fullgraph=True)(*args), function(*args)
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", CASES)
def test_values(name, tmp_path):
    # SciPy's own errors beside zeros of a function are larger than this.
    rtol = 1e-11 if name in ("gammaln", "psi") else 1e-14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(function_of(name, len(CASES[name]), tmp_path), CASES[name], rtol, 1e-15)


@pytest.mark.parametrize("name", ["gammaln", "psi", "i0", "ndtri"])
def test_dtypes(name, tmp_path):
    function = function_of(name, 1, tmp_path)
    for x in (0.25, np.float64(0.75), np.float32(0.5), np.array(0.5), A.astype("f4") / 32):
        check(function, (x,), 2e-7 if np.asarray(x).dtype == np.float32 else 1e-14)
    check(function_of("gammaln", 1, tmp_path), (3,), 1e-14)


def variational(gamma, counts):
    weights = special.psi(gamma) - special.psi(gamma.sum(axis=1, keepdims=True))
    return np.exp(weights) * counts + special.gammaln(gamma)


def test_in_a_program():
    check(variational, (RANDOM.random((5, 4)) + 0.1, RANDOM.random((5, 4))), 1e-13)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "float32"])
def test_the_loop_for_float32_may_come_first(dtype: str) -> None:
    x = np.array([0.25, 0.5, 0.75]).astype(dtype)
    n, k = np.array([5, 6, 1]).astype(dtype), np.array([1, 1, 1], np.int8)
    inverse = qn.compile(lambda x: (special.erfinv(x), special.ndtri(x)), fullgraph=True)(x)
    chosen = qn.compile(lambda n, k: +special.binom(n, k), fullgraph=True)
    pairs = [
        *zip(inverse, (special.erfinv(x), special.ndtri(x)), strict=True),
        (chosen(n, k), special.binom(n, k)),
        (chosen(n, 1.0), special.binom(n, 1.0)),
    ]
    for got, want in pairs:
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("name", ["beta", "betaln", "binom", "rel_entr", "xlogy"])
def test_two_arguments_take_the_loop_of_scipys(name: str) -> None:
    ufunc = getattr(special, name)
    compiled = qn.compile(lambda x, k: +ufunc(x, k), fullgraph=True)
    for dtype in ("int8", "uint16", "int32", "float16", "float32", "float64"):
        x = np.array([1, 1, 1]).astype(dtype)
        for k in (1, 1.0, np.float32(1), np.int8(1), np.float64(1)):
            got, want = compiled(x, k), ufunc(x, k)
            assert got.dtype == want.dtype, (dtype, k)
            np.testing.assert_allclose(got, want, rtol=1e-6)
