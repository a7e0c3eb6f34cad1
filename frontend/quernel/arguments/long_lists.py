"""Long lists of numbers as arguments: each call makes an array of one, of any length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .carried import MOST_ITEMS
from .leaves import Leaf, LeafKind, Likeness, Mismatch, Pattern, Place, ProgramFacts, Wrapper


class _Numbers:
    """The one key of a dict that stands for a long list: no dict of the user's has it."""

    def __init__(self, kind: type) -> None:
        self.kind = kind


class NumbersKind(LeafKind):
    """Long lists of Python's numbers of one type, of which the program gets an array.

    The pattern has the name of the type and that of the array. The runtime sees a dict with a key
    that tells what the array stands for.

    Parameters
    ----------
    arrays : LeafKind
        The kind of arrays.
    """

    name = "numbers"
    is_container = True

    def __init__(self, arrays: LeafKind) -> None:
        self._arrays = arrays
        self._keys = {kind.__name__: _Numbers(kind) for kind in (bool, int, float, complex)}

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        if depth or not symbolic or type(obj) is not list or len(obj) <= MOST_ITEMS:
            return None
        kind, *others = set(map(type, obj))
        array = np.array(obj) if not others and kind.__name__ in self._keys else None
        if array is None or array.dtype != np.dtype(kind):  # integers of more than 64 bits
            return None
        child = self._arrays.leaf(array, path, symbolic, depth)
        child.original = obj
        leaf = Leaf(self, path, obj, children=[child])
        leaf.keys = [kind.__name__]
        return leaf

    def form(self, leaf: Leaf) -> tuple:
        return (self.name, *leaf.keys)

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, *leaf.keys, leaf.children[0].signature(static, shapes))

    def rebuilt(self, leaf: Leaf, children: list[Any]) -> Any:
        return {self._keys[leaf.keys[0]]: children[0]}

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.numbers(leaf.children[0], self._keys[leaf.keys[0]].kind)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, *leaf.keys, self._arrays.pattern(leaf.children[0], captured)]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        key = self._keys[pattern[1]]
        if type(obj) is not dict or key not in obj:
            raise Mismatch
        return ("dict", [key], [self._arrays.guard(pattern[2], obj[key], symbols)])

    def places(self, pattern: Pattern, path: str) -> Iterable[tuple[str, Pattern]]:
        return [(path, pattern[2])]

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        # As `as_sort` has it: no guard looks at all of a list.
        return ("is", self._keys[leaf.keys[0]].kind)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path}: list of {pattern[1]}", *self._arrays.guard_texts(pattern[2], path)]

    def stored(self, leaf: Leaf, pattern: Pattern) -> Iterator[tuple[Place, str]]:
        return self._arrays.stored(leaf.children[0], pattern[2])


def as_sort(obj: Any) -> Any:
    """What a long list is, as far as a look at its first item says; other arguments as they are."""
    return type(obj[0]) if type(obj) is list and len(obj) > MOST_ITEMS else obj


def as_given(obj: Any) -> Any:
    """The list for which a dict with an array stands; other arguments as they are."""
    if type(obj) is not dict or len(obj) != 1:
        return obj
    ((key, array),) = obj.items()
    return array.tolist() if type(key) is _Numbers else obj
