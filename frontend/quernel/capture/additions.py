"""What the sides of a branch add to lists and dicts from outside that are open.

Nobody looks at what else such a list holds, so what one side alone has appended is there
perhaps, as a variable is that one side alone binds; so is what one side sets at a key of a dict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..traced.outer_containers import OuterContainer
from ..traced.restarts import Restart
from ..traced.undecided import UNBOUND
from .kept import Maker
from .pieces import Piece, Pieces
from .state import State

Added = dict[Any, Piece]  # by the place behind those from before, or by the key


class Additions:
    """What the sides of one branch add.

    Parameters
    ----------
    head : State
        What there was before.
    """

    def __init__(self, head: State, pieces: Pieces) -> None:
        self.head, self.pieces = head, pieces
        self._makers: list[tuple[OuterContainer, Any, Maker]] = []

    def of_side(self) -> dict[int, Added]:
        """What a side has added by now, by the number of the list or dict."""
        found = ((k, dict(self._added(k, outer))) for k, outer in self._open())
        return {k: added for k, added in found if added}

    def _open(self) -> Iterator[tuple[int, OuterContainer]]:
        containers = self.pieces.tracer.containers
        return ((k, outer) for k, outer in enumerate(containers) if outer.is_open)

    def _before(self, outer: OuterContainer) -> list[Any]:
        """What an open list or dict had of its own before the branch."""
        contents = (content for obj, content in self.head.containers if obj is outer.obj)
        return next(contents, [])

    def _added(self, number: int, outer: OuterContainer) -> Iterator[tuple[Any, Piece]]:
        before = self._before(outer)
        if type(outer.obj) is list:
            items = enumerate(outer.obj[len(before) :])
        else:
            known = {id(key): value for key, value in before}
            items = (
                (key, value) for key, value in outer.obj.items() if known.get(id(key)) is not value
            )
        return ((key, self.pieces.of(item, _path(number, key))) for key, item in items)

    def join(self, first: dict[int, Added], second: dict[int, Added]) -> None:
        """Join what both sides have added.

        Raises
        ------
        Restart
            Where a dict gets its keys in another order on the other side.
        """
        self._makers = []
        for number, outer in self._open():
            sides = first.get(number, {}), second.get(number, {})
            for key in self._keys(outer, *sides):
                pair = [
                    side[key] if key in side else self._else(number, outer, key) for side in sides
                ]
                self._makers.append((outer, key, self.pieces.joined(*pair, _path(number, key))))

    def _keys(self, outer: OuterContainer, first: Added, second: Added) -> list[Any]:
        """The keys that either side has set, in the order of both."""
        merged: list[Any] = []
        rest = list(second)
        for key in first:
            if key in rest:
                at = rest.index(key)
                merged += rest[:at]
                rest = rest[at + 1 :]
            merged.append(key)
        merged += rest
        if len(merged) > len({*first, *second}):
            raise Restart(looked=[outer.leaf.path])
        return merged

    def _else(self, number: int, outer: OuterContainer, key: Any) -> Piece:
        """What is there on a side that adds nothing."""
        if type(outer.obj) is list:
            return self.pieces.of(UNBOUND, _path(number, key))
        known = dict(self._before(outer))
        return self.pieces.of(known.get(key, outer.loaded.get(key, UNBOUND)), _path(number, key))

    def bind(self, values: list[Any]) -> None:
        """Add what both sides have added, and what one of them has, perhaps."""
        for outer, key, make in self._makers:
            if type(outer.obj) is list:
                outer.obj.append(make(values))
            else:
                outer.obj[key] = make(values)


def _path(number: int, key: Any) -> tuple:
    return ("outer", number, repr(key))
