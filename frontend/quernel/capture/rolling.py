"""What the turns of a rolled loop hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .array import Storage, TracedArray, fresh
from .bounds import integer, is_nonnegative
from .environment import UNBOUND, Maybe
from .numbers import DATA, SymbolicSize, is_dynamic
from .open_types import Open, joined, same_type
from .pieces import Piece, Pieces, References, plain_path, references_in
from .places import chosen, storages_of, through
from .scalars import dtype_name, number_of, number_type, sources_of, value_of
from .scopes import assigned
from .state import Retype, Slot, State
from .statements import BROKE, CONTINUED, FLAGS, RESULT, RETURNED
from .tags import tag_of
from .tracer import Restart
from .views import SliceView, graph_dim, same_dims

_JUMPS = (BROKE, RETURNED)
HIDDEN = (*FLAGS, RESULT)


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


class Rolled:
    """One attempt at a rolled loop.

    Parameters
    ----------
    parts : list of ast.AST
        What every turn carries out.
    """

    def __init__(self, frame: Any, node: Any, parts: list[Any]) -> None:
        self.frame, self.node = frame, node
        self.tracer, self.graph = frame.tracer, frame.graph
        self.facts = frame.interpreter.facts()
        self.key = frame.loop_key()
        if not hasattr(node, "assigned"):
            node.assigned = assigned(parts)
        self.assigned = node.assigned & frame.environment.scope.own
        self.never_skipped = False
        self.extra: list[tuple[Any, Any]] = []

    def is_nonnegative(self, size: Any) -> bool:
        """Whether a size is never less than 0."""
        if type(size) is SymbolicSize:
            return self.graph.nonnegative(size.dim)
        return size >= 0

    # Before

    def prepare(self) -> None:
        """Make the graph values that the first turn begins with."""
        self.head = State(self.tracer)
        self.pieces = Pieces(self.tracer, self.facts, self.head)
        own = self.frame.environment
        places = {slot.key for slot in self.head.slots() if slot.environment is own}
        self.pieces.may_move = lambda path: path[:2] in places
        self.before = self._references()
        self.watched: dict[Any, list[tuple]] = {}
        slots = [self.head.find(own, name) for name in sorted(self.assigned & self.needed)]
        slots += [slot for slot in self.head.slots() if slot.key in self.facts.extra]
        slots += [self.head.find(own, name) for name in self.jumps()]
        self.slots = {slot.key: slot for slot in slots}
        self.begun = {key: self._before(slot) for key, slot in self.slots.items()}
        late = [self.head.find(own, name) for name in sorted(self.assigned & self.left)]
        self.late = {
            slot.key: self.pieces.of(self.head.before(slot), slot.key)
            for slot in late
            if slot.key not in self.slots
        }

    @property
    def needed(self) -> frozenset[str]:
        """The names that a turn may read before it binds them."""
        return self.frame.liveness.head.get(self.node, frozenset())

    @property
    def left(self) -> frozenset[str]:
        """The names that are read after the loop."""
        return self.frame.liveness.after.get(self.node, frozenset())

    def jumps(self) -> list[str]:
        """The jumps that leave the loop in some turn."""
        return [name for name in _JUMPS if ("jump", name) in self.facts.flags]

    def _before(self, slot: Slot) -> Piece:
        """What a slot is bound to before the loop."""
        if slot.name in _JUMPS:
            return self.pieces.of(False, slot.key)
        obj, fill = self.head.before(slot), self.facts.fills.get(slot.key)
        if obj is not UNBOUND or fill is None:
            return self._piece(obj, slot.key)
        made = Piece("maybe", obj, None, self.pieces.bits[0])
        made.items = [self.pieces.filled(fill)]
        return made

    def _piece(self, obj: Any, path: tuple) -> Piece:
        """The piece of what is bound before the loop; arrays only where a turn rebinds them."""
        if type(obj) in (tuple, list):
            piece = Piece("sequence", obj)
            piece.items = [self._piece(item, (*path, k)) for k, item in enumerate(obj)]
            return piece
        if type(obj) is Maybe:
            piece = Piece("maybe", obj, None, obj.bound)
            piece.items = [self._piece(obj.value, (*path, "value"))]
            return piece
        if number_type(obj) is None and path not in self.facts.detached:
            return Piece("object", obj)
        return self.pieces.of(obj, path)

    # At the head of a turn

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is built inside belongs to the loop; it is forgotten where it fails."""
        depth = self.tracer.depth
        self._opened = False
        self.tracer.watched.append({})
        try:
            yield
        except BaseException:
            self.tracer.close_regions(depth)
            if self._opened:
                self.graph.discard()
            self.head.restore()
            self.head.retire()
            raise
        finally:
            self.tracer.watched.pop()
        self.tracer.close_regions(depth)

    def begin_for(self, lower: Any, upper: Any, name: str) -> Any:
        """Open the loop; its counter."""
        counter = self.graph.begin_for(graph_dim(lower), graph_dim(upper), 1, name)
        self._opened = True
        return counter

    def begin_while(self) -> None:
        """Open the loop and its condition."""
        self.graph.begin_while()
        self._opened = True

    def enter(self) -> None:
        """Let names and memory stand for what the turn before has left."""
        self.tracer.open_region()
        self.markers = {}
        for position, storage in enumerate(self.head.storages):
            marker = self.markers[storage] = self.graph.enter(storage.value)
            self.tracer.stands_for(marker, storage.value)
            storage.put(self.tracer, marker)
            if ("forget", position) in self.facts.flags:
                storage.known = None
        self.entered: dict[tuple, Entered] = {}
        for key, piece in self.begun.items():
            slot = self.slots[key]
            obj = self._entered(piece, key)
            if obj is not UNBOUND:
                slot.put(obj)
        self._enter_counts()
        self._enter_shrinking()

    def _enter_counts(self) -> None:
        """How many entries the arrays have that get shorter from turn to turn."""
        self.counts: dict[int, tuple[Any, Any]] = {}
        for path, group in self.facts.shrinks.items():
            if group not in self.counts:
                size = self.begun[path].obj.shape[0]
                self.counts[group] = self.graph.enter(integer(self.tracer, size)), size

    def _enter_shrinking(self) -> None:
        """Such an array is the beginning of one that has the size from before the loop."""
        for path, group in self.facts.shrinks.items():
            entry = self.entered[path]
            entry.obj = self._shortened(entry.marker, *self.counts[group])
            self.slots[path].put(entry.obj)

    def _shortened(self, buffer: Any, count: Any, most: Any) -> TracedArray:
        tracer = self.tracer
        size = tracer.symbol_of(count, 0, most, "count", frozenset([DATA]))
        rest = tracer.shape(buffer)[1:]
        return fresh(tracer, _beginning(size, rest).read(tracer, buffer))

    def _entered(self, piece: Piece, path: tuple) -> Any:
        if piece.kind == "sequence":
            items = [self._entered(item, (*path, k)) for k, item in enumerate(piece.items)]
            if all(a is b for a, b in zip(items, piece.obj, strict=True)):
                return piece.obj
            return type(piece.obj)(items)
        if piece.kind in ("object", "absent"):
            return piece.obj
        entry = self.entered[path] = Entered(path, piece)
        entry.marker = self.graph.enter(piece.value)
        if piece.kind == "maybe":
            entry.obj = Maybe(entry.marker, self._entered(piece.items[0], (*path, "value")))
        elif piece.kind == "array":
            self._enter_array(entry)
        else:
            sources = sources_of(piece.obj) | {("loop", self.key)}
            entry.obj = number_of(self.tracer, entry.marker, piece.type, sources)
            if type(piece.type) is Open:
                self._enter_tag(entry)
        return entry.obj

    def _enter_array(self, entry: Entered) -> None:
        """A name that the turns rebind: memory of the loop's own stands for the array before.

        Where others may see that array, the loop is told when either of the two is written; the
        name is then captured again as a reference, to one of several arrays.
        """
        tracer, path, old = self.tracer, entry.path, entry.before.obj
        entry.own = entry.obj = fresh(tracer, entry.marker, contiguous=False)
        if ("view", path) in self.facts.flags or ("alias", path) in self.facts.flags:
            entry.own.storage.frozen = _SHARED
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

    def _enter_tag(self, entry: Entered) -> None:
        """Let the turns hand on which of its types a number has, where that is known before."""
        kinds = entry.before.type.kinds
        tag = tag_of(self.tracer, entry.before.obj, kinds)
        if tag is not None and ("untagged", entry.path) not in self.facts.flags:
            entry.which = self.graph.enter(tag)
            self.tracer.tag(entry.marker, entry.which, kinds)

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

    # Conditions of while loops

    def and_not(self, condition: Any, stop: Any) -> Any:
        """The condition, and that the test of an expression fails."""
        stops = self.frame.truth(stop)
        if isinstance(stops, bool):
            stops = self.tracer.constant(np.bool_(stops))
        return self.tracer.op("logical_and", [condition, self.frame.negated(stops)])

    def while_no_jump(self, condition: Any) -> Any:
        """The condition, and that no turn has left the loop."""
        for entry in self.entered.values():
            if entry.path[1] in _JUMPS:
                stays = self.frame.negated(entry.marker)
                condition = self.tracer.op("logical_and", [stays, condition])
        return condition

    def body(self, condition: Any) -> None:
        """Go from the condition to the body of a while loop."""
        tracer = self.tracer
        for storage, marker in self.markers.items():
            if storage.value is not marker:
                tracer.fail("a condition of a loop that writes to an array", "write in the body")
            storage.put(tracer, marker)
        self.graph.while_condition(condition)
        tracer.close_regions(tracer.depth - 1)
        tracer.open_region()
        self._enter_references()
        self._enter_shrinking()
        for name in _JUMPS:
            self.frame.environment.values.pop(name, None)

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

    # At the end of a turn

    def end(self, finish: Callable) -> None:
        """Close the loop and bind what it has computed."""
        values = self.frame.environment.values
        values.pop(CONTINUED, None)
        self._check_jumps(values)
        if self.head.changed_containers():
            raise Restart(unroll=[self.key])
        self._find_shrinking()
        self._find_rebound()
        written = self._written()
        self.carried = [(self.markers[storage], storage.value) for storage in written]
        self.counted: dict[int, tuple[str, int]] = {}
        self.now = self._references()
        self.pieces.references = self.before, self.now
        self.pieces.condition = self._no_turn
        self._none: int | None = None
        makers = {slot.key: (slot, self._carried(slot)) for slot in self._changed()}
        self.joined_from = len(self.carried)
        self.carried += [(self.graph.enter(first), now) for first, now in self.pieces.pairs]
        frozen = {s: s.frozen for s in self.head.storages if s.frozen[0]}
        results = finish([*self.carried, *self.extra])
        self._opened = False
        self._bind(makers, written, results)
        for storage, reason in frozen.items():
            storage.frozen = reason

    def _check_jumps(self, values: dict[str, Any]) -> None:
        for name in _JUMPS:
            if values.get(name, False) is not False and name not in self.jumps():
                self.facts.flags.add(("jump", name))
                raise Retype
        for name in self.jumps():
            values.setdefault(name, False)

    def _written(self) -> list[Any]:
        written = []
        for position, storage in enumerate(self.head.storages):
            if storage.value is self.markers[storage]:
                continue
            written.append(storage)
            known = self.head.storages[storage][1]
            if known is not None and ("forget", position) not in self.facts.flags:
                self.facts.flags.add(("forget", position))
                raise Retype
        return written

    def _changed(self) -> list[Slot]:
        """The slots that a turn binds, those left out that nobody reads any more."""
        own = self.frame.environment
        changed = []
        for slot in self.head.changed_slots():
            if slot.environment is own:
                hidden = slot.name in FLAGS or slot.name == RESULT
                if not (hidden or slot.name in self.needed or slot.name in self.left):
                    continue
                foreseen = hidden or slot.name in self.assigned
            else:
                foreseen = False
            if not foreseen and slot.key not in self.slots:
                self.facts.extra.add(slot.key)  # a function that is called binds it
                raise Retype
            changed.append(slot)
        return changed

    def _carried(self, slot: Slot) -> Any:
        """A function of the loop's results that makes what the slot is bound to after it."""
        if slot.key in self.slots:
            return self._handed(self.begun[slot.key], slot.get(), slot.key, slot)
        return self._last(slot)

    def _no_turn(self, results: list[Any]) -> Any:
        """Whether the loop had no turn."""
        return results[self._none]

    def _last(self, slot: Slot) -> Any:
        """The same for a name that no turn reads before it binds it: the last turn's value."""
        now = self.pieces.of(slot.get(), slot.key)
        before = self.late.get(slot.key, Piece("absent", UNBOUND))
        freeze = []
        if now.kind == "array" and not self.pieces.is_visible(now.obj):
            if not self.head.knows(now.obj.shape):
                raise Restart(unroll=[self.key])
            now, freeze = self._copied(now, slot)
        elif now.kind == "array":
            freeze = self._shared_with(now.obj, slot.key)
        if self._none is None:
            self._none = self.pieces.pair(self.pieces.bits[1], self.pieces.bits[0])
        make = self.pieces.kept(1, now) if self.never_skipped and now.kind == "array" else None
        if make is None:
            before = self.pieces.filled(now) if self.never_skipped else before
            make = self.pieces.joined(before, now, slot.key, slot.name == RESULT)

        def made(results: list[Any]) -> Any:
            obj = make(results[self.joined_from :])
            return self._frozen(obj, freeze) if freeze else obj

        return made

    def _shared_with(self, array: TracedArray, path: tuple) -> list[None]:
        """One entry where an array lies in memory that a carried name has, too: both are copies."""
        carried = {plain_path(path): path for path in self.entered}
        others = {
            carried[other]
            for storage in storages_of(array)
            if storage not in self.head.storages
            for other in self.now.get(storage, ())
            if other in carried and other != plain_path(path)
        }
        if not others:
            return []
        news = {("alias", other) for other in others} - self.facts.flags
        if news:
            self.facts.flags |= news
            raise Retype(self.facts)
        return [None]

    def _copied(self, now: Piece, slot: Slot) -> tuple[Piece, list[Any]]:
        """A name bound to a part of an array whose place only the turn knows: a copy of it.

        The copy is right as long as nobody writes to either; such writes are refused.
        """
        for storage in storages_of(now.obj):
            if storage.value is not self.markers.get(storage, storage.value):
                raise Restart(unroll=[self.key])
        copied = fresh(self.tracer, now.value)
        self.now.setdefault(copied.storage, set()).add(slot.key)
        return self.pieces.of(copied, slot.key), storages_of(now.obj)

    def _handed(self, begun: Piece, now: Any, path: tuple, slot: Slot) -> Any:
        entry = self.entered.get(path)
        if entry is not None and now is entry.obj and begun.kind != "array":
            return lambda results: begun.obj
        if entry is None and now is begun.obj:
            return lambda results: now
        if begun.kind == "maybe" and now is not UNBOUND:
            return self._maybe(begun, now, path, slot)
        if begun.kind == "sequence" and _is_like(now, begun):
            makers = [
                self._handed(piece, item, (*path, k), slot)
                for k, (piece, item) in enumerate(zip(begun.items, now, strict=True))
            ]
            return lambda results: type(now)(make(results) for make in makers)
        if begun.kind == "number" and number_type(now) is not None:
            return self._number(self.entered[path], now)
        if begun.kind == "array" and type(now) is TracedArray:
            return self._array(self.entered[path], now)
        return self._other(begun, now, path, slot)

    def _carry(self, marker: Any, now: Any) -> int:
        self.carried.append((marker, now))
        return len(self.carried) - 1

    def _maybe(self, begun: Piece, now: Any, path: tuple, slot: Slot) -> Any:
        bound, value = self.pieces.bits[1], now
        if type(now) is Maybe:
            bound, value = now.bound, now.value
        index = self._carry(self.entered[path].marker, bound)
        make = self._handed(begun.items[0], value, (*path, "value"), slot)
        return lambda results: Maybe(results[index], make(results))

    def _number(self, entry: Entered, now: Any) -> Any:
        kind = joined(entry.before.type, number_type(now), entry.before.obj, now)
        if kind is None:
            raise Restart(unroll=[self.key])
        if not same_type(kind, entry.before.type):
            self.facts.types[entry.path] = kind
            raise Retype
        index = self._carry(entry.marker, value_of(self.tracer, now, kind))
        sources = sources_of(now) | sources_of(entry.before.obj) | {("loop", self.key)}
        last = number_type(now) if self.never_skipped else kind
        tag = None
        if entry.which is not None:
            found = tag_of(self.tracer, now, kind.kinds)
            if found is None:
                self.facts.flags.add(("untagged", entry.path))
                raise Retype(self.facts)
            tag = self._carry(entry.which, found)
        if type(last) is Open and tag is not None:

            def make(results: list[Any]) -> Any:
                value = self.tracer.cast(results[index], dtype_name(last))
                place = [_same_kind(part, kind.kinds) for part in last.kinds]
                if place == list(range(len(kind.kinds))):
                    self.tracer.tag(value, results[tag], kind.kinds)
                return number_of(self.tracer, value, last, sources)

            return make
        return lambda results: number_of(
            self.tracer, self.tracer.cast(results[index], dtype_name(last)), last, sources
        )

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
            array.storage.frozen = _SHARED
            if storage is not None:
                storage.frozen = _SHARED
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

    def _find_shrinking(self) -> None:
        """Note the arrays that a turn makes shorter; those that it cuts alike share a count."""
        groups: dict[tuple[str, str], int] = {}
        for slot in self.head.changed_slots():
            begun, now = self.begun.get(slot.key), slot.get()
            if begun is None or slot.key in self.facts.shrinks or not _is_cut(begun.obj, now):
                continue
            if not is_nonnegative(self.tracer, begun.obj.shape[0] - now.shape[0]):
                continue
            sizes = str(graph_dim(begun.obj.shape[0])), str(graph_dim(now.shape[0]))
            self.facts.shrinks[slot.key] = groups.setdefault(sizes, len(groups))
            self.facts.detached.add(slot.key)
        if groups:
            raise Retype

    def _find_rebound(self) -> None:
        """Note, all at once since they may change places, the names that a turn binds to arrays."""
        found = False
        for slot in self.head.changed_slots():
            begun, now = self.begun.get(slot.key), slot.get()
            if begun is None or begun.kind != "object" or type(begun.obj) is not TracedArray:
                continue
            if type(now) is TracedArray and not now.same_place(begun.obj):
                self.facts.detached.add(slot.key)
                found = True
        if found:
            raise Retype

    def _shrunk(self, entry: Entered, now: TracedArray) -> Any:
        """An array that gets shorter: its entries go to the beginning of the longer one."""
        tracer, group = self.tracer, self.facts.shrinks[entry.path]
        text = str(graph_dim(now.shape[0]))
        count, most = self.counts[group]
        if group not in self.counted:
            self.counted[group] = text, self._carry(count, integer(tracer, now.shape[0]))
        if self.counted[group][0] != text or now.dtype != entry.before.obj.dtype:
            raise Restart(unroll=[self.key])
        view = _beginning(now.shape[0], now.shape[1:])
        index = self._carry(entry.marker, view.write(tracer, entry.marker, now.value))
        size = self.counted[group][1]
        return lambda results: self._shortened(results[index], results[size], most)

    def _other(self, begun: Piece, now: Any, path: tuple, slot: Slot) -> Any:
        """What is no number, or was none before."""
        if type(begun.obj) is TracedArray and type(now) is TracedArray and begun.kind == "object":
            if now.same_place(begun.obj):
                return lambda results: begun.obj
            self.facts.detached.add(path)  # in a sequence
            raise Retype
        if begun.obj is UNBOUND and path not in self.facts.fills:
            piece = self.pieces.of(now, path)
            if piece.kind in ("number", "array", "maybe", "sequence"):
                self.facts.fills[path] = piece
                raise Retype
        raise Restart(unroll=[self.key])

    # After

    def _bind(self, makers: dict, written: list, results: list) -> None:
        tracer, own = self.tracer, self.frame.environment
        self.head.restore()
        self.head.retire()
        for storage, value in zip(written, results, strict=False):
            storage.put(tracer, value)
            storage.known, storage.written = None, True
        for name in self.assigned:
            if name not in self.needed and name not in self.left:
                self.head.find(own, name).clear()
        for slot, make in makers.values():
            obj = make(results)
            if slot.name in FLAGS and obj is False:
                slot.clear()
            elif obj is not UNBOUND:
                slot.put(obj)


def _is_cut(before: Any, now: Any) -> bool:
    """Whether an array is like another one but for a first axis whose size depends on data."""
    if type(before) is not TracedArray or type(now) is not TracedArray or not now.ndim:
        return False
    if before.ndim != now.ndim or before.dtype != now.dtype:
        return False
    return is_dynamic(now.shape[0]) and same_dims(before.shape[1:], now.shape[1:])


def _beginning(size: Any, rest: tuple) -> SliceView:
    sizes = [size, *rest]
    return SliceView([0] * len(sizes), sizes, [1] * len(sizes))


def _same_kind(kind: Any, kinds: list[Any]) -> int | None:
    return next((k for k, other in enumerate(kinds) if same_type(kind, other)), None)


def _is_like(now: Any, begun: Piece) -> bool:
    return type(now) is type(begun.obj) and len(now) == len(begun.items)


_SHARED = (
    "writing to an array that several names share in some turns of a loop only",
    "copy the array where the name is bound: y = x.copy()",
)
