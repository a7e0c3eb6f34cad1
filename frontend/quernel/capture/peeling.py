"""Loops whose first turns are carried out by themselves: the others begin with what those leave.

A name that has one dtype, shape or kind before a loop and another one in all of its turns can't be
handed on from turn to turn. Behind the first turn it can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..traced.iterables import Range, Rest
from ..traced.restarts import Restart
from .jumps import BROKE, CONTINUED, RETURNED
from .paths import TURNS, general

_MOST_PEELED = 2  # each one is a copy of the body
_LATER = ("turn", 1)


class Peel(NamedTuple):
    """Where what a name has before a loop and what it has behind can be captured apart.

    Attributes
    ----------
    turns : tuple
        The turns whose first one is then carried out by itself.
    """

    turns: tuple


def places_of(key: tuple) -> list[Peel]:
    """The turns of a loop, if one more of them may be carried out by itself."""
    return [Peel(turns_from(key))] if _peeled_turns(key) < _MOST_PEELED else []


def turns_from(key: tuple) -> tuple:
    """What names the turns of a loop but for those that have been carried out by themselves.

    It is the same in each turn of an unrolled loop around, and on each side of a fork.
    """
    return general(_whole(key)), _peeled_turns(key)


def _peeled_turns(key: tuple) -> int:
    """How many turns of a loop have been carried out by themselves."""
    count = 0
    for step in reversed(key):
        if step[0] not in TURNS:
            break
        count += step == _LATER
    return count


def _whole(key: tuple) -> tuple:
    """What names the loop with all its turns."""
    while key and key[-1][0] in TURNS:
        key = key[:-1]
    return key


def peel(key: tuple) -> Restart:
    """Capture a loop again with its first turn by itself, or turn by turn where that doesn't do."""
    return Restart(peel=[turns_from(key)]) if places_of(key) else Restart(unroll=[_whole(key)])


def later(turns: Any) -> Any:
    """The turns of a loop but for the first one."""
    if type(turns) is Range:
        return Range(turns.tracer, turns.start + turns.step, turns.stop, turns.step)
    return Rest(turns, 1)


class Peeling:
    """The part of a frame that carries out the first turn of a loop by itself."""

    def peeled(self, begins: Any, first: Callable, rest: Callable, live: Any) -> None:
        """Carry out the first turn of a loop, if there is one, and then the rest.

        Parameters
        ----------
        begins : bool or graph value
            Whether the loop has a turn.
        live : names or None
            The function's own variables that are needed after the loop.
        """
        values, path = self.environment.values, self.interpreter.path

        def within(step: tuple, work: Callable) -> None:
            path.append(step)
            try:
                work()
            finally:
                path.pop()

        def go_on() -> None:
            for name in (BROKE, RETURNED):
                values.pop(name, None)
            within(_LATER, rest)

        def turn() -> None:
            within(("turn", 0), first)
            values.pop(CONTINUED, None)
            left = self.jumped()
            if left is False:
                within(_LATER, rest)
            elif left is not True:
                self.either(("turns", 1), self.negated(left), go_on, lambda: None, None)

        if not isinstance(begins, bool):
            self.either(("turns", 0), begins, turn, lambda: None, live)
        elif begins:
            turn()
