"""Loops that the program holds: by a counter, or by a condition."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced.iterables import Range
from ..traced.numbers import SymbolicSize, origins
from ..traced.objects import begin_turn
from ..traced.scalars import bool_of, truth
from .expressions import leading_test
from .rolling import Rolled
from .scopes import spelled


class RolledFor(Rolled):
    """A `for` as a loop of the program: by a counter, or by a condition where it may be left."""

    def __init__(
        self, frame: Any, node: ast.For, turns: Any, work: Callable, stop: ast.expr | None
    ) -> None:
        super().__init__(frame, node, [node.target, *node.body])
        self.turns, self.work = turns, work
        # The condition would look at an item once more than there are iterations.
        self.stop = None if turns.computes or ("unsafe",) in self.facts.flags else stop
        self.has_table = turns.has_table

    def run(self) -> None:
        """Capture the loop.

        Raises
        ------
        Retype
        """
        count = self.turns.count
        if type(count) is int and count <= 0:
            return
        self.never_skipped = self.is_nonnegative(count - 1)
        self.count = count
        self.tracer.bounding["loop", self.key] = origins(count, getattr(self.turns, "start", 0))
        if self.jumps():
            self._by_condition(count)
        else:
            self._by_counter(count)

    def _by_counter(self, count: Any) -> None:
        turns = self.turns
        direct = type(turns) is Range and turns.step == 1
        lower, upper = (turns.start, turns.stop) if direct else (0, count)
        self.prepare()
        name = spelled(self.node.target.id) if isinstance(self.node.target, ast.Name) else "k"
        with self.region():
            dim = self.begin_for(lower, upper, name)
            counter = self.tracer.size(dim)
            if type(counter) is SymbolicSize:
                self.tracer.mark(dim, frozenset([("loop", self.key)]))
            self.enter()
            begin_turn(self.tracer)
            item = counter if direct else turns.item(counter)
            self.each_turn(lambda: self.work(item))
            self.end(self.graph.end_for)

    def _by_condition(self, count: Any) -> None:
        tracer = self.tracer
        self.prepare()
        start = tracer.constant(np.int64(0))
        upper = tracer.constant(np.int64(count)) if type(count) is int else None
        if upper is None:
            upper = tracer.op("dim", [], dim=count.dim)
        one = tracer.constant(np.int64(1))
        with self.region():
            self.begin_while()
            marker = self.graph.enter(start)
            self.enter()
            goes_on = tracer.op("less", [marker, upper])
            # The condition looks at an item in any case: behind the last turn at the last one.
            stop = None if self.is_read_in_copies(self.stop) else self.stop
            stop = stop if self.never_skipped else None
            if stop is not None:
                place = tracer.op("minimum", [marker, tracer.op("subtract", [upper, one])])
                self.frame.assign(self.node.target, self.turns.item(self._counter(place, count)))
                goes_on = self.and_not(goes_on, stop)
                self.never_skipped = False  # what follows the test may be skipped in all turns
            self.body(self.while_no_jump(goes_on))
            item = self.turns.item(self._counter(marker, count))
            parts = () if stop is None else (self.node.body[1:],)
            self.each_turn(lambda: self.work(item, *parts))
            self.extra.append((marker, tracer.op("add", [marker, one])))
            self.end(self.graph.end_while)

    def _counter(self, marker: Any, count: Any) -> Any:
        origin = frozenset([("loop", self.key)])
        return self.tracer.symbol_of(marker, 0, count - 1, "k", origin)


class RolledWhile(Rolled):
    """A `while` as a loop of the program."""

    def __init__(self, frame: Any, node: ast.While) -> None:
        super().__init__(frame, node, [node.test, *node.body])

    def run(self) -> None:
        """Capture the loop.

        Raises
        ------
        Retype
        """
        frame, tracer = self.frame, self.tracer
        checks = tracer.checks
        self.prepare()
        with self.region():
            self.begin_while()
            self.enter()
            self.begin_condition()
            condition = self._condition()
            self.end_condition()
            unsafe = ("unsafe",) in self.facts.flags
            stop = leading_test(self.node) if self.jumps() and not unsafe else None
            stop = None if self.is_read_in_copies(stop) else stop
            endless = condition is True and stop is None
            if isinstance(condition, bool):
                condition = tracer.constant(np.bool_(condition))
            if stop is not None:
                condition = self.and_not(condition, stop)
            self.body(self.while_no_jump(condition))
            body = self.node.body if stop is None else self.node.body[1:]
            self.each_turn(lambda: frame.block(body))
            self.end(self.graph.end_while)
        if endless and not self.jumps() and tracer.checks == checks:
            frame.at(self.node)  # compilers leave out what never ends and has no effect
            tracer.fail("a loop that never ends", "give it a condition, or leave it by break")
        if endless and len(self.jumps()) == 1:  # there is no other way out
            frame.note_jump(self.jumps()[0])

    def _condition(self) -> Any:
        """The condition, of whichever sorts and arrays the names are that it reads."""
        frame, test = self.frame, self.node.test
        names = self.sorts_read(test)
        if not self.is_read_in_copies(test):
            return frame.truth(test)

        def holds() -> Any:
            return self.each_sort(lambda: bool_of(self.tracer, frame.truth(test)), names)

        found = self.each_arrangement(holds) if self.arranged_read(test) else holds()
        self.see_sorts(names)
        return truth(self.tracer, found)
