"""One attempt at a branch: both sides are captured from one state, and joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnsupportedError
from ..signals import let_out
from ..traced.array import TracedArray
from ..traced.memory import storages_of
from ..traced.undecided import UNBOUND
from .additions import Added, Additions
from .contents import reached
from .growing import ask_to_grow, site_of
from .jumps import FLAGS, HIDDEN, RESULT
from .kept import copied
from .pieces import Piece, Pieces
from .plan import names_text, note_at
from .raising import LeftToNumpy, raise_unless, text_with_numbers, why_left
from .references import References, references_of
from .state import Facts, Slot, State

_TOLD = ("if", "unless", "case", "choose")  # branches that the user has written


class Side:
    """What one side of a branch has done.

    Attributes
    ----------
    error : Exception or None
        What it raised.
    pieces : dict
        By slot key, of the variables that it changed and that are read afterwards.
    storages : dict
        The values of the storages that it wrote.
    added : dict
        What it has added to open lists and dicts from outside.
    references : References
        Which paths lead to each memory at its end.
    result : Piece or None
        Of the value of the side, where it has raised nothing.
    slots : dict
        By key, all the variables that it changed, also those that nobody reads afterwards.
    frozen : dict
        Why storages can't be written at its end.
    live : names or None
        Where it ends by a jump: those of the function's own variables that may be read after that.
    checks : bool
        Whether the program may raise on that side before it comes to the error.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.checks = False
        self.live: frozenset[str] | None = None
        self.result: Piece | None = None
        self.slots: dict[Any, Slot] = {}
        self.pieces: dict[Any, Piece] = {}
        self.storages: dict[Any, Any] = {}
        self.frozen: dict[Any, Any] = {}
        self.added: dict[int, Added] = {}
        self.references = References([])


