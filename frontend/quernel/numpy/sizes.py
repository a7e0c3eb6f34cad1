"""Sizes that only the running program knows, and checks that it makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.array import TracedArray
from ..capture.bounds import is_nonnegative
from ..capture.numbers import DATA, SymbolicNumber, SymbolicSize
from ..capture.tracer import Tracer


def integer(tracer: Tracer, number: Any) -> Any:
    """The int64 graph value of a size, a symbolic number or an integer."""
    if type(number) is SymbolicSize:
        return tracer.op("dim", [], dim=number.dim)
    if type(number) is SymbolicNumber:
        return tracer.cast(number.value, "int64")
    if type(number) is TracedArray:
        return tracer.cast(number.value, "int64")
    return tracer.constant(np.int64(number))


def check(tracer: Tracer, condition: Any, exception: str, message: str, values: tuple = ()) -> None:
    """Stop the program with an exception where a 0-d boolean graph value is false."""
    parts = [integer(tracer, value) for value in values]
    tracer.check(condition, exception, message, parts)


def require_all(tracer: Tracer, mask: Any, exception: str, message: str) -> None:
    """Stop the program with an exception unless all of a traced boolean array is true."""
    value = mask.value
    if value.shape:
        value = tracer.op("reduce", [value], kind="all", axes=list(range(len(value.shape))))
    check(tracer, value, exception, message)


def require_elements(tracer: Tracer, sizes: list, message: str) -> None:
    """Refuse axes that hold nothing, as NumPy does even where the result has no elements."""
    if all(is_nonnegative(tracer, size - 1) for size in sizes):
        return
    if all(type(size) is int for size in sizes):
        raise ValueError(message)
    one = tracer.constant(np.int64(1))
    held = tracer.op("greater_equal", [_product(tracer, sizes), one])
    check(tracer, held, "ValueError", message)


def _product(tracer: Tracer, sizes: list) -> Any:
    value = integer(tracer, sizes[0])
    for size in sizes[1:]:
        value = tracer.op("multiply", [value, integer(tracer, size)])
    return value


def clipped(tracer: Tracer, size: Any, upper: Any = None, name: str = "count") -> Any:
    """``max(size, 0)`` as a size; `upper` is a size that it never exceeds."""
    if type(size) is not SymbolicSize:
        return max(size, 0)
    if is_nonnegative(tracer, size):
        return size
    zero = tracer.constant(np.int64(0))
    value = tracer.op("maximum", [integer(tracer, size), zero])
    return size_of(tracer, value, upper, name)


def size_of(
    tracer: Tracer, value: Any, upper: Any = None, name: str = "count", lower: int = 0
) -> Any:
    """A size that is the value of a 0-d int64 of the program, which lies between the bounds."""
    return tracer.symbol_of(value, lower, upper, name, frozenset([DATA]))
