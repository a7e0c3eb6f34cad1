"""Memory that data choose: a name that is bound to one array or to another.

A name refers to memory. Where two paths of a program meet and the name refers to different memory
on each, it refers to a `ChosenStorage` afterwards: what is read comes from the one that the program
took, what is written goes there, and a result is that very array.
"""

from __future__ import annotations

from typing import Any

from .array import TracedArray
from .doubts import Frozen
from .memory import Layout, storages_of
from .tracer import Tracer
from .undecided import nested
from .views import graph_dims, seen_through


class ChosenStorage:
    """Memory that is that of one array where a condition holds, and that of another elsewhere.

    Attributes
    ----------
    condition : graph value
        Zero-dimensional, bool: the memory is that of `first` where it holds, else of `second`.
    first, second : TracedArray
        Two arrays of one shape and dtype.
    layout : Layout
        How the elements lie, as far as both arrays lie alike.
    nested : int
        How many choices there are at most from it to an array.

    Parameters
    ----------
    joint : graph value, optional
        The elements, where there is a value of them already. It is read as long as nobody has
        written to either array.
    """

    __slots__ = (
        "tracer",
        "condition",
        "first",
        "second",
        "frozen",
        "born",
        "layout",
        "nested",
        "_storages",
        "_joint",
        "_seen",
    )

    is_chosen = True
    leaf = None
    known = None

    def __init__(
        self,
        tracer: Tracer,
        condition: Any,
        first: TracedArray,
        second: TracedArray,
        joint: Any = None,
    ) -> None:
        self.tracer, self.condition = tracer, condition
        self.first, self.second = first, second
        self.frozen = Frozen()
        self.born = tracer.tick()
        self.nested = nested(first.storage, second.storage)
        self.layout = self._common_layout()
        both = dict.fromkeys([*storages_of(first), *storages_of(second)])
        self._storages = list(both)
        self._joint, self._seen = joint, self._elements()

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.first.dtype

    @property
    def shape(self) -> tuple:
        """The sizes of both arrays."""
        return self.first.shape

    @property
    def dims(self) -> tuple:
        """The graph's sizes of both arrays."""
        return tuple(graph_dims(self.shape))

    @property
    def version(self) -> tuple:
        """Another one after each write to either array."""
        return tuple(storage.version for storage in self._storages)

    def _common_layout(self) -> Layout:
        first, second = self.first.lying, self.second.lying
        if first == second and not first[2]:
            return first[0]
        orders = self.first.order, self.second.order
        if orders[0] == orders[1] and orders[0].how == "dense":
            return Layout(orders[0].axes, "ordered")
        return Layout(causes=orders[0].causes | orders[1].causes)

    @property
    def value(self) -> Any:
        """The elements as they are now."""
        return self.seen(())

    def seen(self, views: tuple) -> Any:
        """The elements through some views."""
        if self._joint is not None and self._is_unchanged():
            return seen_through(self.tracer, self._joint, views)
        sides = [through(side, views).value for side in (self.first, self.second)]
        return self.tracer.op("where", [self.condition, *sides])

    def _elements(self) -> list[Any]:
        """The graph values that both arrays are made of."""
        return [storage.value for storage in self._storages]

    def _is_unchanged(self) -> bool:
        return all(a is b for a, b in zip(self._seen, self._elements(), strict=True))

    def write(self, views: tuple, value: Any) -> None:
        """Replace the elements that some views show, in the array that the program has chosen.

        The other array gets the elements that it has.
        """
        self.frozen.check(self.tracer)
        for holds, side in ((True, self.first), (False, self.second)):
            target = through(side, views)
            pair = (value, target.value) if holds else (target.value, value)
            target.write(self.tracer.op("where", [self.condition, *pair]))

    def each(self, array: TracedArray, work: Any) -> TracedArray:
        """What a function makes of the arrays that one in this memory may be."""
        sides = (each_place(through(x, array.views), work) for x in (self.first, self.second))
        return chosen(array.tracer, self.condition, *sides)


def through(array: TracedArray, views: tuple) -> TracedArray:
    """An array seen through more views."""
    for view in views:
        array = array.view(view)
    return array


def side_of(array: TracedArray, place: TracedArray) -> TracedArray:
    """One of the places that an array may be, with the array's own views on top."""
    made = through(place, array.views)
    made = made.again() if made is place and array.is_view else made
    if array.is_view:
        made.identity = array.identity
    return made


def chosen(
    tracer: Tracer, condition: Any, first: TracedArray, second: TracedArray, joint: Any = None
) -> TracedArray:
    """The array that is `first` where a condition holds, else `second`."""
    if isinstance(condition, bool):
        return first if condition else second
    if first.is_same(second):
        return first
    return TracedArray(
        tracer, ChosenStorage(tracer, condition, first, second, joint), shape=first.shape
    )


def each_place(array: TracedArray, work: Any) -> TracedArray:
    """What a function makes of the array that data choose."""
    place = array.storage
    return place.each(array, work) if place.is_chosen else work(array)
