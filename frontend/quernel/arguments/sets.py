"""Sets among arguments."""

from __future__ import annotations

from typing import Any

from ..describe import describe, has_text
from .leaves import Leaf, LeafKind, Likeness, Mismatch, Pattern, ProgramFacts, Wrapper

_APART = (str, bytes, type(None), type)  # what is equal to nothing of another type


class SetKind(LeafKind):
    """Sets of texts, types and the like: of equal ones nobody can tell one from the other.

    (Numbers can be told: 1 and True are equal. A set of them is known by itself.)
    """

    name = "set"
    is_constant = True

    def leaf(self, obj: Any, path: str, symbolic: bool, depth: int) -> Leaf | None:
        return Leaf(self, path, obj) if self._is_own(obj) else None

    def signature(self, leaf: Leaf, static: set[str], shapes: bool) -> tuple:
        return (self.name, describe(frozenset(leaf.obj)))

    def wrapped(self, leaf: Leaf, to: Wrapper) -> Any:
        return to.watched(set(map(to.key, leaf.obj)), leaf.path)

    def pattern(self, leaf: Leaf, captured: ProgramFacts) -> Pattern:
        return [self.name, describe(frozenset(leaf.obj))]

    def guard(self, pattern: Pattern, obj: Any, symbols: dict[str, int]) -> tuple:
        if not self._is_own(obj) or describe(frozenset(obj)) != pattern[1]:
            raise Mismatch
        return ("value", set(obj))  # another one, which nobody changes

    def like(self, leaf: Leaf, likeness: Likeness) -> tuple:
        return ("value", set(leaf.obj)) if likeness.by_value else ("like", leaf.obj, False)

    def guard_texts(self, pattern: Pattern, path: str) -> list[str]:
        return [f"{path} == {pattern[1]}"]

    @staticmethod
    def _is_own(obj: Any) -> bool:
        is_apart = type(obj) is set and all(isinstance(item, _APART) for item in obj)
        return is_apart and has_text(frozenset(obj))
