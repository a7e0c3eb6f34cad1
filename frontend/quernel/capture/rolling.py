"""What the turns of a rolled loop hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .array import TracedArray, fresh
from .carried import CarriedArrays, Entered
from .environment import UNBOUND, Maybe
from .numbers import SymbolicSize
from .open_types import Open, joined, same_type
from .pieces import Piece, Pieces, plain_path
from .places import storages_of
from .scalars import dtype_name, number_of, number_type, sources_of, value_of
from .scopes import assigned
from .shrinking import ShrinkingArrays
from .state import Retype, Slot, State
from .statements import BROKE, CONTINUED, FLAGS, RESULT, RETURNED
from .tags import tag_of
from .tracer import Restart
from .views import graph_dim

_JUMPS = (BROKE, RETURNED)


class Rolled(CarriedArrays, ShrinkingArrays):
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
        except BaseException as error:
            self.tracer.close_regions(depth)
            if self._opened:
                self.graph.discard()
            self.head.restore()
            self.head.retire()
            self.frame.interpreter.forget_steps()
            is_numpys = isinstance(error, TypeError) and type(error) is not TypeError
            if is_numpys and not self.never_skipped:
                self.tracer.fail(f"an error of NumPy's in a turn that there may not be: {error}")
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

    def _enter_tag(self, entry: Entered) -> None:
        """Let the turns hand on which of its types a number has, where that is known before."""
        kinds = entry.before.type.kinds
        tag = tag_of(self.tracer, entry.before.obj, kinds)
        if tag is not None and ("untagged", entry.path) not in self.facts.flags:
            entry.which = self.graph.enter(tag)
            self.tracer.tag(entry.marker, entry.which, kinds)

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


def _same_kind(kind: Any, kinds: list[Any]) -> int | None:
    return next((k for k, other in enumerate(kinds) if same_type(kind, other)), None)


def _is_like(now: Any, begun: Piece) -> bool:
    return type(now) is type(begun.obj) and len(now) == len(begun.items)
