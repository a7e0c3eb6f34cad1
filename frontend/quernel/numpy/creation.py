"""Functions that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.assignment import assigned
from ..primitives.layouts import laid_as, ordered
from ..primitives.operands import (
    array_value,
    as_array,
    default_float,
    dtype_of,
    operand,
    strong_type,
)
from ..primitives.shaping import allowed
from ..traced.array import TracedArray, constant, fresh, is_traced
from ..traced.doubts import Doubt
from ..traced.numbers import SymbolicNumber, isinstance_symbolic
from ..traced.open_types import open_types_of
from ..traced.places import each_place
from ..traced.tracer import Tracer, current
from ..traced.views import OrderView, graph_dims
from .integers import fit_integers
from .registry import constructs, implements


def filled(tracer: Tracer, shape: Any, scalar: Any, order: str = "C") -> TracedArray:
    """An array with every element equal to a zero-dimensional graph value."""
    sizes = graph_dims(allowed(tracer, shape))
    value = tracer.op("full", [scalar], shape=sizes)
    return fresh(tracer, value, layout=ordered(sizes, order))


@implements(np.empty, creation=True)
def empty(
    shape: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> TracedArray:
    """`np.empty`: elements that mean nothing yet."""
    tracer = current()
    kind = default_float(tracer) if dtype is None else dtype_of(tracer, dtype)
    if kind.kind == "b":
        return zeros(shape, kind, order)  # memory that holds neither truth isn't a boolean
    sizes = graph_dims(allowed(tracer, shape))
    value = tracer.op("empty", [], shape=sizes, dtype=kind.name)
    return fresh(tracer, value, layout=ordered(sizes, order))


@implements(np.empty_like)
def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> TracedArray:
    """`np.empty_like`."""
    a = as_array(current(), prototype)
    made = empty(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)
    return laid_as(made, a, order)


def _constant(number: int) -> Any:
    def create(
        shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
    ) -> TracedArray:
        tracer = current()
        kind = default_float(tracer) if dtype is None else dtype_of(tracer, dtype)
        return filled(tracer, shape, tracer.constant(kind.type(number)), order)

    return create


zeros = implements(np.zeros, creation=True)(_constant(0))
ones = implements(np.ones, creation=True)(_constant(1))


@implements(np.full, creation=True)
def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> TracedArray:
    """`np.full`."""
    tracer = current()
    item = operand(tracer, fill_value)
    kind = strong_type(tracer, item) if dtype is None else dtype_of(tracer, dtype)
    if item.kinds == [int]:
        fit_integers(tracer, np.copyto, [item], [kind.name])
    value = array_value(tracer, fill_value, kind)
    if value.shape:
        value = tracer.op("broadcast_to", [value], shape=graph_dims(allowed(tracer, shape)))
        return fresh(tracer, value, layout=ordered(value.shape, order))
    return filled(tracer, shape, value, order)


def _like(number: int) -> Any:
    def create(
        a: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> TracedArray:
        return full_like(a, number, dtype, order, subok, shape)

    return create


zeros_like = implements(np.zeros_like)(_like(0))
ones_like = implements(np.ones_like)(_like(1))


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> TracedArray:
    """`np.full_like`."""
    tracer = current()
    a = as_array(tracer, a)
    kind = a.dtype if dtype is None else dtype_of(tracer, dtype)
    return laid_as(full(a.shape if shape is None else shape, fill_value, kind), a, order)


@implements(np.array, creation=True)
def array(
    obj: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> TracedArray:
    """`np.array`."""
    return _ordered(_converted(obj, dtype, copy, ndmin, order), order)


@implements(np.asarray, np.asanyarray, creation=True)
def asarray(obj: Any, dtype: Any = None, order: str | None = None, **kwargs: Any) -> TracedArray:
    """`np.asarray` and its kin."""
    if kwargs:
        from ..capture.judging import judged

        judged(np.asarray, obj, dtype, order, **kwargs)
    return _ordered(_converted(obj, dtype, kwargs.get("copy"), 0, order or "K"), order)


@implements(np.ascontiguousarray, creation=True)
def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> TracedArray:
    """`np.ascontiguousarray`."""
    return _ordered(_converted(a, dtype, None, 1), "C")


@implements(np.asfortranarray, creation=True)
def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> TracedArray:
    """`np.asfortranarray`."""
    return _ordered(_converted(a, dtype, None, 1), "F")


def _ordered(made: TracedArray, order: Any) -> TracedArray:
    """The array itself where it lies in the order that is asked for, else a copy."""
    if order not in ("C", "F"):
        return made
    return each_place(made, lambda place: _in_order(place, order))


def _in_order(made: TracedArray, order: str) -> TracedArray:
    lies = made.lies_in(order)
    if lies is not None:
        return made if lies else fresh(made.tracer, made.value, layout=ordered(made.shape, order))
    view = OrderView(made.shape, order)
    view.doubt = Doubt(made, made.shape, "a change of its order")
    return made.view(view)


# By the names of the enumeration that stands for `copy=` in code for several versions of NumPy.
_COPIES = {"ALWAYS": True, "IF_NEEDED": None, "NEVER": False}


def _converted(obj: Any, dtype: Any, copy: Any, ndmin: int, order: str = "K") -> TracedArray:
    tracer = current()
    if isinstance(copy, str):
        hint = "Use True/False/None instead."
        raise ValueError(f"strings are not allowed for 'copy' keyword. {hint}")
    copy = _COPIES.get(getattr(copy, "name", ""), copy)
    kind = None if dtype is None else dtype_of(tracer, dtype)
    made = as_array(tracer, obj)
    if made.is_scalar:
        made = fresh(tracer, made.value)
    if kind is not None:
        if not is_traced(obj) and not issubclass(type(obj), np.ndarray | np.generic):
            with np.errstate(all="ignore"):
                made = constant(tracer, np.array(obj, kind))
        elif type(obj) in (list, tuple, SymbolicNumber):
            made = fresh(tracer, assigned(tracer, obj, kind))
        elif made.dtype != kind:
            made = made.astype(kind, order=order)
    if made.ndim < ndmin:
        made = made.reshaped((*(1,) * (ndmin - made.ndim), *made.shape), certain=True)
    shared = type(obj) is TracedArray and made.storage is obj.storage
    if copy is not None and not copy:
        lies = order not in ("C", "F") or made.lies_in(order)
        if lies is None:
            why = "copy=False of an array whose order in memory isn't known"
            tracer.fail(why, "leave copy= out")
        if not (shared and lies):
            raise ValueError("Unable to avoid copy while creating an array as requested.")
    return made.copy(order) if copy and shared else made


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> TracedArray:
    """`np.copy`."""
    made = as_array(current(), a)
    return laid_as(fresh(made.tracer, made.value), made, order)


@constructs(np.ndarray)
def ndarray(
    kind: type,
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: int = 0,
    strides: Any = None,
    order: Any = None,
) -> TracedArray:
    """``np.ndarray(shape, dtype)``: an array whose elements mean nothing yet."""
    if buffer is not None or strides is not None or offset:
        current().fail("np.ndarray over a buffer", "use views of arrays")
    return empty(shape, dtype, order or "C")


_NUMBERS = {kind for kind in np.sctypeDict.values() if np.dtype(kind).kind in "biufc"}


@constructs(*_NUMBERS)
def number(kind: type, obj: Any = 0) -> Any:
    """``np.float64(x)`` and its like: a scalar of that type, or an array cast to it."""
    if not is_traced(obj):
        return NotImplemented
    tracer = current()
    if isinstance_symbolic(obj) or open_types_of(obj):
        made = fresh(tracer, assigned(tracer, obj, dtype_of(tracer, kind)))
    else:
        made = as_array(tracer, obj).astype(kind)
    return made if made.ndim else fresh(made.tracer, made.value, True)
