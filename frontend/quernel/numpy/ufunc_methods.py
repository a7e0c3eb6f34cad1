"""The methods of ufuncs other than their call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.array import TracedArray, fresh
from ..capture.tracer import Tracer, current
from .operands import as_array


def method(ufunc: np.ufunc, name: str, inputs: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of ``ufunc.reduce``, ``accumulate``, ``outer`` or ``at`` on traced arrays."""
    from .accumulation import ufunc_accumulate
    from .reductions import ufunc_reduce

    methods = {"reduce": ufunc_reduce, "accumulate": ufunc_accumulate, "outer": outer, "at": at}
    if name not in methods:
        current().fail(f"np.{ufunc.__name__}.{name} is not supported yet", "write the loop")
    return methods[name](ufunc, *inputs, **kwargs)


def outer(ufunc: np.ufunc, a: Any, b: Any, **kwargs: Any) -> Any:
    """``ufunc.outer``: every element of one array with every element of the other."""
    from .ufuncs import dispatch

    tracer = current()
    a, b = as_array(tracer, a), as_array(tracer, b)
    left = a.reshaped((*a.shape, *(1,) * b.ndim), certain=True)
    return dispatch(ufunc, "__call__", (left, b), kwargs)


def at(ufunc: np.ufunc, a: Any, indices: Any, b: Any = None) -> None:
    """``ufunc.at``: in place, and once for each time that an element is named."""
    tracer = current()
    if type(a) is not TracedArray or a.is_scalar:
        raise TypeError("first operand must be array")
    if ufunc not in (np.add, np.subtract):
        tracer.fail(f"np.{ufunc.__name__}.at is not supported yet", "write the loop")
    value = _added(tracer, ufunc, a, b)
    _scatter(a, indices, value)


def _added(tracer: Tracer, ufunc: np.ufunc, a: TracedArray, b: Any) -> TracedArray:
    """What is added to the elements, in their dtype."""
    from .operands import array_value, operand
    from .ufuncs import apply

    types = ufunc.resolve_dtypes((a.dtype, operand(tracer, b).type, None))
    # Whether NumPy refuses the cast back depends on the layouts and on the number of elements.
    whole = types[-1].kind in "iu" and a.dtype.kind in "iu"  # sums wrap around alike
    if types[-1] != a.dtype and not whole:
        tracer.fail(f"np.{ufunc.__name__}.at that computes in {types[-1]}", "cast with .astype")
    value = fresh(tracer, array_value(tracer, b, a.dtype))
    return value if ufunc is np.add else apply(np.negative, value)


def _scatter(a: TracedArray, indices: Any, value: TracedArray) -> None:
    from .selection import index_array, nonzero, positions, scattered
    from .shapes import broadcast_shape, broadcast_to

    key = indices if type(indices) is tuple else (indices,)
    if any(item is None or item is Ellipsis or type(item) is slice for item in key):
        a.tracer.fail("ufunc.at with slices", "use index arrays alone")
    parts: list[TracedArray] = []
    for item in key:
        part = as_array(a.tracer, item)
        parts += nonzero(part) if part.dtype == bool else [index_array(part)]
    shape = broadcast_shape([part.shape for part in parts])
    places = [
        broadcast_to(positions(part, a.shape[axis], axis), shape) for axis, part in enumerate(parts)
    ]
    scattered(a, places, list(range(len(parts))), value, "add")
