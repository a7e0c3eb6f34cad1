"""How arrays lie in memory: views by strides, and whether memory is shared."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..primitives.elementwise import apply
from ..primitives.gathering import gathered, iota
from ..primitives.operands import lift
from ..primitives.sizes import integer
from ..traced.array import TracedArray, fresh
from ..traced.doubts import know_sizes, learn_strides
from ..traced.memory import note_bytes, storages_of
from ..traced.replay import replayed
from ..traced.tracer import Tracer
from ..traced.views import BroadcastView, ReshapeView, SliceView, TransposeView, View, extents
from .registry import implements

_MOST_ELEMENTS = 1 << 24


class StridedView(View):
    """Elements of a row, as `as_strided` shows them: from a start, so many apart along each axis.

    Parameters
    ----------
    row : int
        How many elements the base has, which has one axis.
    start : size
        In elements, as the steps of the axes are.
    """

    kind = "strided"

    def __init__(self, row: int, start: Any, shape: tuple, steps: tuple) -> None:
        self._row, self.start, self._shape, self.strides = row, start, shape, steps

    def shape(self) -> tuple:
        """The shape of the view."""
        return self._shape

    def _places(self, tracer: Tracer) -> TracedArray:
        place: Any = fresh(tracer, integer(tracer, self.start))
        for axis, step in enumerate(self.strides):
            number = iota(tracer, self._shape, axis, "int64")
            place = apply(np.add, place, apply(np.multiply, number, step))
        return place

    def read(self, tracer: Tracer, base: Any) -> Any:
        """The view's value."""
        if not math.prod(self._shape):
            return tracer.op("iota", [], shape=list(self._shape), axis=0, dtype=base.dtype)
        return gathered(fresh(tracer, base), [self._places(tracer)], [0]).value

    def write(self, tracer: Tracer, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        if not math.prod(self._shape):
            return base
        if self._overlaps():
            tracer.fail("writing to elements of a strided view that overlap", "write to each once")
        operands = [base, new, self._places(tracer).value]
        return tracer.op("scatter", operands, axes=[0], kind="set")

    def _overlaps(self) -> bool:
        """Whether two elements lie in one place."""
        steps = sorted(
            (abs(step), size)
            for step, size in zip(self.strides, self._shape, strict=True)
            if size > 1
        )
        reach = 0
        for step, size in steps:
            if step <= reach:
                break
            reach += step * (size - 1)
        else:
            return False
        if math.prod(self._shape) > _MOST_ELEMENTS:
            return True
        place = np.zeros((), np.int64)
        for axis, step in enumerate(self.strides):
            place = place[..., None] + np.arange(self._shape[axis]) * step
        return np.unique(place).size != place.size

    def before(self, view: View) -> list[View] | None:
        """A view of this one as a view of the base; None where that is none."""
        if type(view) is SliceView and all(type(size) is int for size in view.sizes):
            pairs = list(zip(self.strides, view.offsets, view.strides, strict=True))
            start = self.start + sum(step * offset for step, offset, _ in pairs)
            steps = tuple(step * stride for step, _, stride in pairs)
            return [StridedView(self._row, start, tuple(view.sizes), steps)]
        if type(view) is TransposeView:
            steps = tuple(self.strides[axis] for axis in view.permutation)
            return [StridedView(self._row, self.start, view.shape(), steps)]
        if type(view) is ReshapeView and view.axes is not None:
            steps = tuple(0 if axis < 0 else self.strides[axis] for axis in view.axes)
            return [StridedView(self._row, self.start, view.shape(), steps)]
        return None

    def form(self) -> list:
        """The form."""
        return ["strided", [self.start], list(self._shape), list(self.strides)]


@implements(np.lib.stride_tricks.as_strided)
def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
) -> TracedArray:
    """`np.lib.stride_tricks.as_strided`, of elements that lie in the array's memory."""
    x = lift(x)
    if shape is None and strides is None:
        return x[...]
    know_sizes(x)
    tracer, own = x.tracer, x.strides
    sizes = x.shape if shape is None else tuple(shape)
    sizes = tuple(operator.index(size) for size in sizes)
    steps = own if strides is None else tuple(map(operator.index, tuple(strides)))
    if any(size < 0 for size in sizes):
        raise ValueError("negative dimensions are not allowed")
    if len(sizes) != len(steps):
        raise ValueError("mismatch in length of strides and shape")
    memory = _memory(x) if x.storage.layout.how == "dense" else None
    array = _lain(x, memory)
    if array is None:
        tracer.fail("as_strided of an array whose memory isn't one row of elements", "copy it")
    note_bytes(x)
    start = _address(array) - _address(memory)
    if x.dtype != np.dtype(x.storage.dtype) or any(step % x.itemsize for step in (start, *steps)):
        tracer.fail("as_strided with strides that aren't those of whole elements", "use .view()")
    row = math.prod(x.storage.shape)
    start, *steps = (step // x.itemsize for step in (start, *steps))
    ends = [step * (size - 1) for step, size in zip(steps, sizes, strict=True)]
    low = start + sum(end for end in ends if end < 0)
    high = start + sum(end for end in ends if end > 0)
    if math.prod(sizes) and not 0 <= low <= high < row:
        tracer.fail("as_strided beyond the memory of its array", "choose a smaller shape")
    made = _row(x).view(StridedView(row, start, sizes, tuple(steps)))
    return made if writeable else made.view(BroadcastView(made.shape))


@implements(np.frombuffer)
def frombuffer(
    buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0, *, like: Any = None
) -> TracedArray:
    """`np.frombuffer` of an array."""
    x = lift(buffer)
    know_sizes(x)
    new = np.dtype(dtype)
    total = operator.index(x.nbytes)
    np.frombuffer(bytes(min(total, 1)) * total, new, count, offset)  # NumPy's own errors
    if not x.lies_in("C"):
        raise ValueError("ndarray is not C-contiguous")
    flat = x.reshaped((x.size,), certain=True).view(np.uint8)
    if offset or count >= 0:
        flat = flat[offset : offset + count * new.itemsize if count >= 0 else None]
    return flat.view(new)


def _row(x: TracedArray) -> TracedArray:
    """The memory of an array, as a row of the elements from one end to the other."""
    whole = TracedArray(x.tracer, x.storage)
    axes = x.storage.layout.axes
    if axes is not None:
        whole = whole.view(TransposeView(list(axes), whole.shape))
    return whole.view(ReshapeView(whole.shape, (math.prod(whole.shape),)))


def _memory(x: TracedArray) -> Any:
    """An array that lies as the one that owns an array's memory, which nobody touches; or None."""
    layout, shape = x.storage.layout, x.storage.shape
    if x.storage.is_chosen or not all(type(size) is int for size in shape):
        return None
    if layout.how in ("nested", "unknown"):
        learn_strides(x.tracer, layout.causes)
    nothing = np.zeros(1, x.storage.dtype)
    if layout.how == "strides":
        steps = [step * nothing.itemsize for step in layout.strides]
        return np.lib.stride_tricks.as_strided(nothing, shape, steps)
    sizes = layout.in_memory(shape)
    steps = [nothing.itemsize * math.prod(sizes[k + 1 :]) for k in range(len(sizes))]
    array = np.lib.stride_tricks.as_strided(nothing, sizes, steps)
    if layout.how != "dense":
        return None
    return array if layout.axes is None else array.transpose(layout.inverse)


def _lain(x: TracedArray, memory: Any) -> Any:
    """An array that lies in a memory as a traced one does; None where its place isn't known."""
    if memory is None or any(view.doubt is not None for view in x.views):
        return None
    if any(type(size) is not int for view in x.views for size in extents(view)):
        return None
    return replayed(memory, [view.form() for view in x.views])


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _share(a: Any, b: Any, exact: bool, max_work: Any) -> bool:
    first, second = lift(a), lift(b)
    tracer = first.tracer
    storages = [storages_of(x) for x in (first, second)]
    if set(storages[0]).isdisjoint(storages[1]):
        if all(any(storage.leaf is not None for storage in group) for group in storages):
            tracer.fail("whether two arguments share memory", "ask outside")
        return False
    know_sizes(first)
    know_sizes(second)
    memory = None if first.storage is not second.storage else _memory(first)
    arrays = [_lain(x, memory) for x in (first, second)]
    if any(array is None for array in arrays):
        tracer.fail("whether views share memory where only data say how they lie", "copy one")
    return (np.shares_memory if exact else np.may_share_memory)(*arrays, max_work)


@implements(np.shares_memory)
def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    """`np.shares_memory`."""
    return _share(a, b, True, max_work)


@implements(np.may_share_memory)
def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    """`np.may_share_memory`."""
    return _share(a, b, False, max_work)
