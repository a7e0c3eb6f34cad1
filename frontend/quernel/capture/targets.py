"""Which array a name refers to after a turn of a rolled loop, and how that is handed on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..traced.array import TracedArray
from ..traced.objects import Identity, named
from ..traced.places import side_of
from ..traced.restarts import Restart
from ..traced.storage import Storage
from ..traced.tags import mapped
from ..traced.views import same_dims
from .references import plain_path
from .rooms import Place, place_of
from .state import Retype

if TYPE_CHECKING:
    from .carried import Entered


class Outcome(NamedTuple):
    """What a name refers to after a turn.

    Attributes
    ----------
    which : int or graph value
        The number of the target.
    value : graph value or None
        The elements in the name's own memory; None where nobody reads them, since the name refers
        to other memory.
    numbers : dict
        By number of a target that moves, and key of one of its numbers: the number's value.
    """

    which: Any
    value: Any
    numbers: Mapping[tuple[int, Any], Any] = MappingProxyType({})


class Targets:
    """The part of a rolled loop that finds out what names refer to.

    Assumes the attributes of `Rolled`. A target that a turn finds, and that the loop doesn't know
    yet, has the loop captured again: an array from before the loop, or a part of one, of which the
    turns hand on where it begins.
    """

    def _outcome(self, entry: Entered, now: TracedArray) -> Outcome:
        """What a name refers to after a turn that has bound it to an array."""
        own, is_pooled = entry.own, self._is_pooled(entry.path)
        if not is_pooled and self.head.is_same(now, entry.obj):
            return Outcome(1 if entry.which is None else entry.which, own.storage.elements)
        storage = now.storage
        if type(storage) is not Storage:
            sides = [
                self._outcome(entry, side_of(now, side)) for side in (storage.first, storage.second)
            ]
            return self._either_outcome(entry, storage.condition, *sides)
        if storage.frozen.is_copy and not self.head.is_old(storage):
            self.facts.flag(("alias", entry.path))
        if is_pooled and self._is_made(storage):
            return self._pool_outcome(entry, now)
        if self.head.is_same(now, own):
            return Outcome(self._note_own(entry.path), own.storage.elements)
        for k, target in enumerate(entry.targets):
            if k != 1 and k not in entry.pool and self.head.is_same(now, target):
                return Outcome(k, None if self._refers(entry.path) else now.value)
        other = next((x for x in self.entered.values() if now.same_place(x.own)), None)
        if other is not None and other.which is not None:
            self._check_owned(entry, other, now)
            return self._outcome_of(entry, other, now.is_view)
        if not self.head.is_old(storage):
            older = self._check_part(storage)
            if self.now.get(storage) != {plain_path(entry.path)}:
                self._check_alias(entry, now, older)
            self._check_order(entry, now.lies_as(entry.layout))
            return Outcome(self._note_own(entry.path), now.value)
        return self._old_place(entry, now)

    def _is_made(self, storage: Storage) -> bool:
        """Whether the turns have made a memory, which doesn't stand for an older one."""
        stands = [x for x in self.entered.values() if x.which is not None and x.own is not None]
        return not self.head.is_old(storage) and not any(
            x.own.storage is storage and not self._is_pooled(x.path) for x in stands
        )

    def _check_owned(self, entry: Entered, other: Entered, now: TracedArray) -> None:
        """Note where two names have memory after a turn that a turn before has made."""
        if self._owns(other.path) and self.now.get(now.storage) != {plain_path(entry.path)}:
            self._check_alias(entry, now, (other.path,))

    def _check_part(self, storage: Storage) -> tuple[tuple, ...]:
        """A part of memory that stands for an older array is a part of that array.

        Where it does so in this attempt, nothing else follows from which memory it is.

        Returns
        -------
        paths
            Of the name that had the memory before the turn.
        """
        paths = []
        for other in self.entered.values():
            stands = other.which is not None and other.own is not None
            if stands and other.own.storage is storage:
                self.facts.flags.add(("refer", other.path))
                if other.obj is other.own:
                    raise Retype(self.facts)
                paths.append(other.path)
        return tuple(paths)

    def _outcome_of(self, entry: Entered, other: Entered, anew: bool) -> Outcome:
        """A name refers to what another one referred to at the head of the turn.

        Parameters
        ----------
        anew : bool
            Whether it is another object of the same memory: ``x = y[:]``.
        """
        table, found = [], {}
        for k, target in enumerate(other.targets):
            if k in other.moving:
                place, markers = other.moving[k]
                table.append(self._number_of_place(entry, place))
                found |= {(table[-1], key): marker for key, marker in markers.items()}
            elif k == 1:
                table.append(self._note_own(entry.path) if self._owns(other.path) else 0)
            else:
                table.append(self._number_of(entry, target.again() if anew else target))
        self._check_order(entry, other.layout == entry.layout)
        return Outcome(mapped(self.tracer, other.which, table), other.own.storage.elements, found)

    def _number_of(self, entry: Entered, target: TracedArray) -> int:
        """The number of a target of a name; a new one has the loop captured again."""
        for k, known in enumerate(entry.targets):
            if k != 1 and self.head.is_same(known, target):
                return k
        known = self._known_targets(entry)
        begun = entry.targets == [] and self.head.is_same(entry.before.obj, target)
        arrays = [other for other in known if type(other) is TracedArray]
        if not begun and not any(self.head.is_same(target, other) for other in arrays):
            known.append(target if self.head.has(target) else _without_number(target))
            name = self.head.path_of(target)
            if name is not None:
                self.facts.hints.named.setdefault(entry.path, set()).add(name)
        return 0

    def _recall_targets(self, entry: Entered) -> None:
        """Take what names lead to now for targets that another attempt has found by these names."""
        names = self.facts.hints.named.get(entry.path, ())
        if entry.path in self.facts.targets or not names:
            return
        found, old = self.facts.targets.setdefault(entry.path, []), entry.before.obj
        for target in map(self.head.at_path, sorted(names, key=str)):
            alike = type(target) is TracedArray and target.dtype == old.dtype
            if not alike or target.is_scalar or not same_dims(target.shape, old.shape):
                continue
            if not any(self.head.is_same(target, other) for other in (old, *found)):
                found.append(target)

    def _number_of_place(self, entry: Entered, place: Place) -> int:
        """The same of a part of an array of which the turns choose the place."""
        for k, (known, _) in entry.moving.items():
            if known.form() == place.form():
                return k
        known = self._known_targets(entry)
        forms = [other.form() for other in known if type(other) is Place]
        if place.form() not in forms:
            known.append(place)
        return 0

    def _known_targets(self, entry: Entered) -> list[Any]:
        """The targets of a name at the next attempt, which there is when those of all are known."""
        self.facts.flags.add(("which", entry.path))
        self.again = Retype(self.facts)
        return self.facts.targets.setdefault(entry.path, [])

    def _either_outcome(
        self, entry: Entered, condition: Any, first: Outcome, second: Outcome
    ) -> Outcome:
        """Two outcomes as one, as a condition says; elements of None may be anything."""
        tracer = self.tracer

        def merged(a: Any, b: Any) -> Any:
            if a is None or b is None or a is b:
                return b if a is None else a
            values = [tracer.constant(np.int64(x)) if type(x) is int else x for x in (a, b)]
            return tracer.op("where", [condition, *values])

        same = type(first.which) is int and first.which == second.which
        which = first.which if same else merged(first.which, second.which)
        numbers = {}
        for number, key in {**first.numbers, **second.numbers}:
            marker = entry.moving[number][1][key] if number in entry.moving else None
            pair = [side.numbers.get((number, key), marker) for side in (first, second)]
            numbers[number, key] = merged(*pair)
        return Outcome(which, merged(first.value, second.value), numbers)

    def _old_place(self, entry: Entered, now: TracedArray) -> Outcome:
        """A turn binds a name to an array from before the loop, or to a part of one."""
        path = entry.path
        value = None if self._refers(path) else now.value
        if self.pieces.is_visible(now):
            return Outcome(self._number_of(entry, now), value)
        place = place_of(self.tracer, self.head, now)
        if place is not None and all(view.doubt is None for view in now.views):
            number = self._number_of_place(entry, place)
            return Outcome(number, value, {(number, k): x[0] for k, x in place.numbers.items()})
        if self.taken.is_changed(now.storage):
            raise Restart(unroll=[self.key])
        self.facts.flag(("view", path))
        self._freeze.append(now.storage)
        self._check_order(entry, now.lies_as(entry.layout))
        return Outcome(self._note_own(path), now.value)

    def _check_order(self, entry: Entered, holds: bool) -> None:
        """Note where a turn leaves a name with an array that doesn't lie as the loop's memory."""
        if not holds and entry.layout.how == "dense":
            self.facts.flag(("order", entry.path))


def _without_number(target: TracedArray) -> TracedArray:
    """A target for the next attempt, which knows no values of this one."""
    return named(target, Identity(target.tracer)) if target.is_view else target
