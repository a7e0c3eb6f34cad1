"""Values that come out of one of two places: the sides of a branch, the turns of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments.named_tuples import is_named_tuple
from ..traced.array import TracedArray, constant, fresh
from ..traced.numbers import DATA, RANK, SymbolicNumber
from ..traced.objects import Identity, named
from ..traced.open_types import Open, joined, same_type
from ..traced.places import chosen
from ..traced.scalars import number_of, number_type, sources_of, value_of
from ..traced.storage import Storage, in_order
from ..traced.tags import tag_of
from ..traced.tracer import Tracer
from ..traced.undecided import UNBOUND, Conflict, Either, Maybe
from ..traced.views import same_dims
from .contents import OfSort
from .kept import Kept, Maker, like, steps
from .references import References, plain_path
from .rooms import Place, Room
from .state import Facts, Retype, State

_SEQUENCES = (tuple, list)


class Piece:
    """An object with the graph values that stand for it, made where it was computed.

    Attributes
    ----------
    kind : {"number", "array", "sequence", "maybe", "either", "sorts", "absent", "object"}
        ``"absent"`` is what is unbound, ``"object"`` all that no graph value stands for.
        ``"sorts"`` is what has several sorts in a loop (`sorts.py`).
    type : Python type, dtype or Open
        Of a number.
    value : graph value
        Of a number or an array; of what may be unbound, whether it is bound; of one of two values,
        whether it is the first; of what has several sorts, the number of the one that it has.
    stored : graph value or None
        Of an array: its elements in the order that NumPy lays a copy of them.
    tag : graph value or None
        Of a number whose type data decide: which type it has, where that is known.
    room : Room or None
        Of an array whose size isn't known outside.
    place : Place or None
        Of an array whose place in its memory isn't known outside.
    number : graph value or None
        Of a view: which object it is, where the program counts them.
    items : list of Piece
        Of a sequence, or a dict that is made within; of what may be unbound, the value; of one of
        two values, both; of an array in memory that data choose inside, the two arrays; of what has
        several sorts, all of them.
    """

    __slots__ = (
        "kind",
        "obj",
        "type",
        "value",
        "stored",
        "items",
        "tag",
        "room",
        "place",
        "number",
    )

    def __init__(self, kind: str, obj: Any, type_: Any = None, value: Any = None) -> None:
        self.kind, self.obj, self.type, self.value = kind, obj, type_, value
        self.stored = value
        self.items: list[Piece] = []
        self.tag: Any = None
        self.room: Room | None = None
        self.place: Place | None = None
        self.number: Any = None

    @property
    def has_arrays(self) -> bool:
        """Whether there are arrays in it."""
        return self.kind == "array" or any(item.has_arrays for item in self.items)

    @property
    def is_inside(self) -> bool:
        """Whether the size or the place of an array in it is only known inside."""
        own = self.room is not None or self.place is not None
        return own or any(item.is_inside for item in self.items)


class Pieces(Kept):
    """Makes and joins the pieces of one loop or branch.

    Parameters
    ----------
    facts : Facts
        Which types the numbers must have; joining adds to them.
    head : State
        What there was before.

    Attributes
    ----------
    condition : function of the joined values
        The graph value that says whether it was the first of the two places.
    references : two References
        At the end of each place, which paths lead to each memory.
    may_move : function of a path
        Whether nothing but names leads to memory from before that a path has.
    branch : tuple or None
        The path of a branch.
    places : list
        Where the two could be captured apart from each other.
    leaves_turns : bool
        Whether they are the turns of a loop, each of which makes objects of its own.
    """

    def __init__(self, tracer: Tracer, facts: Facts, head: State) -> None:
        super().__init__()
        self.tracer, self.facts, self.head = tracer, facts, head
        self.pairs: list[tuple[Any, Any]] = []
        self.condition: Callable[[list[Any]], Any] = lambda values: None
        self.references = References([]), References([])
        self.may_move: Callable[[tuple], bool] = lambda path: False
        self.places: list[tuple] = []
        self.branch: tuple | None = None
        self._eithers: dict[int, Piece] = {}  # by identity of the object, which the piece keeps
        self.bits = [tracer.constant(np.bool_(bit)) for bit in (False, True)]

    def of(self, obj: Any, path: tuple) -> Piece:
        """The piece of an object."""
        kind = number_type(obj)
        if kind is not None:
            kind = self.facts.types.get(path, kind)
            piece = Piece("number", obj, kind, value_of(self.tracer, obj, kind))
            if type(kind) is Open:
                piece.tag = tag_of(self.tracer, obj, kind.kinds)
            return piece
        if type(obj) is Maybe:
            piece = Piece("maybe", obj, None, obj.bound)
            piece.items = [self.of(obj.value, (*path, "value"))]
            return piece
        if type(obj) is Either:
            return self._of_either(obj, path)
        if isinstance(obj, np.ndarray) and type(obj) is not TracedArray:
            obj = constant(self.tracer, obj)
        if type(obj) is TracedArray:
            piece = Piece("array", obj, None, obj.value)
            piece.stored = in_order(self.tracer, obj.value, obj.order)
            return self.described(piece)
        is_sequence = type(obj) in _SEQUENCES and not self.is_one_object(obj)
        if is_sequence or is_named_tuple(obj) or self._is_new_dict(obj):
            piece = Piece("sequence", obj)
            piece.items = [self.of(obj[k], (*path, k)) for k in steps(obj)]
            return piece
        return Piece("absent" if obj is UNBOUND else "object", obj)

    def is_one_object(self, obj: Any) -> bool:
        """Whether no other list may stand for one: it is from outside, and some are changed."""
        return bool(self.tracer.choices.changed) and self.tracer.is_container(obj)

    def _is_new_dict(self, obj: Any) -> bool:
        """Whether an object is a dict that was made within: nobody outside has it."""
        return type(obj) is dict and not any(obj is old for old, _ in self.head.containers)

    def _of_either(self, obj: Either, path: tuple) -> Piece:
        """The piece of one of two values: one for an object, which others may be made of too."""
        if id(obj) not in self._eithers:
            piece = self._eithers[id(obj)] = Piece("either", obj, None, obj.condition)
            piece.items = [
                self.of(side, (*path, OfSort(k))) for k, side in enumerate((obj.first, obj.second))
            ]
        return self._eithers[id(obj)]

    def filled(self, piece: Piece) -> Piece:
        """A piece of zeros of the same kind."""
        tracer = self.tracer
        if piece.kind in ("object", "absent"):
            return piece
        if piece.kind == "either":
            return Piece("object", None)
        if piece.kind == "sequence":
            items = [self.filled(item) for item in piece.items]
            made = Piece("sequence", like(piece.obj, [item.obj for item in items]))
            made.items = items
            return made
        if piece.kind == "maybe":
            return self.filled(piece.items[0])
        value = tracer.constant(np.dtype(piece.value.dtype).type(0))
        if piece.kind == "number":
            made = Piece("number", number_of(tracer, value, piece.type), piece.type, value)
            made.tag = tracer.constant(np.int64(0)) if type(piece.type) is Open else None
            return made
        if not self.head.knows(piece.obj.shape):
            return Piece("object", Conflict("has a size that is only known inside", self.places))
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
            return self._apart(
                first, second, "is of one kind on one path and of another on the other"
            )
        return getattr(self, f"_{first.kind}")(first, second, path)

    def pair(self, first: Any, second: Any) -> int:
        """Note two graph values that become one."""
        self.pairs.append((first, second))
        return len(self.pairs) - 1

    def _maybe(self, first: Piece, second: Piece, path: tuple, bound: bool) -> Maker:
        """What may be unbound on one path: zeros stand for the value that it lacks there."""
        inner, make = [first.items[0], second.items[0]], None
        for k, other in ((0, 1), (1, 0)):
            if inner[k].kind == "absent":
                make = self.kept(other, inner[other]) if inner[other].has_arrays else None
                inner[k] = inner[k] if make else self.filled(inner[other])
        make = make or self.joined(*inner, path)
        if bound:
            return make
        index = self.pair(first.value, second.value)
        return lambda values: Maybe(values[index], make(values))

    def _number(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        kind = joined(first.type, second.type, a, b)
        if kind is None:
            return self._apart(first, second, "is a number of types that no dtype holds both of")
        if type(a) is type(b) and type(a) in (bool, int, float) and repr(a) == repr(b):
            return lambda values: a
        index = self.pair(self._cast(first, kind, path), value_of(self.tracer, b, kind))
        sources = sources_of(a) | sources_of(b) | {DATA}
        is_open = type(kind) is Open
        either = self._apart(first, second, f"is {kind.text()}") if is_open else None

        def make(values: list[Any]) -> Any:
            number = number_of(self.tracer, values[index], kind, sources)
            if either is not None:
                self.tracer.alternative(values[index], either(values))
            if kind is int:
                number.bounds = _bounds(a, b)
            return number

        return make

    def _cast(self, first: Piece, kind: Any, path: tuple) -> Any:
        """The value of the first of two numbers in another type: its region is closed already."""
        if same_type(first.type, kind):
            return first.value
        if type(first.obj) in RANK or issubclass(type(first.obj), np.generic):
            return value_of(self.tracer, first.obj, kind)
        self.facts.types[path] = kind
        raise Retype

    def _array(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        if self.head.is_same(a, b):
            return self._view(first, second)
        if a.dtype != b.dtype:
            return self._apart(
                first, second, f"has dtype {a.dtype} on one path and {b.dtype} on the other"
            )
        if not same_dims(a.shape, b.shape):
            return self._apart(first, second, "has one shape on one path and another on the other")
        if self._moves(a, b, path):
            layout = a.storage.layout
            place = self.pair(first.stored, second.stored)
            return lambda values: TracedArray(self.tracer, Storage(values[place], layout=layout))
        index = self.pair(first.value, second.value)
        left, right = self.kept(0, first), self.kept(1, second)
        if left is None or right is None:
            return self._conflict("is a part of an array whose place is only known inside")
        return lambda values: chosen(
            self.tracer, self.condition(values), left(values), right(values), values[index]
        )

    def _view(self, first: Piece, second: Piece) -> Maker:
        """Views of one place, each of which may be an object of its own."""
        a, b = first.obj, second.obj
        if not a.is_view or a.identity is b.identity or self.head.has(a):
            return lambda values: a
        if first.number is None:
            return lambda values: named(a, Identity(self.tracer, is_open=True))
        index = self.pair(first.number, second.number)
        return lambda values: named(a, Identity(self.tracer, values[index], True))

    def _moves(self, a: TracedArray, b: TracedArray, path: tuple) -> bool:
        """Whether nobody but one name sees either memory: then one memory can stand for both."""
        plain = all(type(x.storage) is Storage and not x.is_view for x in (a, b))
        if not plain or any(x.storage.leaf is not None for x in (a, b)):
            return False
        if a.views or b.views or not a.storage.layout.lies_as(b.storage.layout):
            return False
        if any(x.storage.frozen.is_copy or x.storage in self.tracer.listed for x in (a, b)):
            return False  # others may see what it is a copy of
        if any(self.tracer.is_watched(x.storage) for x in (a, b)):
            return False  # a loop's own memory may stand for that of an argument
        old = any(self.head.is_old(x.storage) for x in (a, b))
        if old and not self.may_move(path):
            return False
        own, (left, right) = {plain_path(path)}, self.references
        return (
            left.get(a.storage) == own
            and right.get(b.storage) == own
            and not right.get(a.storage)
            and not left.get(b.storage)
        )

    def _either(self, first: Piece, second: Piece, path: tuple) -> Maker:
        return self._apart(first, second, first.obj.reason)

    def _apart(self, first: Piece, second: Piece, reason: str) -> Maker:
        """What can't be joined: both stay, and can be returned; reading it has to choose."""
        makers = self.kept(0, first), self.kept(1, second)
        if None in makers:
            return self._conflict(reason)
        left, right = makers
        return lambda values: Either(
            self.condition(values), left(values), right(values), reason, self.places
        )

    def _conflict(self, reason: str) -> Maker:
        return lambda values: Conflict(reason, self.places, self.condition(values))

    def _sequence(self, first: Piece, second: Piece, path: tuple) -> Maker:
        kind = type(first.obj)
        if kind is not type(second.obj) or len(first.items) != len(second.items):
            return self._apart(first, second, "is a sequence of another length on one path")
        if kind is dict and list(first.obj) != list(second.obj):
            return self._apart(first, second, "is a dict with other keys on one path")
        key = self._choice_of_lists(first.obj, second.obj, path)
        if key in self.tracer.choices.apart:
            return self._apart(first, second, "is one of two lists, one of which is changed")
        makers = [
            self.joined(a, b, (*path, k))
            for k, a, b in zip(steps(first.obj), first.items, second.items, strict=True)
        ]

        def make(values: list[Any]) -> Any:
            made = like(first.obj, [maker(values) for maker in makers])
            if key is not None:
                lists = (made, first.obj, second.obj)
                snapshots = [(obj, list(enumerate(obj))) for obj in lists]
                self.tracer.chosen_lists.append((key, snapshots))
            return made

        return make

    def _choice_of_lists(self, first: Any, second: Any, path: tuple) -> tuple | None:
        """What names a choice of two lists that others see; None for any other choice.

        A third list stands for it, as long as none of the three is changed.
        """
        if type(first) is not list or self.branch is None:
            return None
        is_seen = any(obj is first or obj is second for obj, _ in self.head.containers)
        return (self.branch, path) if is_seen else None

    def _object(self, first: Piece, second: Piece, path: tuple) -> Maker:
        a, b = first.obj, second.obj
        if type(a) is type(b) and type(a) in (str, bytes, int) and a == b:
            return lambda values: a
        return self._apart(first, second, "is another object on one path than on the other")


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
