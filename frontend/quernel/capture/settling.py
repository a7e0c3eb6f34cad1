"""Numbers of which data decide the type, captured once for each of their types.

Where it matters which of its types a number has, and no branch or loop can be captured apart for
it, the number's tag decides: the statements from the one that evaluates the number up to the one
that reads it are carried out once for each type, as the sides of a fork are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.numbers import SymbolicNumber
from ..traced.scalars import dtype_name, number_of
from ..traced.tags import tag_of
from ..traced.tracer import Tracer
from .paths import general


class Settling:
    """The part of an interpreter that captures the types of numbers apart.

    Assumes the attributes of `Forks`.

    Attributes
    ----------
    settled : dict
        By identity of a graph value: the value, and the number that it is on the side of a fork
        that is captured.
    """

    tracer: Tracer

    def __init__(self) -> None:
        self.settled: dict[int, tuple[Any, Any]] = {}

    def of_one_type(self, number: Any, node: Any) -> Any:
        """A number that an expression gives, as one of the type that it has on this side.

        It stays as it is where its types aren't captured apart.
        """
        known = self.settled.get(id(number.value))
        if known is not None:
            return known[1]
        kinds = number.open.kinds
        for place, kind in enumerate(kinds[:-1]):
            holds = self._has_tag(number, place, self.numbered("type", id(node)))
            if holds is None:
                return number
            if holds:
                return self._settle(number, kind)
        return self._settle(number, kinds[-1])

    def _has_tag(self, number: Any, place: int, key: tuple) -> bool | None:
        """Whether a number is of one of its types on this side; None where nothing is captured."""
        self.path.append(key)
        try:
            branch = general(self.plain_path())
            tag = None
            if any(fork[1] == branch for fork in self.tracer.choices.forks):
                tag = tag_of(self.tracer, number, number.open.kinds)
            if tag is None:
                self.tracer.note_number(number, self.fork_places())
                return None
            this = self.tracer.constant(np.int64(place))
            return self.decided(self.tracer.op("equal", [tag, this]))
        finally:
            self.path.pop()

    def _settle(self, number: Any, kind: Any) -> Any:
        value = self.tracer.narrowed(number.value, dtype_name(kind))
        made = number_of(self.tracer, value, kind)
        self.settled[id(number.value)] = number.value, made
        return made


def is_of_open_type(obj: Any) -> bool:
    """Whether an object is a number of which data decide the type."""
    return type(obj) in (TracedArray, SymbolicNumber) and obj.open is not None
