"""Arrays that the turns of a rolled loop hand on: by value where nobody can tell, or by reference.

Memory of the loop's own stands for the array that a name had before the loop. Where others may see
that array, a number says whether the name still refers to it, and a write to either of the two has
the loop captured again with the name as a reference to one of several arrays.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.doubts import CUT, SHARED
from ..traced.memory import C_ORDER, Layout, storages_of, unknown
from ..traced.objects import Identity, counts_objects, named, number_of_object
from ..traced.places import chosen
from ..traced.storage import Storage, in_order
from ..traced.undecided import Maybe
from ..traced.views import same_dims
from .contents import OfSort
from .jumps import HIDDEN
from .kept import like, steps
from .pieces import Piece
from .pools import Pools
from .references import References, plain_path, references_of
from .rooms import Place
from .state import Retype
from .targets import Outcome


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
    moving : dict
        By number of a target that is a part of an array of which the turns choose the place: the
        place, and its numbers at the head of a turn.
    pool : dict
        By number of a target that is the loop's own memory for another name, or a part of it: that
        one's entry, and the views, or None.
    parts : list
        Of a name of several sorts: the values of all of them at the head of a turn.
    number : graph value or None
        Which object a view is that some turn has made, where the program counts them.
    """

    __slots__ = (
        "path",
        "before",
        "marker",
        "layout",
        "obj",
        "own",
        "which",
        "targets",
        "moving",
        "pool",
        "parts",
        "number",
    )

    def __init__(self, path: tuple, before: Piece) -> None:
        self.path, self.before = path, before
        self.marker: Any = None
        self.layout = C_ORDER
        self.obj: Any = None
        self.own: Any = None
        self.which: Any = None
        self.targets: list[Any] = []
        self.moving: dict[int, tuple[Place, dict[Any, Any]]] = {}
        self.pool: dict[int, tuple[Entered, tuple | None]] = {}
        self.parts: list[Any] = []
        self.number: Any = None


