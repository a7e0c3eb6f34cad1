"""Arrays that the turns of a rolled loop hand on: by value where nobody can tell, or by reference.

Memory of the loop's own stands for the array that a name had before the loop. Where others may see
that array, a number says whether the name still refers to it, and a write to either of the two has
the loop captured again with the name as a reference to one of several arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import TracedArray
from .doubts import Frozen
from .environment import Maybe
from .memory import C_ORDER, Layout, unknown
from .pieces import Piece
from .places import chosen, side_of, storages_of
from .references import References, plain_path, references_of
from .state import Retype
from .statements import HIDDEN
from .storage import Storage, in_order
from .tags import mapped
from .tracer import Restart
from .views import same_dims

SHARED = Frozen(
    "writing to an array that several names share in some turns of a loop only",
    "copy the array where the name is bound: y = x.copy()",
)


class Entered:
    """A number or an array that the turns of a loop hand on.

    Attributes
    ----------
    path : tuple
        Slot key, and the positions in sequences.
    before : Piece
        It before the loop.
    marker : graph value
        It at the head of a turn; an array with its axes in the order of memory.
    layout : Layout
        How the loop's own memory for an array lies.
    obj : object
        It at the head of a turn, as the user's code sees it.
    own : TracedArray or None
        Of an array: memory of the loop's own, which the turns that compute a new array hand on.
    which : graph value or None
        Of a number: its tag, where data decide its type.
        Of an array that others may see: 0 where it is the one from before the loop, 1 where it is
        in the loop's own memory, else the number of a target.
    targets : list of TracedArray
        What `which` counts.
    """

    __slots__ = ("path", "before", "marker", "layout", "obj", "own", "which", "targets")

    def __init__(self, path: tuple, before: Piece) -> None:
        self.path, self.before = path, before
        self.marker: Any = None
        self.layout = C_ORDER
        self.obj: Any = None
        self.own: Any = None
        self.which: Any = None
        self.targets: list[Any] = []


class CarriedArrays:
    """The part of a rolled loop that hands on arrays.

    Assumes the attributes of `Rolled`. Leaves every name that is rebound in a turn with an array of
    which reads, writes and identity are NumPy's, or refuses aloud to write to it.
    """

    def _enter_array(self, entry: Entered) -> None:
        """A name that the turns rebind: memory of the loop's own stands for the array before.

        Where others may see that array, the loop is told when either of the two is written; the
        name is then captured again as a reference, to one of several arrays.
        """
        tracer, path, old = self.tracer, entry.path, entry.before.obj
        entry.own = entry.obj = TracedArray(tracer, Storage(entry.marker, layout=entry.layout))
        if ("view", path) in self.facts.flags or ("alias", path) in self.facts.flags:
            entry.own.storage.frozen = SHARED
        refers, follows = self._refers(path), ("which", path) in self.facts.flags
        if not (refers or follows or self._is_shared(old, path)):
            return
        entry.which = self.graph.enter(tracer.constant(np.int64(0)))
        entry.targets = [old, entry.own, *self.facts.targets.get(path, ())]
        if refers:
            entry.obj = self._referred(entry.path, entry.which, entry.targets)
            return
        for target in entry.targets:
            for storage in storages_of(target):
                self._watch(storage, path)

    def _own_layout(self, path: tuple, array: TracedArray) -> Layout:
        """How memory for what the turns bind a name to lies: all turns alike, or nobody knows."""
        if path in self.facts.shrinks:
            return C_ORDER
        return unknown(("loop", self.key)) if ("order", path) in self.facts.flags else array.order

    def _refers(self, path: tuple) -> bool:
        """Whether a name is captured as a reference to one of several arrays."""
        return ("refer", path) in self.facts.flags

    def _watch(self, storage: Any, path: tuple) -> None:
        """Capture the loop again, with a reference, where memory is written."""
        paths = self.watched.setdefault(storage, [])
        paths.append(path)

        def written() -> None:
            self.facts.flag(*(("refer", path) for path in paths))

        self.tracer.watched[-1][storage] = written

    def _owns(self, path: tuple) -> bool:
        """Whether some turn binds a name to memory of the loop's own."""
        return ("own", path) in self.facts.flags

    def _note_own(self, path: tuple) -> int:
        """The number of a name's own memory, which some turn binds it to."""
        if not self._owns(path):
            self.facts.flags.add(("own", path))
            self.again = Retype(self.facts)
        return 1

    def _referred(
        self, path: tuple, which: Any, targets: list[TracedArray], joint: Any = None
    ) -> TracedArray:
        """The array of a number among some."""
        tracer = self.tracer
        *rest, last = [k for k in range(len(targets)) if k != 1 or self._owns(path)]
        made = targets[last]
        for k in reversed(rest):
            condition = tracer.op("equal", [which, tracer.constant(np.int64(k))])
            made = chosen(tracer, condition, targets[k], made, joint if k == 0 else None)
        return made

    def _references(self) -> References:
        """Which paths lead to each memory, of those that a turn or what follows may read."""
        own, live = self.frame.environment, {*self.needed, *self.left, *HIDDEN}
        slots = [s for s in self.head.slots() if s.environment is not own or s.name in live]
        return references_of(slots, self.frame.interpreter.held)

    def _is_shared(self, array: TracedArray, path: tuple) -> bool:
        """Whether something else than one name may see what is written to an array."""
        storage = array.storage
        if type(storage) is not Storage or storage.leaf is not None or array.is_view:
            return True
        return self.before.get(storage) != {plain_path(path)} or not self.pieces.may_move(path)

    def _enter_references(self) -> None:
        """Ask again, in the body, which arrays names refer to: the condition's answers end."""
        for key, piece in self.begun.items():
            obj = self._asked_again(piece, key)
            if obj is not None:
                self.slots[key].put(obj)

    def _asked_again(self, piece: Piece, path: tuple) -> Any:
        """An object of the head of a turn with new references; None where it has none."""
        entry = self.entered.get(path)
        if piece.kind == "sequence":
            places = range(len(piece.items))
            items = [self._asked_again(piece.items[k], (*path, k)) for k in places]
            if all(item is None for item in items):
                return None
            olds = self.slots[path[:2]].get()
            for step in path[2:]:
                olds = olds[step]
            return type(olds)(
                old if item is None else item for old, item in zip(olds, items, strict=True)
            )
        if piece.kind == "maybe" and entry is not None:
            value = self._asked_again(piece.items[0], (*path, "value"))
            if value is not None:
                entry.obj = Maybe(entry.marker, value)
                return entry.obj
        if piece.kind == "array" and entry is not None and self._refers(path):
            entry.obj = self._referred(path, entry.which, entry.targets)
            return entry.obj
        return None

    def _array(self, entry: Entered, now: TracedArray) -> Any:
        """A function of the loop's results that makes the array that a name has after it."""
        head, old = entry.obj, entry.before.obj
        if entry.path in self.facts.shrinks:
            return self._shrunk(entry, now)
        if self.head.is_same(now, head) and entry.own.storage.value is entry.marker:
            return lambda results: old
        if now.dtype != head.dtype or not same_dims(now.shape, head.shape) or now.is_scalar:
            raise Restart(unroll=[self.key])
        self._freeze: list[Any] = []
        which, value = self._outcome(entry, now)
        freeze = self._freeze if ("alias", entry.path) not in self.facts.flags else [None]
        value = entry.own.storage.elements if value is None else value
        own = self._carry(entry.marker, in_order(self.tracer, value, entry.layout))

        def held(results: list[Any]) -> TracedArray:
            return TracedArray(self.tracer, Storage(results[own], layout=entry.layout))

        if entry.which is None:
            return lambda results: self._frozen(held(results), freeze)
        numbers = (which, self.tracer.constant(np.int64(which))) if type(which) is int else (which,)
        index = self._carry(entry.which, numbers[-1])
        if self.never_skipped and type(which) is int and which == 1:
            return lambda results: self._frozen(held(results), freeze)
        refers = self._refers(entry.path)

        def make(results: list[Any]) -> TracedArray:
            made = held(results)
            targets = [old, made, *entry.targets[2:]]
            joint = None if refers else made.value
            return self._frozen(self._referred(entry.path, results[index], targets, joint), freeze)

        return make

    def _frozen(self, array: TracedArray, storages: list[Any]) -> TracedArray:
        """An array that is a copy of a part of others, which can't be written any more."""
        for storage in storages:
            array.storage.frozen = SHARED
            if storage is not None:
                storage.frozen = SHARED
        return array

    def _outcome(self, entry: Entered, now: TracedArray) -> tuple[Any, Any]:
        """Which of its targets a name refers to after a turn, and the elements in own memory.

        The elements are None where nobody reads them: the name refers to other memory.
        """
        own = entry.own
        if self.head.is_same(now, entry.obj):
            return (1 if entry.which is None else entry.which), own.storage.elements
        storage = now.storage
        if type(storage) is not Storage:
            sides = [
                self._outcome(entry, side_of(now, side)) for side in (storage.first, storage.second)
            ]
            return self._either_outcome(storage.condition, *sides)
        if self.head.is_same(now, own):
            return self._note_own(entry.path), own.storage.elements
        for k, target in enumerate(entry.targets):
            if k != 1 and self.head.is_same(now, target):
                return k, (None if self._refers(entry.path) else now.value)
        other = next((x for x in self.entered.values() if now.same_place(x.own)), None)
        if other is not None and other.which is not None:
            return self._outcome_of(entry, other, now.is_view)
        if storage not in self.head.storages:
            self._check_part(storage)
            if self.now.get(storage) != {plain_path(entry.path)}:
                self._check_alias(entry, storage)
            self._check_order(entry, now.lies_as(entry.layout))
            return self._note_own(entry.path), now.value
        return self._old_place(entry, now)

    def _check_part(self, storage: Storage) -> None:
        """A part of memory that stands for an older array is a part of that array."""
        for other in self.entered.values():
            stands = other.which is not None and other.own is not None
            if stands and other.own.storage is storage:
                self.facts.flag(("refer", other.path))

    def _outcome_of(self, entry: Entered, other: Entered, anew: bool) -> tuple[Any, Any]:
        """A name refers to what another one referred to at the head of the turn.

        Parameters
        ----------
        anew : bool
            Whether it is another object of the same memory: ``x = y[:]``.
        """
        numbers = [
            self._number_of(entry, target.again() if anew else target) if k != 1 else 0
            for k, target in enumerate(other.targets)
        ]
        if self._owns(other.path):
            numbers[1] = self._note_own(entry.path)
        self._check_order(entry, other.layout == entry.layout)
        return mapped(self.tracer, other.which, numbers), other.own.storage.elements

    def _number_of(self, entry: Entered, target: TracedArray) -> int:
        """The number of a target of a name; a new one has the loop captured again."""
        for k, known in enumerate(entry.targets):
            if k != 1 and self.head.is_same(known, target):
                return k
        known = self.facts.targets.setdefault(entry.path, [])
        begun = entry.targets == [] and self.head.is_same(entry.before.obj, target)
        if not begun and not any(self.head.is_same(target, other) for other in known):
            known.append(target)
        self.facts.flags.add(("which", entry.path))
        self.again = Retype(self.facts)  # when all the targets of the turn are known
        return 0

    def _either_outcome(self, condition: Any, first: tuple, second: tuple) -> tuple[Any, Any]:
        """Two outcomes as one, as a condition says; elements of None may be anything."""
        tracer = self.tracer

        def merged(a: Any, b: Any) -> Any:
            if a is None or b is None or a is b:
                return b if a is None else a
            values = [tracer.constant(np.int64(x)) if type(x) is int else x for x in (a, b)]
            return tracer.op("where", [condition, *values])

        same = type(first[0]) is int and first[0] == second[0]
        which = first[0] if same else merged(first[0], second[0])
        return which, merged(first[1], second[1])

    def _old_place(self, entry: Entered, now: TracedArray) -> tuple[Any, Any]:
        """A turn binds a name to an array from before the loop, or to a part of one."""
        path = entry.path
        if self.pieces.is_visible(now):
            return self._number_of(entry, now), (None if self._refers(path) else now.value)
        if now.storage.value is not self.markers[now.storage]:
            raise Restart(unroll=[self.key])
        self.facts.flag(("view", path))
        self._freeze.append(now.storage)
        self._check_order(entry, now.lies_as(entry.layout))
        return self._note_own(path), now.value

    def _check_order(self, entry: Entered, holds: bool) -> None:
        """Note where a turn leaves a name with an array that doesn't lie as the loop's memory."""
        if not holds and entry.layout.how == "dense":
            self.facts.flag(("order", entry.path))

    def _check_alias(self, entry: Entered, storage: Any) -> None:
        """Several names have one memory after a turn: copies are right if nobody writes to them."""
        others = {path for path in self.entered if plain_path(path) in self.now[storage]}
        self.facts.flag(*(("alias", path) for path in (entry.path, *others)))
