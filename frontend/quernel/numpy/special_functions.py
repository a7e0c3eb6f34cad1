"""Ufuncs of `scipy.special` about the gamma function and the normal distribution.

Each is a composition of elementary functions by elements: Taylor series where a function has a
zero, recurrences to where an asymptotic series is exact, and steps of Newton's method for inverses.
They have few roundings, but not SciPy's own ones.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..raised import EVENTS
from ..traced.array import TracedArray
from ..traced.tracer import current
from .special import define_ufunc, erf, erfc, scalar

_EULER = 0.5772156649015329
# The zero of psi, what is left of it, and Taylor's coefficients there.
_ZERO, _REST = 1.4616321449683622, 9.549995429965697e-17
_AT_ZERO = (
    0.9676722454476214, -0.44276316898359214, 0.2584997609556512, -0.16394270544240658,
    0.10782405069126239, -0.07219956125645476, 0.048804288164143145, -0.033161126474847376,
    0.022597648232218125, -0.015424765904948968, 0.010538791616612182, -0.007204534386356875,
    0.004926781395729858, -0.0033698016554393312, 0.00230512632673493, -0.0015769367714301987,
    0.0010788252019162975, -0.000738070938996006, 0.0005049532658346026, -0.0003454680251063082,
)  # fmt: skip
# (zeta(k) - 1) / k, of the logarithm of gamma at two, from k = 2 on.
_AT_TWO = (
    0.3224670334241133, 0.0673523010531981, 0.020580808427784553, 0.007385551028673988,
    0.002890510330741523, 0.0011927539117032612, 0.0005096695247430426, 0.00022315475845357936,
    9.945751278180857e-05, 4.4926236738133156e-05, 2.0507212775670688e-05, 9.439488275268398e-06,
    4.3748667899074865e-06, 2.039215753801366e-06, 9.551412130407415e-07, 4.492469198764565e-07,
    2.1207184805554667e-07, 1.0043224823968102e-07, 4.76981016936398e-08, 2.2711094608943164e-08,
    1.0838659214896953e-08, 5.183475041970047e-09, 2.4836745438024785e-09, 1.1921401405860912e-09,
    5.731367241678861e-10, 2.7595228851242334e-10, 1.3304764374244491e-10, 6.422964563838102e-11,
)  # fmt: skip
_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330,
)  # fmt: skip


def _define(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a ufunc, computed in float64; as in SciPy, it warns of nothing."""

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(implementation)
        def computed(*given: Any) -> Any:
            floats = current().floats
            floats.enter(dict.fromkeys(EVENTS, "ignore"))
            try:
                with np.errstate(all="ignore"):
                    found = implementation(*[x.astype(np.float64, copy=False) for x in given])
                return scalar(found.astype(given[0].dtype, copy=False))
            finally:
                floats.leave()

        define_ufunc(name)(computed)
        return implementation

    return register


def _series(coefficients: Any, x: Any) -> Any:
    """A polynomial, from the constant coefficient on."""
    return functools.reduce(lambda total, c: total * x + c, reversed(coefficients))


def _both(*conditions: Any) -> Any:
    return functools.reduce(lambda a, b: apply(np.logical_and, a, b), conditions)


def _is_whole(x: TracedArray) -> Any:
    return apply(np.equal, apply(np.floor, x), x)


def _sine(x: TracedArray) -> Any:
    """``sin(pi * x)``, with its zeros."""
    near = x - apply(np.rint, x)
    is_odd = apply(np.equal, apply(np.abs, apply(np.fmod, apply(np.rint, x), 2.0)), 1.0)
    value = apply(np.sin, math.pi * near)
    return where(is_odd, -value, value)


# The gamma function


def _positive_log_gamma(x: Any) -> Any:
    """The logarithm of gamma of a positive number."""
    small, tiny, factor, y = _near_two(x)
    above = 1.0
    for _ in range(6):  # down to at most 2.5, from 8.5 on
        is_more = _both(apply(np.greater, y, 2.5), apply(np.less, x, 8.5))
        y = where(is_more, y - 1.0, y)
        above = above * where(is_more, y, 1.0)
    near = _log_gamma_at_two(x, small, tiny, y) + apply(np.log, above) - apply(np.log, factor)
    return where(apply(np.less, x, 8.5), near, _stirling(x))