class Branch:
    """One attempt at a branch.

    Both sides begin with the state in which this object is made. Afterwards names and memory are
    what the program has on the side that it takes; where a side raises, the program raises on that
    side and what follows is captured as the other side alone.

    Parameters
    ----------
    live : names or None
        The function's own variables that are read afterwards; None for all.
    key : tuple
        The step of the path; the first part is ``"choose"`` for an expression.
    place : tuple
        Where it is in the user's code.
    """

    def __init__(
        self, frame: Any, condition: Any, facts: Facts, live: Any, key: tuple, place: tuple
    ) -> None:
        self.frame, self.condition = frame, condition
        self.tracer, self.graph = frame.tracer, frame.tracer.graph
        self.head = State(self.tracer)
        self.live = None if live is None else {*live, *HIDDEN}
        self.pieces = Pieces(self.tracer, facts, self.head)
        self.pieces.condition = lambda values: condition
        self.pieces.places = frame.interpreter.fork_places()
        self.pieces.branch = frame.interpreter.plain_path()
        self.place, self.is_told = place, key[0] in _TOLD
        self.additions = Additions(self.head, self.pieces)
        is_statement = key[0] != "choose"
        own = self.head.keys(frame.environment)
        self.pieces.may_move = lambda path: is_statement and path[:2] in own

    def run(
        self, then: Callable, otherwise: Callable, raises: tuple[bool, bool] = (False, False)
    ) -> Any:
        """Capture both sides and what follows from them.

        Parameters
        ----------
        raises : two bools
            Whether the sides end by raising: one that can't be captured is left to NumPy then, as
            is one that warns; others are if nothing else helps (`Choices.leaves_paths`).

        Raises
        ------
        Retype
        """
        depth = self.tracer.depth
        self.graph.begin_if(self.condition)
        try:
            first = self._side(then, True, raises[0])
            if first.error is None:
                self.graph.begin_else()
                second = self._side(otherwise, False, raises[1])
                if second.error is None:
                    self.tracer.open_region()  # what joins them is made inside of the second side
                    makers, written = self._joined(first, second)
                    values = self.graph.end_if(self.pieces.pairs)
                    self.tracer.close_region()
                    self.tracer.count_values(len(values))
        except BaseException:
            self._abandon(depth)
            raise
        if first.error is None and second.error is None:
            names = [slot.name for slot, make in makers.values() if slot is not None and make]
            joined = names_text(names)
            if joined and self.is_told:
                text = f"both sides, joined behind them: {joined}"
                note_at(self.tracer, *self.place[:2], text)
            return self._bind(makers, written, values, {**first.frozen, **second.frozen})
        self._abandon(depth)
        if first.error is not None:
            self._raise(self.condition, first, then)
            return otherwise()
        self._raise(self.frame.negated(self.condition), second, otherwise)
        return then()

    def _raise(self, condition: Any, side: Side, work: Callable) -> None:
        """Stop the program where a side that has raised is taken, after what it did before.

        Raises
        ------
        Restart
            Where the function itself sees what is raised: both sides are captured apart.
        """
        if type(side.error) is not LeftToNumpy:
            self.frame.interpreter.split_for(side.error, self.pieces.places)
        writes = any(storage.leaf is not None for storage in side.storages)
        is_plain = not side.checks and not writes and text_with_numbers(side.error) is None
        if is_plain or why_left(self.tracer, side.error):  # which puts back what has been written
            raise_unless(self.tracer, self.frame.negated(condition), side.error)
            return
        depth, bits = self.tracer.depth, self.pieces.bits
        self.graph.begin_if(condition)
        self.tracer.open_region()
        try:
            with self.frame.interpreter.raises_next():
                error = self._until_error(work)
            written = self.head.written()
            raise_unless(self.tracer, bits[0], error)
            pairs = [(storage.value, old) for storage, old in written]
            self.head.restore()
            self.graph.begin_else()
            values = self.graph.end_if(pairs)
        except BaseException:
            self._abandon(depth)
            raise
        self.tracer.close_regions(depth)
        self.head.retire()
        for (storage, _), value in zip(written, values, strict=True):
            storage.put(value, written=True)

    def _until_error(self, work: Callable) -> Exception:
        """Carry out a side that raises, as it did before; what it raises."""
        try:
            work()
        except UnsupportedError:
            raise
        except Exception as error:
            let_out(error)
            return error.with_traceback(None)
        self.tracer.fail("an exception that is raised in one attempt to capture it only")

    def _abandon(self, depth: int) -> None:
        self.tracer.close_regions(depth)
        self.graph.discard()
        self.head.discard()
        self.frame.interpreter.forget_steps()
        self.frame.interpreter.forget_targets()

    def _side(self, work: Callable, holds: bool, raises: bool) -> Side:
        side = Side()
        tracer, assumed, failure = self.tracer, self.tracer.assumed, self.tracer.failure
        tracer.open_region()
        tracer.assumed = [*assumed, *tracer.claimed(self.condition, holds)]
        checks = tracer.checks
        try:
            with self.frame.interpreter.raises_next(raises):
                result = work()
        except UnsupportedError as refusal:
            if not raises and not refusal.is_rare:
                self._leave(refusal)
            tracer.failure = failure
            side.error = LeftToNumpy(refusal)
        except Exception as error:
            if not self.frame.interpreter.may_raise(error):
                raise
            side.error = error.with_traceback(None)
            side.checks = tracer.checks > checks
            self._note_storages(side)
        else:
            self._note(side, result)
        finally:
            tracer.assumed = assumed
        self.head.restore()
        tracer.close_region()
        return side

    def _leave(self, refusal: UnsupportedError) -> None:
        """Leave a side to NumPy that can't be captured, if that is what this attempt does.

        Raises
        ------
        UnsupportedError
        """
        if not self.tracer.choices.leaves_paths:
            refusal.is_on_path = True
            raise refusal
        self.tracer.leaves_paths = True
        note = f"{refusal.file}:{refusal.line}: calls that come here run in NumPy: {refusal.reason}"
        if note not in self.tracer.notes:
            self.tracer.notes.append(note)

    def _note(self, side: Side, result: Any) -> None:
        """What a side has changed, as graph values of its region."""
        side.live = self.frame.live_behind_jump()
        items, changed = self._changed_items(side, result)
        if changed:
            ask_to_grow(site_of(self.head.environments, obj) for obj in changed)
            self._give_copies(side, result, changed)
            items, changed = self._changed_items(side, result)
        if changed:
            self.tracer.fail(
                "changing a list, a dict or an object where a condition on data holds",
                "use arrays, or np.where",
            )
        side.added = self.additions.of_side()
        side.result = self.pieces.of(result, ("result",))
        for slot in (*self.head.changed_slots(), *items):
            side.slots[slot.key] = slot
            if self._is_live(slot):
                side.pieces[slot.key] = self._piece(slot, slot.get())
        self._note_storages(side)
        self._note_written(side)
        slots = filter(self._is_live, self.head.slots())
        held = self.frame.interpreter.held
        side.references = references_of(slots, held, {("result",): result})

    def _changed_items(self, side: Side, result: Any) -> tuple[list, list]:
        """What of lists and dicts is another one after a side, and those that have other keys."""
        found = self.head.changed_containers()
        if not found:
            return [], []
        is_open = {id(outer.obj) for outer in self.tracer.containers if outer.is_open}
        seen = self._reached(side, result)
        found = [obj for obj in found if id(obj) in seen and id(obj) not in is_open]
        return self.head.changed_items(found)

    def _reached(self, side: Side, result: Any, without: Any = None) -> dict[int, Any]:
        """What can be reached after a side by other variables than one, by identity."""
        slots = [slot for slot in self.head.slots() if self._is_live(slot)]
        read = [slot for slot in slots if slot.key != without and self._is_read(slot, side)]
        roots = [result, *self.frame.interpreter.held, *(slot.get() for slot in read)]
        roots += [outer.obj for outer in self.tracer.containers]
        found = reached((((), root) for root in roots), paths=False)
        return {id(obj): obj for _, obj in found}

    def _give_copies(self, side: Side, result: Any, changed: list[Any]) -> None:
        """Have the function give back copies of lists and dicts that nobody else has by then."""
        slots = [slot for slot in self.head.slots() if slot.name == RESULT]
        slot = next((s for s in slots if s.environment is self.frame.environment), None)
        if slot is None or side.live is None:
            return
        seen = self._reached(side, result, slot.key)
        own = [obj for obj in changed if type(obj) in (list, dict) and id(obj) not in seen]
        if own:
            slot.put(copied(slot.get(), own))

    def _note_storages(self, side: Side) -> None:
        side.storages = {storage: storage.value for storage, _ in self.head.written()}
        side.frozen = self.head.frozen()

    def _note_written(self, side: Side) -> None:
        """The arrays that have new elements under an old name, which the other side may rebind."""
        for slot in self.head.slots():
            obj = slot.get()
            storages = storages_of(obj) if type(obj) is TracedArray else ()
            written = any(storage in side.storages for storage in storages)
            if written and slot.key not in side.pieces and self._is_live(slot):
                side.pieces[slot.key] = self._piece(slot, obj)

    def _piece(self, slot: Slot, obj: Any) -> Piece:
        return self.pieces.of(False if slot.name in FLAGS and obj is UNBOUND else obj, slot.key)

    def _is_live(self, slot: Slot) -> bool:
        own = slot.environment is self.frame.environment
        return self.live is None or not own or slot.name in self.live

    def _is_read(self, slot: Slot, side: Side) -> bool:
        """Whether what a variable is after a side may be read."""
        own = slot.environment is self.frame.environment
        return side.live is None or not own or slot.name in HIDDEN or slot.name in side.live

    def _joined(self, first: Side, second: Side) -> tuple[dict, list]:
        """Makers of what is bound afterwards, by slot, and the storages that were written."""
        makers: dict[Any, Any] = {}
        self.pieces.references = first.references, second.references
        self.additions.join(first.added, second.added)
        for key, slot in {**first.slots, **second.slots}.items():
            makers[key] = (slot, None)
            if self._is_live(slot):
                head = None
                sides = []
                for side in (first, second):
                    piece = side.pieces.get(key)
                    if not self._is_read(slot, side):
                        piece = Piece("absent", UNBOUND)
                    elif piece is None:
                        head = piece = head or self._piece(slot, self.head.before(slot))
                    sides.append(piece)
                bound = slot.name == RESULT or not all(
                    self._is_read(slot, side) for side in (first, second)
                )
                makers[key] = slot, self.pieces.joined(*sides, key, bound)
        makers["result"] = None, self.pieces.joined(first.result, second.result, ("result",))
        written = list(dict.fromkeys((*first.storages, *second.storages)))
        places = []
        for storage in written:
            sides = [side.storages.get(storage, storage.value) for side in (first, second)]
            places.append((storage, self.pieces.pair(*sides)))
        return makers, places

    def _bind(self, makers: dict, written: list, values: list, frozen: dict) -> Any:
        self.head.retire()
        for storage, index in written:
            storage.put(values[index], written=True)
        for storage, reason in frozen.items():
            storage.frozen = reason
        self.additions.bind(values)
        _, result = makers.pop("result")
        for slot, make in makers.values():
            slot.clear()
            obj = UNBOUND if make is None else make(values)
            if obj is not UNBOUND and not (slot.name in FLAGS and obj is False):
                slot.put(obj)
        return result(values)
