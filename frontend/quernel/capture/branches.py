"""Branches whose condition only the running program knows: both sides are captured and joined."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import UnsupportedError
from .array import TracedArray
from .environment import UNBOUND, Either
from .numbers import DATA
from .open_types import Open, joined
from .pieces import Piece, Pieces, References, references_in
from .scalars import either_of, number_of, number_type, sources_of, truth, value_of
from .state import Facts, Fork, Retype, Slot, State
from .statements import FLAGS, RESULT

_ATTEMPTS = 32
# What operations on arrays and numbers, and names, raise as in NumPy and Python.
_OF_OPERATIONS = (
    IndexError, KeyError, NameError, OverflowError, UnboundLocalError, ValueError,
    ZeroDivisionError,
)  # fmt: skip
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
HIDDEN = (*FLAGS, RESULT)


def always_jumps(body: list[ast.stmt]) -> bool:
    """Whether statements never go on to what follows them."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return always_jumps(last.body) and always_jumps(last.orelse)
    return isinstance(last, _JUMPS)


class Side:
    """What one side of a branch has done.

    Attributes
    ----------
    error : Exception or None
        What it raised.
    pieces : dict
        By slot key, of the variables that it changed.
    storages : dict
        The values of the storages that it wrote.
    references : dict
        Which paths lead to each memory at its end.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.result: Piece | None = None
        self.slots: dict[Any, Slot] = {}
        self.pieces: dict[Any, Piece] = {}
        self.storages: dict[Any, Any] = {}
        self.frozen: dict[Any, Any] = {}
        self.references: References = {}


class Branches:
    """The part of a frame that branches."""

    def branch(self, node: ast.If, rest: list[ast.stmt]) -> bool:
        """Carry out an `if`; whether the rest of its block was carried out too."""
        self.at(node)
        condition = self.truth(node.test)
        if isinstance(condition, bool):
            self.block(node.body if condition else node.orelse)
            return False
        self.at(node)
        body, orelse = node.body, node.orelse
        takes_rest = bool(rest) and (always_jumps(body) or always_jumps(orelse))
        if takes_rest and always_jumps(body):
            orelse = [*orelse, *rest]
        elif takes_rest:
            body = [*body, *rest]
        last = rest[-1] if takes_rest else node
        self.either(
            ("if", id(node)),
            condition,
            lambda: self.block(body),
            lambda: self.block(orelse),
            self.liveness.passed.get(last),
        )
        return takes_rest

    def _exec_match(self, node: ast.Match) -> None:
        self._cases(node, node.cases, self.evaluate(node.subject))

    def _cases(self, node: ast.Match, cases: list[ast.match_case], subject: Any) -> None:
        if not cases:
            return
        case, *others = cases
        condition = self._matches(case.pattern, subject)
        if condition is True and case.guard is not None:
            condition = self.truth(case.guard)
        elif condition is not False and case.guard is not None:
            self.tracer.fail("a guard of a case that depends on data", "use if and elif")
        if condition is True:
            self.block(case.body)
        elif condition is False:
            self._cases(node, others, subject)
        else:
            self.either(
                ("case", id(case)),
                condition,
                lambda: self.block(case.body),
                lambda: self._cases(node, others, subject),
                self.liveness.passed.get(node),
            )

    def _matches(self, pattern: ast.pattern, subject: Any) -> Any:
        """Whether a pattern fits: a bool, or a zero-dimensional graph value."""
        if isinstance(pattern, ast.MatchValue):
            return truth(self.tracer, subject == self.evaluate(pattern.value))
        if isinstance(pattern, ast.MatchSingleton):
            return subject is pattern.value
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            if pattern.name is not None:
                self.store(pattern.name, subject)
            return True
        if isinstance(pattern, ast.MatchOr):
            conditions = [self._matches(part, subject) for part in pattern.patterns]
            return either_of(self.tracer, conditions)
        self.tracer.fail("a pattern of this kind", "use if and elif")

    def unless(self, jumped: Any, rest: list[ast.stmt]) -> None:
        """Carry statements out where no jump is under way."""
        if not rest:
            return
        values = self.environment.values
        flags = [name for name in FLAGS if values.get(name, False) is not False]

        def go_on() -> None:
            for name in flags:
                self.environment.values.pop(name)
            self.block(rest)

        def stay() -> None:
            if len(flags) == 1:
                self.environment.values[flags[0]] = True

        self.either(
            ("unless", id(rest[0])),
            self.negated(jumped),
            go_on,
            stay,
            self.liveness.passed.get(rest[-1]),
        )

    def choose(
        self, condition: Any, then: Callable, otherwise: Callable, harmless: bool, node: Any
    ) -> Any:
        """The value of one of two expressions."""
        key = self.interpreter.numbered("choose", id(node))
        if harmless:
            decided, places = self.interpreter.choice(key, condition)
            if decided is not None:
                return then() if decided else otherwise()
            first, second = then(), otherwise()
            self.at(node)
            kinds = number_type(first), number_type(second)
            if all(kind is not None for kind in kinds):
                kind = joined(*kinds, first, second)
                if kind is not None:
                    number = self._selected(condition, first, second, kind)
                    if type(kind) is Open:
                        either = Either(condition, first, second, f"is {kind.text()}", places)
                        self.tracer.alternative(number.value, either)
                    return number
        return self.either(key, condition, then, otherwise, None)

    def _selected(self, condition: Any, first: Any, second: Any, kind: Any) -> Any:
        tracer = self.tracer
        values = [value_of(tracer, item, kind) for item in (first, second)]
        value = tracer.op("where", [condition, *values])
        self._combine_claims(value, condition, values)
        return number_of(tracer, value, kind, sources_of(first) | sources_of(second) | {DATA})

    def _combine_claims(self, answer: Any, condition: Any, sides: list[Any]) -> None:
        """What `and` and `or` of two conditions say about sizes."""
        claimed = self.tracer.claimed
        if sides[1] is condition:
            both = [*claimed(condition, True), *claimed(sides[0], True)]
            self.tracer.claim(answer, both, [])
        elif sides[0] is condition:
            neither = [*claimed(condition, False), *claimed(sides[1], False)]
            self.tracer.claim(answer, [], neither)

    def fork(self, point: Fork, body: list[ast.stmt]) -> None:
        """Carry out statements once for each side of a branch that is within the first one."""

        def side(holds: bool) -> Callable[[], None]:
            def work() -> None:
                interpreter = self.interpreter
                interpreter.path.append(("fork", id(body[0]), holds))
                interpreter.decisions[point.path] = holds
                try:
                    self.block(body)
                finally:
                    del interpreter.decisions[point.path]
                    interpreter.path.pop()

            return work

        live = self.liveness.passed.get(body[-1])
        self.either(("split", id(body[0])), point.condition, side(True), side(False), live)

    def either(
        self,
        key: Any,
        condition: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        live: Iterable[str] | None,
    ) -> Any:
        """Carry out one of two sides, as the program decides; the result of that side.

        Parameters
        ----------
        live : names or None
            The function's own variables that are needed afterwards; None for all.
        """
        self.interpreter.path.append(key)
        try:
            decided = self.interpreter.decided(condition)
            if decided is not None:
                return then() if decided else otherwise()
            facts = self.interpreter.facts()
            for _ in range(_ATTEMPTS):
                try:
                    return _Branch(self, condition, facts, live, key).run(then, otherwise)
                except Retype as retype:
                    if not retype.concerns(facts):
                        raise
                    self.interpreter.forget_targets()
            self.tracer.fail("a branch whose sides can't be made to agree")
        finally:
            self.interpreter.path.pop()


def _is_of_operation(error: Exception) -> bool:
    """Whether NumPy or Python raises an error for what the user's code does."""
    if type(error) is AttributeError:
        return type(getattr(error, "obj", None)) in (bool, int, float, complex, str)
    if type(error) is TypeError:
        return str(error).startswith("numpy boolean")
    return type(error) in _OF_OPERATIONS


