"""Iterators of captured code: each goes on only where it was begun.

What an iterator gives next changes by its being used. So it may be advanced in the region of the
program in which it was made, and nowhere else: a loop around is unrolled, a branch refused. One of
our own, which can begin anew, may be begun elsewhere as well; `State` puts it back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from .array import TracedArray
from .restarts import Restart
from .tracer import current

_MOST_TURNS = 2000  # more than a loop that isn't rolled has
_CALLING = (
    map, filter, itertools.accumulate, itertools.dropwhile, itertools.filterfalse,
    itertools.groupby, itertools.starmap, itertools.takewhile,
)  # fmt: skip


NOTHING: Iterator[Any] = iter(())  # what is left of an iterator behind a loop of the program


class Iterating:
    """An iterator.

    Attributes
    ----------
    held : sequence
        What it runs over.
    lazy : bool
        Whether to go on may call functions of the user's, or read arrays.
    position : int
        How many items it has given.

    Parameters
    ----------
    native : iterator or None
        What gives the items.
    """

    def __init__(self, native: Any, held: Any = (), lazy: bool = False) -> None:
        self.held, self.lazy = held, lazy
        self._native, self._region = native, current().region
        self._left = False
        self.position = 0

    @property
    def __class__(self) -> type:
        return type(self) if self._native is None else type(self._native)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        self._claim_own()
        item = next(self._started())
        self.position += 1
        return guarded(item)

    def _started(self) -> Any:
        return self._native

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        current().fail("copying an iterator", "make a list, and iterators from it")

    @property
    def content(self) -> list[Any]:
        """What its being used changes; that of a native iterator isn't all of it."""
        return [self._native, self.position, self._left, self._region]

    @content.setter
    def content(self, content: list[Any]) -> None:
        self._native, self.position, self._left, self._region = content

    @property
    def inner(self) -> list[Iterating]:
        """The iterators that it goes on with."""
        found: list[Iterating] = []
        pending = list(self.held)
        for part in pending:
            if type(part) in (list, tuple):
                pending += part
            elif issubclass(type(part), Iterating):
                found += [part, *part.inner]
        return found

    def begin(self) -> None:
        """Begin anew, with one that can."""
        self._native, self.position, self._left = None, 0, False

    def claim(self) -> None:
        """See that it, and what it runs over, can go on here.

        Raises
        ------
        Restart
            Where loops have to be unrolled for that.
        """
        for part in (self, *self.inner):
            part._claim_own()

    def _claim_own(self) -> None:
        tracer = current()
        if self._native is None and not self._left:  # nobody has begun to use it
            self._region = tracer.region
        if self._left:
            tracer.fail(
                "going on with an iterator after a loop that data may have left",
                "use indices, or a loop over a list",
            )
        within = tracer.regions_within(self._region)
        if within == 0:
            return
        if within is None:
            tracer.fail(
                "an iterator from inside of a loop or a branch is used after it",
                "make it where it is used",
            )
        loops = tracer.interpreter.rolled_within(tracer.depth - within)
        if len(loops) == within:
            raise Restart(unroll=loops)
        tracer.fail(
            "going on with an iterator where a condition on data holds",
            "make it there, or use an index: items[k]",
        )

    def passed(self, left: bool) -> None:
        """Note that a loop of the program has run over it, which data may have left."""
        self._native, self.position, self._left = NOTHING, self.position + 1, left
        for part in self.inner:
            part._left = True

    def taken(self) -> Iterable[Any]:
        """All further items; only a loop may go on with them, as far as data say."""
        items = self._further()
        for part in (self, *self.inner):
            part._left = True
        return items

    def _further(self) -> Iterable[Any]:
        if any(part.lazy for part in (self, *self.inner)):
            current().fail(
                "a loop that data may leave, over an iterator that reads arrays or calls functions",
                "loop over a list, or over the array",
            )
        return first_items(self)


def guarded(obj: Any, held: Any = (), function: Any = None) -> Any:
    """An object, or our own iterator in the place of another one; also those of a tuple."""
    if type(obj) is tuple and any(hasattr(type(part), "__next__") for part in obj):
        return tuple(guarded(part, held, function) for part in obj)
    if not hasattr(type(obj), "__next__") or issubclass(type(obj), Iterating):
        return obj
    lazy = any(function is kind for kind in _CALLING) or (function is iter and len(held) > 1)
    lazy = lazy or any(type(part) is TracedArray for part in held)
    return Iterating(obj, [function, *held], lazy)


def first_items(items: Any) -> list[Any]:
    """The items of an iterator, not more than a loop can go through one by one."""
    return list(itertools.islice(items, _MOST_TURNS))
