"""The order in which the answers of a function are tried: programs for exact sizes first.

Of its programs a `_runtime.Function` tries the one first that has answered last. So programs that
answer the same calls, one for exact sizes and one for any, are in functions of their own: the more
exact ones in the first, and detours lead from each function to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.leaves import Leaf
from ..arguments.simple_kinds import ANY

_LARGE = re.compile(r"n\d+>\d+")  # the name of such a size in a pattern


def looseness(entry: dict[str, Any], leaves: list[Leaf]) -> int:
    """How many sizes a program leaves open, less the numbers that it is made for.

    Of two programs for the same call the one with the lesser is made for fewer calls.
    """
    pairs = zip(leaves, entry["parameters"], strict=True)
    stored = (place for leaf, pattern in pairs for place in leaf.kind.stored(leaf, pattern))
    numbers = [place for place, text in stored if type(place) is str and text != ANY]
    return entry["symbols"] - len(numbers)


def by_looseness(entries: list[dict[str, Any]], leaves: list[Leaf]) -> list[dict[str, Any]]:
    """Entries of programs for calls of one kind in the order in which they are tried."""

    def order(entry: dict[str, Any]) -> tuple[int, bool]:
        return looseness(entry, leaves), not any(map(_is_for_large, entry["parameters"]))

    return sorted(entries, key=order)


def _is_for_large(pattern: Any) -> bool:
    """Whether a program leaves small sizes of inner axes to others."""
    if type(pattern) is str:
        return _LARGE.fullmatch(pattern) is not None
    return type(pattern) is list and any(map(_is_for_large, pattern))


class Tiers:
    """The programs of a function, and the detours of its refusals.

    There are three functions: for the programs that leave the fewest sizes open, for those that
    leave the most, and for what is between. What is behind the last program is a refusal. Nothing
    here keeps an object of a call alive, so what leads from one to another is made at once.

    Parameters
    ----------
    first : _runtime.Function
        What the user calls, or what is called for it.
    make : callable
        Makes another one that asks the same `miss`.
    """

    def __init__(self, first: Any, make: Callable[[], Any]) -> None:
        self._make = make
        self._functions = [first]
        self.clear()

    def clear(self) -> None:
        """Forget all of them: the user has given the function other code."""
        for function in self._functions:
            function.clear()
        del self._functions[1:]
        self._programs: list[tuple[int, Any]] = []
        self._refusals: list[Any] = []
        self._ways: dict[tuple, dict[tuple[int, int], Any]] = {}

    def add(self, program: Any, loose: int, leaves: list[Leaf], kwnames: tuple) -> None:
        """Let a specialization answer calls, after those that are less loose."""
        before = self._levels()
        self._programs.append((loose, program))
        self._know(leaves, kwnames)
        if before and self._levels() != before:
            self._arrange()
        else:
            self._functions[self._place(loose)].add(program)

    def refuse(self, detour: Any, leaves: list[Leaf], kwnames: tuple) -> None:
        """Let a detour answer calls that no program answers."""
        self._refusals.append(detour)
        self._know(leaves, kwnames)
        self._functions[self._used()[-1]].add(detour)

    def forget_refusals(self) -> None:
        """Let `miss` answer all calls again that no program answers."""
        self._refusals.clear()
        for function in self._functions:
            function.clear_detours()
        self._link()

    def retry(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The answer of the first program that takes a call; else NotImplemented."""
        for k in self._used():
            answer = self._functions[k].retry(args, kwargs)
            if answer is not NotImplemented:
                return answer
        return NotImplemented

    def level(self, loose: int) -> int:
        """The place of programs that are so loose in the order of trial."""
        return self._used().index(self._place(loose))

    def hits(self) -> list[int]:
        """How many calls programs have answered, in the order of trial."""
        return [self._functions[k].counters()["memory_hits"] for k in self._used()]

    def detoured(self) -> int:
        """How many calls refusals have answered."""
        first, *rest = [function.counters() for function in self._functions]
        passed = sum(one["calls"] for one in rest)
        return first["detoured"] + sum(one["detoured"] for one in rest) - passed

    def _levels(self) -> list[int]:
        return sorted({loose for loose, _ in self._programs})

    def _used(self) -> list[int]:
        """The functions that are asked, in order."""
        return [[0], [0], [0, 2], [0, 1, 2]][min(len(self._levels()), 3)]

    def _place(self, loose: int) -> int:
        levels = self._levels()
        if loose == levels[0]:
            return 0
        return 2 if loose == levels[-1] else 1

    def _know(self, leaves: list[Leaf], kwnames: tuple) -> None:
        """Have ways from each function to those behind it for calls like one."""
        while len(self._functions) < 3:
            self._functions.append(self._make())
        guards = [_way(leaf) for leaf in leaves]
        key = (kwnames, *map(_key, guards))
        if key in self._ways:
            return
        form = {"nargs": len(leaves) - len(kwnames), "kwnames": kwnames, "parameters": guards}
        pairs = [(0, 1), (0, 2), (1, 2)]
        self._ways[key] = {
            pair: _runtime.Detour(self._functions[pair[1]], **form) for pair in pairs
        }
        for pair in pairwise(self._used()):
            self._functions[pair[0]].add(self._ways[key][pair])

    def _arrange(self) -> None:
        """Put the programs into the functions anew."""
        for function in self._functions:
            function.clear()
        for loose, program in self._programs:
            self._functions[self._place(loose)].add(program)
        self._link()

    def _link(self) -> None:
        for pair in pairwise(self._used()):
            for way in self._ways.values():
                self._functions[pair[0]].add(way[pair])
        for refusal in self._refusals:
            self._functions[self._used()[-1]].add(refusal)


def _way(leaf: Leaf) -> tuple:
    """A guard that all arguments of a program's fulfil: what they are more, its own guards say."""
    if leaf.is_open and leaf.kind.name == "dict":
        return ("entries", (), (), [])
    if leaf.kind.name == "dict":
        return ("dict", list(leaf.keys), [_way(child) for child in leaf.children])
    return ("like", leaf.obj if leaf.original is None else leaf.original, False)


def _key(guard: tuple) -> tuple:
    """What tells two such guards apart."""
    name, obj, rest, *_ = guard
    if name == "entries":
        return (name,)
    if name == "dict":
        return (name, *map(repr, obj), *map(_key, rest))
    if isinstance(obj, np.ndarray):
        return (type(obj), obj.dtype.str, obj.ndim, obj.flags.aligned)
    return (type(obj),)
