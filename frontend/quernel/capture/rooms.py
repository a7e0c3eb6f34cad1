"""Arrays of which only one side of a branch, or a turn of a loop, knows the size or the place.

Outside, an array of unknown size is as many entries of a larger one as a number of the program
says, and a part of older memory begins where numbers of the program say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array import TracedArray
from .bounds import is_nonnegative
from .numbers import DATA, as_kind
from .state import State
from .storage import Storage
from .tracer import Tracer
from .views import SliceView, extents, graph_dims


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

    def storage(self, value: Any, count: Any) -> Storage:
        """The memory of the array, from what the graph values are outside."""
        size = self.tracer.symbol_of(count, 0, self.most, "count", frozenset([DATA]))
        rest = self.tracer.shape(value)[1:]
        return Storage(_first(size, rest).read(self.tracer, value))


def room_of(tracer: Tracer, head: State, array: TracedArray) -> Room | None:
    """The room of an array whose size isn't known outside; None where it is, or can't be told."""
    shape = array.shape
    if head.knows(shape) or not shape or array.views or type(array.storage) is not Storage:
        return None
    most = tracer.most(shape[0])
    if most is None or not head.knows((most, *shape[1:])) or not array.order.contiguous:
        return None
    sizes = graph_dims((most, *shape[1:]))
    room = tracer.op("empty", [], shape=sizes, dtype=array.storage.dtype)
    value = _first(shape[0], shape[1:]).write(tracer, room, array.value)
    return Room(tracer, value, as_kind(tracer, shape[0], int), most)


def _first(size: Any, rest: tuple) -> SliceView:
    """The first entries of an array."""
    rank = 1 + len(rest)
    return SliceView([0] * rank, [size, *rest], [1] * rank)


class Place:
    """Where a part of older memory begins, and how large it is.

    Attributes
    ----------
    numbers : dict
        By position of a slice among the views, ``"offsets"`` or ``"sizes"``, and axis: the graph
        value, a number that is inside of the memory in any case, and the bounds.
    """

    def __init__(self, array: TracedArray) -> None:
        self.array = array
        self.numbers: dict[tuple[int, str, int], tuple[Any, int, Any, Any]] = {}

    def outside(self, values: dict[tuple[int, str, int], Any]) -> TracedArray:
        """The array, from what the numbers are outside."""
        array, views = self.array, list(self.array.views)
        tracer = array.tracer
        for (position, kind, axis), value in values.items():
            view, (_, _, low, high) = views[position], self.numbers[position, kind, axis]
            parts = {"offsets": list(view.offsets), "sizes": list(view.sizes)}
            parts[kind][axis] = tracer.symbol_of(value, low, high, kind[:-1], frozenset([DATA]))
            views[position] = SliceView(parts["offsets"], parts["sizes"], view.strides)
        shape = views[-1].shape() if views else array.shape
        made = TracedArray(tracer, array.storage, tuple(views), shape)
        made.is_view = array.is_view
        return made


def place_of(tracer: Tracer, head: State, array: TracedArray) -> Place | None:
    """The place of a part of older memory; None where it is known outside, or can't be told."""
    views, storage = array.views, array.storage
    is_old = storage in head.storages or getattr(storage, "born", head.tick) < head.tick
    if all(head.knows(extents(view)) for view in views) or not is_old:
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


class Rooms:
    """The part of pieces that keeps such arrays. Assumes the attributes of `Pieces`."""

    tracer: Tracer
    pair: Callable[[Any, Any], int]
    _made: dict[Any, Storage]
    _rooms: dict[Any, tuple[int, int]]
    _kept_value: Callable[[int, Any], int]

    def _kept_place(self, side: int, place: Place) -> Callable:
        """A function of the joined values that makes a part of older memory."""
        indices = {}
        for key, (value, inside, *_) in place.numbers.items():
            other = self.tracer.constant(np.int64(inside))
            indices[key] = self.pair(*((value, other) if side == 0 else (other, value)))
        return lambda values: place.outside({key: values[k] for key, k in indices.items()})

    def _kept_room(self, side: int, array: TracedArray, room: Room) -> Callable:
        """A function of the joined values that makes an array of one side."""
        storage = array.storage
        if storage not in self._rooms:
            pair = self._kept_value(side, room.value), self._kept_value(side, room.count)
            self._rooms[storage] = pair
        value, count = self._rooms[storage]

        def make(values: list[Any]) -> TracedArray:
            key = id(values), storage
            if key not in self._made:
                self._made[key] = room.storage(values[value], values[count])
            made = TracedArray(room.tracer, self._made[key])
            made.is_view = array.is_view
            return made

        return make
