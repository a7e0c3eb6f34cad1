"""Functions that rearrange axes and elements without computing."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..primitives.layouts import laid_as
from ..primitives.operands import lift, operand
from ..primitives.shaping import broadcast_arrays, broadcast_to, expand_dims, shape_of
from ..primitives.sizes import integer, require
from ..raised import IN_NUMPY
from ..traced.array import TracedArray
from ..traced.bounds import ask, is_nonnegative, require_same
from ..traced.broadcasting import sizes_text
from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import current
from ..traced.views import ReshapeView, SliceView, TransposeView, same_dims
from .registry import implements


@implements(np.reshape)
def reshape(a: Any, /, shape: Any = None, order: str = "C", *, copy: Any = None, **old: Any) -> Any:
    """`np.reshape`."""
    a = lift(a)
    order = order or "C"
    if order == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    if order == "F":
        turned = reshape(transpose(a), _reversed(old.get("newshape") if shape is None else shape))
        _refuse_copy(a, turned, copy)
        made = transpose(turned.copy() if copy else turned)
        # A copy lies in the order in which it was read.
        return made if turned.storage is a.storage else laid_as(made, made, "F").again()
    if order != "C" and _in_fortran_alone(a):
        return reshape(a, shape, "F", copy=copy, **old)
    sizes = list(shape_of(old.get("newshape") if shape is None else shape))
    unknown = [k for k, size in enumerate(sizes) if type(size) is int and size == -1]
    if unknown:
        sizes[unknown[0]] = _remaining(a, sizes, unknown)
    else:
        _check_count(a, *_products(a.shape, sizes), sizes)
    if copy:
        a = a.copy()
    made = a.reshaped(tuple(sizes))
    _refuse_copy(a, made, copy)
    return made if made.storage is a.storage else made.again()  # a view of the copy


def _refuse_copy(a: TracedArray, made: TracedArray, copy: Any) -> None:
    if copy is False and made.storage is not a.storage:
        raise ValueError("Unable to avoid creating a copy while reshaping.")


def _reversed(shape: Any) -> tuple:
    return shape_of(shape)[::-1]


def _remaining(a: TracedArray, sizes: list, unknown: list[int]) -> Any:
    """The size that -1 stands for."""
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    rest = [size for k, size in enumerate(sizes) if k not in unknown]
    total, known = _products(a.shape, rest)
    known = operator.index(known)
    if known == 0:
        raise ValueError("cannot reshape array into that shape")
    size = total // known
    _check_count(a, total, size * known, sizes)
    return size


def _products(first: Any, second: Any) -> tuple[Any, Any]:
    """The products of two shapes' sizes, without the symbols that both have."""
    left, right = list(first), list(second)
    for size in list(left):
        same = [s for s in right if isinstance_symbolic(s) and same_dims([s], [size])]
        if isinstance_symbolic(size) and same:
            left.remove(size)
            right.remove(same[0])
    return product(left), product(right)


def _check_count(a: TracedArray, own: Any, asked: Any, sizes: list) -> None:
    """See that an array has as many elements as a shape: here, or where it isn't proven, later.

    Raises
    ------
    ValueError
    """
    if same_dims([own], [asked]):
        return
    comma = "," if len(sizes) == 1 else ""
    while sizes and sizes[0] == -1:  # as NumPy shows shapes
        sizes = sizes[1:]
    shown = [a.size]
    asked_text = sizes_text(sizes, shown).replace("-1", "newaxis") + comma
    text = f"cannot reshape array of size {{0}} into shape ({asked_text})"
    if type(own) is int and type(asked) is int:
        raise ValueError(text)  # NumPy's own is raised in its place
    require_same(a.tracer, own, asked, text, shown)


def product(sizes: Any) -> Any:
    """The product of sizes, without a factor of one."""
    total: Any = 1
    for size in sizes:
        total = size if type(total) is int and total == 1 else total * size
    return total


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """`np.ravel`."""
    a = lift(a)
    if order == "K":
        a = transpose(a, memory_axes(a))
    elif order == "F" or (order == "A" and _in_fortran_alone(a)):
        a = transpose(a)
    return a.reshaped((a.size,), ravel=True)


def _in_fortran_alone(a: TracedArray) -> bool:
    """Whether the elements lie in Fortran order and not in C order."""
    lies = False if a.lies_in("C") else a.lies_in("F")
    if lies is None:
        a.lay_known()
    return bool(lies)


def memory_axes(a: TracedArray) -> list[int]:
    """The axes in the order of memory."""
    layout = a.order
    if layout.how == "unknown":
        a.lay_known()
    return list(range(a.ndim) if layout.axes is None else layout.axes)