class _Branch:
    """One attempt at a branch."""

    def __init__(self, frame: Any, condition: Any, facts: Facts, live: Any, key: tuple) -> None:
        self.frame, self.condition = frame, condition
        self.tracer, self.graph = frame.tracer, frame.tracer.graph
        self.head = State(self.tracer)
        self.live = None if live is None else {*live, *HIDDEN}
        self.pieces = Pieces(self.tracer, facts, self.head)
        self.pieces.condition = lambda values: condition
        self.pieces.places = frame.interpreter.fork_places()
        is_statement = key[0] != "choose"
        own = {slot.key for slot in self.head.slots() if slot.environment is frame.environment}
        self.pieces.may_move = lambda path: is_statement and path[:2] in own

    def run(self, then: Callable, otherwise: Callable) -> Any:
        """Capture both sides and what follows from them.

        Raises
        ------
        Retype
        """
        depth = self.tracer.depth
        self.graph.begin_if(self.condition)
        try:
            first = self._side(then, True)
            if first.error is None:
                self.graph.begin_else()
                second = self._side(otherwise, False)
                if second.error is None:
                    self.tracer.open_region()  # what joins them is made inside of the second side
                    makers, written = self._joined(first, second)
                    values = self.graph.end_if(self.pieces.pairs)
                    self.tracer.close_region()
        except BaseException:
            self._abandon(depth)
            raise
        if first.error is None and second.error is None:
            return self._bind(makers, written, values, {**first.frozen, **second.frozen})
        self._abandon(depth)
        if first.error is not None:
            self._raise(self.condition, first, then)
            return otherwise()
        self._raise(self.frame.negated(self.condition), second, otherwise)
        return then()

    def _raise(self, condition: Any, side: Side, work: Callable) -> None:
        """Stop the program where a side that has raised is taken, after what it wrote before."""
        if not any(storage.leaf is not None for storage in side.storages):
            self._refuse(self.frame.negated(condition), side.error)
            return
        depth, bits = self.tracer.depth, self.pieces.bits
        self.graph.begin_if(condition)
        self.tracer.open_region()
        try:
            self._until_error(work)
            written = [s for s, (old, *_) in self.head.storages.items() if s.value is not old]
            self._refuse(bits[0], side.error)
            pairs = [(storage.value, self.head.storages[storage][0]) for storage in written]
            self.head.restore()
            self.graph.begin_else()
            values = self.graph.end_if(pairs)
        except BaseException:
            self._abandon(depth)
            raise
        self.tracer.close_regions(depth)
        self.head.retire()
        for storage, value in zip(written, values, strict=True):
            storage.put(self.tracer, value)
            storage.known, storage.written = None, True

    def _until_error(self, work: Callable) -> None:
        """Carry out a side that raises, as it did before."""
        try:
            work()
        except UnsupportedError:
            raise
        except Exception:
            return
        self.tracer.fail("an exception that is raised in one attempt to capture it only")

    def _abandon(self, depth: int) -> None:
        self.tracer.close_regions(depth)
        self.graph.discard()
        self.head.restore()
        self.head.retire()
        self.frame.interpreter.forget_steps()

    def _refuse(self, condition: Any, error: Any) -> None:
        """Raise in the program what a side has raised."""
        kind = type(error).__name__
        if getattr(builtins, kind, None) is not type(error):
            self.tracer.fail(f"raising {kind} where data say so", "raise a built-in exception")
        self.tracer.check(condition, kind, str(error))

    def _side(self, work: Callable, holds: bool) -> Side:
        side = Side()
        tracer, assumed = self.tracer, self.tracer.assumed
        tracer.open_region()
        tracer.assumed = [*assumed, *tracer.claimed(self.condition, holds)]
        try:
            result = work()
        except UnsupportedError:
            raise
        except Exception as error:
            if not (self.frame.interpreter.has_raised(error) or _is_of_operation(error)):
                if isinstance(error, TypeError) and type(error) is not TypeError:
                    tracer.fail(f"an error of NumPy's on a path that data choose: {error}")
                raise
            side.error = error.with_traceback(None)
            self._note_storages(side)
        else:
            self._note(side, result)
        finally:
            tracer.assumed = assumed
        self.head.restore()
        tracer.close_region()
        return side

    def _note(self, side: Side, result: Any) -> None:
        """What a side has changed, as graph values of its region."""
        if self.head.changed_containers():
            self.tracer.fail(
                "changing a list or dict where a condition on data holds", "use arrays, or np.where"
            )
        side.result = self.pieces.of(result, ("result",))
        for slot in self.head.changed_slots():
            side.slots[slot.key] = slot
            if self._is_live(slot):
                side.pieces[slot.key] = self._piece(slot, slot.get())
        self._note_storages(side)
        self._note_written(side)
        seen = [(slot.key, slot.get()) for slot in self.head.slots() if self._is_live(slot)]
        held = enumerate(self.frame.interpreter.held)
        seen += [(("held", k), obj) for k, obj in held]
        side.references = references_in([*seen, (("result",), result)])

    def _note_storages(self, side: Side) -> None:
        for storage, (value, *_) in self.head.storages.items():
            if storage.value is not value:
                side.storages[storage] = storage.value
            if storage.frozen[0]:
                side.frozen[storage] = storage.frozen

    def _note_written(self, side: Side) -> None:
        """The arrays that have new elements under an old name, which the other side may rebind."""
        for slot in self.head.slots():
            obj = slot.get()
            written = type(obj) is TracedArray and obj.storage in side.storages
            if written and slot.key not in side.pieces and self._is_live(slot):
                side.pieces[slot.key] = self._piece(slot, obj)

    def _piece(self, slot: Slot, obj: Any) -> Piece:
        return self.pieces.of(False if slot.name in FLAGS and obj is UNBOUND else obj, slot.key)

    def _is_live(self, slot: Slot) -> bool:
        own = slot.environment is self.frame.environment
        return self.live is None or not own or slot.name in self.live

    def _joined(self, first: Side, second: Side) -> tuple[dict, list]:
        """Makers of what is bound afterwards, by slot, and the storages that were written."""
        makers: dict[Any, Any] = {}
        self.pieces.references = first.references, second.references
        for key, slot in {**first.slots, **second.slots}.items():
            makers[key] = (slot, None)
            if self._is_live(slot):
                sides = [side.pieces.get(key) for side in (first, second)]
                head = self._piece(slot, self.head.before(slot)) if None in sides else None
                sides = [head if piece is None else piece for piece in sides]
                makers[key] = slot, self.pieces.joined(*sides, key, slot.name == RESULT)
        makers["result"] = None, self.pieces.joined(first.result, second.result, ("result",))
        written = list(dict.fromkeys((*first.storages, *second.storages)))
        places = []
        for storage in written:
            old = self.head.storages[storage][0]
            sides = [side.storages.get(storage, old) for side in (first, second)]
            places.append((storage, self.pieces.pair(*sides)))
        return makers, places

    def _bind(self, makers: dict, written: list, values: list, frozen: dict) -> Any:
        self.head.retire()
        for storage, index in written:
            storage.put(self.tracer, values[index])
            storage.known, storage.written = None, True
        for storage, reason in frozen.items():
            storage.frozen = reason
        _, result = makers.pop("result")
        for slot, make in makers.values():
            slot.clear()
            obj = UNBOUND if make is None else make(values)
            if obj is not UNBOUND and not (slot.name in FLAGS and obj is False):
                slot.put(obj)
        return result(values)
