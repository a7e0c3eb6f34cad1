"""What is captured in place of checks of NumPy's that only raise: those of `np.testing`.

Where a check holds, the program goes on. Where it doesn't, the call is left to NumPy, whose
messages have whole arrays in them.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..capture.texts import Text
from ..traced.tracer import current
from .registry import implements
from .sources import in_place_of, refuse

_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
_SEQUENCES = (tuple, list, np.ndarray)


def _its_text() -> Text:
    """The text of an exception that NumPy alone can make."""
    return Text(current(), ["a message of NumPy's"], is_numpys=True)


implements(_its_text)(_its_text)


def _require(holds: Any) -> None:
    if not holds:
        raise AssertionError(_its_text())


def _compare(comparison: Any, x: Any, y: Any, equal_nan: Any, equal_inf: Any, strict: Any) -> None:
    """Compare the elements that aren't NaN or infinite in both arrays at once, as NumPy does."""
    x, y = np.asanyarray(x), np.asanyarray(y)
    if strict:
        _require(x.shape == y.shape and x.dtype == y.dtype)
    elif x.ndim > 0 and y.ndim > 0:
        _require(x.shape == y.shape)
    flagged = np.False_
    if x.dtype.kind in "iufc" and y.dtype.kind in "iufc":
        if equal_nan:
            flagged = _same_places(np.isnan(x), np.isnan(y))
        if equal_inf:
            others = np.logical_not(flagged)
            are_infinite = _same_places(
                np.logical_and(np.isinf(x), others), np.logical_and(np.isinf(y), others)
            )
            _require(np.logical_or(np.logical_not(are_infinite), x == y).all())
            flagged = np.logical_or(flagged, are_infinite)
    with np.errstate(invalid="ignore"):  # of infinities that NumPy has left out
        _require(np.logical_or(flagged, comparison(x, y)).all())


def _same_places(x: Any, y: Any) -> Any:
    _require((x == y).all())
    return x if x.ndim == 0 else y


@in_place_of("numpy.testing.assert_array_equal")
def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    _compare(operator.eq, actual, desired, True, True, strict)


@in_place_of("numpy.testing.assert_array_less")
def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    _compare(operator.lt, x, y, True, False, strict)


@in_place_of("numpy.testing.assert_array_almost_equal")
def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    def are_near(x, y):
        return abs(x - np.asanyarray(y, np.result_type(y, 1.0))) < 1.5 * 10.0 ** (-decimal)

    _compare(are_near, actual, desired, True, True, False)


@in_place_of("numpy.testing.assert_allclose")
def assert_allclose(
    actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
):
    if isinstance(rtol, _SEQUENCES) or isinstance(atol, _SEQUENCES):
        refuse("np.testing.assert_allclose with arrays of tolerances")

    def are_close(x, y):
        return np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)

    _compare(are_close, actual, desired, equal_nan, True, strict)


def _is_complex(x: Any) -> bool:
    return isinstance(x, (complex, np.complexfloating))


@in_place_of("numpy.testing.assert_equal")
def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    if isinstance(desired, dict):
        _require(isinstance(actual, dict))
        _require(len(actual) == len(desired))
        for key in desired:
            _require(key in actual)
            assert_equal(actual[key], desired[key])
    elif isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        _require(len(actual) == len(desired))
        for k in range(len(desired)):
            assert_equal(actual[k], desired[k])
    elif isinstance(actual, np.ndarray) or isinstance(desired, np.ndarray):
        _compare(operator.eq, actual, desired, True, True, strict)
    elif isinstance(actual, _NUMBERS) and isinstance(desired, _NUMBERS):
        if _is_complex(actual) or _is_complex(desired):
            assert_equal(actual.real, desired.real)
            assert_equal(actual.imag, desired.imag)
        _require(_are_equal(actual, desired))
    else:
        _require(desired == actual)


def _are_equal(actual: Any, desired: Any) -> Any:
    """Whether numbers are equal, or both NaN; zeros have a sign, of which complex ones have two."""
    if np.isnan(actual) and np.isnan(desired):
        return True
    is_real = not _is_complex(actual) and not _is_complex(desired)
    if is_real and actual == 0 and desired == 0:
        return np.signbit(actual) == np.signbit(desired)
    return actual == desired


@in_place_of("numpy.testing.assert_almost_equal")
def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    if isinstance(actual, _SEQUENCES) or isinstance(desired, _SEQUENCES):
        if np.iscomplexobj(actual) or np.iscomplexobj(desired):
            assert_almost_equal(np.real(actual), np.real(desired), decimal)
            assert_almost_equal(np.imag(actual), np.imag(desired), decimal)
        assert_array_almost_equal(actual, desired, decimal)
        return
    if not isinstance(actual, _NUMBERS) or not isinstance(desired, _NUMBERS):
        refuse("np.testing.assert_almost_equal of other objects than arrays and numbers")
    if _is_complex(actual) or _is_complex(desired):
        assert_almost_equal(actual.real, desired.real, decimal)
        assert_almost_equal(actual.imag, desired.imag, decimal)
    if np.isfinite(desired) and np.isfinite(actual):
        _require(not abs(desired - actual) >= np.float64(1.5 * 10.0 ** (-decimal)))
    elif np.isnan(desired) or np.isnan(actual):
        _require(np.isnan(desired) and np.isnan(actual))
    else:
        _require(desired == actual)
