"""Functions of `scipy.optimize` that look for roots, against SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

optimize = pytest.importorskip("scipy.optimize")


def cubic(x, a):
    return x**3 - a


def crossing(x, a):
    return np.cos(x) - a * x


def decay(x, a):
    return a * np.exp(-x) - 0.3


def through(x):
    return x * (x - 0.75)


@pytest.mark.parametrize("solver", [optimize.brentq, optimize.bisect])
@pytest.mark.parametrize("function", [cubic, crossing, decay])
def test_roots(solver: Any, function: Any) -> None:
    def root(a, high):
        return solver(function, 0.0, high, args=(a,), xtol=1e-13)

    compiled = qn.compile(root, fullgraph=True)
    for a in (0.5, 0.7, 1.3, 2.1, 3.9):
        for high in (3.0, np.float64(4.0), 5):
            got, want = compiled(a, high), root(a, high)
            assert type(got) is type(want)
            np.testing.assert_allclose(got, want, rtol=1e-15)


@pytest.mark.parametrize("solver", [optimize.brentq, optimize.bisect])
def test_in_a_loop(solver: Any) -> None:
    def roots(x):
        out = np.empty(len(x))
        for k in range(len(x)):
            out[k] = solver(lambda t, a: crossing(t, a) if t > 0 else 1.0, -1, 3, args=(x[k],))
        return out

    compiled = qn.compile(roots, fullgraph=True)
    for count in (4, 9):
        x = np.linspace(0.5, 2, count)
        np.testing.assert_allclose(compiled(x), roots(x), rtol=1e-15)


@pytest.mark.parametrize("solver", [optimize.brentq, optimize.bisect])
def test_ends_and_errors(solver: Any) -> None:
    def root(low, high, most):
        return solver(through, low, high, maxiter=most)

    compiled = qn.compile(root, fullgraph=True)
    for low, high in ((0.0, 2.0), (0.5, 0.75), (0.25, 4.0)):
        assert compiled(low, high, 100) == root(low, high, 100)
    for call, text in (
        ((1.0, 2.0, 100), "f(a) and f(b) must have different signs"),
        ((0.2, 2.1, 2), "Failed to converge after 2 iterations."),
    ):
        for each in (root, qn.compile(root, fullgraph=True)):
            with pytest.raises((ValueError, RuntimeError)) as raised:
                each(*call)
            assert str(raised.value) == text


def test_nan_is_left_to_scipy() -> None:
    def root(a):
        return optimize.brentq(lambda x: x - a, 0.0, 3.0)

    compiled = qn.compile(root)
    assert compiled(1.5) == root(1.5)
    with pytest.raises(ValueError, match=r"The function value at x=0\.0 is NaN"):
        compiled(np.nan)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda a: optimize.brentq(cubic, 0, 3, args=(a[:1],)), "with roots that give arrays"),
        (lambda a: optimize.brentq(cubic, a[:1], 3, args=(2,)), "with roots that are arrays"),
        (lambda a: optimize.bisect(cubic, 0, 3, (a[0],), full_output=True), "full_output= and"),
        (lambda a: optimize.bisect(cubic, 0, 3, (a[0] * np.nan,)), "with roots that are NaN"),
    ],
)
def test_what_is_refused(call: Any, text: str) -> None:
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(call, fullgraph=True)(np.array([1.5, 2.5]))
