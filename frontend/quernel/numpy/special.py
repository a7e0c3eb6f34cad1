"""Functions of `scipy.special` with a scalar form, known by name: SciPy itself is not needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.operands import lift
from ..traced.array import TracedArray, element_or_array
from ..traced.scalars import number_type
from .reductions import max_, sum_
from .registry import SPECIAL
from .ufuncs import emit_named


def _define(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        SPECIAL[name] = implementation
        return implementation

    return register


def _floats(*inputs: Any) -> list[TracedArray]:
    """The inputs in the float dtype that SciPy's loop has for them."""
    kinds = [x.dtype if hasattr(x, "dtype") else type(x)(0) for x in map(_plain, inputs)]
    kind = np.result_type(*kinds)
    if kind.kind not in "fc":
        kind = np.dtype(np.float64)
    return [lift(x).astype(kind, copy=False) for x in inputs]


def of_loop(*inputs: Any, single_first: bool = False) -> list[TracedArray]:
    """The inputs of a ufunc: SciPy has no loops for float16.

    Parameters
    ----------
    single_first : bool
        Whether the loop for float32 comes before that for float64: then it takes whatever float32
        holds exactly.
    """
    if single_first:
        inputs = tuple(lift(x) if hasattr(x, "dtype") else x for x in inputs)
        kinds = [x.dtype for x in inputs if hasattr(x, "dtype")]
        whole = all(np.dtype(kind).kind in "biu" for kind in kinds)
        is_wide = whole and any(number_type(x) is float for x in inputs)  # then it is float64
        if kinds and not is_wide and all(np.can_cast(kind, np.float32) for kind in kinds):
            return [lift(x).astype(np.float32, copy=False) for x in inputs]
    floats = _floats(*inputs)
    kind = np.float64 if floats[0].dtype == np.float16 else floats[0].dtype
    return [x.astype(kind, copy=False) for x in floats]


def reals(*inputs: Any) -> list[TracedArray]:
    """The inputs as floats; complex ones have functions of their own in SciPy, or none."""
    floats = of_loop(*inputs)
    if floats[0].dtype.kind == "c":
        floats[0].tracer.fail("complex numbers in functions of scipy.special", "call them outside")
    return floats


def _plain(x: Any) -> Any:
    return x if type(x) in (int, float, bool) else lift(x)


def scalar(answer: TracedArray) -> TracedArray:
    """An answer without axes as NumPy's scalar."""
    return element_or_array(answer)


def _as_in_numpy(ufunc: np.ufunc) -> Callable[..., Any]:
    return lambda x: apply(ufunc, *of_loop(x))


for _ufunc in (np.expm1, np.log1p, np.exp2, np.cbrt):
    SPECIAL[_ufunc.__name__] = _as_in_numpy(_ufunc)


@_define("expit")
def expit(x: Any) -> Any:
    """``1 / (1 + exp(-x))``."""
    (x,) = reals(x)
    return apply(np.divide, 1.0, apply(np.add, 1.0, apply(np.exp, apply(np.negative, x))))


@_define("logit")
def logit(p: Any) -> Any:
    """``log(p / (1 - p))``; in the middle by two logarithms near one."""
    (p,) = reals(p)
    edge = apply(np.log, apply(np.divide, p, apply(np.subtract, 1.0, p)))
    away = apply(np.multiply, 2.0, apply(np.subtract, p, 0.5))
    middle = apply(np.subtract, apply(np.log1p, away), apply(np.log1p, apply(np.negative, away)))
    central = apply(np.logical_and, apply(np.greater, p, 0.3), apply(np.less, p, 0.65))
    return scalar(where(central, middle, edge))


@_define("log_expit")
def log_expit(x: Any) -> Any:
    """``log(expit(x))``."""
    (x,) = reals(x)
    tail = apply(np.log1p, apply(np.exp, apply(np.negative, apply(np.absolute, x))))
    return apply(np.subtract, apply(np.minimum, x, 0.0), tail)


def _product_with_log(name: str, logarithm: np.ufunc) -> None:
    def implementation(x: Any, y: Any) -> Any:
        x, y = of_loop(x, y)
        absent = apply(np.logical_and, apply(np.equal, x, 0.0), apply(np.equal, y, y))
        product = apply(np.multiply, x, apply(logarithm, y))
        return scalar(where(absent, x.dtype.type(0), product))

    SPECIAL[name] = implementation


