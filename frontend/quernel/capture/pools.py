"""Memory that the turns of a rolled loop make and that several names may refer to after a turn.

Each of these names has memory of the loop's own, and may refer to that of the names before it. What
several names have after a turn lies in the memory of the first of them, and all refer to it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import filterfalse
from typing import TYPE_CHECKING, Any

import numpy as np

from ..traced.array import TracedArray, fresh
from ..traced.doubts import SHARED
from ..traced.memory import storages_of, unknown
from ..traced.places import ChosenStorage, side_of, through
from ..traced.restarts import Restart
from ..traced.storage import Storage, in_order
from ..traced.views import same_dims
from .contents import arrays_in
from .identity import one_of
from .kept import once
from .pieces import Piece
from .references import plain_path
from .state import Retype, Slot
from .targets import Outcome, Targets

if TYPE_CHECKING:
    from .carried import Entered

_MOST_NAMES = 8  # that one loop hands on so
_MOST_VIEWS = 8  # of parts of memory that one name may refer to


class Pools(Targets):
    """The part of a rolled loop that hands on memory that several names may have.

    Assumes the attributes of `Rolled`. A loop does so where copies, which are cheaper, would be
    written or returned; a name that has a part of such memory is a copy still.
    """

    def _is_pooled(self, path: tuple) -> bool:
        """Whether a name may refer to memory that the turns make for another name."""
        return ("pool", path) in self.facts.flags

    def _is_copied(self, path: tuple) -> bool:
        """Whether the loop's own memory for a name may be a copy of what others see."""
        paths = {path}
        if self._is_pooled(path):
            paths |= {flag[1] for flag in self.facts.flags if flag[0] == "pool"}
        return any((kind, x) in self.facts.flags for kind in ("view", "alias") for x in paths)

    def _enter_pool(self, entry: Entered) -> None:
        """Let a name refer to the memory of the names before it, too, or to parts of that."""
        for other in self._pool():
            alike = other is not entry and same_dims(other.own.shape, entry.own.shape)
            if alike and other.own.dtype == entry.own.dtype:
                self._enter_target(entry, other, None)
        for path, views in self.facts.views.get(entry.path, ()):
            if path in self.entered and path != entry.path:
                self._enter_target(entry, self.entered[path], views)

    def _enter_target(self, entry: Entered, other: Entered, views: tuple | None) -> None:
        entry.pool[len(entry.targets)] = other, views
        entry.targets.append(_seen(other.own, views))

    def _pool(self) -> list[Entered]:
        """The names that the loop hands on so, as far as they are entered."""
        entries = self.entered.values()
        return [x for x in entries if x.own is not None and self._is_pooled(x.path)]

    # At the end of a turn

    def _check_alias(self, entry: Entered, now: TracedArray, also: tuple[tuple, ...] = ()) -> None:
        """Several names have one memory after a turn: copies are right if nobody writes to them.

        Parameters
        ----------
        also : paths
            Of the name that had the memory before the turn.
        """
        paths = self.now.get(now.storage)
        others = [x for x in self.entered.values() if plain_path(x.path) in paths]
        aliases = {entry.path, *(other.path for other in others)}
        if self._may_pool(now) and not any(("alias", path) in self.facts.flags for path in aliases):
            self._hand_on(paths)
            arrays = {x.path for x in others if x.own is not None} | {entry.path, *also}
            pooled = {flag[1] for flag in self.facts.flags if flag[0] == "pool"} | arrays
            if len(pooled) <= _MOST_NAMES:
                self.facts.flag(*(("pool", path) for path in arrays))
                return
        self.facts.flag(*(("alias", path) for path in aliases))

    def _may_pool(self, now: TracedArray) -> bool:
        known = self.pieces.is_visible(now) and all(view.doubt is None for view in now.views)
        return bool(self.tracer.choices.pools) and known

    def _hand_on(self, paths: Iterable[tuple]) -> None:
        """Carry the variables that lead to a memory, those too that no turn reads.

        Raises
        ------
        Retype
        """
        own = self.head.keys(self.frame.environment)
        late = {path[:2] for path in paths} & own - self.slots.keys()
        if late:
            self.facts.extra |= late
            raise Retype(self.facts)

    def _hand_on_with_others(self, slot: Slot) -> None:
        """Carry a name that leads to what another one referred to at the head of the turn.

        Raises
        ------
        Retype
        """
        carried = [entry for entry in self.entered.values() if entry.own is not None]
        stands_for = {entry.own.storage for entry in carried if entry.which is not None}
        if not stands_for or slot.key in self.facts.extra:
            return
        for _, array in arrays_in(slot.get()):
            if stands_for.intersection(storages_of(array)):
                self.facts.extra.add(slot.key)
                raise Retype

    def _late_copies(self, slot: Slot) -> list[None]:
        """One entry where a name that no turn reads has memory of a carried name: both are copies.

        Raises
        ------
        Retype, Restart
            Where the turns can hand that memory on as such.
        """
        carried = {plain_path(path): path for path in self.entered}
        others = {
            carried[other]
            for _, array in arrays_in(slot.get())
            for storage in filterfalse(self.head.is_old, storages_of(array))
            for other in self.now.get(storage)
            if other in carried and other[:2] != slot.key
        }
        if others and self.tracer.choices.pools:
            self._hand_on([slot.key])
        elif others and type(slot.get()) is not TracedArray:
            SHARED.pool(self.tracer)
        self.facts.flag(*(("alias", other) for other in others))
        return [None] if others else []

    def _copied(self, now: Piece, slot: Slot) -> tuple[Piece, list[Any]]:
        """A name bound to a part of an array whose place only the turn knows: a copy of it.

        The copy is right as long as nobody writes to either; such writes are refused.
        """
        for storage in storages_of(now.obj):
            self.tracer.check_listed(storage)
            if self.taken.is_changed(storage):
                raise Restart(unroll=[self.key])
        layout = now.obj.order
        if not now.obj.lies_as(layout):
            layout = unknown(("loop", self.key))
        copied = fresh(self.tracer, now.value, layout=layout)
        self.now.add(copied.storage, slot.key)
        return self.pieces.of(copied, slot.key), storages_of(now.obj)

    def _hand_on_pooled(self, entry: Entered, now: TracedArray) -> Callable:
        """What `_array` is for a name of the pool: all of them are handed on together."""
        self._pooled[entry.path] = now
        return lambda results: self._made_pool(results)[entry.path]

    def _carry_pool(self) -> None:
        """Hand on which memory the names of the pool refer to, and what lies there."""
        handed = [self._carry_one(self.entered[path], now) for path, now in self._pooled.items()]

        def made(results: list[Any]) -> dict[tuple, TracedArray]:
            memories = {entry.path: memory(results) for entry, memory, _ in handed}
            return {entry.path: make(results, memories) for entry, _, make in handed}

        self._made_pool = once(made)

    def _carry_one(self, entry: Entered, now: TracedArray) -> tuple[Entered, Callable, Callable]:
        """One name, and functions that make its own memory, and the array that it refers to."""
        tracer = self.tracer
        freeze = self._freeze = []
        outcome = self._outcome(entry, now)
        which = outcome.which
        value = entry.own.storage.elements if outcome.value is None else outcome.value
        own = self._carry(entry.marker, in_order(tracer, value, entry.layout))
        fixed = which if type(which) is int and self.never_skipped else None
        number = tracer.constant(np.int64(which)) if type(which) is int else which
        index, places = self._carry(entry.which, number), self._carry_places(entry, outcome)
        place = self._carry_object(entry, now)
        copied = self._is_copied(entry.path)

        def memory(results: list[Any]) -> TracedArray:
            storage = Storage(results[own], layout=entry.layout)
            return self._frozen(TracedArray(tracer, storage), [*freeze, *([None] * copied)])

        def make(results: list[Any], memories: dict[tuple, TracedArray]) -> TracedArray:
            mine = memories[entry.path]
            targets = [entry.before.obj, mine, *entry.targets[2:]]
            for k, (other, views) in entry.pool.items():
                known = other.path in memories
                targets[k] = _seen(memories[other.path], views) if known else mine
            self._put_places(entry, targets, places, results)
            object_number = None if place is None else results[place]
            self._name_targets(entry, targets, results[index], object_number)
            if fixed is not None:
                return targets[fixed]
            return self._referred(entry.path, results[index], targets)

        return entry, memory, make

    def _pool_outcome(self, entry: Entered, now: TracedArray) -> Outcome:
        """What a name refers to that has memory which the turns have made, or a part of it."""
        if self.now.get(now.storage) != {plain_path(entry.path)}:
            self._check_alias(entry, now)
        self._check_order(entry, now.lies_as(entry.layout))
        if _is_whole(now):
            places = [(k, x) for k, (x, views) in entry.pool.items() if views is None]
        else:
            self._check_views(entry, now)
            others = [x for x in self._pool() if x is not entry and x.path in self._pooled]
            places = [(self._number_of_view(entry, x, now), x) for x in others]
        return Outcome(self._first_with(now.storage, places), now.value)

    def _first_with(self, storage: Storage, places: list[tuple[int, Entered]]) -> Any:
        """The number that goes with the first name that has all of a memory; 1 without one."""
        tracer, which = self.tracer, 1
        for k, other in reversed(places):
            holds = k != 1 and other.path in self._pooled
            has = holds and self._has(self._pooled[other.path], storage)
            if has is True:
                which = k
            elif has is not False:
                sides = [tracer.constant(np.int64(x)) if type(x) is int else x for x in (k, which)]
                which = tracer.op("where", [has, *sides])
        return which

    def _has(self, array: TracedArray, storage: Storage) -> Any:
        """Whether an array is all of a memory: a bool, or a condition."""
        place = array.storage
        if type(place) is ChosenStorage:
            sides = [
                self._has(side_of(array, side), storage) for side in (place.first, place.second)
            ]
            return one_of(self.tracer, place.condition, *sides)
        return place is storage and _is_whole(array)

    def _number_of_view(self, entry: Entered, other: Entered, now: TracedArray) -> int:
        """The number of a part of the memory of another name; 1 where that name hasn't the whole.

        Raises
        ------
        Retype
        """
        if self._has(self._pooled[other.path], now.storage) is False:
            return 1
        part = _seen(other.own, now.views)
        for k, (known, views) in entry.pool.items():
            if known is other and views is not None and part.same_place(entry.targets[k]):
                return k
        if ("alias", entry.path) not in self.facts.flags:
            known_views = self.facts.views.setdefault(entry.path, [])
            again = any(
                path == other.path and part.same_place(_seen(other.own, views))
                for path, views in known_views
            )
            if again or len(known_views) == _MOST_VIEWS:
                self._keep_copies(now.storage)
            known_views.append((other.path, now.views))
            raise Retype(self.facts)
        return 1

    def _check_views(self, entry: Entered, now: TracedArray) -> None:
        """Several names may have parts of a memory where another one always has all of it."""
        arrays = self._pooled.items()
        parts = [
            part
            for path, array in arrays
            if path != entry.path
            for part in _places(array)
            if part.storage is now.storage and not _is_whole(part)
        ]
        always = any(array.storage is now.storage and _is_whole(array) for _, array in arrays)
        known = self.pieces.is_visible(now) and all(view.doubt is None for view in now.views)
        if not known or (parts and not always) or any(now.same_place(part) for part in parts):
            self._keep_copies(now.storage)

    def _keep_copies(self, storage: Storage) -> None:
        """Let names be copies that lead to a memory.

        Raises
        ------
        Retype
        """
        paths = self.now.get(storage)
        found = [x.path for x in self.entered.values() if plain_path(x.path) in paths]
        self.facts.flag(*(("alias", path) for path in (*found, *self._pooled)))


def _seen(array: TracedArray, views: tuple | None) -> TracedArray:
    """An array, or an array of its own that shows it through views."""
    if views is None:
        return array
    return through(array, views) if views else array.again()


def _is_whole(array: TracedArray) -> bool:
    return not array.views and not array.is_view


def _places(array: TracedArray) -> list[TracedArray]:
    """All the places that an array may be."""
    place = array.storage
    if type(place) is not ChosenStorage:
        return [array]
    return [x for side in (place.first, place.second) for x in _places(side_of(array, side))]
