"""Functions of math that come from NumPy's own vector library."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import quernel as qn
from quernel.cache.target import host_target

pytestmark = pytest.mark.skipif(
    not host_target().endswith("+svml"), reason="this machine's NumPy has no such library"
)

# From where to where arguments are.
BOUNDS = {
    **dict.fromkeys("tan arctan sinh cosh tanh arcsinh exp2 expm1 cbrt".split(), (-9, 9)),
    **dict.fromkeys("arcsin arccos arctanh".split(), (-1, 1)),
    **dict.fromkeys("log2 log10 log1p".split(), (0, 9)),
    "arccosh": (1, 9),
}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, -1e-310, 1e9, 1e30)
LARGE = (89.0, -104.0, 710.0, -750.0)


def warned(function: Any, *args: Any) -> tuple[Any, set[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args)
    return result, {str(warning.message) for warning in caught}


def kinds(messages: set[str]) -> set[str]:
    """Which warnings these are, whatever the function is called that they are about."""
    return {message.partition(" encountered")[0] for message in messages}


# NumPy has loops of its own for exp and log in single precision, which aren't in the library.
@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in BOUNDS for dtype in (np.float32, np.float64)]
    + [("exp", np.float64), ("log", np.float64)],
)
def test_one_argument(name: str, dtype: Any) -> None:
    ufunc = getattr(np, name)

    def function(x: Any) -> Any:
        return ufunc(x)

    compiled = qn.compile(function, fullgraph=True)
    low, high = BOUNDS.get(name, (0, 9))
    for size in (1, 5, 16, 1000, 100_003):
        x = np.random.default_rng(size).uniform(low, high, size).astype(dtype)
        assert_array_equal(compiled(x), ufunc(x))
    for value in SPECIAL + LARGE:
        with np.errstate(over="ignore"):
            x = np.full(16, value).astype(dtype)
        expected, told = warned(ufunc, x)
        result, heard = warned(compiled, x)
        assert_array_equal(result, expected)
        assert_array_equal(np.signbit(result), np.signbit(expected))
        assert kinds(heard) == kinds(told)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_arguments(dtype: Any) -> None:
    def function(x: Any, y: Any) -> Any:
        return np.power(abs(x), y), np.arctan2(x, y)

    compiled = qn.compile(function, fullgraph=True)
    x, y = np.random.default_rng(3).uniform(-4, 4, (2, 10_001)).astype(dtype)
    for result, expected in zip(compiled(x, y), function(x, y), strict=True):
        assert_array_equal(result, expected)


@pytest.mark.parametrize("ufunc", [np.sin, np.cos])
def test_angles_are_as_exact_as_the_c_librarys(ufunc: Any) -> None:
    def function(x: Any) -> Any:
        return ufunc(x)

    compiled = qn.compile(function, fullgraph=True)
    x = np.random.default_rng(4).uniform(-1, 1, 10_000) * 10.0 ** np.arange(0, 10).repeat(1000)
    exact = function(x.astype(np.longdouble))
    assert np.all(np.abs(compiled(x) - exact) <= 0.56 * np.spacing(np.abs(exact).astype(float)))


def test_the_target_says_whose_functions_are_called() -> None:
    @qn.compile
    def compiled(x: Any) -> Any:
        return np.tanh(x) + 1

    lowered = compiled.lower(np.ones(100, np.float32))
    assert "qn_tanhf16" in lowered.text("cpp")
    text = lowered.text("cpp", target="x86-64-v4")
    assert "Sleef_finz_tanhf16" in text
    assert "qn_tanhf16" not in text