_product_with_log("xlogy", np.log)
_product_with_log("xlog1py", np.log1p)


@_define("entr")
def entr(x: Any) -> Any:
    """``-x * log(x)``; minus infinity below zero."""
    (x,) = reals(x)
    value = apply(np.negative, apply(np.multiply, x, apply(np.log, x)))
    value = where(apply(np.equal, x, 0.0), x.dtype.type(0), value)
    return scalar(where(apply(np.less, x, 0.0), x.dtype.type(-np.inf), value))


@_define("rel_entr")
def rel_entr(x: Any, y: Any) -> Any:
    """``x * log(x / y)``; infinity where that has no meaning."""
    x, y = reals(x, y)
    value = apply(np.multiply, x, apply(np.log, apply(np.divide, x, y)))
    positive = apply(np.logical_and, apply(np.greater, x, 0.0), apply(np.greater, y, 0.0))
    nothing = apply(np.logical_and, apply(np.equal, x, 0.0), apply(np.greater_equal, y, 0.0))
    other = where(nothing, x.dtype.type(0), x.dtype.type(np.inf))
    answer = where(positive, value, other)
    invalid = apply(np.logical_or, apply(np.isnan, x), apply(np.isnan, y))
    return scalar(where(invalid, x.dtype.type(np.nan), answer))


@_define("erf")
def erf(x: Any) -> Any:
    """The error function."""
    return emit_named("erf", reals(x))


@_define("erfc")
def erfc(x: Any) -> Any:
    """One minus the error function."""
    return emit_named("erfc", reals(x))


@_define("ndtr")
def ndtr(x: Any) -> Any:
    """The normal distribution's cumulative function."""
    (x,) = reals(x)
    scaled = apply(np.multiply, x, -math.sqrt(0.5))
    return apply(np.multiply, 0.5, erfc(scaled))


@_define("exp10")
def exp10(x: Any) -> Any:
    """``10 ** x``."""
    (x,) = reals(x)
    return apply(np.power, 10.0, x)


@_define("cosm1")
def cosm1(x: Any) -> Any:
    """``cos(x) - 1`` without cancellation."""
    (x,) = reals(x)
    half = apply(np.sin, apply(np.multiply, x, 0.5))
    return apply(np.multiply, -2.0, apply(np.multiply, half, half))


@_define("logsumexp")
def logsumexp(
    a: Any,
    axis: Any = None,
    b: Any = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """``log(sum(exp(a)))``, shifted by the greatest element."""
    (a,) = _floats(a)
    if b is not None or return_sign:
        a.tracer.fail("logsumexp with b= or return_sign=", "write the sum")
    top = max_(a, axis, keepdims=True)
    top = where(apply(np.isfinite, top), top, a.dtype.type(0))
    total = sum_(apply(np.exp, apply(np.subtract, a, top)), axis, keepdims=True)
    answer = apply(np.add, apply(np.log, total), top)
    if keepdims:
        return answer
    return scalar(answer.reshaped(max_(a, axis).shape, certain=True))


@_define("softmax")
def softmax(x: Any, axis: Any = None) -> Any:
    """``exp(x) / sum(exp(x))``."""
    x = lift(x)
    if x.dtype.kind == "b" or (x.dtype.kind in "iu" and x.dtype.itemsize <= 2):
        x.tracer.fail("softmax of bools, and of integers of 8 and 16 bits", "convert them first")
    (x,) = _floats(x)
    powers = apply(np.exp, apply(np.subtract, x, max_(x, axis, keepdims=True)))
    return apply(np.divide, powers, sum_(powers, axis, keepdims=True))


@_define("log_softmax")
def log_softmax(x: Any, axis: Any = None) -> Any:
    """``log(softmax(x))``."""
    (x,) = _floats(x)
    top = max_(x, axis, keepdims=True)
    top = where(apply(np.isfinite, top), top, x.dtype.type(0))
    rest = apply(np.subtract, x, top)
    return apply(np.subtract, rest, apply(np.log, sum_(apply(np.exp, rest), axis, keepdims=True)))
