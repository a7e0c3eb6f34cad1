"""Memory that data choose: a name that is bound to one array or to another.

A name refers to memory. Where two paths of a program meet and the name refers to different memory
on each, it refers to a `ChosenStorage` afterwards: what is read comes from the one that the program
took, what is written goes there, and a result is that very array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .array import Storage, TracedArray
from .environment import Either, Maybe
from .tracer import Tracer

_WALKED = 10_000


class ChosenStorage:
    """Memory that is that of one array where a condition holds, and that of another elsewhere.

    Attributes
    ----------
    condition : graph value
        Zero-dimensional, bool: the memory is that of `first` where it holds, else of `second`.
    first, second : TracedArray
        Two arrays of one shape and dtype.
    joint : graph value or None
        The elements, as long as nobody has written to either array since it was made.
    """

    __slots__ = ("tracer", "condition", "first", "second", "frozen", "born", "_joint", "_seen")

    leaf = None
    known = None
    is_argument = False

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
        self.frozen = ("", "")
        self.born = tracer.tick()
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
    def contiguous(self) -> bool:
        """Whether both arrays are known to be C-contiguous."""
        return self.first.contiguous and self.second.contiguous

    @property
    def version(self) -> tuple:
        """Another one after each write to either array."""
        return self.first.storage.version, self.second.storage.version

    @property
    def value(self) -> Any:
        """The elements as they are now."""
        return self.seen(())

    def seen(self, views: tuple) -> Any:
        """The elements through some views."""
        if self._joint is not None and self._is_unchanged():
            value = self._joint
            for view in views:
                value = view.read(self.tracer, value)
            return value
        sides = [through(side, views).value for side in (self.first, self.second)]
        return self.tracer.op("where", [self.condition, *sides])

    def _elements(self) -> list[Any]:
        """The graph values that both arrays are made of."""
        storages = [*storages_of(self.first), *storages_of(self.second)]
        return [storage.value for storage in storages]

    def _is_unchanged(self) -> bool:
        return all(a is b for a, b in zip(self._seen, self._elements(), strict=True))

    def write(self, views: tuple, value: Any) -> None:
        """Replace the elements that some views show, in the array that the program has chosen.

        The other array gets the elements that it has.
        """
        if self.frozen[0]:
            self.tracer.fail(*self.frozen)
        for holds, side in ((True, self.first), (False, self.second)):
            target = through(side, views)
            pair = (value, target.value) if holds else (target.value, value)
            target.write(self.tracer.op("where", [self.condition, *pair]))


def through(array: TracedArray, views: tuple) -> TracedArray:
    """An array seen through more views."""
    for view in views:
        array = array.view(view)
    return array


def chosen(
    tracer: Tracer, condition: Any, first: TracedArray, second: TracedArray, joint: Any = None
) -> TracedArray:
    """The array that is `first` where a condition holds, else `second`."""
    if isinstance(condition, bool):
        return first if condition else second
    if first.same_place(second) and first.is_view == second.is_view:
        return first
    return TracedArray(
        tracer, ChosenStorage(tracer, condition, first, second, joint), shape=first.shape
    )


def storages_of(array: TracedArray) -> list[Storage]:
    """All the memory that an array may lie in."""
    if type(array.storage) is not ChosenStorage:
        return [array.storage]
    return [*storages_of(array.storage.first), *storages_of(array.storage.second)]


def arrays_in(obj: Any, path: tuple = ()) -> Iterator[tuple[tuple, TracedArray]]:
    """The arrays that can be reached from an object, with their paths.

    Looked into are tuples, lists, dicts, values that data choose, and what loops run over.
    """
    seen: set[int] = set()
    pending: list[tuple[tuple, Any]] = [(path, obj)]
    while pending and len(seen) < _WALKED:
        at, item = pending.pop()
        if type(item) is TracedArray:
            yield at, item
            continue
        if id(item) in seen:
            continue
        parts: Any = ()
        if type(item) in (tuple, list):
            parts = enumerate(item)
        elif type(item) is dict:
            parts = item.items()
        elif type(item) is Maybe:
            parts = (("value", item.value),)
        elif type(item) is Either:
            parts = ((0, item.first), (1, item.second))
        elif type(item).__module__ == _ITERABLES:
            parts = vars(item).items()
        else:
            continue
        seen.add(id(item))
        pending += [((*at, name), part) for name, part in parts]


_ITERABLES = f"{__package__}.iterables"
