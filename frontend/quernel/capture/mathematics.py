"""`math` and `cmath` where a number is one of the program.

Functions that have no form here are refused by name.
"""

from __future__ import annotations

import cmath
import functools
import math
import operator
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.numbers import SymbolicNumber
from ..traced.open_types import base_of
from ..traced.scalars import bool_of, number_type, sources_of
from ..traced.tracer import Tracer
from .exact_mathematics import SOURCES, captured
from .standins import as_number, guarded, is_of_program, require, scalar, truncated

# By name in `math`: the ufunc, and what is wrong with an operand: a comparison of it, or of its
# magnitude, with a number. NaN is never wrong.
_UFUNCS: dict[str, tuple[str, tuple[str, bool, float] | None]] = {
    "sqrt": ("sqrt", ("less", False, 0.0)),
    "exp": ("exp", None),
    "log": ("log", ("less_equal", False, 0.0)),
    "log2": ("log2", ("less_equal", False, 0.0)),
    "log10": ("log10", ("less_equal", False, 0.0)),
    "log1p": ("log1p", ("less_equal", False, -1.0)),
    "expm1": ("expm1", None),
    "sin": ("sin", ("equal", True, math.inf)),
    "cos": ("cos", ("equal", True, math.inf)),
    "tan": ("tan", ("equal", True, math.inf)),
    "asin": ("arcsin", ("greater", True, 1.0)),
    "acos": ("arccos", ("greater", True, 1.0)),
    "atan": ("arctan", None),
    "atan2": ("arctan2", None),
    "sinh": ("sinh", None),
    "cosh": ("cosh", None),
    "tanh": ("tanh", None),
    "asinh": ("arcsinh", None),
    "acosh": ("arccosh", ("less", False, 1.0)),
    "atanh": ("arctanh", ("greater_equal", True, 1.0)),
    "hypot": ("hypot", None),
    "pow": ("power", None),
    "fabs": ("absolute", None),
    "copysign": ("copysign", None),
    "fmod": ("fmod", None),
    "degrees": ("degrees", None),
    "radians": ("radians", None),
    "exp2": ("exp2", None),
    "cbrt": ("cbrt", None),
    "erf": ("erf", None),
    "erfc": ("erfc", None),
}
# Those whose result may be wrong where the operands aren't: infinite, or NaN.
_OVERFLOWING = {"exp", "exp2", "expm1", "sinh", "cosh", "pow"}
_UNDEFINED = {"pow", "fmod"}
_TESTS = {"isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite"}
_ROUNDINGS = {"floor": "floor", "ceil": "ceil", "trunc": "trunc"}
_COMPLEX = ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")


def mathematics(tracer: Tracer) -> dict[Any, Callable[..., Any]]:
    """What is called in place of the functions of `math` and `cmath`, by function."""
    table: dict[Any, Any] = {}
    for module in (math, cmath):
        for function in vars(module).values():
            if type(function) is types.BuiltinFunctionType:
                table[function] = _refused(tracer, module, function)
    for name in _UFUNCS.keys() & vars(math).keys():  # Python 3.10 lacks some
        table[getattr(math, name)] = guarded(getattr(math, name), _real(tracer, name))
    for name in _TESTS:
        table[getattr(math, name)] = guarded(getattr(math, name), _test(tracer, name))
    for name in _ROUNDINGS:
        table[getattr(math, name)] = guarded(getattr(math, name), _rounding(tracer, name))
    for name, make in _COMPOSED.items():
        if hasattr(math, name):
            table[getattr(math, name)] = _composed(tracer, getattr(math, name), make)
    for name in _COMPLEX:
        table[getattr(cmath, name)] = guarded(getattr(cmath, name), _complex(tracer, name))
    return table


def _real(tracer: Tracer, name: str) -> Callable[..., Any]:
    """A function of `math`: it raises where Python refuses the operands or the result."""
    op, wrong = _UFUNCS[name]

    def call(*args: Any) -> Any:
        numbers = [as_number(tracer, arg, float) for arg in args]
        values = [number.value for number in numbers]
        if wrong is not None:
            comparison, of_magnitude, bound = wrong
            operand = tracer.op("absolute", values) if of_magnitude else values[0]
            refused = tracer.op(comparison, [operand, tracer.constant(np.float64(bound))])
            _refuse(tracer, refused, "ValueError", "math domain error")
        result = tracer.op(op, values)
        if name in _UNDEFINED:
            given = _all(tracer, "equal", values, values)  # no NaN among them
            undefined = tracer.op("logical_and", [tracer.op("isnan", [result]), given])
            _refuse(tracer, undefined, "ValueError", "math domain error")
        if name in _OVERFLOWING:
            finite = _all(tracer, "isfinite", values)
            infinite = tracer.op("logical_and", [tracer.op("isinf", [result]), finite])
            if name == "pow":
                zero = tracer.op("equal", [values[0], tracer.constant(np.float64(0))])
                pole = tracer.op("logical_and", [infinite, zero])
                _refuse(tracer, pole, "ValueError", "math domain error")
            _refuse(tracer, infinite, "OverflowError", "math range error")
        sources = frozenset().union(*map(sources_of, numbers))
        return SymbolicNumber(tracer, result, 1.0, sources)

    return call


