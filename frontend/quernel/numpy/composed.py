"""Ufuncs that are compositions of the compiler's ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.array import fresh, result
from ..capture.tracer import current
from .logic import where
from .operands import as_array, operand, strong_type
from .ufuncs import apply


def _float_loop(*inputs: Any) -> np.dtype:
    """The dtype of the float loop that a ufunc takes for its inputs."""
    tracer = current()
    items = [operand(tracer, obj) for obj in inputs]
    if all(isinstance(item.type, type) for item in items):
        return strong_type(tracer, items[0]) if items[0].type is float else np.dtype(float)
    types = [item.type for item in items]
    return np.true_divide.resolve_dtypes((*types, *[types[-1]] * (2 - len(types)), None))[-1]


def _scaled(factor: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(x: Any) -> Any:
        return apply(np.multiply, x, factor(_float_loop(x).type))

    return convert


def _divmod(a: Any, b: Any) -> tuple[Any, Any]:
    return apply(np.floor_divide, a, b), apply(np.remainder, a, b)


def _fabs(x: Any) -> Any:
    absolute = apply(np.absolute, x)
    return absolute.astype(_float_loop(x), copy=False)


def _float_power(a: Any, b: Any) -> Any:
    a = apply(np.multiply, a, np.float64(1.0))
    return apply(np.power, a, b)


def _heaviside(x: Any, h: Any) -> Any:
    kind = _float_loop(x, h)
    x, h = (as_array(current(), item).astype(kind, copy=False) for item in (x, h))
    zero, one = kind.type(0), kind.type(1)
    step = where(apply(np.less, x, zero), zero, where(apply(np.equal, x, zero), h, one))
    step = where(apply(np.isnan, x), x, step)
    return fresh(step.tracer, step.value, not step.ndim)


def _logaddexp(log1p: np.ufunc, exp: np.ufunc, ln2: float) -> Callable[[Any, Any], Any]:
    """``log(exp(a) + exp(b))`` as NumPy computes it: the greater plus a correction."""

    def implementation(a: Any, b: Any) -> Any:
        greater = apply(np.maximum, a, b)
        distance = apply(np.negative, apply(np.absolute, apply(np.subtract, a, b)))
        correction = apply(log1p, apply(exp, distance))
        if ln2 != 1.0:
            correction = apply(np.multiply, correction, 1.0 / ln2)
        same = apply(np.equal, a, b)
        double = apply(np.add, a, float(np.log(2.0)) / ln2)
        answer = where(same, double, apply(np.add, greater, correction))
        return fresh(answer.tracer, answer.value, not answer.ndim)

    return implementation


def _product(name: str) -> Callable[[Any, Any], Any]:
    def implementation(a: Any, b: Any) -> Any:
        from . import products

        return getattr(products, name)(a, b)

    return implementation


def _modf(x: Any) -> tuple[Any, Any]:
    """Fraction and whole part, both with the sign of `x`."""
    x = as_array(current(), x)
    x = x.astype(_float_loop(x), copy=False)
    whole = apply(np.trunc, x)
    rest = where(apply(np.isinf, x), x.dtype.type(0), apply(np.subtract, x, whole))
    fraction = apply(np.copysign, rest, x)
    return fresh(x.tracer, fraction.value, not x.ndim), whole


def _conjugate(x: Any) -> Any:
    item = operand(current(), x)
    if isinstance(item.type, type) or item.type.kind != "c":
        return apply(np.positive, x)
    tracer, z = current(), item.value
    imag = tracer.op("negative", [tracer.op("imag", [z])])
    return result(tracer, tracer.op("complex", [tracer.op("real", [z]), imag]), item.contiguous)


_to_radians = _scaled(lambda kind: kind(np.pi) / kind(180))
_to_degrees = _scaled(lambda kind: kind(180) / kind(np.pi))
COMPOSED_UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    np.divmod: _divmod,
    np.fabs: _fabs,
    np.deg2rad: _to_radians,
    np.radians: _to_radians,
    np.rad2deg: _to_degrees,
    np.degrees: _to_degrees,
    np.float_power: _float_power,
    np.heaviside: _heaviside,
    np.logaddexp: _logaddexp(np.log1p, np.exp, 1.0),
    np.logaddexp2: _logaddexp(np.log1p, np.exp2, float(np.log(2.0))),
    np.matmul: _product("matmul"),
    np.vecdot: _product("vecdot"),
    np.matvec: _product("matvec"),
    np.vecmat: _product("vecmat"),
    np.modf: _modf,
    np.conjugate: _conjugate,
}
