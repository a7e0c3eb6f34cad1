"""The distributions that streams draw from: their parameters, and what NumPy demands of them.

A row of the table says how a call is read (names, defaults, dtypes) and which errors it raises, in
NumPy's words and order. How the numbers are drawn is the runtime's (``runtime/Random.h``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..primitives.elementwise import apply
from ..primitives.operands import lift
from ..traced.array import TracedArray
from ..traced.tracer import current
from .reductions import all_

_MISSING = object()


class Demand(NamedTuple):
    """What NumPy demands of a parameter.

    Attributes
    ----------
    holds : callable
        Of an element.
    text : str
        The error's, with a place for the parameter's name.
    single : str
        The same for one number.
    """

    holds: Callable[[Any], Any]
    text: str
    single: str = ""


def _not_below_zero(x: Any) -> Any:
    if x.dtype.kind == "i":
        return apply(np.greater_equal, x, 0)
    return apply(np.logical_or, apply(np.isnan, x), apply(np.logical_not, apply(np.signbit, x)))


def _between(
    least: np.ufunc, low: float, most: np.ufunc | None = None, high: float = 1.0
) -> Callable[[Any], Any]:
    def holds(x: Any) -> Any:
        above = apply(least, x, low)
        return above if most is None else apply(np.logical_and, above, apply(most, x, high))

    return holds


_HIGHEST = np.iinfo(np.int64).max - math.sqrt(np.iinfo(np.int64).max) * 10  # poisson's parameter
_SIZED = Demand(_between(np.less_equal, _HIGHEST), "{} value too large")
_NOT_NEGATIVE = Demand(_not_below_zero, "{} < 0")
_POSITIVE = Demand(lambda x: apply(np.logical_not, apply(np.less_equal, x, 0.0)), "{} <= 0")
_NUMBER = Demand(lambda x: apply(np.logical_not, apply(np.isnan, x)), "{} must not be NaN")
_CONTAINS, _IS = " or {} contains NaNs", " or {} is NaN"


def _within(holds: Callable[[Any], Any], text: str, is_single: bool = True) -> Demand:
    return Demand(holds, text + _CONTAINS, text + (_IS if is_single else _CONTAINS))


UNIT = _within(_between(np.greater_equal, 0.0, np.less_equal), "{} < 0, {} > 1")
_UNIT_ABOVE = _within(_between(np.greater, 0.0, np.less_equal), "{} <= 0, {} > 1", False)
_UNIT_BELOW = _within(_between(np.greater_equal, 0.0, np.less), "{} < 0, {} >= 1")
_ABOVE_ONE = _within(_between(np.greater, 1.0), "{} <= 1")
AT_LEAST_ONE = _within(_between(np.greater_equal, 1.0), "{} < 1")
_RATE = _within(_between(np.greater_equal, 0.0), "{} < 0")


class Parameter(NamedTuple):
    """A parameter of a distribution."""

    name: str
    demands: tuple = ()
    default: Any = _MISSING
    dtype: str = "float64"


class Distribution(NamedTuple):
    """A distribution whose draws are one number each.

    Attributes
    ----------
    dtype : str
        Of the numbers.
    parameters : tuple of Parameter
    """

    dtype: str
    parameters: tuple


def _continuous(*parameters: Parameter) -> Distribution:
    return Distribution("float64", parameters)


def _discrete(*parameters: Parameter) -> Distribution:
    return Distribution("int64", parameters)


def counting(name: str) -> Parameter:
    """A parameter that counts something."""
    return Parameter(name, (_NOT_NEGATIVE,), _MISSING, "int64")


_LOC, _SCALE = Parameter("loc", (), 0.0), Parameter("scale", (_NOT_NEGATIVE,), 1.0)
_A, _DF = Parameter("a", (_POSITIVE,)), Parameter("df", (_POSITIVE,))
_DFNUM, _DFDEN = Parameter("dfnum", (_POSITIVE,)), Parameter("dfden", (_POSITIVE,))
_NONC, SHAPE = Parameter("nonc", (_NOT_NEGATIVE,)), Parameter("shape", (_NOT_NEGATIVE,))
DISTRIBUTIONS = {
    "beta": _continuous(_A, Parameter("b", (_POSITIVE,))),
    "chisquare": _continuous(_DF),
    "exponential": _continuous(_SCALE),
    "f": _continuous(_DFNUM, _DFDEN),
    "gamma": _continuous(SHAPE, _SCALE),
    "gumbel": _continuous(_LOC, _SCALE),
    "laplace": _continuous(_LOC, _SCALE),
    "logistic": _continuous(_LOC, _SCALE),
    "lognormal": _continuous(Parameter("mean", (), 0.0), Parameter("sigma", (_NOT_NEGATIVE,), 1.0)),
    "noncentral_chisquare": _continuous(_DF, _NONC),
    "noncentral_f": _continuous(_DFNUM, _DFDEN, _NONC),
    "normal": _continuous(_LOC, _SCALE),
    "pareto": _continuous(_A),
    "power": _continuous(_A),
    "rayleigh": _continuous(_SCALE),
    "standard_cauchy": _continuous(),
    "standard_t": _continuous(_DF),
    "triangular": _continuous(Parameter("left"), Parameter("mode"), Parameter("right")),
    "uniform": _continuous(Parameter("low", (), 0.0), Parameter("high", (), 1.0)),
    "vonmises": _continuous(Parameter("mu"), Parameter("kappa", (_NOT_NEGATIVE,))),
    "wald": _continuous(Parameter("mean", (_POSITIVE,)), Parameter("scale", (_POSITIVE,))),
    "weibull": _continuous(Parameter("a", (_NOT_NEGATIVE,))),
    "binomial": _discrete(counting("n"), Parameter("p", (UNIT,))),
    "geometric": _discrete(Parameter("p", (_UNIT_ABOVE,))),
    "hypergeometric": _discrete(counting("ngood"), counting("nbad"), counting("nsample")),
    "logseries": _discrete(Parameter("p", (_UNIT_BELOW,))),
    "negative_binomial": _discrete(
        Parameter("n", (_NUMBER, _POSITIVE)), Parameter("p", (_UNIT_ABOVE,))
    ),
    "poisson": _discrete(Parameter("lam", (_RATE, _SIZED), 1.0)),
    "zipf": _discrete(Parameter("a", (_ABOVE_ONE,))),
}


def bound(name: str, parameters: tuple, args: tuple, kwargs: dict[str, Any]) -> tuple[list, Any]:
    """The parameters of a call, and its ``size``."""
    names = [*(parameter.name for parameter in parameters), "size"]
    if len(args) > len(names):
        count = len(names)
        raise TypeError(f"{name}() takes at most {count} positional arguments ({len(args)} given)")
    given = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if key in given:
            raise TypeError(f"{name}() got multiple values for keyword argument '{key}'")
        given[key] = value
    found = [given.get(parameter.name, parameter.default) for parameter in parameters]
    missing = sum(x is _MISSING for x in found)
    if missing:
        raise TypeError(f"{name}() takes at least {missing} more arguments")
    return found, given.get("size")


def as_parameter(x: Any, parameter: Parameter) -> TracedArray:
    """What a call gives for a parameter, in the dtype that the routine takes."""
    x = lift(x)
    if not np.can_cast(x.dtype, parameter.dtype):
        current().fail(
            f"a parameter `{parameter.name}` of dtype {x.dtype}", f"give it as {parameter.dtype}"
        )
    return x.astype(parameter.dtype, copy=False)


def prepared(
    name: str, arrays: list[TracedArray], is_single: bool, is_legacy: bool
) -> list[TracedArray]:
    """The parameters as the routine takes them, after what NumPy demands of several together."""
    if name == "uniform":
        low, high = arrays
        width = lift(apply(np.subtract, high, low))
        text = (
            "high - low range exceeds valid bounds" if is_single else "Range exceeds valid bounds"
        )
        require(apply(np.isfinite, width), text, "OverflowError")
        require(_not_below_zero(width), "high - low < 0")
        return [low, width]
    if name == "triangular":
        left, mode, right = arrays
        require(apply(np.logical_not, apply(np.greater, left, mode)), "left > mode")
        require(apply(np.logical_not, apply(np.greater, mode, right)), "mode > right")
        require(apply(np.not_equal, left, right), "left == right")
    if name == "hypergeometric":
        good, bad, count = arrays
        for x in (good, bad) if not is_legacy else ():
            text = "both ngood and nbad must be less than 1000000000"
            require(apply(np.less, x, 10**9), text)
        enough = apply(np.greater_equal, apply(np.add, good, bad), count)
        require(enough, "ngood + nbad < nsample")
    if name == "negative_binomial":
        n, p = arrays
        for parameter, x in zip(DISTRIBUTIONS[name].parameters, arrays, strict=True):
            demand(parameter, x, is_single)
        rate = apply(np.divide, apply(np.subtract, 1.0, p), p)
        most = apply(np.add, n, apply(np.multiply, 10.0, apply(np.sqrt, n)))
        text = "n too large or p too small, see Generator.negative_binomial Notes"
        fits = apply(np.greater, apply(np.multiply, rate, most), _HIGHEST)
        require(apply(np.logical_not, fits), text)
    return arrays


def demand(parameter: Parameter, x: TracedArray, is_single: bool) -> None:
    """Raise NumPy's error for a parameter that can't be."""
    for demanded in parameter.demands:
        text = demanded.single if is_single and demanded.single else demanded.text
        require(demanded.holds(x), text.replace("{}", parameter.name))


def require(holds: Any, text: str, exception: str = "ValueError") -> None:
    """Stop the program where something doesn't hold for all elements."""
    tracer, holds = current(), lift(holds)
    known = holds.known()
    if known is not None:
        if not np.all(known):
            raise {"ValueError": ValueError, "OverflowError": OverflowError}[exception](text)
        return
    tracer.check(all_(holds).value if holds.ndim else holds.value, exception, text)