def _all(tracer: Tracer, test: str, *operands: list[Any]) -> Any:
    """Whether a test holds for each of some numbers."""
    found = [tracer.op(test, list(each)) for each in zip(*operands, strict=True)]
    return functools.reduce(lambda a, b: tracer.op("logical_and", [a, b]), found)


def _refuse(tracer: Tracer, condition: Any, exception: str, text: str) -> None:
    """Stop the program where a condition holds."""
    tracer.check(tracer.op("logical_not", [condition]), exception, text)


def _complex(tracer: Tracer, op: str) -> Callable[..., Any]:
    """A function of `cmath`."""

    def call(arg: Any) -> Any:
        number = as_number(tracer, arg, complex)
        return SymbolicNumber(tracer, tracer.op(op, [number.value]), 1j, sources_of(number))

    return call


def _test(tracer: Tracer, op: str) -> Callable[..., Any]:
    def call(obj: Any) -> Any:
        if base_of(number_type(scalar(obj))) in (int, bool):
            return op == "isfinite"
        number = as_number(tracer, obj, float)
        return SymbolicNumber(tracer, tracer.op(op, [number.value]), True, number.origins, (0, 1))

    return call


def _rounding(tracer: Tracer, op: str) -> Callable[..., Any]:
    def call(obj: Any) -> Any:
        if op == "trunc":
            require(obj, "__trunc__", "type {} doesn't define __trunc__ method")
        kind = base_of(number_type(scalar(obj)))
        if isinstance(kind, type) and kind in (int, bool):  # NumPy's go through float
            return as_number(tracer, obj, int)
        return truncated(tracer, as_number(tracer, obj, float), op)

    return call


def _touches(obj: Any) -> bool:
    """Whether an object is, or holds, what only the program knows."""
    if type(obj) in (tuple, list, set, deque):
        return any(map(_touches, obj))
    return (type(obj) is TracedArray and obj.known() is None) or is_of_program(obj)


def _refused(tracer: Tracer, module: Any, function: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(_touches, (*args, *kwargs.values()))):
            name = f"{module.__name__}.{function.__name__}"
            tracer.fail(
                f"{name} of numbers that only data know",
                "use NumPy's functions, or compute it outside",
            )
        return function(*args, **kwargs)

    return call


def _composed(tracer: Tracer, python: Any, traced: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(_touches, (*args, *kwargs.values()))):
            return traced(tracer, *args, **kwargs)
        return python(*args, **kwargs)

    return call


def _isclose(
    tracer: Tracer, a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0
) -> SymbolicNumber:
    numbers = [as_number(tracer, x, float) for x in (a, b, rel_tol, abs_tol)]
    a, b, relative, absolute = (number.value for number in numbers)

    def apply(name: str, *operands: Any) -> Any:
        return tracer.op(name, list(operands))

    zero = tracer.constant(np.float64(0))
    for tolerance in (relative, absolute):
        _refuse(
            tracer, apply("less", tolerance, zero), "ValueError", "tolerances must be non-negative"
        )
    difference = apply("absolute", apply("subtract", b, a))
    bounds = [apply("absolute", apply("multiply", relative, x)) for x in (a, b)]
    near = [apply("less_equal", difference, bound) for bound in (*bounds, absolute)]
    finite = _all(tracer, "isfinite", [difference])
    close = apply(
        "logical_and", finite, functools.reduce(lambda p, q: apply("logical_or", p, q), near)
    )
    return bool_of(tracer, apply("logical_or", close, apply("equal", a, b)))


def _log(tracer: Tracer, x: Any, base: Any = None) -> Any:
    one = guarded(math.log, _real(tracer, "log"))
    return one(x) if base is None else one(x) / one(base)


def _hypot(tracer: Tracer, *coordinates: Any) -> Any:
    pair = guarded(math.hypot, _real(tracer, "hypot"))
    return functools.reduce(pair, coordinates) if len(coordinates) > 1 else pair(*coordinates, 0.0)


def _dist(tracer: Tracer, p: Any, q: Any) -> Any:
    p, q = tuple(p), tuple(q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    if not p:
        return 0.0
    number = functools.partial(as_number, tracer, kind=float)
    return _hypot(tracer, *(number(a) - number(b) for a, b in zip(p, q, strict=True)))


def _prod(tracer: Tracer, items: Any, *, start: Any = 1) -> Any:
    return functools.reduce(operator.mul, items, start)


def _modf(tracer: Tracer, x: Any) -> tuple[SymbolicNumber, SymbolicNumber]:
    number = as_number(tracer, x, float)
    value = number.value
    whole = tracer.op("trunc", [value])
    rest = tracer.op("subtract", [value, whole])
    infinite = tracer.op("isinf", [value])
    rest = tracer.op("where", [infinite, tracer.constant(np.float64(0)), rest])
    parts = (tracer.op("copysign", [rest, value]), whole)
    return tuple(SymbolicNumber(tracer, part, 1.0, number.origins) for part in parts)


_COMPOSED: dict[str, Callable[..., Any]] = {
    **{source.__name__: captured(source) for source in SOURCES},
    "isclose": _isclose,
    "log": _log,
    "hypot": _hypot,
    "dist": _dist,
    "prod": _prod,
    "modf": _modf,
}
