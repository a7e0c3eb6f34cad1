"""Names that change places among arrays from turn to turn of a rolled loop: ``a, b = b, a``.

Where a turn leaves names with other arrays from before the loop, and writes to one of these, the
loop hands on a number that says which *arrangement* the names are in: which array each of them has.
A turn is captured once for each arrangement that there may be, so that it reads and writes the
arrays themselves. Behind the loop a name is the array that the number chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..traced.array import TracedArray
from ..traced.memory import storages_of
from ..traced.numbers import DATA
from ..traced.places import ChosenStorage, chosen, side_of
from ..traced.scalars import number_of, value_of
from ..traced.views import same_dims
from .scopes import reads
from .state import Retype

_MOST_ARRANGEMENTS = 4  # of the names of one loop
_SCATTERED = ("scattered",)


class Arrangements:
    """The part of a rolled loop that hands on which of the arrays before it its names have.

    Assumes the attributes of `Rolled`. Where there are too many arrangements, or a turn leaves such
    a name with something else in some arrangement, the loop is captured again without them.
    """

    # Which names

    def find_rebound(self) -> None:
        """Note, all at once since they may change places, the names that a turn binds to arrays.

        Raises
        ------
        Retype
        """
        found = {}
        for slot in self.head.changed_slots():
            begun, now = self.begun.get(slot.key), slot.get()
            if begun is None or begun.kind != "object" or type(begun.obj) is not TracedArray:
                continue
            if type(now) is TracedArray and not self.head.is_same(now, begun.obj):
                found[slot.key] = begun.obj, now
        if not found:
            return
        if _SCATTERED not in self.facts.flags and self._is_arrangement(list(found.values())):
            for arrangement in self.facts.arrangements or self._no_arrangement():
                arrangement.update({key: self.head.path_of(old) for key, (old, _) in found.items()})
        else:
            self.facts.detached |= found.keys()
        raise Retype

    def _no_arrangement(self) -> list[dict]:
        self.facts.arrangements.append({})
        return self.facts.arrangements

    def _is_arrangement(self, pairs: list[tuple[TracedArray, TracedArray]]) -> bool:
        """Whether arrays that names have after a turn, beside those before it, were there before.

        Without a write to one of them a name may as well be handed on by its elements.
        """
        first, _ = pairs[0]
        arrays = [array for pair in pairs for array in pair]
        if not all(
            x.dtype == first.dtype and same_dims(x.shape, first.shape) and not x.is_scalar
            for x in arrays
        ):
            return False
        if not all(self.head.has(x) for array in arrays for x in self._choices_of(array)):
            return False
        return any(
            self.taken.is_changed(storage) for array in arrays for storage in storages_of(array)
        )

    def _choices_of(self, array: TracedArray) -> list[TracedArray]:
        """The arrays from before the loop that a turn has chosen from; else the array itself."""
        place = array.storage
        if self.head.has(array) or type(place) is not ChosenStorage:
            return [array]
        sides = place.first, place.second
        return [x for side in sides for x in self._choices_of(side_of(array, side))]

    # At the head of a turn

    def enter_arrangements(self) -> None:
        """Let the turns hand on in which arrangement the names are, if they change places."""
        self.arranged: Any = None
        self._leads_to: dict[int, Any] = {}
        if not self.facts.arrangements:
            return
        self._arrangements = [
            {key: self.head.at_path(path) for key, path in arrangement.items()}
            for arrangement in self.facts.arrangements
        ]
        first = self._arrangements[0]
        if any(first[key] is not self.begun[key].obj for key in first):
            self._scatter()  # what is around the loop has changed
        self.arranged = self.graph.enter(self.tracer.constant(np.int64(0)))
        self.see_arrangement()

    def see_arrangement(self) -> None:
        """Bind names to the arrays that they have at the head of a turn."""
        if self.arranged is not None:
            self._put(self._arranged_by(self.arranged))

    def _put(self, arrangement: dict[Any, TracedArray]) -> None:
        for key, array in arrangement.items():
            self.slots[key].put(array)

    def _arranged_by(self, number: Any) -> dict[Any, TracedArray]:
        """The arrays of names in the arrangement that a number says."""
        tracer, rest, found = self.tracer, range(len(self._arrangements) - 1), {}
        conditions = [self._is_sort(number, k) for k in rest]
        for key, last in self._arrangements[-1].items():
            made = last
            for k in reversed(rest):
                made = chosen(tracer, conditions[k], self._arrangements[k][key], made)
            found[key] = made
        return found

    def arranged_read(self, node: Any) -> set[str]:
        """The names that change places and that an expression reads."""
        names = {key[1] for key in self.facts.arrangements[0]} if self.facts.arrangements else set()
        return names and names & reads(node)

    def is_read_in_copies(self, node: Any) -> bool:
        """Whether an expression reads names of which a turn is captured in several copies."""
        return node is not None and bool(self.sorts_read(node) or self.arranged_read(node))

    def each_turn(self, work: Callable) -> None:
        """Carry a turn out once for each arrangement of names, and for each of their sorts."""

        def turn() -> Any:
            self.each_sort(work)
            return self._arrangement_now()

        if self.arranged is None:
            self.each_sort(work)
        else:
            self.arrangement = self._each_arrangement(0, turn, self._leads_to)

    def each_arrangement(self, work: Callable) -> Any:
        """Carry work out once for each arrangement of names that change places; its result."""
        around = {key: self.slots[key].get() for key in self._arrangements[0]}
        made = self._each_arrangement(0, work, {})
        self._put(around)
        return made

    def _each_arrangement(self, k: int, work: Callable, results: dict[int, Any]) -> Any:
        """Carry work out for each arrangement from the k-th one on.

        Leaves the names as they are before the loop, and the result for each arrangement in
        `results`.
        """
        path = self.frame.interpreter.path

        def bound() -> Any:
            self._put(self._arrangements[k])
            path.append(("of sort", "%arranged", k))
            try:
                results[k] = work()
            finally:
                path.pop()
            self._put(self._arrangements[0])
            return results[k]

        if k == len(self._arrangements) - 1:
            return bound()
        return self.frame.either(
            ("sort", "%arranged", k),
            self._is_sort(self.arranged, k),
            bound,
            lambda: self._each_arrangement(k + 1, work, results),
            {*self.needed, *self.left},
        )

    # At the end of a turn

    def _arrangement_now(self) -> Any:
        """Which arrangement the names are in: an int, or a number of the program.

        Raises
        ------
        Retype
            Where the loop didn't know it yet.
        """
        number = self._number_of_arrangement(
            {key: self.slots[key].get() for key in self._arrangements[0]}
        )
        return number if type(number) is int else number_of(self.tracer, number, int, (DATA,))

    def _number_of_arrangement(self, now: dict[Any, Any]) -> Any:
        """The same for names that have some objects: an int, or a graph value."""
        for obj in now.values():
            if type(obj) is not TracedArray:
                self._scatter()
            if type(obj.storage) is ChosenStorage and not self.head.has(obj):
                condition = obj.storage.condition
                first, second = (
                    self._number_of_arrangement(
                        {key: self._where(x, condition, holds) for key, x in now.items()}
                    )
                    for holds in (True, False)
                )
                if type(first) is int and first == second:
                    return first
                sides = [self._graph_number(side) for side in (first, second)]
                return self.tracer.op("where", [condition, *sides])
        for k, arrays in enumerate(self._arrangements):
            if all(array.is_same(now[key]) for key, array in arrays.items()):
                return k
        return self._another_arrangement({key: self.head.path_of(x) for key, x in now.items()})

    def _where(self, obj: Any, condition: Any, holds: bool) -> Any:
        """An object where a condition holds, or doesn't."""
        if type(obj) is not TracedArray or type(obj.storage) is not ChosenStorage:
            return obj
        place = obj.storage
        if place.condition is not condition or self.head.has(obj):
            return obj
        return side_of(obj, place.first if holds else place.second)

    def _graph_number(self, number: Any) -> Any:
        return self.tracer.constant(np.int64(number)) if type(number) is int else number

    def _another_arrangement(self, paths: dict[Any, Any]) -> Any:
        """Have the loop captured again with one more arrangement, if it may have one."""
        known, old = self.facts.arrangements, self._arrangements[0]
        arrays = [] if None in paths.values() else [self.head.at_path(x) for x in paths.values()]
        alike = arrays and all(
            x.dtype == y.dtype and same_dims(x.shape, y.shape) and not x.is_scalar
            for x, y in zip(arrays, old.values(), strict=True)
        )
        if not alike or len(known) == _MOST_ARRANGEMENTS:
            self._scatter()
        known.append(paths)
        raise Retype(self.facts)

    def _scatter(self) -> None:
        """Have the loop captured again without arrangements.

        Raises
        ------
        Retype
        """
        self.facts.arrangements.clear()
        self.facts.flag(_SCATTERED)
        raise Retype(self.facts)

    def carry_arrangement(self) -> Callable:
        """Hand the number on; a function of the loop's results that binds the names after it."""
        if self.arranged is None:
            return lambda results: None
        index = self._carry(self.arranged, value_of(self.tracer, self.arrangement, int))
        last = self._last_arrangement()
        if last is not None:
            return lambda results: self._put(self._arrangements[last])
        return lambda results: self._put(self._arranged_by(results[index]))

    def _last_arrangement(self) -> int | None:
        """The arrangement after the loop, where the number of turns is known and decides alone."""
        follows = self._leads_to
        if type(self.count) is not int or self.jumps():
            return None
        if any(type(number) is not int for number in follows.values()):
            return None
        order = [0]
        while follows[order[-1]] not in order:
            order.append(follows[order[-1]])
        start = order.index(follows[order[-1]])
        if self.count < len(order):
            return order[self.count]
        return order[start + (self.count - start) % (len(order) - start)]
