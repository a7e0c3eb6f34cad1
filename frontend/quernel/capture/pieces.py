"""Values that come out of one of two places: the sides of a branch, the turns of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array import TracedArray, constant, fresh
from .environment import UNBOUND, Conflict, Maybe
from .numbers import DATA, RANK, SymbolicNumber
from .open_types import joined, same_type
from .scalars import number_of, number_type, sources_of, value_of
from .state import Facts, Retype, State
from .tracer import Tracer
from .views import same_dims

Maker = Callable[[list[Any]], Any]
_SEQUENCES = (tuple, list)
_EITHER = (
    "writing to an array that a name is bound to in some turns or on one side of a branch only",
    "copy the array where the name is bound: y = x.copy()",
)


class Piece:
    """An object with the graph values that stand for it, made where it was computed.

    Attributes
    ----------
    kind : {"number", "array", "sequence", "maybe", "absent", "object"}
    type : Python type or dtype, of a number
    value : graph value
        Of a number or an array; of what may be unbound, whether it is bound.
    items : list of Piece
        Of a sequence; of what may be unbound, the value.
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
    head : State
        What there was before.
    """

    def __init__(self, tracer: Tracer, facts: Facts, head: State) -> None:
        self.tracer, self.facts, self.head = tracer, facts, head
        self.pairs: list[tuple[Any, Any]] = []
        self.bits = [tracer.constant(np.bool_(bit)) for bit in (False, True)]

    def of(self, obj: Any, path: tuple) -> Piece:
        """The piece of an object."""
        kind = number_type(obj)
        if kind is not None:
            kind = self.facts.types.get(path, kind)
            return Piece("number", obj, kind, value_of(self.tracer, obj, kind))
        if type(obj) is Maybe:
            piece = Piece("maybe", obj, None, obj.bound)
            piece.items = [self.of(obj.value, (*path, "value"))]
            return piece
        if isinstance(obj, np.ndarray) and type(obj) is not TracedArray:
            obj = constant(self.tracer, obj)
        if type(obj) is TracedArray:
            return Piece("array", obj, None, obj.value)
        if type(obj) in _SEQUENCES:
            piece = Piece("sequence", obj)
            piece.items = [self.of(item, (*path, k)) for k, item in enumerate(obj)]
            return piece
        return Piece("absent" if obj is UNBOUND else "object", obj)

    def filled(self, piece: Piece) -> Piece:
        """A piece of zeros of the same kind."""
        tracer = self.tracer
        if piece.kind in ("object", "absent"):
            return piece
        if piece.kind == "sequence":
            items = [self.filled(item) for item in piece.items]
            made = Piece("sequence", type(piece.obj)(item.obj for item in items))
            made.items = items
            return made
        if piece.kind == "maybe":
            return self.filled(piece.items[0])
        value = tracer.constant(np.dtype(piece.value.dtype).type(0))
        if piece.kind == "number":
            return Piece("number", number_of(tracer, value, piece.type), piece.type, value)
        if not self.head.knows(piece.obj.shape):
            return Piece("object", Conflict("has a size that is only known inside"))
        value = tracer.op("full", [value], shape=list(piece.value.shape))
        return Piece("array", fresh(tracer, value), None, value)

    def may_be(self, piece: Piece) -> Piece:
        """A piece with whether it is bound."""
        if piece.kind == "maybe":
            return piece
        made = Piece("maybe", piece.obj, None, self.bits[piece.kind != "absent"])
        made.items = [piece]
        return made

    # Joining

    def joined(self, first: Piece, second: Piece, path: tuple, bound: bool = False) -> Maker:
        """A function of the joined graph values that makes the object; pairs are noted.

        Parameters
        ----------
        bound : bool
            Whether the object is only read where it is bound.

        Raises
        ------
        Retype
            Where the numbers' types differ, which is noted in the facts.
        """
        if first.obj is second.obj:
            return lambda values: first.obj
        if {first.kind, second.kind} & {"absent", "maybe"}:
            return self._maybe(self.may_be(first), self.may_be(second), path, bound)
        if first.kind != second.kind:
            return _conflict("is of one kind on one path and of another on the other")
        return getattr(self, f"_{first.kind}")(first, second, path)

    def pair(self, first: Any, second: Any) -> int:
        """Note two graph values that become one."""
        self.pairs.append((first, second))
        return len(self.pairs) - 1

    def _maybe(self, first: Piece, second: Piece, path: tuple, bound: bool) -> Maker:
        inner = [first.items[0], second.items[0]]
        for k, other in ((0, 1), (1, 0)):
            if inner[k].kind == "absent":
                inner[k] = self.filled(inner[other])
        make = self.joined(*inner, path)
        if bound:
            return make
        index = self.pair(first.value, second.value)
        return lambda values: Maybe(values[index], make(values))

    def _number(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        kind = joined(first.type, second.type, a, b)
        if kind is None:
            return _conflict("is a number of types that no dtype holds both of")
        if type(a) is type(b) and type(a) in (bool, int, float) and repr(a) == repr(b):
            return lambda values: a
        index = self.pair(self._cast(first, kind, path), value_of(self.tracer, b, kind))
        sources = sources_of(a) | sources_of(b) | {DATA}

        def make(values: list[Any]) -> Any:
            number = number_of(self.tracer, values[index], kind, sources)
            if kind is int:
                number.bounds = _bounds(a, b)
            return number

        return make

    def _cast(self, first: Piece, kind: Any, path: tuple) -> Any:
        """The value of the first of two numbers in another type: its region is closed already."""
        if same_type(first.type, kind):
            return first.value
        if type(first.obj) in RANK or isinstance(first.obj, np.generic):
            return value_of(self.tracer, first.obj, kind)
        self.facts.types[path] = kind
        raise Retype

    def _array(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        if a.same_place(b):
            return lambda values: a
        if a.dtype != b.dtype:
            return _conflict(f"has dtype {a.dtype} on one path and {b.dtype} on the other")
        if not same_dims(a.shape, b.shape):
            return _conflict("has one shape on one path and another on the other")
        index = self.pair(first.value, second.value)
        old = [array for array in (a, b) if array.storage in self.head.storages]
        frozen = [array.storage.frozen for array in (a, b) if array.storage.frozen[0]]
        may_be = any(is_argument(array) for array in (a, b))

        def make(values: list[Any]) -> TracedArray:
            return self.chosen(values[index], *old, frozen=frozen, is_argument=may_be)

        return make

    def chosen(
        self, value: Any, *old: TracedArray, frozen: list = (), is_argument: bool = False
    ) -> TracedArray:
        """A new array that may be one of some arrays that stay: writes to any are refused.

        Parameters
        ----------
        frozen : list
            Why an array that it is made of can't be written.
        is_argument : bool
            Whether it may be an array of the caller's.
        """
        answer = fresh(self.tracer, value)
        for reason in frozen:
            answer.storage.frozen = reason
        for array in old:
            array.storage.frozen = answer.storage.frozen = _EITHER
        answer.storage.is_argument = is_argument
        return answer

    def _sequence(self, first: Piece, second: Piece, path: tuple) -> Maker:
        kind = type(first.obj)
        if kind is not type(second.obj) or len(first.items) != len(second.items):
            return _conflict("is a sequence of another length on one path")
        makers = [
            self.joined(a, b, (*path, k))
            for k, (a, b) in enumerate(zip(first.items, second.items, strict=True))
        ]
        return lambda values: kind(make(values) for make in makers)

    def _object(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        if type(a) is type(b) and type(a) in (str, bytes, int) and a == b:
            return lambda values: a
        return _conflict("is another object on one path than on the other")


def is_argument(array: TracedArray) -> bool:
    """Whether an array is, or may be, memory of the caller's."""
    return array.storage.leaf is not None or array.storage.is_argument


def _conflict(reason: str) -> Maker:
    return lambda values: Conflict(reason)


def _bounds(*numbers: Any) -> tuple[int, int] | None:
    """What some Python integers, known or not, lie between."""
    pairs = []
    for number in numbers:
        if type(number) in (int, bool):
            pairs.append((number, number))
        elif type(number) is SymbolicNumber and number.bounds is not None:
            pairs.append(number.bounds)
        else:
            return None
    return min(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