def _near_two(x: Any) -> tuple[Any, Any, Any, Any]:
    """Whether a number is less than 1.5 and 0.5; a number above, and gamma there beside gamma."""
    small, tiny = apply(np.less, x, 1.5), apply(np.less, x, 0.5)
    factor = where(tiny, x * (x + 1.0), where(small, x, 1.0))
    return small, tiny, factor, where(tiny, x + 2.0, where(small, x + 1.0, x))


def _log_gamma_at_two(x: Any, small: Any, tiny: Any, y: Any) -> Any:
    """Taylor's series; what is added to small numbers rounds them, so they are taken themselves."""
    z = where(tiny, x, where(small, x - 1.0, y - 2.0))
    signed = [c * (-1) ** k for k, c in enumerate(_AT_TWO)]
    return z * ((1.0 - _EULER) + z * _series(signed, z))


def _stirling(x: Any) -> Any:
    return (x - 0.5) * apply(np.log, x) - x + (0.5 * math.log(2 * math.pi) + _rest(x))


def _rest(x: Any) -> Any:
    """What Stirling's series adds to the logarithm of gamma of a number above eight."""
    terms = [b / ((2 * k + 2) * (2 * k + 1)) for k, b in enumerate(_BERNOULLI)]
    return _series(terms, 1.0 / (x * x)) / x


@_define("gammaln")
def gammaln(x: Any) -> Any:
    """The logarithm of gamma's magnitude."""
    is_negative = apply(np.less, x, 0.0)
    value = _positive_log_gamma(apply(np.abs, x))
    mirrored = math.log(math.pi) - apply(np.log, apply(np.abs, x * _sine(x))) - value
    value = where(is_negative, mirrored, value)
    poles = _both(_is_whole(x), apply(np.less_equal, x, 0.0))
    value = where(apply(np.logical_or, poles, apply(np.isinf, x)), math.inf, value)
    return where(apply(np.equal, x, -math.inf), -math.inf, value)


@_define("gamma")
def gamma(x: Any) -> Any:
    """The gamma function."""
    is_negative = apply(np.less, x, 0.0)
    value = _positive_gamma(apply(np.abs, x))
    mirrored = -math.pi / (x * _sine(x) * value)
    poles = _both(_is_whole(x), apply(np.less, x, 0.0))
    value = where(poles, math.nan, where(is_negative, mirrored, value))
    value = where(apply(np.equal, x, 0.0), apply(np.copysign, math.inf, x), value)
    return where(apply(np.equal, x, -math.inf), math.nan, value)


def _positive_gamma(x: Any) -> Any:
    """Gamma of a positive number."""
    small, tiny, factor, y = _near_two(x)
    above = 1.0
    for _ in range(23):
        is_more = _both(apply(np.greater, y, 2.5), apply(np.less, x, 25.0))
        y = where(is_more, y - 1.0, y)
        above = above * where(is_more, y, 1.0)
    near = above * apply(np.exp, _log_gamma_at_two(x, small, tiny, y)) / factor
    power = apply(np.power, x, 0.5 * x - 0.25)
    large = power * apply(np.exp, -x) * power * (math.sqrt(2 * math.pi) * apply(np.exp, _rest(x)))
    large = where(apply(np.greater, x, 171.7), math.inf, large)
    return where(apply(np.less, x, 25.0), near, large)


@_define("psi")
def psi(x: Any) -> Any:
    """The derivative of the logarithm of gamma."""
    is_negative = apply(np.less, x, 0.0)
    y = apply(np.abs, x)
    total, z = 0.0, y
    for _ in range(10):
        is_less = apply(np.less, z, 10.0)
        total = total + where(is_less, 1.0 / z, 0.0)
        z = where(is_less, z + 1.0, z)
    terms = [b / (2 * k + 2) for k, b in enumerate(_BERNOULLI[:8])]
    square = 1.0 / (z * z)
    value = apply(np.log, z) - 0.5 / z - square * _series(terms, square) - total
    near = y - _ZERO
    taylor = near * _series(_AT_ZERO, near) - _REST * _AT_ZERO[0]
    value = where(apply(np.less, apply(np.abs, near), 0.2), taylor, value)
    part = x - apply(np.rint, x)
    mirrored = value + (1.0 / y - math.pi / apply(np.tan, math.pi * part))
    value = where(is_negative, mirrored, value)
    value = where(_both(is_negative, _is_whole(x)), math.nan, value)
    value = where(apply(np.equal, x, math.inf), math.inf, value)
    return where(apply(np.equal, x, 0.0), apply(np.copysign, math.inf, -x), value)


