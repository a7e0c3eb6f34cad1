"""Arrays of which only one side of a branch, or a turn of a loop, knows the size or the place.

Outside, an array of unknown size is as many entries of a larger one as a number of the program
says, and a part of a memory begins where numbers of the program say.
"""

from __future__ import annotations

from typing import Any

from ..traced.array import TracedArray
from ..traced.bounds import is_nonnegative
from ..traced.numbers import DATA, as_kind
from ..traced.storage import Storage
from ..traced.tracer import Tracer
from ..traced.views import SliceView, extents, graph_dims
from .state import State


class Room:
    """An array in memory for as many entries as it has at most.

    Attributes
    ----------
    value : graph value
        The memory.
    count : graph value
        How many entries the array has.
    most : int or SymbolicSize
    """

    def __init__(self, tracer: Tracer, value: Any, count: Any, most: Any) -> None:
        self.tracer, self.value, self.count, self.most = tracer, value, count, most

    def size(self, count: Any) -> Any:
        """The size of the array, from what the count is outside."""
        return self.tracer.symbol_of(count, 0, self.most, "count", frozenset([DATA]))

    def storage(self, value: Any, size: Any) -> Storage:
        """The memory of the array, from what the graph value and the size are outside."""
        rest = self.tracer.shape(value)[1:]
        return Storage(beginning(size, rest).read(self.tracer, value))


def room_of(tracer: Tracer, head: State, array: TracedArray) -> Room | None:
    """The room of an array whose size isn't known outside; None where it is, or can't be told."""
    shape = array.shape
    if head.knows(shape) or not shape or array.views or type(array.storage) is not Storage:
        return None
    most = tracer.most(shape[0])
    if most is None or not head.knows((most, *shape[1:])) or not array.order.contiguous:
        return None
    return Room(tracer, in_room(array, most), as_kind(tracer, shape[0], int), most)


def in_room(array: TracedArray, most: Any) -> Any:
    """New memory for so many entries, of which the first ones are those of an array."""
    tracer, value, shape = array.tracer, array.value, array.shape
    sizes = graph_dims((most, *shape[1:]))
    room = tracer.op("empty", [], shape=sizes, dtype=value.dtype)
    return beginning(shape[0], shape[1:]).write(tracer, room, value)


def beginning(size: Any, rest: tuple) -> SliceView:
    """The first entries of an array."""
    rank = 1 + len(rest)
    return SliceView([0] * rank, [size, *rest], [1] * rank)


class Place:
    """Where a part of a memory begins, and how large it is.

    Attributes
    ----------
    numbers : dict
        By position of a slice among the views, ``"offsets"`` or ``"sizes"``, and axis: the graph
        value, a number that is inside of the memory in any case, and the bounds.
    """

    def __init__(self, array: TracedArray) -> None:
        self.array = array
        self.numbers: dict[tuple[int, str, int], tuple[Any, int, Any, Any]] = {}

    def outside(self, values: dict[tuple[int, str, int], Any]) -> tuple:
        """The views of the memory, from what the numbers are outside."""
        views, tracer = list(self.array.views), self.array.tracer
        for (position, kind, axis), value in values.items():
            view, (_, _, low, high) = views[position], self.numbers[position, kind, axis]
            parts = {"offsets": list(view.offsets), "sizes": list(view.sizes)}
            parts[kind][axis] = tracer.symbol_of(value, low, high, kind[:-1], frozenset([DATA]))
            views[position] = SliceView(parts["offsets"], parts["sizes"], view.strides)
        return tuple(views)

    def seen(self, values: dict[tuple[int, str, int], Any]) -> TracedArray:
        """The part of older memory, from what the numbers are outside."""
        array = self.array
        return seen_from(TracedArray(array.tracer, array.storage), self.outside(values), array)

    def form(self) -> tuple:
        """What the place is but for its numbers: equal forms are parts of one array."""
        views = []
        for position, view in enumerate(self.array.views):
            parts = list(view.form())
            for place, kind in enumerate(("offsets", "sizes"), 1):
                keys = [key for key in self.numbers if key[:2] == (position, kind)]
                if keys:
                    parts[place] = list(parts[place])
                for _, _, axis in keys:
                    parts[place][axis] = None
            views.append(parts)
        return id(self.array.storage), self.array.is_view, views


def seen_from(whole: TracedArray, views: tuple, like: TracedArray) -> TracedArray:
    """An array of all of a memory through more views; it is a view where another one is."""
    shape = views[-1].shape() if views else whole.shape
    made = TracedArray(whole.tracer, whole.storage, (*whole.views, *views), shape)
    made.is_view = like.is_view
    return made


def place_of(tracer: Tracer, head: State, array: TracedArray) -> Place | None:
    """The place of a part of a memory; None where it is known outside, or can't be told."""
    views, storage = array.views, array.storage
    is_kept = head.is_old(storage) or head.knows(storage.shape)
    if all(head.knows(extents(view)) for view in views) or not is_kept:
        return None
    made, shape = Place(array), storage.shape
    for position, view in enumerate(views):
        if type(view) is SliceView:
            for axis, length in enumerate(shape):
                numbers = _inside(tracer, head, view, axis, length)
                if numbers is None:
                    return None
                made.numbers |= {(position, *key): found for key, found in numbers.items()}
        elif not head.knows(extents(view)):
            return None
        shape = view.shape()
    return made


def _inside(tracer: Tracer, head: State, view: SliceView, axis: int, length: Any) -> dict | None:
    """The numbers of a slice along an axis; None where it isn't proven that there is one inside."""
    offset, size, stride = view.offsets[axis], view.sizes[axis], view.strides[axis]
    if head.knows((offset, size)):
        return {}
    if not head.knows((length,)):
        return None
    numbers, low, high = {}, 0, length  # an empty slice is inside wherever it begins
    if not head.knows((size,)):
        numbers["sizes", axis] = as_kind(tracer, size, int), 0, 0, length
    else:
        span = (size - 1) * abs(stride)
        low, high = (0, length - 1 - span) if stride > 0 else (span, length - 1)
        if type(low) is not int or not all(
            is_nonnegative(tracer, number) for number in (size - 1, length - 1 - span)
        ):
            return None
    if not head.knows((offset,)):
        numbers["offsets", axis] = as_kind(tracer, offset, int), low, low, high
    return numbers
