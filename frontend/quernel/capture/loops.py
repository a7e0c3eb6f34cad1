"""Loops: rolled where the program can hold them, else turn by turn."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import UnsupportedError
from ..traced.effort import Unrolling
from ..traced.iterables import Each, Grid, Range, Rows, turns_of
from ..traced.iterators import Iterating, first_items
from ..traced.numbers import is_dynamic
from ..traced.restarts import Restart
from ..traced.scalars import either_of, truth
from .expressions import leading_test
from .generators import Generating, as_generator
from .growing import SHORT
from .jumps import BROKE, CONTINUED, JUMPS, RETURNED
from .paths import copies_of, whole_loop, within_call
from .peeling import Peeling, later, turns_from
from .plan import note
from .scopes import stored
from .short_loops import BUDGET, chooses, is_cheap, price_of
from .state import Retype

_ATTEMPTS = 32
_SHORT = 1  # copies of nested bodies multiply
_UNROLL_LIMIT = 1000


class Loops(Peeling):
    """The part of a frame that loops."""

    def _exec_for(self, node: ast.For) -> None:
        iterable = as_generator(self.evaluate(node.iter))
        self.at(node)
        if type(iterable) is Generating:
            self._consume(node, iterable)
            return
        if isinstance(iterable, Iterating):
            iterable.claim()
        self.interpreter.held.append(iterable)
        try:
            if isinstance(iterable, Grid) and not iterable.position:
                self._all(node, iterable)
            else:
                self._one(node, iterable)
        finally:
            self.interpreter.held.pop()
        self._after(node)

    def _all(self, node: ast.For, grid: Grid) -> None:
        """A loop over all positions of a grid, which nobody else can go on with meanwhile."""
        grid.passed(True)
        self._nested(node, grid, ())
        self._passed(grid)

    def _passed(self, iterable: Any) -> None:
        """Note that a loop of the program has run over something."""
        if isinstance(iterable, Iterating):
            values = self.environment.values
            iterable.passed(any(values.get(name, False) is not False for name in JUMPS))

    def _one(self, node: ast.For, iterable: Any) -> None:
        """One loop over something."""
        turns = turns_of(self.tracer, iterable)

        def work(item: Any, body: list[ast.stmt] = node.body) -> None:
            self.assign(node.target, item)
            self.block(body)

        with _Path(self, ("for", id(node))):
            self._loop(node, iterable, turns, work, self._leading_test(node))

    def _leading_test(self, node: ast.For) -> ast.expr | None:
        """The leading test of a loop whose target nobody reads after it."""
        after = self.liveness.after.get(node, frozenset())
        needed = self.liveness.head.get(node, frozenset())
        return None if stored(node.target) & (after | needed) else leading_test(node)

    def _nested(self, node: ast.For, grid: Grid, place: tuple) -> None:
        """A loop over the positions on several axes."""
        if len(place) == len(grid.shape):
            self.assign(node.target, grid.at(place))
            self.block(node.body)
            return
        along = Range(self.tracer, grid.shape[len(place)])
        is_known = all(type(size) is int for size in grid.shape)
        copies = math.prod(grid.shape) if is_known else None

        def work(k: Any) -> None:
            self._nested(node, grid, (*place, k))

        with _Path(self, ("for", id(node), len(place))):
            self._loop(node, along, along, work, copies=copies)

    def _loop(
        self,
        node: ast.For,
        iterable: Any,
        turns: Any,
        work: Callable,
        stop: Any = None,
        copies: Any = None,
    ) -> None:
        """A loop, rolled or not.

        Parameters
        ----------
        copies : int, optional
            Of the body, where this loop and those around it are unrolled that make one together.
        """

        def unrolled() -> None:
            count = len(iterable) if type(iterable) in (list, tuple) else getattr(turns, "count", 0)
            items = self.carried_out(iter, iterable)  # which refuses too many rows
            items = Each(iterable) if type(turns) is Rows else items
            self._turns(node, items, 0, work, Unrolling(count if type(count) is int else 0))

        if turns is None or (type(turns.count) is int and turns.count <= _SHORT):
            why = "it runs over Python's own objects" if turns is None else "there is one, or none"
            note(self.tracer, node, f"captured iteration by iteration: {why}")
            unrolled()
            return
        if turns.has_table and price_of(node) * turns.count <= BUDGET:
            note(self.tracer, node, "captured iteration by iteration: all are few operations")
            unrolled()
            return
        if is_cheap(node, turns.count, copies):
            self.interpreter.cheap.add(self.loop_key())
            if chooses(node, self.environment):
                self._note_unrolled(node, "its counter chooses, and it is short")
                unrolled()
                return

        def rolled() -> None:
            from .turns import RolledFor

            failure = self.tracer.failure
            try:
                RolledFor(self, node, turns, work, stop).run()
            except UnsupportedError as refusal:
                if not is_dynamic(turns.count):
                    raise
                self.tracer.failure = failure
                self._without_iterations(node, turns, refusal)
            self._passed(iterable)

        def rest() -> None:
            others = later(turns)
            self._loop(node, others, others, work, stop)

        self._rolled(
            node,
            rolled,
            unrolled,
            lambda: truth(self.tracer, turns.count > 0),
            lambda: work(turns.item(0)),
            rest,
            turns.count,
        )
        if turns_from(self.loop_key()) in self.tracer.choices.peel:
            self._passed(iterable)

    def _exec_while(self, node: ast.While) -> None:
        def unrolled() -> None:
            tests = self._tests(node)
            self._turns(node, tests, 0, lambda item: self.block(node.body), Unrolling(0))

        def rolled() -> None:
            from .turns import RolledWhile

            RolledWhile(self, node).run()

        def turns() -> None:
            self._rolled(
                node,
                rolled,
                unrolled,
                lambda: self.truth(node.test),
                lambda: self.block(node.body),
                turns,
            )

        with _Path(self, ("while", id(node))):
            turns()
        self._after(node)

    def _rolled(
        self,
        node: Any,
        rolled: Callable,
        unrolled: Callable,
        begins: Callable,
        first: Callable,
        rest: Callable,
        count: Any = None,
    ) -> None:
        """Roll a loop, as often as its facts change; unroll or peel it where that is asked for.

        A short loop of a helper is unrolled where that has been asked for in another call of it. A
        loop whose turns raise raises in its first one, if there is one.
        """
        choices, key = self.tracer.choices, self.loop_key()
        is_short = type(count) is int and count <= SHORT
        turns = turns_from(key)
        for _ in range(_ATTEMPTS):
            if whole_loop(key) in choices.unroll - choices.rolled or (
                is_short and within_call(key) in choices.unroll
            ):
                self._note_unrolled(node, "a turn needs to know its number or a value")
                unrolled()
                return
            if turns in choices.peel:
                note(self.tracer, node, "its first iteration is captured by itself")
                self.peeled(begins(), first, rest, self.liveness.passed.get(node))
                return
            try:
                rolled()
                return
            except Retype as retype:
                self.interpreter.facts().hint()
                if not retype.concerns(self.interpreter.facts()):
                    raise
                self.interpreter.forget_targets()
            except Restart as restart:
                if key not in restart.unroll and turns not in restart.peel:
                    raise
                choices.unroll |= copies_of(restart.unroll)
                choices.peel |= restart.peel
            except UnsupportedError:
                raise
            except Exception as error:
                if not self.interpreter.may_raise(error):
                    raise
                self._only_turn(node, begins(), first)
                return
        self.tracer.fail("a loop whose variables can't be given types")

    def _only_turn(self, node: Any, begins: Any, work: Callable) -> None:
        """Carry out the first turn of a loop, which ends it: by an error, or by a jump."""

        def turn() -> None:
            with _Path(self, ("turn", 0)):
                work()
            self.environment.values.pop(CONTINUED, None)
            if self.jumped() is not True:
                raise Restart(unroll=[self.loop_key()])

        if not isinstance(begins, bool):
            self.either(("first", id(node)), begins, turn, lambda: None, None)
        elif begins:
            turn()

    def _without_iterations(self, node: Any, turns: Any, refusal: UnsupportedError) -> None:
        """Refuse a loop, but where data say that it has no iteration."""

        def refuse() -> None:
            raise refusal

        begins = truth(self.tracer, turns.count > 0)
        self.either(("first", id(node)), begins, refuse, lambda: None, None)

    def loop_key(self) -> tuple:
        """What names the loop that is interpreted."""
        return tuple(self.interpreter.path)

    def _note_unrolled(self, node: Any, why: str) -> None:
        self.at(node)
        note(self.tracer, node, f"captured iteration by iteration: {why}")
        file, line, _ = self.tracer.place()
        text = f"{file}:{line}: the loop is unrolled: {why}"
        if text not in self.tracer.notes:
            self.tracer.notes.append(text)

    def _after(self, node: Any) -> None:
        """The `else` of a loop: where no turn has left it, by `break` or `return`."""
        values = self.environment.values
        broke, returned = values.pop(BROKE, False), values.get(RETURNED, False)
        if not node.orelse or broke is True or returned is True:
            return
        self.note_behind(node, node.orelse)
        left = [truth(self.tracer, flag) for flag in (broke, returned) if flag is not False]
        if not left:
            self.block(node.orelse)
            return

        def go_on() -> None:
            values.pop(RETURNED, None)
            self.block(node.orelse)

        def stay() -> None:
            if broke is False:
                self.note_jump(RETURNED)

        self.either(
            ("else", id(node)),
            self.negated(either_of(self.tracer, left)),
            go_on,
            stay,
            self.liveness.passed.get(node.orelse[-1]),
        )

    # Turn by turn

    def _tests(self, node: ast.While) -> Iterator[Any]:
        while True:
            condition = self.truth(node.test)
            if not isinstance(condition, bool):
                self.at(node)
                whole, choices = whole_loop(self.loop_key()), self.tracer.choices
                if whole in choices.looked_up - choices.rolled:
                    raise Restart(rolled=[whole])
                self.tracer.fail(
                    "a while loop that can't be compiled as one, and whose end depends on data",
                    "keep what it changes in arrays and numbers",
                )
            if not condition:
                return
            yield None

    def _turns(
        self, node: Any, items: Iterator[Any], count: int, work: Callable, whole: Unrolling
    ) -> None:
        """The turns of a loop from one on, until a jump ends it."""
        loops = self.interpreter.unrolled
        around = [loop for loop in reversed(loops) if loop is not whole]
        loops.append(whole)
        try:
            for item in items:
                self._check_turns(node, count)
                whole.check(self.tracer, count, around)
                with _Path(self, ("turn", count)):
                    work(item)
                count += 1
                values = self.environment.values
                values.pop(CONTINUED, None)
                left = self.jumped()
                if left is True:
                    return
                if left is not False:
                    self._turns_unless(left, node, items, count, work, whole)
                    return
        finally:
            loops.pop()

    def _turns_unless(
        self, left: Any, node: Any, items: Any, count: int, work: Callable, whole: Unrolling
    ) -> None:
        rest: Iterable[Any] = []
        if hasattr(items, "taken"):
            rest = items.taken()
        elif isinstance(node, ast.For):
            rest = first_items(items)

        def go_on() -> None:
            for name in (BROKE, RETURNED):
                self.environment.values.pop(name, None)
            again = iter(rest) if isinstance(node, ast.For) else self._tests(node)
            self._turns(node, again, count, work, whole)

        self.either(("turns", count), self.negated(left), go_on, lambda: None, None)

    def _check_turns(self, node: Any, count: int) -> None:
        self.at(node)
        self.interpreter.step()
        if count == _UNROLL_LIMIT:
            self.tracer.fail(
                f"a loop of more than {_UNROLL_LIMIT} turns that can't be compiled as a loop",
                "use array operations, and the loop's counter in indices only",
            )


class _Path:
    """A step of the interpreter's path."""

    def __init__(self, frame: Any, step: tuple) -> None:
        self._path, self._step = frame.interpreter.path, step

    def __enter__(self) -> None:
        self._path.append(self._step)

    def __exit__(self, *details: object) -> None:
        self._path.pop()
