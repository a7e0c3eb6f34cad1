"""Ufuncs that are compositions of the compiler's ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, layout_of, where
from ..primitives.operands import lift, operand
from ..traced.array import TracedArray, element_or_array, result
from ..traced.tracer import current
from .ufunc_loops import loop_types


def cast_inputs(
    ufunc: np.ufunc, inputs: tuple, fixed: tuple | None = None, casting: str = "same_kind"
) -> list[TracedArray]:
    """The inputs in the dtypes of the loop that a ufunc takes for them."""
    tracer = current()
    items = [operand(tracer, obj) for obj in inputs]
    types = loop_types(tracer, ufunc, items, fixed, casting)
    values = [item.as_dtype(tracer, name) for item, name in zip(items, types, strict=False)]
    pairs = zip(values, inputs, strict=True)
    return [result(tracer, value, layout_of(value, [obj])) for value, obj in pairs]


def _cast(ufunc: np.ufunc, *inputs: Any) -> list[TracedArray]:
    return cast_inputs(ufunc, inputs)


def _scaled(ufunc: np.ufunc, factor: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(x: Any) -> Any:
        (x,) = _cast(ufunc, x)
        return apply(np.multiply, x, factor(x.dtype.type))

    return convert


def _divmod(a: Any, b: Any) -> tuple[Any, Any]:
    return apply(np.floor_divide, a, b), apply(np.remainder, a, b)


def _fabs(x: Any) -> Any:
    return apply(np.absolute, *_cast(np.fabs, x))


def _float_power(a: Any, b: Any) -> Any:
    return apply(np.power, *_cast(np.float_power, a, b))


def _heaviside(x: Any, h: Any) -> Any:
    x, h = _cast(np.heaviside, x, h)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    step = where(apply(np.less, x, zero), zero, where(apply(np.equal, x, zero), h, one))
    step = where(apply(np.isnan, x), x, step)
    return element_or_array(step)


def _logaddexp(
    ufunc: np.ufunc, log1p: np.ufunc, exp: np.ufunc, ln2: float
) -> Callable[[Any, Any], Any]:
    """``log(exp(a) + exp(b))`` as NumPy computes it: the greater plus a correction."""

    def implementation(a: Any, b: Any) -> Any:
        a, b = _cast(ufunc, a, b)
        greater = apply(np.maximum, a, b)
        distance = apply(np.negative, apply(np.absolute, apply(np.subtract, a, b)))
        correction = apply(log1p, apply(exp, distance))
        if ln2 != 1.0:
            correction = apply(np.multiply, correction, 1.0 / ln2)
        same = apply(np.equal, a, b)
        double = apply(np.add, a, float(np.log(2.0)) / ln2)
        answer = where(same, double, apply(np.add, greater, correction))
        return element_or_array(answer)

    return implementation


def _product(name: str) -> Callable[[Any, Any], Any]:
    def implementation(a: Any, b: Any) -> Any:
        from . import products

        return getattr(products, name)(a, b)

    return implementation


def _modf(x: Any) -> tuple[Any, Any]:
    """Fraction and whole part, both with the sign of `x`."""
    (x,) = _cast(np.modf, x)
    whole = apply(np.trunc, x)
    rest = where(apply(np.isinf, x), x.dtype.type(0), apply(np.subtract, x, whole))
    fraction = apply(np.copysign, rest, x)
    return element_or_array(fraction), whole


def _lcm(a: Any, b: Any) -> Any:
    a, b = _cast(np.lcm, a, b)
    divisor = apply(np.gcd, a, b)
    parts = apply(np.floor_divide, apply(np.absolute, a), apply(np.maximum, divisor, 1))
    return apply(np.multiply, parts, apply(np.absolute, b))


_FLOAT_BITS = {"float32": (np.int32, 23, 127), "float64": (np.int64, 52, 1023)}


def _frexp(x: Any) -> tuple[Any, Any]:
    """A part of at least a half and below one, and the power of two that it is of."""
    (x,) = _cast(np.frexp, x)
    integer, width, bias = _FLOAT_BITS[x.dtype.name]
    kind, scale = x.dtype.type, width + 2
    is_tiny = apply(np.less, apply(np.absolute, x), np.finfo(kind).tiny)
    normal = where(is_tiny, apply(np.multiply, x, kind(2.0**scale)), x)
    bits = lift(normal).view(integer)
    raised = apply(np.bitwise_and, apply(np.right_shift, bits, width), 2 * bias + 1)
    power = apply(np.subtract, raised, where(is_tiny, integer(bias - 1 + scale), integer(bias - 1)))
    rest = apply(np.bitwise_and, bits, integer(~((2 * bias + 1) << width)))
    part = lift(apply(np.bitwise_or, rest, integer((bias - 1) << width))).view(x.dtype)
    is_finite = apply(np.isfinite, x)
    is_whole = apply(np.logical_or, apply(np.equal, x, 0), apply(np.logical_not, is_finite))
    power = lift(where(is_whole, integer(0), power)).astype(np.int32)
    return element_or_array(where(is_whole, x, part)), element_or_array(power)


def _ldexp(x: Any, power: Any) -> Any:
    """A float times a power of two, rounded once."""
    x, power = _cast(np.ldexp, x, power)
    kind = x.dtype
    wide = x.astype(np.float64, copy=False)
    n = power.astype(np.int64, copy=False)
    if kind == np.float32:  # doubles hold all of them
        n = apply(np.maximum, apply(np.minimum, n, 500), -500)
        return lift(apply(np.multiply, wide, _power_of_two(n))).astype(kind)
    n = apply(np.maximum, apply(np.minimum, n, 3 * 1023), -3 * 969)
    # A step down leaves room for all bits of a float, so that only the last one rounds.
    for limit, step in ((1023, 1023), (1023, 1023), (-1022, -969), (-1022, -969)):
        beyond = apply(np.greater if limit > 0 else np.less, n, limit)
        wide = where(beyond, apply(np.multiply, wide, 2.0**step), wide)
        n = apply(np.subtract, n, where(beyond, step, 0))
    n = apply(np.maximum, apply(np.minimum, n, 1023), -1022)
    return apply(np.multiply, wide, _power_of_two(n))


def _power_of_two(n: Any) -> Any:
    raised = apply(np.left_shift, apply(np.add, n, 1023), 52)
    return lift(raised).view(np.float64)


def _conjugate(x: Any) -> Any:
    (x,) = _cast(np.conjugate, x)
    if x.dtype.kind != "c":
        return apply(np.positive, x)
    tracer, z = x.tracer, x.value
    imag = tracer.op("negative", [tracer.op("imag", [z])])
    return result(tracer, tracer.op("complex", [tracer.op("real", [z]), imag]), x.order)


_TO_RADIANS = (np.deg2rad, np.radians)
_TO_DEGREES = (np.rad2deg, np.degrees)
_RADIANS = {ufunc: _scaled(ufunc, lambda kind: kind(np.pi) / kind(180)) for ufunc in _TO_RADIANS}
_DEGREES = {ufunc: _scaled(ufunc, lambda kind: kind(180) / kind(np.pi)) for ufunc in _TO_DEGREES}
COMPOSED_UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    **_RADIANS,
    **_DEGREES,
    np.divmod: _divmod,
    np.fabs: _fabs,
    np.float_power: _float_power,
    np.heaviside: _heaviside,
    np.logaddexp: _logaddexp(np.logaddexp, np.log1p, np.exp, 1.0),
    np.logaddexp2: _logaddexp(np.logaddexp2, np.log1p, np.exp2, float(np.log(2.0))),
    np.matmul: _product("matmul"),
    np.vecdot: _product("vecdot"),
    np.matvec: _product("matvec"),
    np.vecmat: _product("vecmat"),
    np.modf: _modf,
    np.frexp: _frexp,
    np.ldexp: _ldexp,
    np.lcm: _lcm,
    np.conjugate: _conjugate,
}
