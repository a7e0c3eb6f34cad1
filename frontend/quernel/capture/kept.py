"""What one side of a branch, or the turns of a loop, has bound, as what it is outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.numbers import DATA, graph_dim
from ..traced.objects import Identity, counts_objects, named
from ..traced.places import ChosenStorage, chosen
from ..traced.scalars import number_of, sources_of
from ..traced.storage import Storage
from ..traced.tracer import Tracer, current
from ..traced.undecided import Either, Maybe
from ..traced.views import extents
from .rooms import Place, Room, place_of, room_of, seen_from
from .state import State

if TYPE_CHECKING:
    from .pieces import Piece

Maker = Callable[[list[Any]], Any]


class Kept:
    """The part of pieces that keeps what one side has bound.

    Assumes the attributes of `Pieces`. Memory from before is as it is, and so is what refers to it.
    Memory that a side has made gets a value outside, numbers that only the side knows do so too.
    """

    tracer: Tracer
    head: State
    places: list[tuple]
    pair: Callable[[Any, Any], int]

    def __init__(self) -> None:
        self.leaves_turns = False
        self._memories: dict[Storage, Maker] = {}
        # By side, count and room: with the count, so that no other one has its identity.
        self._sizes: dict[tuple[int, int, Any], tuple[Any, Maker]] = {}
        # By side and identity, with the object, so that no other one has its identity.
        self._parts: dict[tuple[int, int], tuple[TracedArray, Maker | None]] = {}
        self._makers: dict[tuple[int, int], tuple[Piece, Maker | None]] = {}

    def described(self, piece: Piece, made: dict[int, Piece] | None = None) -> Piece:
        """The piece of an array, with what is known inside alone; to be called there.

        Parameters
        ----------
        made : dict, optional
            By identity of arrays that choices are made of, their pieces: one for each.
        """
        tracer, head, array = self.tracer, self.head, piece.obj
        made = {} if made is None else made
        piece.room = room_of(tracer, head, array)
        piece.place = place_of(tracer, head, array)
        if array.is_view and counts_objects(tracer):
            piece.number = array.identity.number(tracer)
        storage = array.storage
        if type(storage) is ChosenStorage and not head.is_old(storage):
            for side in (storage.first, storage.second):
                if id(side) not in made:
                    made[id(side)] = self.described(type(piece)("array", side), made)
            piece.items = [made[id(side)] for side in (storage.first, storage.second)]
        return piece

    def kept(self, side: int, piece: Piece) -> Maker | None:
        """A function of the joined values that makes what one side has bound; None if it can't."""
        if piece.kind == "array" and piece.room is not None:
            return self._kept_room(side, piece.obj, piece.room)
        if piece.kind == "array":
            return self._kept_array(side, piece)
        if piece.kind == "number":
            return self._kept_number(side, piece)
        if piece.kind == "sequence":
            items = [self.kept(side, item) for item in piece.items]
            if any(item is None for item in items):
                return None
            return lambda values: like(piece.obj, [item(values) for item in items])
        if piece.kind in ("maybe", "either"):
            return self._kept_with_condition(side, piece)
        return (lambda values: piece.obj) if piece.kind == "object" else None

    def _kept_number(self, side: int, piece: Piece) -> Maker:
        index = self._kept_value(side, piece.value)
        sources = sources_of(piece.obj) | {DATA}
        tag = None if piece.tag is None else self._kept_value(side, piece.tag)

        def make(values: list[Any]) -> Any:
            if tag is not None:
                self.tracer.tag(values[index], values[tag], piece.type.kinds)
            return number_of(self.tracer, values[index], piece.type, sources)

        return make

    def _kept_with_condition(self, side: int, piece: Piece) -> Maker | None:
        """What may be unbound, or is one of two values: one object, however often it is kept."""
        if piece.kind == "either" and piece.obj.born < self.head.tick:
            return lambda values: piece.obj
        key = side, id(piece)
        if key not in self._makers:
            self._makers[key] = piece, self._made_with_condition(side, piece)
        return self._makers[key][1]

    def _made_with_condition(self, side: int, piece: Piece) -> Maker | None:
        index = self._kept_value(side, piece.value)
        items = [self.kept(side, item) for item in piece.items]
        if None in items:
            return None
        return once(
            lambda values: self._with_condition(piece, [values[index], *(x(values) for x in items)])
        )

    def _with_condition(self, piece: Piece, parts: list[Any]) -> Any:
        if piece.kind == "maybe":
            return Maybe(*parts)
        return Either(*parts, piece.obj.reason, self.places)

    def _kept_value(self, side: int, value: Any) -> int:
        """The position of a value that is anything on the other side."""
        tracer = self.tracer
        if value.shape and value.dtype == "bool":  # of which not every byte is one
            fill = tracer.constant(np.bool_(False))
            other = tracer.op("full", [fill], shape=list(value.shape))
        elif value.shape:
            other = tracer.op("empty", [], shape=list(value.shape), dtype=value.dtype)
        else:
            other = tracer.constant(np.dtype(value.dtype).type(0))
        return self._kept_pair(side, value, other)

    def _kept_pair(self, side: int, value: Any, other: Any) -> int:
        return self.pair(*((value, other) if side == 0 else (other, value)))

    # Arrays

    def _kept_array(self, side: int, piece: Piece) -> Maker | None:
        """An array of one side: one object, however often it is kept."""
        array, key = piece.obj, (side, id(piece.obj))
        if key in self._parts:
            return self._parts[key][1]
        if self.head.is_old(array.storage) and self.is_visible(array):
            made = self._kept_object(side, piece, lambda values: array)
        else:
            made = self._kept_part(side, piece)
        self._parts[key] = array, None if made is None else once(made)
        return self._parts[key][1]

    def _kept_object(self, side: int, piece: Piece, make: Maker) -> Maker:
        """A view of old memory as the object that it is: the one of the last turn, or of a side."""
        array, tracer = piece.obj, self.tracer
        is_open = self.leaves_turns or array.identity.is_open
        if not array.is_view or self.head.has(array) or not is_open:
            return make
        if piece.number is None:
            return lambda values: named(make(values), Identity(tracer, is_open=True))
        index = self._kept_value(side, piece.number)
        return lambda values: named(make(values), Identity(tracer, values[index], True))

    def _kept_part(self, side: int, piece: Piece) -> Maker | None:
        array, place = piece.obj, piece.place
        whole = self._kept_memory(side, piece)
        if whole is None or (place is None and not self.is_visible(array)):
            return None
        numbers = {} if place is None else self._kept_numbers(side, place)

        def make(values: list[Any]) -> TracedArray:
            views = array.views
            if place is not None:
                views = place.outside({key: values[k] for key, k in numbers.items()})
            return seen_from(whole(values), views, array)

        is_new = type(array.storage) is Storage and not self.head.is_old(array.storage)
        return make if is_new else self._kept_object(side, piece, make)

    def _kept_memory(self, side: int, piece: Piece) -> Maker | None:
        """All of the memory that an array lies in."""
        storage = piece.obj.storage
        if self.head.is_old(storage):
            return lambda values: TracedArray(self.tracer, storage)
        if type(storage) is Storage:
            return self._kept_storage(side, storage)
        index = self._kept_value(side, storage.condition)
        parts = [self.kept(side, item) for item in piece.items]
        if None in parts:
            return None
        return lambda values: chosen(self.tracer, values[index], *(part(values) for part in parts))

    def _kept_storage(self, side: int, storage: Storage) -> Maker | None:
        """Memory that one side has made."""
        if not self.head.knows(storage.shape):
            return None
        if storage not in self._memories:
            index = self._kept_value(side, storage.value)
            self._memories[storage] = once(lambda values: storage.moved(values[index]))
        memory = self._memories[storage]
        return lambda values: TracedArray(self.tracer, memory(values))

    def _kept_numbers(self, side: int, place: Place) -> dict[Any, int]:
        """The positions of the numbers of a place; on the other side they are inside, too."""
        return {
            key: self._kept_pair(side, value, self.tracer.constant(np.int64(inside)))
            for key, (value, inside, *_) in place.numbers.items()
        }

    def _kept_room(self, side: int, array: TracedArray, room: Room) -> Maker:
        """An array whose size only one side knows."""
        storage = array.storage
        if storage not in self._memories:
            value, size = self._kept_value(side, room.value), self._kept_size(side, room)
            self._memories[storage] = once(lambda values: room.storage(values[value], size(values)))
        memory = self._memories[storage]
        return lambda values: seen_from(TracedArray(room.tracer, memory(values)), (), array)

    def _kept_size(self, side: int, room: Room) -> Maker:
        """The size of an array that only one side knows: one for all arrays of that size."""
        key = side, id(room.count), graph_dim(room.most)
        if key not in self._sizes:
            count = self._kept_value(side, room.count)
            self._sizes[key] = room.count, once(lambda values: room.size(values[count]))
        return self._sizes[key][1]

    def is_visible(self, array: TracedArray) -> bool:
        """Whether the sizes and the place of an array are known outside."""
        parts = [part for view in array.views for part in extents(view)]
        return self.head.knows((*array.shape, *parts))


