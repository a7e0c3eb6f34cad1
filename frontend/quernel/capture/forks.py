"""Sides of a branch that are captured apart from each other, with the statements that follow it.

A value that data choose, and that isn't one value, can be bound and returned. Where it is read, the
capture begins anew with a fork: the statements from the one with the branch up to the one that
reads are carried out once for each side, and the sides meet behind them. What is read once more
behind that has the fork go on to the end of the block.
"""

from __future__ import annotations

import ast
import math
from typing import Any, NoReturn

from ..traced.restarts import Restart
from ..traced.tags import tag_of
from ..traced.tracer import Tracer
from ..traced.undecided import Conflict, Either
from .paths import general, general_block, whole_block
from .peeling import Peel
from .settling import Settling
from .state import Fork
from .trees import walk

_FORK_LIMIT = 12
_WAYS_A_SECOND = 3  # in which the turns of a loop are captured, beside one for each of them
_JUMPS = (ast.Return, ast.Break, ast.Continue)


class Forks(Settling):
    """The part of an interpreter that captures the sides of branches apart.

    Attributes
    ----------
    statements : list of UnderWay
        The last one is carried out, within the others.
    blocks : list of (path, list of ast.stmt)
        The blocks of statements that they are in.
    decisions : dict
        By path of a branch: the side that is captured.
    behind : dict
        By identity of a statement that follows a loop: the loop.
    cheap : set of tuple
        The keys of loops that can as well be unrolled (`short_loops.py`).
    """

    tracer: Tracer

    def __init__(self) -> None:
        super().__init__()
        self.path: list[Any] = []
        self.statements: list[Any] = []
        self.blocks: list[tuple[tuple, list[ast.stmt]]] = []
        self.decisions: dict[tuple, bool] = {}
        self.behind: dict[int, ast.stmt] = {}
        self.cheap: set[tuple] = set()
        self._ways: dict[tuple, set[frozenset]] = {}  # by branch: the sides of it that were taken
        self._points: list[tuple] = []  # paths of the branches whose sides were captured apart

    def split_step(self, point: Fork, node: ast.stmt) -> tuple:
        """The step of the path into the sides of a fork."""
        if point.path not in self._points:
            self._points.append(point.path)
        return ("split", id(node), self._points.index(point.path))

    def plain_path(self) -> tuple:
        """The path of the current branch, without the steps into forks around it."""
        *around, last = self.path
        if last[0] == "split":
            return self._points[last[2]]
        return (*(step for step in around if step[0] not in ("fork", "split")), last)

    def fork_places(self) -> list[tuple]:
        """The statements from which on the sides of the current branch can be captured apart.

        Each with the branch's path, the innermost one first: those under way that aren't outside
        of a loop or branch of the program that the branch is in.
        """
        path, depth = self.plain_path(), self.tracer.depth
        inwards = reversed(self.statements[1:])
        return [(item.key, path) for item in inwards if item.depth == depth]

    def apart(self, value: Either | Conflict, name: str) -> NoReturn:
        """Read a value that data choose and that isn't one value: capture both ways.

        Where counters of short loops alone choose, those loops are unrolled instead.

        Raises
        ------
        Restart
        """
        chosen_by = self.tracer.behind([value.condition])
        loops = {origin[1] for origin in chosen_by if origin[0] == "loop"}
        if len(loops) == len(chosen_by) and loops and loops <= self.cheap:
            raise Restart(unroll=loops)
        self.apart_at(value.places)
        self.tracer.fail(f"{name} {value.reason}", "bind it to values of one kind only")

    def apart_by_type(self, number: Any, places: Any) -> None:
        """Begin anew where the types of a number can be captured apart, if its tag is known.

        Raises
        ------
        Restart
        """
        if places and tag_of(self.tracer, number, number.open.kinds) is not None:
            self.apart_at(places)

    def apart_at(self, places: Any) -> None:
        """Begin anew with two paths captured apart at the first of some places that helps, if any.

        Raises
        ------
        Restart
        """
        for place in places:
            if type(place) is Peel:
                if place.turns not in self.tracer.choices.peel:
                    raise Restart(peel=[place.turns])
                continue
            fork = self._new_fork(place)
            if fork is not None:
                raise Restart(forks=[fork])

    def _new_fork(self, place: tuple) -> tuple | None:
        """The fork at a place up to the statement that is carried out; None if it doesn't help."""
        (path, start), branch = place
        where, branch, whole = (general_block(path), start), general(branch), whole_block(path)
        blocks = ([id(node) for node in body] for p, body in self.blocks if whole_block(p) == whole)
        nodes = next((nodes for nodes in blocks if start in nodes), [])
        forks = self.tracer.choices.forks
        ends = [end for *fork, end in forks if fork == [where, branch]]
        under_way = {item.key[1] for item in self.statements}
        reading = max((k for k, node in enumerate(nodes) if node in under_way), default=-1)
        if reading < 0:
            return None
        if not ends and len({fork[:2] for fork in forks}) >= _FORK_LIMIT:
            return None
        if None in ends or any(nodes.index(end) >= reading for end in ends if end in nodes):
            return None
        return where, branch, None if ends else nodes[reading]

    def forks_at(self, key: tuple) -> bool:
        """Whether the sides of some branch within a statement have to be captured apart."""
        forks = self.tracer.choices.forks
        where = general_block(key[0]), key[1]
        return bool(forks) and any(where == place for place, *_ in forks)

    def forked(self, key: tuple, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a fork, of those from the first one on to the end of a block.

        Forks that begin within them end within them, and so do jumps.
        """
        block, nodes = general_block(key[0]), [id(node) for node in body]
        last = 0
        for k, node in enumerate(nodes):
            if k > last:
                break
            if any(isinstance(part, _JUMPS) for part in walk(body[k])):
                return body
            for where, _, end in self.tracer.choices.forks:
                if where == (block, node):
                    last = max(last, nodes.index(end) if end in nodes else len(nodes) - 1)
        return body[: last + 1]

    def decided(self, condition: Any) -> bool | None:
        """The side of the branch at the current path that is captured; None where both are.

        Raises
        ------
        Fork
            Where the statement around has to be captured once for each side.
        """
        if not self.tracer.choices.forks or self.path[-1][0] == "split":
            return None
        path = self.plain_path()
        if path in self.decisions:
            return self.decisions[path]
        known, branch = {fork[:2] for fork in self.tracer.choices.forks}, general(path)
        for item in self.statements[1:]:  # the outermost one
            where = general_block(item.key[0]), item.key[1]
            at_hand = item.depth == self.tracer.depth and not item.is_forked
            if at_hand and (where, branch) in known:
                self._count_ways(branch)
                raise Fork(item.key, path, condition)
        return None

    def _count_ways(self, branch: tuple) -> None:
        """See that the sides of a branch in the turns of a loop aren't too many together.

        They are few where one side leaves the loop, and twice as many with each turn where none
        does.

        Raises
        ------
        UnsupportedError
        """
        sides = frozenset(taken for taken in self.decisions.items() if general(taken[0]) == branch)
        ways = self._ways.setdefault(branch, set())
        ways.add(sides)
        effort = self.tracer.choices.effort
        if len(ways) > max(map(len, ways)) + _WAYS_A_SECOND * (effort.limit or math.inf):
            effort.refuse(self.tracer, "a loop whose values are of kinds that data decide")

    def choice(self, key: tuple, condition: Any) -> tuple[bool | None, list[tuple]]:
        """The side of a choice between two values that is captured, and where it can be forked."""
        self.path.append(key)
        try:
            return self.decided(condition), self.fork_places()
        finally:
            self.path.pop()
