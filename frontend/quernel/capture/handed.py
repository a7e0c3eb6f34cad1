"""Values that the turns of a rolled loop hand on, by kind: numbers, sequences, what may be unbound.

Arrays have a file of their own, `carried.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arguments.named_tuples import is_named_tuple
from ..traced.array import TracedArray
from ..traced.open_types import Open, joined, same_type
from ..traced.restarts import Restart
from ..traced.scalars import dtype_name, number_of, number_type, sources_of, value_of
from ..traced.tags import tag_of
from ..traced.undecided import UNBOUND, Either, Maybe
from .carried import Entered
from .growing import is_growing
from .jumps import JUMPS
from .kept import like, steps
from .pieces import Piece
from .state import Retype, Slot


class HandedValues:
    """The part of a rolled loop that hands on values.

    Assumes the attributes of `Rolled`. A name that a turn reads before it binds it is bound, at the
    head of each turn, to what stands for what the turn before, or the code before the loop, has
    left. A value of which the kind changes from turn to turn, and can't be widened, is one of
    several sorts (`sorts.py`), or unrolls the loop.
    """

    # Before

    def _before(self, slot: Slot) -> Piece:
        """What a slot is bound to before the loop."""
        if slot.name in JUMPS:
            return self.pieces.of(False, slot.key)
        obj, fill = self.head.before(slot), self.facts.fills.get(slot.key)
        if obj is not UNBOUND or fill is None:
            return self._piece(obj, slot.key)
        made = Piece("maybe", obj, None, self.pieces.bits[0])
        inner, path = self.pieces.filled(fill), (*slot.key, "value")
        if path in self.facts.sorts:
            inner = self._sorted_piece(inner.obj, path)
        elif path in self.facts.types:
            inner = self.pieces.of(inner.obj, path)
        made.items = [inner]
        return made

    def _piece(self, obj: Any, path: tuple) -> Piece:
        """The piece of what is bound before the loop; arrays only where a turn rebinds them."""
        if path in self.facts.sorts:
            return self._sorted_piece(obj, path)
        if is_growing(obj) and not obj[1]:
            return Piece("object", obj)  # to which nothing has been appended in any attempt
        is_sequence = type(obj) in (tuple, list) and not self.pieces.is_one_object(obj)
        if is_sequence or is_named_tuple(obj):
            piece = Piece("sequence", obj)
            piece.items = [self._piece(item, (*path, k)) for k, item in enumerate(obj)]
            return piece
        if type(obj) is Maybe:
            piece = Piece("maybe", obj, None, obj.bound)
            piece.items = [self._piece(obj.value, (*path, "value"))]
            return piece
        is_plain = number_type(obj) is None and path not in self.facts.detached
        if is_plain or type(obj) is Either:  # a turn that rebinds one makes it a name of two sorts
            return Piece("object", obj)
        return self.pieces.of(obj, path)

    # At the head of a turn

    def _entered(self, piece: Piece, path: tuple) -> Any:
        """What a name is bound to at the head of a turn; it is noted in `entered`."""
        if piece.kind == "sequence":
            pairs = list(zip(steps(piece.obj), piece.items, strict=True))
            items = [self._entered(item, (*path, k)) for k, item in pairs]
            if all(item is piece.obj[k] for (k, _), item in zip(pairs, items, strict=True)):
                return piece.obj
            return like(piece.obj, items)
        if piece.kind in ("object", "absent"):
            return piece.obj
        entry = self.entered[path] = Entered(path, piece)
        value = piece.value
        if piece.kind == "array":
            entry.layout = self._own_layout(path, piece.obj)
            value = piece.value if entry.layout.axes is None else piece.stored
            if path in self.rooms:
                value = self.rooms[path][0]
        entry.marker = self.graph.enter(value)
        if piece.kind == "maybe":
            entry.obj = Maybe(entry.marker, self._entered(piece.items[0], (*path, "value")))
        elif piece.kind == "array":
            self._enter_array(entry)
        elif piece.kind == "sorts":
            self._enter_sorts(entry)
        else:
            assert piece.kind == "number", piece.kind
            sources = sources_of(piece.obj) | {("loop", self.key)}
            self.tracer.carries(entry.marker, piece.value, self.key)
            entry.obj = number_of(self.tracer, entry.marker, piece.type, sources)
            if type(piece.type) is Open:
                self._enter_tag(entry)
                self._note_widened(entry, entry.marker)
        return entry.obj

    def _enter_tag(self, entry: Entered) -> None:
        """Let the turns hand on which of its types a number has, where that is known before."""
        before = entry.before
        if before.tag is not None and ("untagged", entry.path) not in self.facts.flags:
            entry.which = self.graph.enter(before.tag)
            self.tracer.tag(entry.marker, entry.which, before.type.kinds)

    def _note_widened(self, entry: Entered, value: Any) -> None:
        """Note where the type of a number became one that data decide: here, or before."""
        before = entry.before.obj
        is_new = type(number_type(before)) is not Open
        self.tracer.widened(
            value, self.pieces.places if is_new else self.tracer.places_of(before.value)
        )

    # At the end of a turn

    def _handed(self, begun: Piece, now: Any, path: tuple) -> Callable:
        """A function of the loop's results that makes what a name is bound to after it."""
        entry = self.entered.get(path)
        if entry is not None and now is entry.obj and begun.kind != "array":
            return lambda results: begun.obj
        if entry is None and now is begun.obj:
            return lambda results: now
        if begun.kind == "sorts" and now is not UNBOUND:
            return self._hand_on_sorts(begun, now, path)
        if begun.kind == "maybe" and now is not UNBOUND:
            return self._maybe(begun, now, path)
        if begun.kind == "sequence" and _is_like(now, begun):
            makers = [
                self._handed(piece, now[k], (*path, k))
                for k, piece in zip(steps(now), begun.items, strict=True)
            ]
            return lambda results: like(now, [make(results) for make in makers])
        if begun.kind == "number" and number_type(now) is not None:
            return self._number(self.entered[path], now)
        if begun.kind == "array" and type(now) is TracedArray:
            return self._array(self.entered[path], now)
        return self._other(begun, now, path)

    def _maybe(self, begun: Piece, now: Any, path: tuple) -> Callable:
        bound, value = self.pieces.bits[1], now
        if type(now) is Maybe:
            bound, value = now.bound, now.value
        index = self._carry(self.entered[path].marker, bound)
        make = self._handed(begun.items[0], value, (*path, "value"))
        return lambda results: Maybe(results[index], make(results))

    def _number(self, entry: Entered, now: Any) -> Callable:
        kind = joined(entry.before.type, number_type(now), entry.before.obj, now)
        if kind is None:
            raise self._another_sort(entry.before.obj, now, entry.path)
        if not same_type(kind, entry.before.type):
            self.facts.types[entry.path] = kind
            raise Retype
        index = self._carry(entry.marker, value_of(self.tracer, now, kind))
        sources = sources_of(now) | sources_of(entry.before.obj) | {("loop", self.key)}
        last = number_type(now) if self.never_skipped else kind
        tag = self._handed_tag(entry, now, kind)
        tagged = tag is not None and type(last) is Open and last.names == kind.names

        def make(results: list[Any]) -> Any:
            value = self.tracer.cast(results[index], dtype_name(last))
            if type(last) is Open:
                self._note_widened(entry, value)
            if tagged:
                self.tracer.tag(value, results[tag], kind.kinds)
            return number_of(self.tracer, value, last, sources)

        return make

    def _handed_tag(self, entry: Entered, now: Any, kind: Any) -> int | None:
        """The position of a number's tag among what is carried; None where it has none."""
        if entry.which is None:
            return None
        found = tag_of(self.tracer, now, kind.kinds)
        if found is None:
            self.facts.flag(("untagged", entry.path))
        return self._carry(entry.which, found)

    def _other(self, begun: Piece, now: Any, path: tuple) -> Callable:
        """What is no number, or was none before."""
        if type(begun.obj) is TracedArray and type(now) is TracedArray and begun.kind == "object":
            if self.head.is_same(now, begun.obj):
                return lambda results: begun.obj
            self.facts.detached.add(path)  # in a sequence
            raise Retype
        if begun.obj is UNBOUND and path not in self.facts.fills:
            piece = self.pieces.of(now, path)
            while piece.kind == "either":
                piece = piece.items[0]
            if piece.kind in ("number", "array", "maybe", "sequence"):
                self.facts.fills[path] = piece
                raise Retype
        is_value = type(now) in (TracedArray, Either) or number_type(now) is not None
        if not is_value:
            raise Restart(unroll=[self.key])
        raise self._another_sort(begun.obj, now, path)


def _is_like(now: Any, begun: Piece) -> bool:
    if type(now) is not type(begun.obj) or len(now) != len(begun.items):
        return False
    return type(now) is not dict or list(now) == list(begun.obj)
