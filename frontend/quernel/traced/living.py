"""Objects that are known only as long as something else refers to them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any


class Living:
    """Objects by key, in the order in which they were put in, without those that are gone.

    Unlike `weakref.WeakValueDictionary` it has no callbacks: they would be Python code that runs
    where Python drops exceptions, also those of a signal's handler.
    """

    def __init__(self) -> None:
        self._references: dict[Any, weakref.ref] = {}

    def __setitem__(self, key: Any, obj: Any) -> None:
        self._references[key] = weakref.ref(obj)

    def discard(self, key: Any) -> None:
        """Forget an object, where it is there."""
        self._references.pop(key, None)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """The keys and objects; the table may be changed meanwhile."""
        for key, reference in list(self._references.items()):
            obj = reference()
            if obj is None:
                self.discard(key)
            else:
                yield key, obj

    def since(self, key: Any) -> list[tuple[Any, Any]]:
        """Those with larger keys, where keys get larger; the last one first."""
        found = []
        for other in reversed(self._references):
            if other <= key:
                break
            obj = self._references[other]()
            if obj is not None:
                found.append((other, obj))
        return found

    def values(self) -> Iterator[Any]:
        """The objects; the table may be changed meanwhile."""
        for _, obj in self.items():
            yield obj