def steps(obj: Any) -> Iterable[Any]:
    """The steps of paths to the items of a tuple, a list or a dict."""
    return list(obj) if type(obj) is dict else range(len(obj))


def like(obj: Any, items: list[Any]) -> Any:
    """A tuple, a named one, a list or a dict like this one, with other items."""
    if type(obj) is dict:
        made = dict(zip(obj, items, strict=True))
    else:
        made = getattr(type(obj), "_make", type(obj))(items)
    if type(obj) in (list, dict):
        current().note_copy(obj, made)
    return made


def copied(obj: Any, some: list[Any]) -> Any:
    """A value in which copies stand for some of the lists and dicts that it is made of."""
    copies: dict[int, Any] = {}

    def of(part: Any) -> Any:
        if type(part) not in (tuple, list, dict):
            return part
        if id(part) not in copies:
            copies[id(part)] = part  # what holds itself stays what it is
            items = [part[k] for k in steps(part)]
            made = [of(item) for item in items]
            is_same = all(x is y for x, y in zip(items, made, strict=True))
            is_kept = is_same and not any(part is one for one in some)
            copies[id(part)] = part if is_kept else like(part, made)
        return copies[id(part)]

    return of(obj)


def once(make: Maker) -> Maker:
    """What makes an object of joined values once."""
    made: list[tuple[list[Any], Any]] = []

    def maker(values: list[Any]) -> Any:
        if not made or made[-1][0] is not values:
            made.append((values, make(values)))
        return made[-1][1]

    return maker
