"""Arrays whose first size the turns of a rolled loop choose: each is the beginning of a longer one.

One that only gets shorter has its memory from before the loop. For any other one the loop makes
room, for as many entries as it may have by then, as all arrays of the call's sizes from before the
loop have elements, and some; an array that gets longer than that leaves the call to NumPy.
"""

from __future__ import annotations

import math
from typing import Any

from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh
from ..traced.bounds import integer, is_nonnegative
from ..traced.doubts import CUT
from ..traced.memory import storages_of
from ..traced.numbers import DATA, graph_dim, is_dynamic
from ..traced.restarts import Restart
from ..traced.views import same_dims
from .carried import Entered
from .growing import SHORT
from .rooms import beginning, in_room
from .state import Retype

_LEAST_ROOM = 1 << 16  # elements, of which only those that are written to take memory
_MOST_ELEMENTS = 64  # of an entry
_TOO_LONG = "an array of more entries than a loop has room for"


class ArraysOfManySizes:
    """The part of a rolled loop that hands on arrays whose first size its turns choose.

    Assumes the attributes of `Rolled`. Such an array is a copy: writes to it are refused where
    somebody else may see its memory.
    """

    def _make_rooms(self) -> None:
        """Make memory, before the loop, for the arrays that don't only get shorter."""
        self.rooms: dict[tuple, Any] = {}
        known = self._known_elements() if self.facts.grows else 0
        for path in sorted(self.facts.grows):
            array = self.begun[path].obj
            held = self.tracer.most(array.shape[0]) if is_dynamic(array.shape[0]) else 0
            most = known + (held or 0) + _LEAST_ROOM // max(math.prod(array.shape[1:]), 1)
            self.rooms[path] = in_room(array, most), most

    def _known_elements(self) -> Any:
        """How many elements the arrays from before the loop have whose sizes are the call's.

        Those of other arrays aren't counted: a loop's room would be one of all rooms before it.
        """
        most: Any = 0
        for storage in self.tracer.live.values():
            if self.head.knows(storage.shape) and not is_dynamic(*storage.shape):
                most = most + math.prod(storage.shape)
        return most

    def _enter_counts(self) -> None:
        """How many entries the arrays have whose sizes the turns choose."""
        self.counts: dict[int, tuple[Any, Any]] = {}
        for path, group in self.facts.resized.items():
            if group not in self.counts:
                size = self.begun[path].obj.shape[0]
                most = self.rooms[path][1] if path in self.rooms else size
                self.counts[group] = self.graph.enter(integer(self.tracer, size)), most

    def _enter_resized(self) -> None:
        """Let names be the beginnings of memory that the turn before has left."""
        for path, group in self.facts.resized.items():
            entry = self.entered[path]
            entry.obj = self._counted(entry.marker, *self.counts[group])
            self._keep_apart(entry)
            self.slots[path].put(entry.obj)

    def _keep_apart(self, entry: Entered) -> None:
        """Refuse writes to such an array, and to one that it was a part of."""
        old = entry.before.obj
        if not self._is_shared(old, entry.path):
            return

        def written() -> None:
            CUT.check(self.tracer)

        entry.obj.storage.frozen = CUT
        for storage in storages_of(old):
            self.tracer.watched[-1][storage] = written

    def _counted(self, buffer: Any, count: Any, most: Any) -> TracedArray:
        """The array of so many entries that a memory begins with."""
        tracer = self.tracer
        size = tracer.symbol_of(count, 0, most, "count", frozenset([DATA]))
        rest = tracer.shape(buffer)[1:]
        return fresh(tracer, beginning(size, rest).read(tracer, buffer))

    def _find_resized(self) -> None:
        """Note the arrays that a turn cuts or makes longer; those of like sizes share a count."""
        groups: dict[tuple[Any, Any, bool], int] = {}
        first = 1 + max(self.facts.resized.values(), default=-1)
        is_anew = False
        for slot in self.head.changed_slots():
            begun, now = self.begun.get(slot.key), slot.get()
            if begun is None or slot.key in self.facts.grows or not _is_resized(begun.obj, now):
                continue
            size, cut = begun.obj.shape[0], now.shape[0]
            shrinks = is_dynamic(cut) and is_nonnegative(self.tracer, size - cut)
            if slot.key in self.facts.resized:
                if not shrinks:
                    self.facts.grows.add(slot.key)
                    is_anew = True
                continue
            if not shrinks:
                if not self._may_grow(now):
                    continue
                self.facts.grows.add(slot.key)
            sizes = graph_dim(size), graph_dim(cut), shrinks
            self.facts.resized[slot.key] = groups.setdefault(sizes, first + len(groups))
            self.facts.detached.add(slot.key)
            is_anew = True
        if is_anew:
            raise Retype

    def _may_grow(self, array: TracedArray) -> bool:
        """Whether room is made for an array of any size, which the turn has to have made.

        Short loops are unrolled instead.
        """
        if type(self.count) is int and self.count <= SHORT:
            return False
        heads = (entry.obj for entry in self.entered.values())
        old = {id(x.storage) for x in heads if type(x) is TracedArray}
        if id(array.storage) in old or self.head.is_old(array.storage):
            return False
        rest = math.prod(array.shape[1:])
        return type(rest) is int and rest <= _MOST_ELEMENTS

    def _resized_array(self, entry: Entered, now: TracedArray) -> Any:
        """An array of which a turn has chosen the size: its entries go to the beginning."""
        tracer, group = self.tracer, self.facts.resized[entry.path]
        size, rest = now.shape[0], now.shape[1:]
        length = graph_dim(size)
        count, most = self.counts[group]
        if group not in self.counted:
            inside = self._fitting(size, most) if entry.path in self.facts.grows else size
            self.counted[group] = length, self._carry(count, integer(tracer, size)), inside
        known, place, inside = self.counted[group]
        if known != length or now.dtype != entry.before.obj.dtype:
            raise Restart(unroll=[self.key])
        view = beginning(inside, rest)
        value = now.value if graph_dim(inside) == length else view.read(tracer, now.value)
        index = self._carry(entry.marker, view.write(tracer, entry.marker, value))
        old = entry.before.obj
        freeze = storages_of(old) if self._is_shared(old, entry.path) else []
        return lambda results: self._frozen(
            self._counted(results[index], results[place], most), freeze
        )

    def _fitting(self, size: Any, most: Any) -> Any:
        """A size that is at most the room's: the program looks, where nothing proves it."""
        tracer = self.tracer
        if is_nonnegative(tracer, most - size):
            return size
        values = [integer(tracer, size), integer(tracer, most)]
        tracer.check(tracer.op("less_equal", values), IN_NUMPY, _TOO_LONG, undoes=True)
        # Cut as well, so that a store that is moved before the check stays inside.
        cut = tracer.op("minimum", values)
        return tracer.symbol_of(cut, 0, most, "count", frozenset([DATA]))


def _is_resized(before: Any, now: Any) -> bool:
    """Whether an array is like another one but for the size of its first axis."""
    if type(before) is not TracedArray or type(now) is not TracedArray or not now.ndim:
        return False
    if before.ndim != now.ndim or before.dtype != now.dtype or same_dims(before.shape, now.shape):
        return False
    return same_dims(before.shape[1:], now.shape[1:])
