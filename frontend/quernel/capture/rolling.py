"""What the turns of a rolled loop hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .array import TracedArray, fresh
from .environment import UNBOUND, Maybe
from .numbers import SymbolicNumber, SymbolicSize
from .pieces import Piece, Pieces
from .scalars import joined, number_of, number_type, sources_of, value_of
from .scopes import assigned
from .state import Retype, Slot, State
from .statements import BROKE, CONTINUED, FLAGS, RESULT, RETURNED
from .tracer import Restart
from .views import graph_dim, same_dims

_JUMPS = (BROKE, RETURNED)


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
    """

    __slots__ = ("path", "before", "marker", "obj")

    def __init__(self, path: tuple, before: Piece) -> None:
        self.path, self.before = path, before
        self.marker: Any = None
        self.obj: Any = None


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
        self.assigned = assigned(parts) & frame.environment.scope.own
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
        tracer = self.tracer
        self.head = State(tracer)
        self.pieces = Pieces(tracer, self.facts, self.head)
        self.bits = [tracer.constant(np.bool_(bit)) for bit in (False, True)]
        liveness, own = self.frame.liveness, self.frame.environment
        needed = liveness.head.get(self.node, frozenset()) | liveness.after.get(
            self.node, frozenset()
        )
        names = self.assigned & needed
        slots = [self.head.find(own, name) for name in sorted(names)]
        slots += [slot for slot in self.head.slots() if slot.key in self.facts.extra]
        slots += self._filled_slots({slot.key for slot in slots})
        self.slots = {slot.key: slot for slot in slots}
        self.begun = {key: self._before(slot) for key, slot in self.slots.items()}
        for name in self.jumps():
            slot = self.head.find(own, name)
            self.slots[slot.key] = slot
            self.begun[slot.key] = Piece("number", False, bool, self.bits[0])

    def jumps(self) -> list[str]:
        """The jumps that leave the loop in some turn."""
        return [name for name in _JUMPS if ("jump", name) in self.facts.flags]

    def _filled_slots(self, known: set) -> Iterator[Slot]:
        own = self.frame.environment
        index = next(k for k, (env, _) in enumerate(self.head.environments) if env is own)
        for key in self.facts.fills:
            if key not in known and key[0] == index and len(key) == 2:
                yield Slot(own, key[1], key)

    def _before(self, slot: Slot) -> Piece:
        fill = self.facts.fills.get(slot.key)
        if fill is not None:
            return self.pieces.filled(fill)
        return self._piece(self.head.before(slot), slot.key)

    def _piece(self, obj: Any, path: tuple) -> Piece:
        """The piece of what is bound before the loop; arrays only where a turn rebinds them."""
        if type(obj) in (tuple, list):
            piece = Piece("sequence", obj)
            piece.items = [self._piece(item, (*path, k)) for k, item in enumerate(obj)]
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
        try:
            yield
        except BaseException:
            self.tracer.close_regions(depth)
            if self._opened:
                self.graph.discard()
            self.head.restore()
            self.head.retire()
            raise
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
            storage.put(self.tracer, marker)
            if ("forget", position) in self.facts.flags:
                storage.known = None
        self.turned = None if self.never_skipped else self.graph.enter(self.bits[0])
        self.entered: dict[tuple, Entered] = {}
        for key, piece in self.begun.items():
            slot = self.slots[key]
            obj = self._entered(piece, key)
            if obj is not UNBOUND:
                slot.put(obj)

    def _entered(self, piece: Piece, path: tuple) -> Any:
        if piece.kind == "sequence":
            items = [self._entered(item, (*path, k)) for k, item in enumerate(piece.items)]
            if all(a is b for a, b in zip(items, piece.obj, strict=True)):
                return piece.obj
            return type(piece.obj)(items)
        if piece.kind == "object":
            return piece.obj
        entry = self.entered[path] = Entered(path, piece)
        entry.marker = self.graph.enter(piece.value)
        if piece.kind == "array":
            entry.obj = fresh(self.tracer, entry.marker)
            if self._is_shared(piece.obj) or ("view", path) in self.facts.flags:
                entry.obj.storage.frozen = _SHARED
        else:
            sources = sources_of(piece.obj) | {("loop", self.key)}
            entry.obj = number_of(self.tracer, entry.marker, piece.type, sources)
        return entry.obj

    def _is_shared(self, array: TracedArray) -> bool:
        """Whether something else than one name may see what is written to an array."""
        storage = array.storage
        if storage.leaf is not None or array.views:
            return True
        count = sum(_holds(self.head.before(slot), storage) for slot in self.head.slots())
        return count + sum(_holds(content, storage) for _, content in self.head.containers) > 1

    # Conditions of while loops

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
        written = self._written()
        carried = [(self.markers[storage], storage.value) for storage in written]
        makers = {slot.key: (slot, self._carried(slot, carried)) for slot in self._changed()}
        flag = None
        if (
            any(slot.key in self.facts.fills for slot, _ in makers.values())
            and not self.never_skipped
        ):
            flag = len(carried)
            carried.append((self.turned, self.bits[1]))
        frozen = {s: s.frozen for s in self.head.storages if s.frozen[0]}
        results = finish([*carried, *self.extra])
        self._opened = False
        self._bind(makers, written, results, flag)
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
        after = self.frame.liveness.after.get(self.node, frozenset())
        head = self.frame.liveness.head.get(self.node, frozenset())
        changed = []
        for slot in self.head.changed_slots():
            hidden = slot.name in FLAGS or slot.name == RESULT
            if slot.environment is own and not hidden and slot.name not in after | head:
                continue
            if slot.key not in self.slots:
                if slot.environment is not own:
                    self.facts.extra.add(slot.key)
                else:
                    self._fill(slot)
                raise Retype
            changed.append(slot)
        return changed

    def _fill(self, slot: Slot) -> None:
        """Begin with zeros, next time, what is bound in the turns only."""
        obj = slot.get()
        if type(obj) is TracedArray and not self.head.knows(obj.shape):
            raise Restart(unroll=[self.key])
        if obj is not UNBOUND:
            self.facts.fills[slot.key] = self.pieces.of(obj, slot.key)

    def _carried(self, slot: Slot, carried: list) -> Any:
        """A function of the loop's results that makes what the slot is bound to after it."""
        return self._handed(self.begun[slot.key], slot.get(), slot.key, slot, carried)

    def _handed(self, begun: Piece, now: Any, path: tuple, slot: Slot, carried: list) -> Any:
        entry = self.entered.get(path)
        if (
            begun.kind == "sequence"
            and type(now) is type(begun.obj)
            and len(now) == len(begun.items)
        ):
            makers = [
                self._handed(piece, item, (*path, k), slot, carried)
                for k, (piece, item) in enumerate(zip(begun.items, now, strict=True))
            ]
            return lambda results: type(now)(make(results) for make in makers)
        if entry is not None and now is entry.obj:
            return lambda results: begun.obj
        if entry is None and now is begun.obj:
            return lambda results: now
        if entry is not None and begun.kind == "number" and number_type(now) is not None:
            return self._number(entry, now, carried)
        if entry is not None and begun.kind == "array" and type(now) is TracedArray:
            return self._array(entry, now, slot, carried)
        return self._other(begun, now, path, slot)

    def _number(self, entry: Entered, now: Any, carried: list) -> Any:
        kind = joined(entry.before.type, number_type(now))
        if kind != entry.before.type:
            self.facts.types[entry.path] = kind
            raise Retype
        index = len(carried)
        carried.append((entry.marker, value_of(self.tracer, now, kind)))
        sources = sources_of(now) | sources_of(entry.before.obj) | {("loop", self.key)}
        return lambda results: number_of(self.tracer, results[index], kind, sources)

    def _array(self, entry: Entered, now: TracedArray, slot: Slot, carried: list) -> Any:
        head = entry.obj
        if now.same_place(head) and now.storage.value is entry.marker:
            return lambda results: entry.before.obj
        if now.dtype != head.dtype or not same_dims(now.shape, head.shape) or now.is_scalar:
            self._refuse(slot)
        if now.storage in self.head.storages:
            self._check_view(entry, now, slot)
        index = len(carried)
        carried.append((entry.marker, now.value))
        old = entry.before.obj
        kept = [old] if self._is_shared(old) else []
        kept += [now] if now.storage in self.head.storages else []
        return lambda results: self.pieces.chosen(results[index], *kept)

    def _check_view(self, entry: Entered, now: TracedArray, slot: Slot) -> None:
        """A name bound to a part of an older array: right as a copy while nobody writes there."""
        if now.storage.value is not self.markers[now.storage]:
            self._refuse(slot)
        if ("view", entry.path) not in self.facts.flags:
            self.facts.flags.add(("view", entry.path))
            raise Retype

    def _other(self, begun: Piece, now: Any, path: tuple, slot: Slot) -> Any:
        """What is no number, or was none before."""
        if type(begun.obj) is TracedArray and type(now) is TracedArray and begun.kind == "object":
            if now.same_place(begun.obj):
                return lambda results: begun.obj
            self.facts.detached.add(path)
            raise Retype
        in_body = slot.name in self.frame.liveness.head.get(self.node, frozenset())
        if not in_body and slot.key not in self.facts.fills:
            self._fill(slot)
            raise Retype
        if begun.obj is UNBOUND and slot.key not in self.facts.fills:
            self._fill(slot)
            raise Retype
        raise Restart(unroll=[self.key])

    def _refuse(self, slot: Slot) -> None:
        """Give up carrying an array whose shape or dtype changes, or that others see changing."""
        in_body = slot.name in self.frame.liveness.head.get(self.node, frozenset())
        if not in_body and slot.key not in self.facts.fills:
            self._fill(slot)
            raise Retype
        raise Restart(unroll=[self.key])

    # After

    def _bind(self, makers: dict, written: list, results: list, flag: int | None) -> None:
        tracer, own = self.tracer, self.frame.environment
        self.head.restore()
        self.head.retire()
        for storage, value in zip(written, results, strict=False):
            storage.put(tracer, value)
            storage.known, storage.written = None, True
        for name in self.assigned:
            slot = self.head.find(own, name)
            if slot.key not in makers and self._is_over(name):
                slot.clear()
        for key, (slot, make) in makers.items():
            obj = make(results)
            if flag is not None and key in self.facts.fills and slot.name != RESULT:
                obj = Maybe(results[flag], obj)
            self._put(slot, obj)

    def _is_over(self, name: str) -> bool:
        """Whether nobody needs a name any more that the turns bind."""
        liveness = self.frame.liveness
        return name not in liveness.after.get(self.node, ()) and name not in liveness.head.get(
            self.node, ()
        )

    def _put(self, slot: Slot, obj: Any) -> None:
        if slot.name in FLAGS and type(obj) is bool and not obj:
            slot.clear()
        elif type(obj) is SymbolicNumber or obj is not UNBOUND:
            slot.put(obj)


def _holds(obj: Any, storage: Any) -> int:
    if type(obj) is TracedArray:
        return int(obj.storage is storage)
    if type(obj) in (tuple, list):
        return sum(_holds(item, storage) for item in obj)
    return 0


_SHARED = (
    "writing to an array that a name is bound to in the first turn of a loop only",
    "copy the array before the loop: y = x.copy()",
)
