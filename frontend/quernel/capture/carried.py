"""Arrays that the turns of a rolled loop hand on: by value where nobody can tell, or by reference.

Memory of the loop's own stands for the array that a name had before the loop. Where others may see
that array, a number says whether the name still refers to it, and a write to either of the two has
the loop captured again with the name as a reference to one of several arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import Storage, TracedArray, fresh
from .environment import Maybe
from .pieces import Piece, References, plain_path, references_in
from .places import chosen, storages_of, through
from .state import Retype
from .statements import FLAGS, RESULT
from .tracer import Restart
from .views import same_dims

HIDDEN = (*FLAGS, RESULT)
SHARED = (
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
        It at the head of a turn.
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

    __slots__ = ("path", "before", "marker", "obj", "own", "which", "targets")

    def __init__(self, path: tuple, before: Piece) -> None:
        self.path, self.before = path, before
        self.marker: Any = None
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
        entry.own = entry.obj = fresh(tracer, entry.marker, contiguous=False)
        if ("view", path) in self.facts.flags or ("alias", path) in self.facts.flags:
            entry.own.storage.frozen = SHARED
        refers, follows = (("refer", path) in self.facts.flags, ("which", path) in self.facts.flags)
        if not (refers or follows or self._is_shared(old, path)):
            return
        entry.which = self.graph.enter(tracer.constant(np.int64(0)))
        entry.targets = [old, entry.own, *self.facts.targets.get(path, ())]
        if refers:
            entry.obj = self._referred(entry.which, entry.targets)
            return
        for target in entry.targets:
            for storage in storages_of(target):
                self._watch(storage, path)

    def _watch(self, storage: Any, path: tuple) -> None:
        """Capture the loop again, with a reference, where memory is written."""
        paths = self.watched.setdefault(storage, [])
        paths.append(path)

        def written() -> None:
            self.facts.flags |= {("refer", path) for path in paths}
            raise Retype(self.facts)

        self.tracer.watched[-1][storage] = written

    def _referred(self, which: Any, targets: list[TracedArray], joint: Any = None) -> TracedArray:
        """The array of a number among some."""
        tracer, made = self.tracer, targets[-1]
        for k in reversed(range(len(targets) - 1)):
            condition = tracer.op("equal", [which, tracer.constant(np.int64(k))])
            made = chosen(tracer, condition, targets[k], made, joint if k == 0 else None)
        return made

    def _references(self) -> References:
        """Which paths lead to each memory, of those that a turn or what follows may read."""
        own, live = self.frame.environment, {*self.needed, *self.left, *HIDDEN}
        seen = [
            (slot.key, slot.get())
            for slot in self.head.slots()
            if slot.environment is not own or slot.name in live
        ]
        held = enumerate(self.frame.interpreter.held)
        return references_in([*seen, *((("held", k), obj) for k, obj in held)])

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
        if piece.kind == "array" and entry is not None and ("refer", path) in self.facts.flags:
            entry.obj = self._referred(entry.which, entry.targets)
            return entry.obj
        return None

    def _array(self, entry: Entered, now: TracedArray) -> Any:
        head, old = entry.obj, entry.before.obj
        if entry.path in self.facts.shrinks:
            return self._shrunk(entry, now)
        if now.same_place(head) and entry.own.storage.value is entry.marker:
            return lambda results: old
        if now.dtype != head.dtype or not same_dims(now.shape, head.shape) or now.is_scalar:
            raise Restart(unroll=[self.key])
        self._freeze: list[Any] = []
        which, value = self._outcome(entry, now)
        freeze = self._freeze if ("alias", entry.path) not in self.facts.flags else [None]
        own = self._carry(entry.marker, entry.own.storage.value if value is None else value)
        if entry.which is None:
            return lambda results: self._frozen(fresh(self.tracer, results[own]), freeze)
        numbers = (which, self.tracer.constant(np.int64(which))) if type(which) is int else (which,)
        index = self._carry(entry.which, numbers[-1])
        if self.never_skipped and type(which) is int and which == 1:
            return lambda results: self._frozen(fresh(self.tracer, results[own]), freeze)
        refers = ("refer", entry.path) in self.facts.flags

        def make(results: list[Any]) -> TracedArray:
            made = fresh(self.tracer, results[own])
            targets = [old, made, *entry.targets[2:]]
            joint = None if refers else results[own]
            return self._frozen(self._referred(results[index], targets, joint), freeze)

        return make

    def _frozen(self, array: TracedArray, storages: list[Any]) -> TracedArray:
        """An array that is a copy of a part of others, which can't be written any more."""
        for storage in storages:
            array.storage.frozen = SHARED
            if storage is not None:
                storage.frozen = SHARED
        return array

    def _outcome(self, entry: Entered, now: TracedArray) -> tuple[Any, Any]:
        """Which of its targets a name refers to after a turn, and the elements in own memory."""
        own = entry.own
        if now.same_place(entry.obj):
            return (1 if entry.which is None else entry.which), own.storage.value
        storage = now.storage
        if type(storage) is not Storage:
            sides = [
                self._outcome(entry, through(side, now.views))
                for side in (storage.first, storage.second)
            ]
            return self._either_outcome(storage.condition, *sides)
        if now.same_place(own):
            return 1, own.storage.value
        for k, target in enumerate(entry.targets):
            if k != 1 and now.same_place(target):
                refers = ("refer", entry.path) in self.facts.flags
                return k, (None if refers else now.value)
        other = next((x for x in self.entered.values() if now.same_place(x.own)), None)
        if other is not None and other.which is not None:
            return self._outcome_of(entry, other)
        if storage not in self.head.storages:
            self._check_part(storage)
            if self.now.get(storage) != {plain_path(entry.path)}:
                self._check_alias(entry, storage)
            return 1, now.value
        return self._old_place(entry, now)

    def _check_part(self, storage: Storage) -> None:
        """A part of memory that stands for an older array is a part of that array."""
        for other in self.entered.values():
            stands = other.which is not None and ("refer", other.path) not in self.facts.flags
            if stands and other.own is not None and other.own.storage is storage:
                self.facts.flags.add(("refer", other.path))
                raise Retype(self.facts)

    def _outcome_of(self, entry: Entered, other: Entered) -> tuple[Any, Any]:
        """A name refers to what another one referred to at the head of the turn."""
        tracer = self.tracer
        numbers = [
            self._number_of(entry, target) if k != 1 else 1
            for k, target in enumerate(other.targets)
        ]
        which = tracer.constant(np.int64(1))
        for k, number in enumerate(numbers):
            if k != 1:
                same = tracer.op("equal", [other.which, tracer.constant(np.int64(k))])
                which = tracer.op("where", [same, tracer.constant(np.int64(number)), which])
        return which, other.own.storage.value

    def _number_of(self, entry: Entered, target: TracedArray) -> int:
        """The number of a target of a name; a new one has the loop captured again."""
        for k, known in enumerate(entry.targets):
            if k != 1 and known.same_place(target):
                return k
        known = self.facts.targets.setdefault(entry.path, [])
        if not (entry.targets == [] and entry.before.obj.same_place(target)):
            known.append(target)
        self.facts.flags.add(("which", entry.path))
        raise Retype(self.facts)

    def _either_outcome(self, condition: Any, first: tuple, second: tuple) -> tuple[Any, Any]:
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
            refers = ("refer", path) in self.facts.flags
            return self._number_of(entry, now), (None if refers else now.value)
        if now.storage.value is not self.markers[now.storage]:
            raise Restart(unroll=[self.key])
        if ("view", path) not in self.facts.flags:
            self.facts.flags.add(("view", path))
            raise Retype(self.facts)
        self._freeze.append(now.storage)
        return 1, now.value

    def _check_alias(self, entry: Entered, storage: Any) -> None:
        """Several names have one memory after a turn: copies are right if nobody writes to them."""
        others = {path for path in self.entered if plain_path(path) in self.now[storage]}
        news = {("alias", path) for path in (entry.path, *others)} - self.facts.flags
        if news:
            self.facts.flags |= news
            raise Retype(self.facts)
