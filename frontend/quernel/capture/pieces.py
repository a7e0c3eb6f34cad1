"""Values that come out of one of two places: the sides of a branch, the turns of a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array import TracedArray, constant, fresh
from .environment import UNBOUND, Conflict
from .numbers import DATA
from .scalars import joined, number_of, number_type, sources_of, value_of
from .state import Facts, Retype, State
from .tracer import Tracer
from .views import same_dims

_SEQUENCES = (tuple, list)
_EITHER = (
    "writing to an array that a name is bound to in some turns or on one side of a branch only",
    "copy the array where the name is bound: y = x.copy()",
)


class Piece:
    """An object with the graph values that stand for it, made where it was computed.

    Attributes
    ----------
    kind : {"number", "array", "sequence", "object"}
    type : Python type or dtype, of a number
    items : list of Piece, of a sequence
    """

    __slots__ = ("kind", "obj", "type", "value", "items")

    def __init__(self, kind: str, obj: Any, type_: Any = None, value: Any = None) -> None:
        self.kind, self.obj, self.type, self.value = kind, obj, type_, value
        self.items: list[Piece] = []


class Pieces:
    """Makes and joins the pieces of one loop or branch.

    Parameters
    ----------
    facts : Facts
        Which types the numbers must have; joining adds to them.
    """

    def __init__(self, tracer: Tracer, facts: Facts, head: State) -> None:
        self.tracer, self.facts, self.head = tracer, facts, head
        self.pairs: list[tuple[Any, Any]] = []

    def of(self, obj: Any, path: tuple) -> Piece:
        """The piece of an object; UNBOUND is filled where it is known what with."""
        if obj is UNBOUND:
            fill = self.facts.fills.get(path)
            return Piece("object", UNBOUND) if fill is None else self.filled(fill)
        kind = number_type(obj)
        if kind is not None:
            kind = self.facts.types.get(path, kind)
            return Piece("number", obj, kind, value_of(self.tracer, obj, kind))
        if isinstance(obj, np.ndarray) and type(obj) is not TracedArray:
            obj = constant(self.tracer, obj)
        if type(obj) is TracedArray:
            return Piece("array", obj, None, obj.value)
        if type(obj) in _SEQUENCES:
            piece = Piece("sequence", obj)
            piece.items = [self.of(item, (*path, k)) for k, item in enumerate(obj)]
            return piece
        return Piece("object", obj)

    def filled(self, piece: Piece) -> Piece:
        """A piece of zeros of the same kind."""
        tracer = self.tracer
        if piece.kind == "object":
            return piece
        if piece.kind == "sequence":
            made = Piece("sequence", piece.obj)
            made.items = [self.filled(item) for item in piece.items]
            return made
        dtype, shape = piece.value.dtype, list(piece.value.shape)
        value = tracer.constant(np.dtype(dtype).type(0))
        if piece.kind == "number":
            return Piece("number", number_of(tracer, value, piece.type), piece.type, value)
        value = tracer.op("full", [value], shape=shape)
        return Piece("array", fresh(tracer, value), None, value)

    def joined(self, first: Piece, second: Piece, path: tuple) -> Any:
        """A function of the joined graph values that makes the object; pairs are noted.

        Raises
        ------
        Retype
            Where the numbers' types differ, which is noted in the facts.
        """
        if first.obj is second.obj:
            return lambda values: first.obj
        if first.kind != second.kind:
            return self._conflict("is of one kind on one path and of another on the other")
        return getattr(self, f"_{first.kind}")(first, second, path)

    def _conflict(self, reason: str) -> Any:
        return lambda values: Conflict(reason)

    def _pair(self, first: Any, second: Any) -> int:
        self.pairs.append((first, second))
        return len(self.pairs) - 1

    def _number(self, first: Piece, second: Piece, path: tuple) -> Any:
        if first.type != second.type:
            self.facts.types[path] = joined(first.type, second.type)
            raise Retype
        a, b = first.obj, second.obj
        if type(a) is type(b) and type(a) in (bool, int, float) and repr(a) == repr(b):
            return lambda values: a
        index = self._pair(first.value, second.value)
        sources = sources_of(a) | sources_of(b) | {DATA}

        def make(values: list[Any]) -> Any:
            number = number_of(self.tracer, values[index], first.type, sources)
            if first.type is int:
                number.bounds = _bounds(a, b)
            return number

        return make

    def _array(self, first: Piece, second: Piece, path: tuple) -> Any:
        a, b = first.obj, second.obj
        if a.same_place(b):
            return lambda values: a
        if a.dtype != b.dtype:
            return self._conflict(f"has dtype {a.dtype} on one path and {b.dtype} on the other")
        if not same_dims(a.shape, b.shape):
            return self._conflict("has one shape on one path and another on the other")
        index = self._pair(first.value, second.value)
        return lambda values: self.chosen(values[index], a, b)

    def chosen(self, value: Any, *arrays: TracedArray) -> TracedArray:
        """A new array that may be any of some arrays; writes to those that stay are refused."""
        answer = fresh(self.tracer, value)
        for array in arrays:
            if array.storage in self.head.storages:
                array.storage.frozen = answer.storage.frozen = _EITHER
        return answer

    def _sequence(self, first: Piece, second: Piece, path: tuple) -> Any:
        kind = type(first.obj)
        if kind is not type(second.obj) or len(first.items) != len(second.items):
            return self._conflict("is a sequence of another length on one path")
        makers = [
            self.joined(a, b, (*path, k))
            for k, (a, b) in enumerate(zip(first.items, second.items, strict=True))
        ]
        return lambda values: kind(make(values) for make in makers)

    def _object(self, first: Piece, second: Piece, path: tuple) -> Any:
        a, b = first.obj, second.obj
        if type(a) is type(b) and type(a) in (str, bytes, int) and a == b:
            return lambda values: a
        return self._conflict("is another object on one path than on the other")


def _bounds(*numbers: Any) -> tuple[int, int] | None:
    """What some Python integers, known or not, lie between."""
    known = [(x, x) if type(x) in (int, bool) else getattr(x, "bounds", None) for x in numbers]
    if any(pair is None for pair in known):
        return None
    return min(pair[0] for pair in known), max(pair[1] for pair in known)