# The normal distribution


def _inverse_erfc(c: Any) -> Any:
    """The number that has a complementary error function of at most a half."""
    log = apply(np.log, apply(np.multiply, c, 2.0 - c))
    first = 2 / (math.pi * 0.147) + 0.5 * log
    t = apply(np.sqrt, apply(np.sqrt, first * first - log / 0.147) - first)
    for _ in range(4):  # of Newton's method for the logarithm, which is nearly a parabola
        found = erfc(t)
        slope = (2 / math.sqrt(math.pi)) * apply(np.exp, -t * t)
        t = t + found / slope * apply(np.log, found / c)
    return t


def _inverse_erf(y: Any) -> Any:
    """The number that has an error function of at most a half."""
    t = y * (0.5 * math.sqrt(math.pi))
    for _ in range(5):
        slope = (2 / math.sqrt(math.pi)) * apply(np.exp, -t * t)
        step = (erf(t) - y) / slope
        t = t - step / (1.0 + t * step)
    return t


def _inverse(y: Any, below: Any, above: Any) -> Any:
    """What has the error function `y`, which is ``below - 1`` and ``1 - above``."""
    away = _inverse_erfc(apply(np.minimum, below, above))
    away = apply(np.copysign, away, y)
    is_near = apply(np.less, apply(np.abs, y), 0.5)
    value = where(is_near, _inverse_erf(where(is_near, y, 0.0)), away)
    value = where(apply(np.equal, below, 0.0), -math.inf, value)
    value = where(apply(np.equal, above, 0.0), math.inf, value)
    outside = apply(np.logical_or, apply(np.less, below, 0.0), apply(np.less, above, 0.0))
    return where(outside, math.nan, value)


@_define("erfinv")
def erfinv(y: Any) -> Any:
    """The inverse of the error function."""
    return where(apply(np.equal, y, 0.0), y, _inverse(y, 1.0 + y, 1.0 - y))


@_define("erfcinv")
def erfcinv(c: Any) -> Any:
    """The inverse of the complementary error function."""
    return _inverse(1.0 - c, 2.0 - c, c)


@_define("ndtri")
def ndtri(p: Any) -> Any:
    """The quantiles of the normal distribution."""
    return math.sqrt(2) * _inverse(2.0 * (p - 0.5), 2.0 * p, 2.0 * (1.0 - p))


# Bessel functions

_TERMS, _MOST = 46, 18.0


def _modified_bessel(order: int, x: Any) -> Any:
    """A modified Bessel function of a positive number, divided by an exponential function."""
    quarter = x * x * 0.25
    terms = [1 / (math.factorial(k) * math.factorial(k + order)) for k in range(_TERMS)]
    near = _series(terms, apply(np.minimum, quarter, _MOST**2 / 4)) * apply(np.exp, -x)
    near = near * (0.5 * x) if order else near
    terms, term = [], 1.0
    for k in range(26):
        terms.append(term)
        term *= ((2 * k + 1) ** 2 - 4 * order * order) / (8.0 * (k + 1))
    inverse = 1.0 / apply(np.maximum, x, _MOST)
    far = _series(terms, inverse) * apply(np.sqrt, inverse * (0.5 / math.pi))
    return where(apply(np.less, x, _MOST), near, far)


def _define_bessel(order: int) -> None:
    def scaled(x: Any) -> Any:
        value = _modified_bessel(order, apply(np.abs, x))
        return apply(np.copysign, value, x) if order else value

    def plain(x: Any) -> Any:
        return scaled(x) * apply(np.exp, apply(np.abs, x))

    _define(f"i{order}e")(scaled)
    _define(f"i{order}")(plain)


for _order in (0, 1):
    _define_bessel(_order)
