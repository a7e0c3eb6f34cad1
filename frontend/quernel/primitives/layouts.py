"""In which order the elements of new arrays lie."""

from __future__ import annotations

from typing import Any

from ..traced.array import TracedArray, fresh
from ..traced.memory import C_ORDER, Layout, fortran_order, unknown
from .memory_orders import c_or_f, memory_order
from .operands import as_array


def laid_as(made: TracedArray, a: TracedArray, order: str | None) -> TracedArray:
    """A new array with its elements in an order, ``"K"`` being that of the elements of `a`."""
    layout, order = C_ORDER, memory_order(order) or "K"
    if order == "F":
        layout = fortran_order(made.shape)
    elif order == "A" or (order == "K" and made.ndim == a.ndim):
        in_fortran = None if a.lies_in("C") else a.lies_in("F")
        if in_fortran or order == "K":
            layout = fortran_order(made.shape) if in_fortran else a.order
        elif in_fortran is None and not a.lies_in("C"):
            layout = unknown(*a.storage.layout.causes, *a.order.causes)
    if layout == made.storage.layout or made.is_scalar:
        return made
    return fresh(made.tracer, made.value, layout=layout)


def in_fortran(made: TracedArray, parts: list[Any]) -> TracedArray:
    """A new array in Fortran order where all its parts lie in that one alone, else in C order."""
    arrays = [as_array(made.tracer, part) for part in parts]
    lies = [False if a.lies_in("C") else a.lies_in("F") for a in arrays]
    if False in lies:
        return laid_as(made, made, "C")
    doubtful = [a for a, known in zip(arrays, lies, strict=True) if known is None]
    return laid_as(made, doubtful[0], "A") if doubtful else laid_as(made, made, "F")


def ordered(shape: Any, order: str | None) -> Layout:
    """The layout of a new array in an order."""
    return fortran_order(tuple(shape)) if c_or_f(order) == "F" else C_ORDER
