"""Ufuncs of `scipy.special` whose loops programs call, against SciPy, bit by bit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError
from quernel.numpy import scipy_loops
from quernel.numpy.loader import special as special_of

special = pytest.importorskip("scipy.special")
from scipy.special import _ufuncs  # noqa: E402

X = np.linspace(0.05, 0.95, 7)
COUNTS = np.arange(1.0, 4.0)[:, None]


def _same(got: Any, want: Any) -> None:
    got, want = (part if type(part) is tuple else (part,) for part in (got, want))
    for one, other in zip(got, want, strict=True):
        assert type(one) is type(other)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, strict=True)


def _check(function: Any, *args: Any) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        _same(compiled(*args), function(*args))


def _ufuncs_by_their_loops() -> list[str]:
    found = [name for name in dir(_ufuncs) if isinstance(getattr(_ufuncs, name), np.ufunc)]
    return sorted(name for name in found if special_of(getattr(_ufuncs, name)) is None)[::6]


def _numbers(char: str, count: int) -> np.ndarray:
    kind, random = np.dtype(char), np.random.default_rng(count)
    if kind.kind == "i":
        return random.integers(0, 5, 4).astype(kind)
    real = random.uniform(-1.2, 3.0, 4)
    return (real + 1j * random.uniform(-1, 1, 4) if kind.kind == "c" else real).astype(kind)


@pytest.mark.parametrize("name", _ufuncs_by_their_loops())
def test_loops(name: str) -> None:
    ufunc = getattr(_ufuncs, name)
    compiled = qn.compile(lambda *args: ufunc(*args) if args else None, fullgraph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for types in ufunc.types:
            if not set("gG") & set(types):
                args = [_numbers(char, k) for k, char in enumerate(types.partition("-")[0])]
                _same(compiled(*args), ufunc(*args))


def test_shapes() -> None:
    _check(lambda a, x: special.betainc(a, 2, x), COUNTS, X)
    _check(lambda a, x: special.betainc(a, 2, x), 2.5, X[::2])
    _check(lambda a, x: special.betainc(a, 2, x), np.float32(2.5), 0.5)
    _check(lambda a, x: special.betainc(a, 2, x.T), COUNTS[:2], np.ones((3, 2)) / 3)
    _check(lambda a, x: special.betainc(a, 2, x), COUNTS, np.ones((3, 0)))
    _check(lambda x: special.sici(x) + special.shichi(x), X)
    _check(lambda x, y: special.yv(1.5, y).sum() + special.yv(1.5, x), X, np.outer(X, X))
    with pytest.raises(ValueError, match=r"broadcast together with shapes \(2,\) \(3,\)"):
        qn.compile(lambda x, y: special.kv(x, y) + 1, fullgraph=True)(np.ones(2), np.ones(3))


def test_where_they_are_called() -> None:
    def in_a_loop(x: np.ndarray) -> np.ndarray:
        out = np.zeros_like(x)
        for i in range(len(x)):
            out[i] = special.stdtr(3.0, x[i]) if x[i] > 0.3 else special.stdtrit(4, x[i])
        return out

    def with_arguments(x: np.ndarray) -> np.ndarray:
        out = np.zeros(x.shape)
        special.kve(0.5, x, out=out)
        special.kve(1.5, x, out=out, where=x > 0.5)
        return out + special.kv(2, x, dtype=np.float32)

    class Law:
        def __init__(self, count: int) -> None:
            self.count = count

        def tail(self, x: Any) -> Any:
            return special.chdtrc(self.count, x)

    law = Law(3)
    for size in (7, 70):
        x = np.linspace(0.05, 0.95, size)
        _check(in_a_loop, x)
        _check(with_arguments, x)
        _check(lambda x: law.tail(x * 2) + law.tail(x.max()), x)


def test_warnings_are_those_of_numpys_functions_around() -> None:
    def f(x: np.ndarray) -> np.ndarray:
        return special.kv(1.0, np.log(x)) + np.log(x)

    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        _same(qn.compile(f, fullgraph=True)(X - 0.5), f(X - 0.5))


def test_errors_that_scipy_reports() -> None:
    def f(x: np.ndarray) -> np.ndarray:
        return special.spence(x) + special.loggamma(x)

    compiled = qn.compile(f, fullgraph=True)
    _same(compiled(X - X), f(X - X))
    with special.errstate(all="raise"):
        what = r"scipy\.special\.spence that reports errors"
        with pytest.raises((special.SpecialFunctionError, UnsupportedError), match=what):
            compiled(X - X)
    _same(compiled(X), f(X))
    with special.errstate(all="raise"), pytest.raises(special.SpecialFunctionError):
        qn.compile(f)(X - X)


def test_what_a_loop_raises_is_left_to_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scipy_loops, "is_quiet", lambda: True)

    def f(x: np.ndarray) -> np.ndarray:
        return special.loggamma(x) + 1

    compiled = qn.compile(f)
    _same(compiled(X), f(X))
    what = "scipy.special.loggamma of arguments for which SciPy raises an exception"
    with special.errstate(all="raise"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(special.SpecialFunctionError, match="singular"):
            compiled(X - X)
        _same(compiled(X), f(X))
    assert any(what in str(each.message) for each in told)
    _same(compiled(X - X), f(X - X))


def test_other_ufuncs_are_refused() -> None:
    own = np.frompyfunc(lambda x: x, 1, 1)
    with pytest.raises(UnsupportedError, match="a ufunc that isn't NumPy's"):
        qn.compile(lambda x: own(x) + 1, fullgraph=True)(X)


def test_no_loop_takes_complex_numbers() -> None:
    with pytest.raises(TypeError, match="ufunc 'gammaln' not supported for the input types"):
        qn.compile(lambda x: special.gammaln(x) * 1, fullgraph=True)(np.ones(2) + 1j)
    _check(lambda x: special.gamma(x) + special.erf(x), X + 1j)
