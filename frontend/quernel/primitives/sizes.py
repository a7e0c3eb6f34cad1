"""Sizes that only the running program knows, and checks that it makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray, fresh
from ..traced.bounds import ask, is_nonnegative
from ..traced.broadcasting import matched
from ..traced.numbers import DATA, SymbolicNumber, SymbolicSize, graph_dim
from ..traced.tracer import Tracer


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


def require(
    tracer: Tracer, first: Any, relation: str, second: Any, error: Exception, shown: tuple = ()
) -> None:
    """Raise where a relation of two sizes doesn't hold; where only the program knows, it looks.

    Parameters
    ----------
    relation : {"equal", "greater_equal"}
    shown : tuple of sizes
        Those that the error's text has places for.
    """
    if relation == "equal":
        held = graph_dim(first) == graph_dim(second)
    else:
        held = is_nonnegative(tracer, first - second)
    if held:
        return
    if type(first) is int and type(second) is int:
        raise type(error)(str(error).format(*shown))
    ask(tracer, first, second)
    value = tracer.op(relation, [integer(tracer, size) for size in (first, second)])
    check(tracer, value, type(error).__name__, str(error), shown)


def fitted(a: TracedArray, shape: tuple, error: Exception, shown: list | tuple = ()) -> TracedArray:
    """An array of a shape, with an error of another one; where only the program knows, it looks.

    Parameters
    ----------
    shown : list of sizes
        Those that the error's text has places for.
    """
    message = str(error)
    if a.ndim != len(shape):
        raise error
    for own, size in zip(a.shape, shape, strict=True):
        if type(own) is int and type(size) is int and own != size:
            raise error
    sizes = dict(enumerate(shape))
    value = matched(a.tracer, a.value, sizes, message, list(shown), type(error).__name__)
    return a if value is a.value else fresh(a.tracer, value)


def require_elements(tracer: Tracer, sizes: list, error: Exception) -> None:
    """Refuse axes that hold nothing, as NumPy does even where the result has no elements."""
    if all(is_nonnegative(tracer, size - 1) for size in sizes):
        return
    if all(type(size) is int for size in sizes):
        raise error
    one = tracer.constant(np.int64(1))
    held = tracer.op("greater_equal", [_product(tracer, sizes), one])
    check(tracer, held, type(error).__name__, str(error))


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
