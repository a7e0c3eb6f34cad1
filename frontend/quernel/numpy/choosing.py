"""Elements chosen by a number or a condition for each of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..primitives.elementwise import alternatives, apply, where
from ..primitives.gathering import index_array, positions
from ..primitives.operands import lift
from ..primitives.shaping import shape_of
from ..primitives.sizes import require, require_all
from ..traced.array import TracedArray, element_or_array, fresh
from ..traced.tracer import current
from .out_arguments import stored
from .registry import implements
from .selection import columns


@implements(np.choose, order="C")
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> TracedArray:
    """`np.choose`."""
    index = index_array(a)
    options = [fresh(index.tracer, value) for value in alternatives(index.tracer, choices)]
    count = len(options)
    if mode == "raise":
        inside = apply(np.greater_equal, index, 0)
        inside = apply(np.logical_and, inside, apply(np.less, index, count))
        require_all(index.tracer, inside, "ValueError", "invalid entry in choice array")
    else:
        index = positions(index, count, 0, mode)
    answer: Any = options[-1]
    for k in reversed(range(count - 1)):
        answer = where(apply(np.equal, index, k), options[k], answer)
    if count == 1:
        answer = fresh(index.tracer, answer.value)
    return stored(element_or_array(answer), out)


@implements(np.select, order="C")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> TracedArray:
    """`np.select`: the first condition that holds decides."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    tracer = current()
    *choices, answer = [fresh(tracer, x) for x in alternatives(tracer, [*choicelist, default])]
    for place, condition in enumerate(condlist):
        if lift(condition).dtype != bool:
            raise TypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        answer = where(condition, choice, answer)
    return answer


@implements(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple:
    """`np.unravel_index` in C order."""
    rest = index_array(indices)
    sizes = shape_of(shape)
    if order != "C":
        rest.tracer.fail("np.unravel_index in Fortran order", "reverse the shape")
    if _is_too_large(sizes):
        raise ValueError(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' are "
            "not supported."
        )
    parts = []
    for size in reversed(sizes):
        parts.append(apply(np.remainder, rest, size))
        rest = apply(np.floor_divide, rest, size)
    within = apply(np.equal, rest, 0)
    require_all(rest.tracer, within, "ValueError", "index is out of bounds for array")
    parts.reverse()
    return columns(parts) if rest.ndim else tuple(parts)


def _is_too_large(sizes: tuple) -> bool:
    """Whether no integer counts the elements of a shape, as far as its sizes are known."""
    known = [size for size in sizes if type(size) is int]
    return 0 not in known and math.prod(known) > np.iinfo(np.intp).max


@implements(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """`np.ravel_multi_index` in C order."""
    sizes = shape_of(dims)
    parts = [index_array(part) for part in multi_index]
    modes = mode if type(mode) is tuple else (mode,) * len(sizes)
    if order != "C":
        parts[0].tracer.fail("np.ravel_multi_index in Fortran order", "reverse the indices")
    if _is_too_large(sizes):
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    if any(type(size) is int and size == 0 for size in sizes):
        message = "cannot unravel if shape has zero entries (is empty)."
        for part in parts:
            require(part.tracer, part.size, "equal", 0, ValueError(message))
    place: Any = None
    for part, size, how in zip(parts, sizes, modes, strict=True):
        if how == "raise":
            inside = apply(np.greater_equal, part, 0)
            inside = apply(np.logical_and, inside, apply(np.less, part, size))
            require_all(part.tracer, inside, "ValueError", "invalid entry in coordinates array")
        inner = part if how == "raise" else positions(part, size, 0, how)
        place = inner if place is None else apply(np.add, apply(np.multiply, place, size), inner)
    return place
