"""Integers: Python's have no width, signed and unsigned ones meet, powers wrap around."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.operands import Operand
from ..traced.tracer import Tracer

COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


def fit_integers(tracer: Tracer, ufunc: np.ufunc, items: list[Operand], names: list[str]) -> None:
    """Make sure that Python integers fit the loop's dtype, as NumPy demands."""
    for item, name in zip(items, names, strict=False):
        if item.type is not int or name == "int64" or np.dtype(name).kind not in "iu":
            continue
        if item.value is not None and ufunc.__name__ not in COMPARISONS:
            _check_range(tracer, item.value, name)


def _check_range(tracer: Tracer, value: Any, dtype: str) -> None:
    limits = np.iinfo(dtype)
    bounds = [np.int64(limits.min), np.int64(min(limits.max, np.iinfo(np.int64).max))]
    least, most = map(tracer.constant, bounds)
    inside = tracer.op(
        "logical_and",
        [tracer.op("less_equal", [least, value]), tracer.op("less_equal", [value, most])],
    )
    message = f"Python integer {{0}} out of bounds for {dtype}"
    tracer.check(inside, "OverflowError", message, [value])


def compare(tracer: Tracer, ufunc: np.ufunc, items: list[Operand], types: list[str]) -> Any:
    """A comparison that needs more than the loop of one dtype, or None."""
    if ufunc.__name__ not in COMPARISONS:
        return None
    for item, other, name in zip(items, reversed(items), types, strict=False):
        if item.value is None and item.type is int and not _fits(item.number, name):
            return _beyond(tracer, ufunc, items, other)
        if item.value is not None and item.type is int and np.dtype(name).kind in "iu":
            return _compare_any(tracer, ufunc.__name__, items)
    if types[0] == types[1]:
        return None
    values = [item.as_dtype(tracer, name) for item, name in zip(items, types, strict=False)]
    return _mixed(tracer, ufunc.__name__, values)


def _fits(number: int, dtype: str) -> bool:
    if np.dtype(dtype).kind not in "iu":
        return True
    limits = np.iinfo(dtype)
    return limits.min <= number <= limits.max


def _beyond(tracer: Tracer, ufunc: np.ufunc, items: list[Operand], array: Operand) -> Any:
    """The comparison with an integer that no element can reach has one answer for all."""
    anything = np.zeros((), array.type)
    truth = ufunc(*(anything if item is array else item.number for item in items))
    shape = list(array.value.shape)
    value = tracer.constant(np.bool_(truth))
    return tracer.op("full", [value], shape=shape) if shape else value


def _compare_any(tracer: Tracer, name: str, items: list[Operand]) -> Any:
    """A comparison with an integer that may be out of the array's range."""
    widths = ["uint64" if item.type == np.uint64 else "int64" for item in items]
    values = [item.as_dtype(tracer, width) for item, width in zip(items, widths, strict=True)]
    return tracer.op(name, values) if "uint64" not in widths else _mixed(tracer, name, values)


def _mixed(tracer: Tracer, name: str, values: list[Any]) -> Any:
    """An int64 beside a uint64: where the signed one is negative the answer is known."""
    place = 0 if values[0].dtype == "int64" else 1
    signed = values[place]
    negative = tracer.op("less", [signed, tracer.constant(np.int64(0))])
    values[place] = tracer.cast(signed, "uint64")
    answer = tracer.op(name, values)
    holds = name == "not_equal" or (place == 0 and name.startswith("less"))
    if holds or (place == 1 and name.startswith("greater")):
        return tracer.op("logical_or", [negative, answer])
    return tracer.op("logical_and", [tracer.op("logical_not", [negative]), answer])


def power(tracer: Tracer, items: list[Operand], dtype: str) -> Any:
    """A power by squaring, which wraps around as NumPy's does."""
    exponent = items[1].number
    if exponent is None:
        return _power_of_values(tracer, [item.as_dtype(tracer, dtype) for item in items], dtype)
    if exponent < 0:
        raise ValueError(_NEGATIVE_POWER)
    np.dtype(dtype).type(exponent)  # which has to fit
    square, answer = items[0].as_dtype(tracer, dtype), None
    while exponent:
        if exponent & 1:
            answer = square if answer is None else tracer.op("multiply", [answer, square])
        exponent >>= 1
        if exponent:
            square = tracer.op("multiply", [square, square])
    if answer is None:
        one = tracer.constant(np.dtype(dtype).type(1))
        return tracer.op("full", [one], shape=list(square.shape)) if square.shape else one
    return answer


def _power_of_values(tracer: Tracer, values: list[Any], dtype: str) -> Any:
    exponent = values[1]
    if np.dtype(dtype).kind == "i":
        allowed = tracer.op("greater_equal", [exponent, tracer.constant(np.dtype(dtype).type(0))])
        if exponent.shape:
            axes = list(range(len(exponent.shape)))
            allowed = tracer.op("reduce", [allowed], kind="all", axes=axes)
        tracer.check(allowed, "ValueError", _NEGATIVE_POWER)
    return tracer.op("power", values)