@implements(np.transpose, np.permute_dims)
def transpose(a: Any, axes: Any = None) -> Any:
    """`np.transpose`."""
    a = lift(a)
    if axes is None:
        order = list(range(a.ndim))[::-1]
    else:
        order = [normalize_axis_index(operator.index(k), a.ndim) for k in axes]
        if sorted(order) != list(range(a.ndim)):
            raise ValueError("axes don't match array")
    if order == sorted(order):
        return a.again()
    return a.view(TransposeView(order, a.shape))


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`np.swapaxes`."""
    a = lift(a)
    order = list(range(a.ndim))
    first, second = (normalize_axis_index(k, a.ndim) for k in (axis1, axis2))
    order[first], order[second] = order[second], order[first]
    return transpose(a, order)


@implements(np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """`np.matrix_transpose`."""
    return swapaxes(x, -1, -2)


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """`np.moveaxis`."""
    a = lift(a)
    sources = normalize_axis_tuple(source, a.ndim, "source")
    targets = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` must have the same number of elements")
    order = [k for k in range(a.ndim) if k not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return transpose(a, order)


@implements(np.rollaxis)
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """`np.rollaxis`."""
    a = lift(a)
    axis = normalize_axis_index(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        last = a.ndim + 1
        text = f"'start' arg requires {-a.ndim} <= start < {last}, but {start} was passed in"
        raise np.exceptions.AxisError(text)
    return moveaxis(a, axis, start - (axis < start))


implements(np.expand_dims)(expand_dims)
implements(np.broadcast_to)(broadcast_to)
implements(np.broadcast_arrays)(broadcast_arrays)


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    """`np.squeeze`."""
    a = lift(a)
    units = [k for k, size in enumerate(a.shape) if type(size) is int and size == 1]
    if axis is not None:
        units = list(normalize_axis_tuple(axis, a.ndim))
        message = "cannot select an axis to squeeze out which has size not equal to one"
        for k in units:
            require(a.tracer, a.shape[k], "equal", 1, ValueError(message))
    else:
        _leave_units(a)
    if not units:
        return a
    axes = [k for k in range(a.ndim) if k not in units]
    return a.view(ReshapeView(a.shape, tuple(a.shape[k] for k in axes), axes))


def _leave_units(a: TracedArray) -> None:
    """Leave calls to NumPy in which a size that isn't known is 1: the rank follows from it."""
    tracer = a.tracer
    for size in a.shape:
        if type(size) is int or is_nonnegative(tracer, size - 2):
            continue
        ask(tracer, size)
        several = tracer.op("not_equal", [integer(tracer, size), tracer.constant(np.int64(1))])
        tracer.check(several, IN_NUMPY, "np.squeeze of an axis of one element", undoes=True)


def _at_least(rank: int) -> Any:
    def implementation(*arys: Any) -> Any:
        answers = [_raised(lift(a), rank) for a in arys]
        return answers[0] if len(answers) == 1 else tuple(answers)

    return implementation


def _raised(a: TracedArray, rank: int) -> TracedArray:
    if a.ndim >= rank:
        return a
    if not a.ndim:
        return a.reshaped((1,) * rank, certain=True)
    axes = [*range(a.ndim)]
    if a.ndim < 2:
        axes.insert(0, -1)
    axes += [-1] * (rank - len(axes))
    return a.view(ReshapeView(a.shape, tuple(1 if k < 0 else a.shape[k] for k in axes), axes))


atleast_1d = implements(np.atleast_1d)(_at_least(1))
atleast_2d = implements(np.atleast_2d)(_at_least(2))
atleast_3d = implements(np.atleast_3d)(_at_least(3))


@implements(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """`np.flip`."""
    m = lift(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    if not axes:
        return m
    offsets = [size - 1 if k in axes else 0 for k, size in enumerate(m.shape)]
    offsets = [max(x, 0) if type(x) is int else x for x in offsets]
    strides = [-1 if k in axes else 1 for k in range(m.ndim)]
    return m.view(SliceView(offsets, list(m.shape), strides))


@implements(np.flipud)
def flipud(m: Any) -> Any:
    """`np.flipud`."""
    return flip(m, 0)


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    """`np.fliplr`."""
    return flip(m, 1)


@implements(np.shape)
def shape_function(a: Any) -> tuple:
    """`np.shape`."""
    return lift(a).shape


@implements(np.ndim)
def ndim_function(a: Any) -> int:
    """`np.ndim`."""
    return lift(a).ndim


@implements(np.size)
def size_function(a: Any, axis: Any = None) -> Any:
    """`np.size`."""
    a = lift(a)
    return a.size if axis is None else a.shape[axis]


@implements(np.isscalar)
def isscalar(element: Any) -> bool:
    """`np.isscalar`."""
    if type(element) is TracedArray:
        return element.is_scalar
    return isinstance_symbolic(element) or np.isscalar(element)


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """`np.result_type`."""
    return np.result_type(*map(_own_type, arrays_and_dtypes))


def _own_type(obj: Any) -> Any:
    """What stands for an array, or for a number of the program; other objects as they are."""
    if type(obj) is not TracedArray and not isinstance_symbolic(obj):
        return obj
    kind = operand(current(), obj).type
    return kind(1) if isinstance(kind, type) else kind
