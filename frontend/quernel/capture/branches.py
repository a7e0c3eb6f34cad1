"""Branches whose condition only the running program knows: both sides are captured and joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import UnsupportedError
from ..traced.numbers import DATA
from ..traced.open_types import Open, joined
from ..traced.restarts import Unsafe
from ..traced.scalars import either_of, number_of, number_type, sources_of, truth, value_of
from ..traced.undecided import Either
from .identity import identical
from .jumps import CONTINUED, FLAGS
from .plan import note
from .state import Fork, Retype

_ATTEMPTS = 32
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def always_jumps(body: list[ast.stmt]) -> bool:
    """Whether statements never go on to what follows them."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return always_jumps(last.body) and always_jumps(last.orelse)
    return isinstance(last, _JUMPS)


def always_raises(body: list[ast.stmt]) -> bool:
    """Whether statements that come to their end raise there."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_raises(last.body) and always_raises(last.orelse)
    return isinstance(last, ast.Raise)


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
            (always_raises(body), always_raises(orelse)),
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
            return truth(self.tracer, identical(self.tracer, subject, pattern.value))
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
            if len(flags) == 1 and flags[0] == CONTINUED:
                self.environment.values[CONTINUED] = True
            elif len(flags) == 1:
                self.note_jump(flags[0])

        self.either(
            ("unless", id(rest[0])),
            self.negated(jumped),
            go_on,
            stay,
            self.liveness.passed.get(rest[-1]),
            (always_raises(rest), False),
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
            number = self._both(condition, then, otherwise, node, places)
            if number is not None:
                return number
        return self.either(key, condition, then, otherwise, None)

    def _both(
        self, condition: Any, then: Callable, otherwise: Callable, node: Any, places: list
    ) -> Any:
        """One of two numbers that are both computed; None where they aren't, or may raise."""
        tracer, around = self.tracer, self.tracer.speculates
        tracer.speculates = True
        try:
            first, second = then(), otherwise()
        except Unsafe:
            return None
        except UnsupportedError:
            raise
        except Exception as error:
            if self.interpreter.may_raise(error):
                return None
            raise
        finally:
            tracer.speculates = around
        self.at(node)
        kinds = number_type(first), number_type(second)
        if any(kind is None for kind in kinds):  # a float64 dtype equals None
            return None
        kind = joined(*kinds, first, second)
        if kind is None:
            return None
        number = self._selected(condition, first, second, kind)
        if type(kind) is Open:
            either = Either(condition, first, second, f"is {kind.text()}", places)
            tracer.alternative(number.value, either)
        return number

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
                around, interpreter.settled = interpreter.settled, dict(interpreter.settled)
                try:
                    self.block(body)
                finally:
                    interpreter.settled = around
                    del interpreter.decisions[point.path]
                    interpreter.path.pop()

            return work

        note(self.tracer, body[0], "captured once for each side of a branch, from here on")
        live = self.liveness.passed.get(body[-1])
        step = self.interpreter.split_step(point, body[0])
        self.either(step, point.condition, side(True), side(False), live)

    def either(
        self,
        key: Any,
        condition: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        live: Iterable[str] | None,
        raises: tuple[bool, bool] = (False, False),
    ) -> Any:
        """Carry out one of two sides, as the program decides; the result of that side.

        Parameters
        ----------
        live : names or None
            The function's own variables that are needed afterwards; None for all.
        raises : two bools
            Whether the sides end by raising; see `Branch.run`.
        """
        from .sides import Branch

        self.interpreter.path.append(key)
        try:
            decided = self.interpreter.decided(condition)
            if decided is not None:
                return then() if decided else otherwise()
            facts, place = self.interpreter.facts(), self.tracer.place()
            for _ in range(_ATTEMPTS):
                try:
                    branch = Branch(self, condition, facts, live, key, place)
                    return branch.run(then, otherwise, raises)
                except Retype as retype:
                    if not retype.concerns(facts):
                        raise
                    self.interpreter.forget_targets()
            self.tracer.fail("a branch whose sides can't be made to agree")
        finally:
            self.interpreter.path.pop()
