"""Names of several sorts at the head of a loop's turns: all are handed on, and which one it is.

A name that has one dtype, shape or kind in some turns and another one in others can't be one value
of the program. The loop hands on one value of each sort, and a number, the *choice*, that says
which one the name has. A turn is captured once for each sort, so that what it reads is of one sort.
Behind the loop the name is an `Either`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.open_types import joined
from ..traced.places import chosen
from ..traced.restarts import Restart
from ..traced.scalars import number_of, number_type, sources_of, value_of
from ..traced.undecided import UNBOUND, Conflict, Either, Maybe
from ..traced.views import same_dims
from .contents import OfSort
from .jumps import JUMPS
from .peeling import peel, places_of
from .pieces import Piece, Pieces
from .scopes import reads
from .state import Retype, Slot, State

if TYPE_CHECKING:
    from .carried import Entered

_MOST_SORTS = 4  # of one name
_MOST_COPIES = 8  # of a turn
_REASON = "has another type, dtype or shape in some turns of a loop than in others"


class Fill:
    """What stands for a sort that a name doesn't have before a loop.

    Attributes
    ----------
    obj : object
        Of that sort: the one that a turn has left, until one of zeros is made.
    """

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.forget()

    def forget(self) -> None:
        """Have it made anew: what is around the loop is captured again."""
        self.obj, self.is_made = self.piece.obj, False


class Unsorted(Exception):
    """A value is of no sort that a loop can hand on."""


class Sorts:
    """The part of a rolled loop that hands on names of several sorts.

    Assumes the attributes of `Rolled`. The values of the sorts that a name doesn't have may be
    anything: nobody reads them.
    """

    # Which names

    def _may_sort(self, begun: Any, now: Any, path: tuple) -> bool:
        """Have the loop captured again with a name of several sorts, if it can be one.

        Data have to decide about the sort, or one turn after the other changes it: where the first
        turns alone differ, they are carried out by themselves. A shape that each turn changes has
        as many values as there are turns.
        """
        if type(now) is not Either and (places_of(self.key) or _differ_in_shape(begun, now)):
            return False
        if len(path) > 3 or path[1] in JUMPS or (len(path) == 3 and path[2] != "value"):
            return False
        leaves = _leaves(begun)
        if not leaves or not all(map(self._is_sortable, leaves)):
            return False
        items = [Piece("object", obj) for obj in leaves]
        try:
            for leaf in _leaves(now):
                self._number_of_sort(leaf, items, path)
        except Unsorted:
            return False
        return self._add_sorts(items[len(leaves) :], path)

    def _add_sorts(self, items: list[Piece], path: tuple) -> bool:
        """Note pieces of sorts that a name didn't have before; whether it may have so many."""
        self.facts.sorts.setdefault(path, []).extend(map(Fill, items))
        return len(self.facts.sorts[path]) < _MOST_SORTS

    def _another_sort(self, begun: Any, now: Any, path: tuple) -> BaseException:
        """What has a loop captured again whose turn leaves a name with another sort of value."""
        if not self._may_sort(begun, now, path):
            return peel(self.key)
        return Retype(self.facts)

    def _number_of_sort(self, obj: Any, items: list[Piece], path: tuple) -> int:
        """Which of some pieces is of the sort of an object; a new one is added."""
        for k, item in enumerate(items):
            if _is_one_sort(obj, item):
                return k
        if not self._is_sortable(obj):
            raise Unsorted
        items.append(self.pieces.of(obj, (*path, OfSort(len(items)))))
        return len(items) - 1

    def _is_sortable(self, obj: Any) -> bool:
        if type(obj) is TracedArray and not obj.is_scalar:
            return self.head.knows(obj.shape)
        return obj is None or type(obj) in (str, bytes) or number_type(obj) is not None

    # Before

    def fill_sorts(self) -> None:
        """Make what stands for the sorts that names don't have before the loop.

        It is older than all attempts at the loop, which may hand on which memory a name refers to.
        """
        pieces = Pieces(self.tracer, self.facts, State(self.tracer))
        for fill in (fill for fills in self.facts.sorts.values() for fill in fills):
            if not fill.is_made:
                fill.obj, fill.is_made = pieces.filled(fill.piece).obj, True
            if type(fill.obj) is Conflict:
                raise Restart(unroll=[self.key])

    def _sorted_piece(self, obj: Any, path: tuple) -> Piece:
        """The piece of a name of several sorts before the loop."""
        made = Piece("sorts", obj)
        found: list[Piece] = []
        for leaf in _leaves(obj):
            if not any(_is_one_sort(leaf, other) for other in found):
                found.append(Piece("object", leaf))
        made.value, objs = self._by_sort(obj, found, path)
        made.items = [self._piece(objs[k], (*path, OfSort(k))) for k in range(len(found))]
        for fill in self.facts.sorts[path]:
            if not any(_is_one_sort(fill.obj, item) for item in made.items):
                made.items.append(self._piece(fill.obj, (*path, OfSort(len(made.items)))))
        return made

    # At the head of a turn

    def _enter_sorts(self, entry: Entered) -> None:
        """Bind a name to the value of each sort, as the choice says."""
        items = entry.before.items
        entry.parts = [self._entered(x, (*entry.path, OfSort(k))) for k, x in enumerate(items)]
        self._see_sorts(entry)

    def _see_sorts(self, entry: Entered) -> None:
        entry.obj = self._one_of_sorts(entry.marker, entry.parts)

    def _one_of_sorts(self, choice: Any, parts: list[Any]) -> Any:
        """The one of some values that the choice says."""
        *others, made = parts
        for k in reversed(range(len(others))):
            made = Either(self._is_sort(choice, k), others[k], made, _REASON)
        return made

    def _is_sort(self, choice: Any, k: int) -> Any:
        return self.tracer.op("equal", [choice, self.tracer.constant(np.int64(k))])

    def sorts_read(self, node: Any) -> set[str]:
        """The names of several sorts that an expression reads."""
        names = {slot.name for slot, _ in self._sorted()}
        return names and names & reads(node)

    def see_sorts(self, names: set[str]) -> None:
        """Bind names to what they are at the head of a turn: to one of several sorts."""
        for slot, entry in self._sorted():
            if slot.name in names:
                is_maybe = entry.path != slot.key
                slot.put(self.entered[slot.key].obj if is_maybe else entry.obj)

    def _sorted(self) -> list[tuple[Slot, Entered]]:
        """The names of several sorts."""
        return [
            (slot, entry)
            for slot in self.slots.values()
            for entry in (self.entered.get(slot.key), self.entered.get((*slot.key, "value")))
            if entry is not None and entry.before.kind == "sorts"
        ]

    def each_sort(self, work: Callable, names: Any = None) -> Any:
        """Carry work out once for each combination of the sorts of names; its result.

        Parameters
        ----------
        names : set of str, optional
            The names that it may read; all of them where that is left out.
        """
        entries = [x for x in self._sorted() if names is None or x[0].name in names]
        if int(np.prod([len(entry.parts) for _, entry in entries])) > _MOST_COPIES:
            raise Restart(unroll=[self.key])

        def within(number: int) -> Any:
            if number == len(entries):
                return work()
            return self._each_sort_of(*entries[number], 0, lambda: within(number + 1))

        return within(0)

    def _each_sort_of(self, slot: Slot, entry: Entered, k: int, work: Callable) -> Any:
        """Carry work out for each sort of one name, from the k-th one on."""
        path = self.frame.interpreter.path

        def bound() -> Any:
            part = entry.parts[k]
            is_maybe = entry.path != slot.key
            slot.put(Maybe(self.entered[slot.key].marker, part) if is_maybe else part)
            path.append(("of sort", slot.name, k))
            try:
                return work()
            finally:
                path.pop()

        if k == len(entry.parts) - 1:
            return bound()
        return self.frame.either(
            ("sort", slot.name, k),
            self._is_sort(entry.marker, k),
            bound,
            lambda: self._each_sort_of(slot, entry, k + 1, work),
            {*self.needed, *self.left},
        )

    # At the end of a turn

    def _hand_on_sorts(self, begun: Piece, now: Any, path: tuple) -> Callable:
        """A function of the loop's results that makes what a name of several sorts is after it."""
        entry = self.entered[path]
        items = [Piece("object", part) for part in entry.parts]
        try:
            choice, objs = self._by_sort(now, items, path)
        except Unsorted:
            raise Restart(unroll=[self.key]) from None
        if len(items) > len(begun.items):
            enough = self._add_sorts(items[len(begun.items) :], path)
            raise Retype(self.facts) if enough else Restart(unroll=[self.key])
        index = self._carry(entry.marker, choice)
        makers = [
            self._handed(begun.items[k], objs.get(k, part), (*path, OfSort(k)))
            for k, part in enumerate(entry.parts)
        ]
        return lambda results: self._one_of_sorts(
            results[index], [make(results) for make in makers]
        )

    def _by_sort(self, obj: Any, items: list[Piece], path: tuple) -> tuple[Any, dict[int, Any]]:
        """The choice of an object, and the value of each sort that it may have.

        Raises
        ------
        Unsorted
        """
        if type(obj) is not Either:
            k = self._number_of_sort(obj, items, path)
            same = items[k].kind == "object" and not isinstance(items[k].obj, TracedArray)
            keep = same and number_type(obj) is None
            return self.tracer.constant(np.int64(k)), {k: items[k].obj if keep else obj}
        sides = [self._by_sort(side, items, path) for side in (obj.first, obj.second)]
        (left, firsts), (right, seconds) = sides
        merged = {**firsts, **seconds}
        for k in firsts.keys() & seconds.keys():
            merged[k] = self._merged(obj.condition, firsts[k], seconds[k])
        choice = left if left is right else self.tracer.op("where", [obj.condition, left, right])
        return choice, merged

    def _merged(self, condition: Any, first: Any, second: Any) -> Any:
        """One of two values of one sort."""
        if first is second:
            return first
        if number_type(first) is None:
            both = type(first) is TracedArray
            return chosen(self.tracer, condition, first, second) if both else first
        kind = joined(number_type(first), number_type(second), first, second)
        if kind is None:
            raise Unsorted
        values = [value_of(self.tracer, x, kind) for x in (first, second)]
        value = self.tracer.op("where", [condition, *values])
        return number_of(self.tracer, value, kind, sources_of(first) | sources_of(second))


def _leaves(obj: Any) -> list[Any]:
    """The values that an object may be."""
    if type(obj) is Either:
        return [*_leaves(obj.first), *_leaves(obj.second)]
    return [] if obj is UNBOUND else [obj]


def _differ_in_shape(first: Any, second: Any) -> bool:
    arrays = type(first) is TracedArray and type(second) is TracedArray
    return arrays and not same_dims(first.shape, second.shape)


def _is_one_sort(first: Any, item: Piece) -> bool:
    """Whether an object and that of a piece can be one value of the program."""
    second = item.obj
    kinds = number_type(first), number_type(second) if item.type is None else item.type
    if all(kind is not None for kind in kinds):  # a float64 dtype equals None
        return joined(*kinds) is not None
    if type(first) is not type(second):
        return False
    if type(first) is TracedArray:
        arrays = not first.is_scalar and not second.is_scalar
        return arrays and first.dtype == second.dtype and same_dims(first.shape, second.shape)
    return first is second or (type(first) in (str, bytes) and first == second)