class CarriedArrays(Pools):
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
        if self._is_copied(path):
            is_cut = ("view", path) in self.facts.flags
            entry.own.storage.frozen = CUT if is_cut else SHARED
        refers, follows = self._refers(path), ("which", path) in self.facts.flags
        if not (refers or follows or self._is_shared(old, path)):
            return
        entry.which = self.graph.enter(tracer.constant(np.int64(0)))
        self._recall_targets(entry)
        entry.targets = [old, entry.own, *self.facts.targets.get(path, ())]
        if self._is_pooled(path):
            self._enter_pool(entry)
        self._enter_places(entry)
        self._enter_objects(entry)
        if refers:
            entry.obj = self._referred(entry.path, entry.which, entry.targets)
            return
        for target in entry.targets:
            for storage in storages_of(target):
                self._watch(storage, path)

    def _enter_places(self, entry: Entered) -> None:
        """Let the turns hand on where the parts of arrays begin that a name may refer to."""
        for number, target in enumerate(entry.targets):
            if type(target) is Place:
                inside = {key: x[1] for key, x in target.numbers.items()}
                markers = {
                    key: self.graph.enter(self.tracer.constant(np.int64(x)))
                    for key, x in inside.items()
                }
                entry.moving[number] = target, markers
        self._see_places(entry)

    def _see_places(self, entry: Entered) -> None:
        """The parts of arrays where they begin at the head of a turn."""
        for number, (place, markers) in entry.moving.items():
            entry.targets[number] = place.seen(markers)

    def _enter_objects(self, entry: Entered) -> None:
        """Let the turns hand on which object a name is, of the views that turns make."""
        targets, tracer = entry.targets, self.tracer
        if counts_objects(tracer) and any(self._is_anew(entry, k) for k in range(len(targets))):
            entry.number = self.graph.enter(number_of_object(entry.before.obj))
            entry.own.identity = Identity(tracer, entry.number, True)
        self._name_targets(entry, targets, entry.which, entry.number)

    def _is_anew(self, entry: Entered, k: int) -> bool:
        """Whether a target is a view that each turn makes anew."""
        if k in entry.moving or entry.pool.get(k, (None, None))[1] is not None:
            return True
        target = entry.targets[k]
        return k > 1 and k not in entry.pool and target.is_view and not self.head.has(target)

    def _name_targets(self, entry: Entered, targets: list[Any], which: Any, number: Any) -> None:
        """Let the views among targets that turns make be the objects that a number says."""
        tracer, whole = self.tracer, Identity(self.tracer, number, True)
        for k in range(2, len(targets)):
            if self._is_anew(entry, k):
                holds = functools.partial(self._is_sort, which, k)
                targets[k] = named(targets[k], whole.where(tracer, holds))

    def _carry_object(self, entry: Entered, now: TracedArray) -> int | None:
        """Hand on which object a name is after a turn; the position among the loop's results."""
        if entry.number is None:
            return None
        heads = [x for x in self.entered.values() if x.obj is now and x.number is not None]
        number = heads[0].number if heads else number_of_object(now)
        return self._carry(entry.number, number)

    def _own_layout(self, path: tuple, array: TracedArray) -> Layout:
        """How memory for what the turns bind a name to lies: all turns alike, or nobody knows."""
        if path in self.facts.resized:
            return C_ORDER
        return unknown(("loop", self.key)) if ("order", path) in self.facts.flags else array.order

    def _refers(self, path: tuple) -> bool:
        """Whether a name is captured as a reference to one of several arrays."""
        return ("refer", path) in self.facts.flags or self._is_pooled(path)

    def _watch(self, storage: Any, path: tuple) -> None:
        """Capture the loop again, with a reference, where memory is written."""
        paths = self.watched.setdefault(storage, [])
        paths.append(path)

        def written() -> None:
            self.facts.flag(*(("refer", path) for path in paths))

        self.tracer.watched[-1][storage] = written

    def _owns(self, path: tuple) -> bool:
        """Whether some turn binds a name to memory of the loop's own."""
        return ("own", path) in self.facts.flags or self._is_pooled(path)

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
        if storage.frozen.is_copy or self.tracer.is_watched(storage):
            return True  # memory of a loop around, which may stand for an argument's
        return self.before.get(storage) != {plain_path(path)} or not self.pieces.may_move(path)

    def _enter_references(self) -> None:
        """Ask again, in the body, which arrays names refer to: the condition's answers end."""
        for entry in self.entered.values():
            self._see_places(entry)
            if entry.moving:
                self._name_targets(entry, entry.targets, entry.which, entry.number)
        for key, piece in self.begun.items():
            obj = self._asked_again(piece, key)
            if obj is not None:
                self.slots[key].put(obj)

    def _asked_again(self, piece: Piece, path: tuple) -> Any:
        """An object of the head of a turn with new references; None where it has none."""
        entry = self.entered.get(path)
        if piece.kind == "sequence":
            pairs = zip(steps(piece.obj), piece.items, strict=True)
            items = [self._asked_again(item, (*path, k)) for k, item in pairs]
            if all(item is None for item in items):
                return None
            olds = self.slots[path[:2]].get()
            for step in path[2:]:
                olds = olds.value if type(olds) is Maybe else olds[step]
            pairs = zip(steps(olds), items, strict=True)
            return like(olds, [olds[k] if item is None else item for k, item in pairs])
        if piece.kind == "maybe" and entry is not None:
            value = self._asked_again(piece.items[0], (*path, "value"))
            if value is not None:
                entry.obj = Maybe(entry.marker, value)
                return entry.obj
        if piece.kind == "sorts" and entry is not None:
            for k, item in enumerate(piece.items):
                part = self._asked_again(item, (*path, OfSort(k)))
                entry.parts[k] = entry.parts[k] if part is None else part
            self._see_sorts(entry)
            return entry.obj
        if piece.kind == "array" and entry is not None and self._refers(path):
            entry.obj = self._referred(path, entry.which, entry.targets)
            return entry.obj
        return None

    def _array(self, entry: Entered, now: TracedArray) -> Any:
        """A function of the loop's results that makes the array that a name has after it."""
        head, old = entry.obj, entry.before.obj
        if entry.path in self.facts.resized:
            return self._resized_array(entry, now)
        is_pooled = self._is_pooled(entry.path)
        is_same = self.head.is_same(now, head) and entry.own.storage.value is entry.marker
        if is_same and not is_pooled:
            return lambda results: old
        if now.dtype != head.dtype or not same_dims(now.shape, head.shape) or now.is_scalar:
            raise self._another_sort(old, now, entry.path)
        self._freeze: list[Any] = []
        items = [s for s in storages_of(now) if s in self.tracer.listed]
        if items and (is_pooled or entry.own.storage.value is not entry.marker):
            self.tracer.check_listed(items[0])
        if is_pooled:
            return self._hand_on_pooled(entry, now)
        outcome = self._outcome(entry, now)
        which, value = outcome.which, outcome.value
        freeze = [*self._freeze, *([None] * (("alias", entry.path) in self.facts.flags))]
        value = entry.own.storage.elements if value is None else value
        own = self._carry(entry.marker, in_order(self.tracer, value, entry.layout))

        def held(results: list[Any]) -> TracedArray:
            storage = Storage(results[own], layout=entry.layout)
            if items:
                self.tracer.listed[storage] = self.tracer.listed[items[0]]
            return self._frozen(TracedArray(self.tracer, storage), freeze)

        if entry.which is None:
            return held
        numbers = (which, self.tracer.constant(np.int64(which))) if type(which) is int else (which,)
        index = self._carry(entry.which, numbers[-1])
        if self.never_skipped and type(which) is int and which == 1:
            return held
        refers, places = self._refers(entry.path), self._carry_places(entry, outcome)
        place = self._carry_object(entry, now)

        def make(results: list[Any]) -> TracedArray:
            made = held(results)
            targets = [old, made, *entry.targets[2:]]
            self._put_places(entry, targets, places, results)
            number = None if place is None else results[place]
            self._name_targets(entry, targets, results[index], number)
            joint = None if refers else made.value
            return self._frozen(self._referred(entry.path, results[index], targets, joint), freeze)

        return make

    def _put_places(
        self, entry: Entered, targets: list[Any], places: dict, results: list[Any]
    ) -> None:
        """Put the parts of arrays where the turns have left them among the targets of a name."""
        for number, numbers in places.items():
            place = entry.moving[number][0]
            targets[number] = place.seen({key: results[k] for key, k in numbers.items()})

    def _carry_places(self, entry: Entered, outcome: Outcome) -> dict[int, dict[Any, int]]:
        """Hand on where parts of arrays begin; the positions among the loop's results."""
        return {
            number: {
                key: self._carry(marker, outcome.numbers.get((number, key), marker))
                for key, marker in markers.items()
            }
            for number, (_, markers) in entry.moving.items()
        }

    def _frozen(self, array: TracedArray, storages: list[Any]) -> TracedArray:
        """An array that is a copy of a part of others, which can't be written any more."""
        for storage in storages:
            array.storage.frozen = SHARED if storage is None else CUT
            if storage is not None:
                storage.frozen = CUT
        return array
