"""Shapes as arguments, and arrays in other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..traced.array import TracedArray
from ..traced.broadcasting import is_one, shape_texts, stretched
from ..traced.iterables import as_size
from ..traced.tracer import Tracer, current
from ..traced.views import BroadcastView, same_dims
from .operands import lift
from .sizes import check, integer, is_nonnegative


def shape_of(shape: Any) -> tuple:
    """A shape argument as a tuple of sizes."""
    if isinstance(shape, (TracedArray, np.ndarray)) and shape.ndim == 1:
        shape = list(shape)
    if type(shape) not in (tuple, list):
        shape = (shape,)
    if any(type(item) is bool for item in shape):
        raise TypeError("an integer is required")
    return tuple(as_size(current(), item) for item in shape)


def allowed(
    tracer: Tracer, shape: Any, message: str = "negative dimensions are not allowed"
) -> tuple:
    """Sizes that aren't negative; where only the program knows, it looks."""
    sizes = shape_of(shape)
    for size in sizes:
        if is_nonnegative(tracer, size):
            continue
        if type(size) is int:
            raise ValueError(message)
        held = tracer.op("greater_equal", [integer(tracer, size), tracer.constant(np.int64(0))])
        check(tracer, held, "ValueError", message)
    return sizes


def expand_dims(a: Any, axis: Any) -> Any:
    """An array with more axes, each of one element."""
    a = lift(a)
    axes = axis if type(axis) in (tuple, list) else (axis,)
    total = a.ndim + len(axes)
    places = normalize_axis_tuple(axes, total)
    sizes = iter(a.shape)
    return a.reshaped(tuple(1 if k in places else next(sizes) for k in range(total)), certain=True)


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """An array repeated to a shape: a view."""
    a = lift(array)
    sizes = allowed(a.tracer, shape, "all elements of broadcast shape must be non-negative")
    (own, new), numbers = shape_texts([a.shape, sizes])
    message = (
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{own}  and requested shape {new}"
    )
    return a.view(BroadcastView(sizes, stretched(a.tracer, a.shape, sizes, message, numbers)))


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple:
    """Arrays repeated to the shape that they have together."""
    arrays = [lift(a) for a in args]
    sizes = broadcast_shape([a.shape for a in arrays])
    return tuple(a if same_dims(a.shape, sizes) else broadcast_to(a, sizes) for a in arrays)


def broadcast_shape(shapes: list) -> tuple:
    """The common shape of arrays."""
    rank = max((len(shape) for shape in shapes), default=0)
    common: list = [1] * rank
    for shape in shapes:
        for k, size in enumerate(shape, rank - len(shape)):
            if is_one(common[k]):
                common[k] = size
            elif not is_one(size) and size != common[k]:
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return tuple(common)
