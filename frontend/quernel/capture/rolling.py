"""Rolled loops: one turn is captured, from what stands for what the turn before has left."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from ..traced.array import TracedArray
from ..traced.numbers import SymbolicSize, graph_dim
from ..traced.objects import begin_turn
from ..traced.restarts import Restart, Unsafe
from ..traced.storage import Taken
from ..traced.undecided import UNBOUND, Maybe
from .arrangements import Arrangements
from .carried import CarriedArrays, Entered
from .contents import reached
from .expressions import is_harmless
from .growing import ask_to_grow, site_of
from .handed import HandedValues
from .jumps import CONTINUED, FLAGS, HIDDEN, JUMPS, RESULT, ways_out
from .list_rooms import begin_with_wanted
from .peeling import places_of
from .pieces import Piece, Pieces
from .plan import kind_text, names_text, note
from .resizing import ArraysOfManySizes
from .scopes import assigned, computed_from_themselves
from .sorts import Sorts
from .state import Item, Retype, Slot, State

# Of a loop's text: the names that it binds, those that it computes from themselves, and how it is
# left. A copy of the loop, of which something has been rewritten, has another text.
_SEEN: weakref.WeakKeyDictionary[ast.AST, tuple[set, set, set]] = weakref.WeakKeyDictionary()
_MOST_ITEMS = 64  # of lists and dicts that a loop hands on one by one


class Rolled(HandedValues, CarriedArrays, ArraysOfManySizes, Sorts, Arrangements):
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
        if node not in _SEEN:
            _SEEN[node] = assigned(parts), computed_from_themselves(parts), ways_out(node)
        self.assigned, self._computed = (x & frame.environment.scope.own for x in _SEEN[node][:2])
        self._foresee_jumps(_SEEN[node][2])
        self.never_skipped = self.by_condition = self.has_table = False
        self.count: Any = None  # of turns, at most, where that is known
        self.extra: list[tuple[Any, Any]] = []

    def is_nonnegative(self, size: Any) -> bool:
        """Whether a size is never less than 0."""
        if type(size) is SymbolicSize:
            return self.graph.nonnegative(size.dim)
        return size >= 0

    # Before

    def prepare(self) -> None:
        """Make the graph values that the first turn begins with."""
        if self.facts.sorts:
            self.fill_sorts()
        self.head = State(self.tracer)
        self.pieces = Pieces(self.tracer, self.facts, self.head)
        self.pieces.places, self.pieces.leaves_turns = places_of(self.key), True
        own = self.frame.environment
        places = self.head.keys(own)
        self.pieces.may_move = lambda path: path[:2] in places
        self.before = self._references()
        self.watched: dict[Any, list[tuple]] = {}
        slots = [self.head.find(own, name) for name in sorted(self.assigned & self.needed)]
        extra = [self.head.slot(key) for key in sorted(self.facts.extra, key=repr)]
        slots += [slot for slot in extra if slot is not None]
        self.head.items = [slot for slot in slots if type(slot) is Item]
        slots += [self.head.find(own, name) for name in self.jumps()]
        parts = {path[:2] for path in self.facts.views}  # they are parts of what others have
        slots.sort(key=lambda slot: slot.key in parts)
        self.slots = {slot.key: slot for slot in slots}
        self._foresee()
        self.begun = {key: self._before(slot) for key, slot in self.slots.items()}
        self.head.note_storages()
        self._make_rooms()
        late = [self.head.find(own, name) for name in sorted(self.assigned & self.left)]
        self.late = {
            slot.key: self.pieces.of(self.head.before(slot), slot.key)
            for slot in late
            if slot.key not in self.slots
        }

    def _foresee_jumps(self, ways: set[str]) -> None:
        """Begin with the jumps of the loop's text; `_check_jumps` sees whether there are any."""
        for name in ways:
            if ("foreseen", name) not in self.facts.flags:
                self.facts.flags |= {("foreseen", name), ("unsure", name), ("jump", name)}

    def _foresee(self) -> None:
        """Note the arrays that each turn makes anew from what they were, as `x = x * y` does."""
        for name in self._computed & self.needed:
            slot = self.slots.get(self.head.find(self.frame.environment, name).key)
            if slot is not None and type(slot.get()) is TracedArray:
                self.facts.detached.add(slot.key)
                self.facts.flags.add(("own", slot.key))

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
        return [name for name in JUMPS if ("jump", name) in self.facts.flags]

    # At the head of a turn

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is built inside belongs to the loop; it is forgotten where it fails."""
        depth = self.depth = self.tracer.depth
        turn = self.tracer.turn
        self._opened = False
        self.tracer.watched.append({})
        self.frame.interpreter.rolled.append(self)
        try:
            yield
        except BaseException:
            self.tracer.close_regions(depth)
            if self._opened:
                self.graph.discard()
            self.head.discard()
            self.frame.interpreter.forget_steps()
            raise
        finally:
            self.tracer.turn = turn
            self.tracer.watched.pop()
            self.frame.interpreter.rolled.pop()
        self.tracer.close_regions(depth)

    def again_with_checks(self) -> NoReturn:
        """Have the loop captured again: its checks have to know what its turns write to."""
        raise Retype(self.facts)

    def begin_for(self, lower: Any, upper: Any, name: str) -> Any:
        """Open the loop; its counter."""
        self.tracer.loops += 1
        counter = self.graph.begin_for(graph_dim(lower), graph_dim(upper), 1, name)
        self._opened = True
        return counter

    def begin_while(self) -> None:
        """Open the loop and its condition."""
        self.tracer.loops += 1
        self.graph.begin_while()
        self._opened = self.by_condition = True

    def enter(self) -> None:
        """Let names and memory stand for what the turn before has left."""
        self.tracer.open_region()
        self.tracer.is_assigned |= ("assigned",) in self.facts.flags
        self._was_assigned, self._checks = self.tracer.is_assigned, self.tracer.checks
        flags = self.facts.flags
        self.taken = Taken(self.tracer, lambda storage: ("forget", storage.number) in flags)
        self.head.taken = self.taken
        self.entered: dict[tuple, Entered] = {}
        for key, piece in self.begun.items():
            slot = self.slots[key]
            obj = self._entered(piece, key)
            if obj is not UNBOUND:
                slot.put(obj)
        self._enter_counts()
        self._enter_resized()
        self.enter_arrangements()

    # Conditions of while loops

    def and_not(self, condition: Any, stop: Any) -> Any:
        """The condition, and that the test of an expression fails.

        Raises
        ------
        Retype
            Where the test has a check, which the turn that isn't there any more may not make.
        """
        tracer, around = self.tracer, self.tracer.speculates
        tracer.speculates = True
        try:
            stops = self.frame.truth(stop)
        except Unsafe:
            self.facts.flags.add(("unsafe",))
            raise Retype(self.facts) from None
        finally:
            tracer.speculates = around
        if isinstance(stops, bool):
            stops = tracer.constant(np.bool_(stops))
        return tracer.op("logical_and", [condition, self.frame.negated(stops)])

    def while_no_jump(self, condition: Any) -> Any:
        """The condition, and that no turn has left the loop."""
        for entry in self.entered.values():
            if entry.path[1] in JUMPS:
                stays = self.frame.negated(entry.marker)
                condition = self.tracer.op("logical_and", [stays, condition])
        return condition

    def begin_condition(self) -> None:
        """Note what names are bound to, and what objects hold, before the condition."""
        self._before_condition = None if is_harmless(self.node.test) else State(self.tracer)
        self._perhaps_bound = [
            (environment.values, name, obj)
            for environment in self.tracer.environments.values()
            for name, obj in environment.values.items()
            if type(obj) is Maybe
        ]

    def end_condition(self) -> None:
        """Unroll a loop whose condition changes them: the last time, no turn follows it.

        What a name is bound to once it is known to be bound belongs to the condition: the body
        asks again.
        """
        for values, name, obj in self._perhaps_bound:
            values[name] = obj
        state = self._before_condition
        if state is None:
            return
        if state.changed_slots() or state.changed_containers():
            raise Restart(unroll=[self.key])

    def body(self, condition: Any) -> None:
        """Go from the condition to the body of a while loop."""
        tracer = self.tracer
        if any(map(self.taken.is_changed, self.taken.markers)):
            place = (self.frame.definition.file, self.node.lineno)
            if place not in tracer.choices.conditions and not self.node.orelse:
                raise Restart(conditions=[place])
            tracer.fail("a condition of a loop that writes to an array", "write in the body")
        tracer.put_back = tracer.tick()  # what views have kept was computed in the condition
        self.graph.while_condition(condition)
        tracer.close_regions(tracer.depth - 1)
        tracer.open_region()
        begin_turn(tracer)
        self._enter_references()
        self._enter_resized()
        self.see_arrangement()
        for name in JUMPS:
            self.frame.environment.values.pop(name, None)

    # At the end of a turn

    def end(self, finish: Callable) -> None:
        """Close the loop and bind what it has computed."""
        begin_with_wanted()
        values = self.frame.environment.values
        values.pop(CONTINUED, None)
        self._check_jumps(values)
        if self.tracer.is_assigned and not self._was_assigned and self.tracer.checks > self._checks:
            self.facts.flag(("assigned",))  # by the time of a check of a later turn
        found = self.head.changed_containers()
        if self.has_table and self._runs_over(found):
            raise Restart(unroll=[self.key])  # what comes next is what is there then
        items, changed = self.head.changed_items(found)
        new = {item.key for item in items} - self.slots.keys()
        if new and not changed and len(self.facts.extra | new) <= _MOST_ITEMS:
            self.facts.extra |= new
            raise Retype
        if changed or new:
            changed = changed or [item.owner for item in items]
            sites = [site_of(self.head.environments, obj) for obj in changed]
            ask_to_grow(sites, self.count, self.jumps())
            raise Restart(unroll=[self.key])
        self._find_resized()
        self.find_rebound()
        written = self._written()
        for storage in written:
            self.tracer.check_listed(storage)
        self.carried = [(self.taken.markers[storage], storage.value) for storage in written]
        self.counted: dict[int, tuple[str, int, Any]] = {}
        self.now = self._references()
        self.pieces.references = self.before, self.now
        self.pieces.condition = self._no_turn
        self._none: int | None = None
        makers = self._makers()
        arrange = self.carry_arrangement()
        self.joined_from = len(self.carried)
        self.carried += [(self.graph.enter(first), now) for first, now in self.pieces.pairs]
        frozen = self.head.frozen()
        results = finish([*self.carried, *self.extra])
        self.tracer.count_values(len(results))
        self._opened = False
        self.tracer.close_regions(self.depth)
        self._joined = results[self.joined_from :]
        self._bind(makers, written, results)
        arrange(results)
        for storage, reason in frozen.items():
            storage.frozen = reason
        self._note_plan(written)

    def _note_plan(self, written: list[Any]) -> None:
        how = "by a condition" if self.by_condition else "by its counter"
        begun = {slot.name: self.head.before(slot) for slot in self.slots.values()}
        handed = {slot.name: slot.get() for slot in self.slots.values()}
        texts = [
            f"{name}: {kind_text(value if value is not UNBOUND else begun[name])}"
            for name, value in handed.items()
            if name not in HIDDEN
        ]
        leaves = [x.leaf.path for x in written if x.leaf is not None]
        hands = f"hands on {'; '.join(texts)}" if texts else ""
        writes = f"writes to {names_text(leaves)}" if leaves else ""
        copies = len(self.facts.sorts) + len(self.facts.arrangements) > 0
        again = "captured once for each kind that such a name may have" if copies else ""
        note(self.tracer, self.node, f"a loop of the program, {how}", hands, writes, again)

    def _runs_over(self, changed: list[Any]) -> bool:
        """Whether the loop runs over one of some lists."""
        parts = reached([((), self.frame.interpreter.held[-1])], paths=False)
        return any(part is obj for _, part in parts for obj in changed)

    def _check_jumps(self, values: dict[str, Any]) -> None:
        flags = self.facts.flags
        for name in JUMPS:
            if values.get(name, False) is not False:
                self.facts.flag(("jump", name))
            elif flags >= {("unsure", name), ("jump", name)}:
                flags -= {("unsure", name), ("jump", name)}
                raise Retype(self.facts)
        for name in self.jumps():
            values.setdefault(name, False)

    def _written(self) -> list[Any]:
        """The memory from before the loop that a turn changes, the oldest first."""
        changed = [
            x for x in self.taken.markers if self.taken.is_changed(x) and self.head.is_old(x)
        ]
        for storage in changed:
            if self.taken.knew(storage):
                self.facts.flag(("forget", storage.number))
        return sorted(changed, key=lambda storage: storage.born)

    def _changed(self) -> list[Slot]:
        """The slots that a turn binds, those left out that nobody reads any more."""
        own = self.frame.environment
        changed = []
        others = set()
        for slot in self.head.changed_slots():
            if slot.environment is own:
                if slot.name not in {*HIDDEN, *self.needed, *self.left}:
                    continue
                foreseen = slot.name in HIDDEN or slot.name in self.assigned
            else:
                foreseen = False
            if not foreseen and slot.key not in self.slots:
                others.add(slot.key)  # a function that is called binds it
            changed.append(slot)
        if others:
            self.facts.extra |= others
            raise Retype
        return changed

    def _makers(self) -> dict[Any, tuple]:
        """What binds each slot after the loop.

        Raises
        ------
        Retype
            With the facts of all the slots noted, so that few attempts are needed.
        """
        makers: dict[Any, tuple] = {}
        self.again: Retype | None = None
        self._pooled: dict[tuple, TracedArray] = {}
        for slot in self._changed():
            try:
                makers[slot.key] = slot, self._carried(slot)
            except Retype as retype:
                if not retype.concerns(self.facts):
                    raise
                self.again = retype
            except Restart:
                if self.again is None:
                    raise
        if self.again is None:
            self._carry_pool()
        if self.again is not None:
            raise self.again
        return makers

    def _carried(self, slot: Slot) -> Any:
        """A function of the loop's results that makes what the slot is bound to after it."""
        if slot.key in self.slots:
            return self._handed(self.begun[slot.key], slot.get(), slot.key)
        return self._last(slot)

    def _carry(self, marker: Any, now: Any) -> int:
        """Hand a value on; its position among the loop's results."""
        self.carried.append((marker, now))
        return len(self.carried) - 1

    def _no_turn(self, results: list[Any]) -> Any:
        """Whether the loop had no turn."""
        return results[self._none]

    def _last(self, slot: Slot) -> Any:
        """The same for a name that no turn reads before it binds it: the last turn's value."""
        self._hand_on_with_others(slot)
        now = self.pieces.of(slot.get(), slot.key)
        before = self.late.get(slot.key, Piece("absent", UNBOUND))
        freeze = []
        if now.kind == "array" and now.place is None and not self.pieces.is_visible(now.obj):
            if not self.head.knows(now.obj.shape):
                raise Restart(unroll=[self.key])
            now, freeze = self._copied(now, slot)
        elif now.has_arrays:
            freeze = self._late_copies(slot)
        if self._none is None:
            self._none = self.pieces.pair(self.pieces.bits[1], self.pieces.bits[0])
        stays = self.never_skipped and (now.kind == "array" or now.is_inside)
        make = self.pieces.kept(1, now) if stays else None
        if make is None:
            before = self.pieces.filled(now) if self.never_skipped else before
            make = self.pieces.joined(before, now, slot.key, slot.name == RESULT)

        def made(results: list[Any]) -> Any:
            obj = make(self._joined)
            array = obj.value if type(obj) is Maybe else obj  # where the loop may have no turn
            if freeze:
                self._frozen(array, freeze)
            return obj

        return made

    # After

    def _bind(self, makers: dict, written: list, results: list) -> None:
        own = self.frame.environment
        last = {key: slot.get() for key, (slot, _) in makers.items()}
        after: dict[int, Any] = {}  # by identity of what the last turn has left, which `last` keeps
        self.head.restore()
        self.head.retire()
        for storage, value in zip(written, results, strict=False):
            storage.put(value, written=True)
        for name in self.assigned:
            if name not in self.needed and name not in self.left:
                self.head.find(own, name).clear()
        for slot, make in makers.values():
            now = last[slot.key]
            obj = after[id(now)] if id(now) in after else make(results)
            if self.never_skipped and type(now) is TracedArray:
                after[id(now)] = obj  # names of one array have one afterwards
            if slot.name in FLAGS and obj is False:
                slot.clear()
            elif obj is not UNBOUND:
                slot.put(obj)
