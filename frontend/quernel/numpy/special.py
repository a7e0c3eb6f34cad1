"""Functions of `scipy.special` with a scalar form, known by name: SciPy itself is not needed."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.operands import lift, operand
from ..traced.array import TracedArray, element_or_array
from ..traced.tracer import current
from . import called_loops
from .reductions import max_, sum_
from .registry import SPECIAL
from .ufunc_loops import loop_types
from .ufuncs import emit_named


def _define(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        SPECIAL[name] = implementation
        return implementation

    return register


def define_ufunc(name: str, takes_complex: bool = False) -> Callable[..., Any]:
    """Register a ufunc: what computes it gets its inputs as SciPy's own loop has them.

    Parameters
    ----------
    takes_complex : bool
        Whether it computes complex numbers, too; else they have functions of their own in SciPy,
        or none, and SciPy's loop is called.
    """

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(implementation)
        def called(*inputs: Any) -> Any:
            tracer, ufunc = current(), getattr(sys.modules["scipy.special._ufuncs"], name)
            arrays = list(map(lift, inputs))
            if not takes_complex and any(x.dtype.kind == "c" for x in arrays):
                return called_loops.called(tracer, ufunc, inputs)
            types = loop_types(tracer, ufunc, [operand(tracer, x) for x in inputs])
            given = zip(arrays, types, strict=False)
            return implementation(*[x.astype(kind, copy=False) for x, kind in given])

        SPECIAL[name] = called
        return implementation

    return register


def _floats(x: Any) -> TracedArray:
    """An array of floats, in float64 where it has none."""
    x = lift(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def scalar(answer: TracedArray) -> TracedArray:
    """An answer without axes as NumPy's scalar."""
    return element_or_array(answer)


def _define_as_in_numpy(ufunc: np.ufunc) -> None:
    define_ufunc(ufunc.__name__, True)(lambda x: apply(ufunc, x))


for _ufunc in (np.expm1, np.log1p, np.exp2, np.cbrt):
    _define_as_in_numpy(_ufunc)


@define_ufunc("expit")
def expit(x: Any) -> Any:
    """``1 / (1 + exp(-x))``."""
    return apply(np.divide, 1.0, apply(np.add, 1.0, apply(np.exp, apply(np.negative, x))))


@define_ufunc("logit")
def logit(p: Any) -> Any:
    """``log(p / (1 - p))``; in the middle by two logarithms near one."""
    edge = apply(np.log, apply(np.divide, p, apply(np.subtract, 1.0, p)))
    away = apply(np.multiply, 2.0, apply(np.subtract, p, 0.5))
    middle = apply(np.subtract, apply(np.log1p, away), apply(np.log1p, apply(np.negative, away)))
    central = apply(np.logical_and, apply(np.greater, p, 0.3), apply(np.less, p, 0.65))
    return scalar(where(central, middle, edge))


@define_ufunc("log_expit")
def log_expit(x: Any) -> Any:
    """``log(expit(x))``."""
    tail = apply(np.log1p, apply(np.exp, apply(np.negative, apply(np.absolute, x))))
    return apply(np.subtract, apply(np.minimum, x, 0.0), tail)


def _product_with_log(name: str, logarithm: np.ufunc) -> None:
    def implementation(x: Any, y: Any) -> Any:
        absent = apply(np.logical_and, apply(np.equal, x, 0.0), apply(np.equal, y, y))
        product = apply(np.multiply, x, apply(logarithm, y))
        return scalar(where(absent, x.dtype.type(0), product))

    define_ufunc(name, True)(implementation)


_product_with_log("xlogy", np.log)
_product_with_log("xlog1py", np.log1p)


@define_ufunc("entr")
def entr(x: Any) -> Any:
    """``-x * log(x)``; minus infinity below zero."""
    value = apply(np.negative, apply(np.multiply, x, apply(np.log, x)))
    value = where(apply(np.equal, x, 0.0), x.dtype.type(0), value)
    return scalar(where(apply(np.less, x, 0.0), x.dtype.type(-np.inf), value))


@define_ufunc("rel_entr")
def rel_entr(x: Any, y: Any) -> Any:
    """``x * log(x / y)``; infinity where that has no meaning."""
    value = apply(np.multiply, x, apply(np.log, apply(np.divide, x, y)))
    positive = apply(np.logical_and, apply(np.greater, x, 0.0), apply(np.greater, y, 0.0))
    nothing = apply(np.logical_and, apply(np.equal, x, 0.0), apply(np.greater_equal, y, 0.0))
    other = where(nothing, x.dtype.type(0), x.dtype.type(np.inf))
    answer = where(positive, value, other)
    invalid = apply(np.logical_or, apply(np.isnan, x), apply(np.isnan, y))
    return scalar(where(invalid, x.dtype.type(np.nan), answer))


@define_ufunc("erf")
def erf(x: Any) -> Any:
    """The error function."""
    return emit_named("erf", [x])


@define_ufunc("erfc")
def erfc(x: Any) -> Any:
    """One minus the error function."""
    return emit_named("erfc", [x])


@define_ufunc("ndtr")
def ndtr(x: Any) -> Any:
    """The normal distribution's cumulative function."""
    scaled = apply(np.multiply, x, -math.sqrt(0.5))
    return apply(np.multiply, 0.5, erfc(scaled))


@define_ufunc("exp10")
def exp10(x: Any) -> Any:
    """``10 ** x``."""
    return apply(np.power, 10.0, x)


@define_ufunc("cosm1")
def cosm1(x: Any) -> Any:
    """``cos(x) - 1`` without cancellation."""
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
    a = _floats(a)
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
    x = _floats(x)
    powers = apply(np.exp, apply(np.subtract, x, max_(x, axis, keepdims=True)))
    return apply(np.divide, powers, sum_(powers, axis, keepdims=True))


@_define("log_softmax")
def log_softmax(x: Any, axis: Any = None) -> Any:
    """``log(softmax(x))``."""
    x = _floats(x)
    top = max_(x, axis, keepdims=True)
    top = where(apply(np.isfinite, top), top, x.dtype.type(0))
    rest = apply(np.subtract, x, top)
    return apply(np.subtract, rest, apply(np.log, sum_(apply(np.exp, rest), axis, keepdims=True)))
