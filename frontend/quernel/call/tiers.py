"""The order in which the answers of a function are tried: programs for exact sizes first.

Of its programs a `_runtime.Function` tries the one first that has answered last. So programs that
answer the same calls, one for exact sizes and one for any, are in functions of their own: the more
exact ones in the first, and a detour leads from each function to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.leaf_kinds import ANY
from ..arguments.leaves import Leaf

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
        del self._functions[1:]
        self._programs: list[tuple[int, Any]] = []
        self._refusals: list[Any] = []
        self._ways: dict[tuple, tuple] = {}

    def add(self, program: Any, loose: int, leaves: list[Leaf], kwnames: tuple) -> None:
        """Let a specialization answer calls, after those that are less loose."""
        is_new = all(loose != known for known, _ in self._programs)
        self._programs.append((loose, program))
        self._know(leaves, kwnames)
        if is_new and len(self._programs) > 1:
            self._arrange()
        else:
            levels = sorted({known for known, _ in self._programs})
            self._functions[levels.index(loose)].add(program)

    def refuse(self, detour: Any, leaves: list[Leaf], kwnames: tuple) -> None:
        """Let a detour answer calls that no program answers."""
        self._refusals.append(detour)
        self._know(leaves, kwnames)
        self._functions[-1].add(detour)

    def forget_refusals(self) -> None:
        """Let `miss` answer all calls again that no program answers."""
        self._refusals.clear()
        self._link()

    def retry(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The answer of the first program that takes a call; else NotImplemented."""
        for function in self._functions:
            answer = function.retry(args, kwargs)
            if answer is not NotImplemented:
                return answer
        return NotImplemented

    def level(self, loose: int) -> int:
        """The place of programs that are so loose in the order of trial."""
        return sorted({known for known, _ in self._programs}).index(loose)

    def hits(self) -> list[int]:
        """How many calls programs have answered, in the order of trial."""
        return [function.counters()["memory_hits"] for function in self._functions]

    def detoured(self) -> int:
        """How many calls refusals have answered."""
        first, *rest = [function.counters() for function in self._functions]
        passed = sum(one["calls"] for one in rest)
        return first["detoured"] + sum(one["detoured"] for one in rest) - passed

    def _know(self, leaves: list[Leaf], kwnames: tuple) -> None:
        """Have a way from each function to the next for calls like one."""
        guards = [_way(leaf) for leaf in leaves]
        key = (kwnames, *map(_key, guards))
        if key not in self._ways:
            self._ways[key] = (len(leaves) - len(kwnames), kwnames, guards)
            for function, following in self._pairs():
                function.add(_detour(following, self._ways[key]))

    def _pairs(self) -> Iterator[tuple[Any, Any]]:
        return zip(self._functions[:-1], self._functions[1:], strict=True)

    def _arrange(self) -> None:
        """Put the programs into functions anew."""
        levels = sorted({loose for loose, _ in self._programs})
        while len(self._functions) < len(levels):
            self._functions.append(self._make())
        for level, function in zip(levels, self._functions, strict=True):
            function.clear()
            for loose, program in self._programs:
                if loose == level:
                    function.add(program)
        self._link()

    def _link(self) -> None:
        for function in self._functions:
            function.clear_detours()
        for function, following in self._pairs():
            for way in self._ways.values():
                function.add(_detour(following, way))
        for refusal in self._refusals:
            self._functions[-1].add(refusal)


def _detour(following: Any, way: tuple) -> Any:
    count, kwnames, guards = way
    return _runtime.Detour(following, nargs=count, kwnames=kwnames, parameters=guards)


def _way(leaf: Leaf) -> tuple:
    """A guard that all arguments of a program's fulfil: what they are more, its own guards say."""
    if leaf.kind.name == "dict":
        return ("dict", list(leaf.keys), [_way(child) for child in leaf.children])
    return ("like", leaf.obj if leaf.original is None else leaf.original, False)


def _key(guard: tuple) -> tuple:
    """What tells two such guards apart."""
    name, obj, rest = guard
    if name == "dict":
        return (name, *map(repr, obj), *map(_key, rest))
    if isinstance(obj, np.ndarray):
        return (type(obj), obj.dtype.str, obj.ndim, obj.flags.aligned)
    return (type(obj),)
