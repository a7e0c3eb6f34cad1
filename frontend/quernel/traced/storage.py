"""The memory of traced arrays: a graph value for its elements, another one after each write.

Within a loop that is rolled, memory from before it stands for what the turn before has left: its
value is a marker of the graph. A loop may change few of all the storages that there are, so each
one gets its marker when something first asks for its elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..arguments.leaves import Leaf
from .changes import Change
from .doubts import Frozen
from .memory import C_ORDER, Layout
from .tracer import Tracer, current
from .turned import turned
from .views import seen_through, sunk

_BEFORE = 1 << 48  # more ticks than a capture has


def in_order(tracer: Tracer, value: Any, layout: Layout) -> Any:
    """The elements of an array with the axes in the order of memory."""
    return value if layout.axes is None else turned(tracer, value, layout.axes)


class Storage:
    """Memory that arrays share: its value changes when one of them is written.

    Attributes
    ----------
    value : graph value
        The elements as they are now, with the axes in the order of memory.
    version : int
        Another one after each change of `value`.
    initial : graph value
        The elements at first; of an argument, what the call gave.
    layout : Layout
        How the elements lie in memory.
    written : bool
        Whether the program has written to it.
    leaf : Leaf or None
        The argument whose memory it is.
    known : np.ndarray or None
        Its elements, where the program itself spells them out.
    frozen : Frozen
        Why it can't be written, and what to do instead; empty texts where it can.
    born : int
        The tracer's tick when it was made; earlier than all for what is from outside, later than
        all where it is gone.
    number : int
        How many storages had been made before it, negative for what is from outside; the same in
        each attempt at a loop or branch.
    shown : bool
        Whether NumPy, too, gives views of memory that it has made for them.
    """

    __slots__ = (
        "tracer",
        "leaf",
        "initial",
        "layout",
        "born",
        "number",
        "shown",
        "_value",
        "_version",
        "_taken",
        "_known",
        "_frozen",
        "_written",
        "__weakref__",
    )

    is_chosen = False

    def __init__(
        self, value: Any, leaf: Leaf | None = None, known: Any = None, layout: Layout = C_ORDER
    ) -> None:
        tracer = self.tracer = current()
        tracer.keep(value)
        self._value = self.initial = value
        self._version = serial = tracer.tick()
        # What is from outside has been there all along, whichever loop is the first to ask for it.
        is_outside = leaf is not None or tracer.is_ahead
        self.born = serial - _BEFORE if is_outside else serial
        # The loop whose turns know the value; an argument has its own one outside of all loops.
        self._taken: Taken | Storage | None = tracer.taken if leaf is None else None
        self.leaf = leaf
        self._known = known
        self._frozen = Frozen()
        self.layout = layout
        self._written = self.shown = False
        self.number = self._numbered(tracer, is_outside)
        if not tracer.is_ahead:
            tracer.live[serial] = self

    def _numbered(self, tracer: Tracer, is_outside: bool) -> int:
        if is_outside:
            tracer.outside_count += 1
            return -tracer.outside_count
        tracer.storage_count += 1
        return tracer.storage_count - 1

    @property
    def value(self) -> Any:
        """The elements as they are now."""
        if self._taken is not self.tracer.taken:
            self._take()
        return self._value

    @property
    def version(self) -> int:
        """The tick of the last change; memory that is put back counts as changed."""
        if self._taken is not self.tracer.taken:
            self._take()
        return max(self._version, self.tracer.put_back)

    @property
    def known(self) -> Any:
        """The elements, where the program itself spells them out."""
        if self._taken is not self.tracer.taken:
            self._take()
        return self._known

    @property
    def frozen(self) -> Frozen:
        """Why it can't be written."""
        return self._frozen

    @frozen.setter
    def frozen(self, reason: Frozen) -> None:
        self._note()
        self._frozen = reason

    @property
    def written(self) -> bool:
        """Whether the program has written to it."""
        return self._written

    def as_it_is(self) -> Change:
        """What the storage is, to be put back."""
        kept = self._value, self._taken, self._known, self._frozen, self._written
        return Change(self, *kept)

    def _take(self) -> None:
        """Be what the memory is at the head of a turn, in a loop that hasn't asked for it yet."""
        if self.tracer.taken is not None:
            self.tracer.taken.take(self)

    def _note(self) -> None:
        """Note what the storage is in the innermost loop, before something of it changes."""
        if self._taken is not self.tracer.taken:
            self._take()
        self.tracer.changes.note(self)

    def put_back(self, was: Change) -> None:
        """Be what the storage was before a change."""
        _, self._value, self._taken, self._known, self._frozen, self._written = was

    def moved(self, value: Any) -> Storage:
        """Memory of some elements that stands for this one; what is a copy stays one."""
        made = Storage(value, layout=self.layout)
        made.frozen = self.frozen if self.frozen.is_copy else made.frozen
        if self in current().listed:
            current().listed[made] = current().listed[self]
        return made

    def put(self, value: Any, written: bool = False) -> None:
        """Let another graph value stand for the elements, perhaps since the program writes them."""
        tracer = self.tracer
        tracer.keep(value)
        self._note()
        self._value = value
        self._version = tracer.tick()
        if written:
            self._written, self._known = True, None

    def end(self, gone: Any) -> None:
        """Let an object stand for the elements that says that the memory's region is closed."""
        self._value, self._taken = gone, self  # which isn't any loop
        self._version, self.born = self.tracer.tick(), math.inf

    @property
    def dtype(self) -> str:
        """The name of the elements' dtype."""
        return self._value.dtype

    @property
    def shape(self) -> tuple:
        """The sizes of the array that owns the memory."""
        return self.layout.from_memory(self.tracer.shape(self._value))

    @property
    def dims(self) -> tuple:
        """The graph's sizes of that array."""
        return self.layout.from_memory(self._value.shape)

    @property
    def elements(self) -> Any:
        """The elements of that array as they are now."""
        axes = self.layout.axes
        return self.value if axes is None else turned(current(), self.value, self.layout.inverse)

    def seen(self, views: tuple) -> Any:
        """The elements through some views."""
        return seen_through(current(), self.elements, views)

    def write(self, views: tuple, value: Any) -> None:
        """Replace the elements that some views show."""
        tracer, leaf = current(), self.leaf
        if leaf is not None:
            if not leaf.writeable:
                raise ValueError("assignment destination is read-only")
            tracer.note_written(leaf)
        self.frozen.check(tracer)
        for view in views:
            if view.doubt is not None:
                view.doubt.settle()
        tracer.check_watched(self)
        tracer.check_listed(self)
        views = sunk(views)
        bases = [self.elements]
        for view in views[:-1]:
            bases.append(view.read(tracer, bases[-1]))
        for view, base in zip(reversed(views), reversed(bases), strict=False):
            value = view.write(tracer, base, value)
        self.put(in_order(tracer, value, self.layout), written=True)


class Taken:
    """The memory from before a loop that its turns have to do with.

    What a turn finds there is a marker of the graph, in the place of the value that the memory has
    before the loop.

    Parameters
    ----------
    tracer : Tracer
        Of the capture, in which this loop is the innermost one from here on.
    forgets : callable
        Whether nobody knows the elements of a storage at the head of a turn.

    Attributes
    ----------
    markers : dict
        The marker of each storage whose elements something in the loop has asked for by now.
    """

    def __init__(self, tracer: Tracer, forgets: Callable[[Storage], bool]) -> None:
        self.markers: dict[Storage, Any] = {}
        self._before: dict[Storage, Change] = {}
        self._tracer, self._forgets = tracer, forgets
        self._depth = tracer.graph.depth
        self._around: Taken | None = tracer.taken
        tracer.taken = self

    def take(self, storage: Storage) -> None:
        """Let memory be what it is at the head of a turn of this loop, and of those around it.

        What is gone stays so. Memory that loops around have taken over goes on from their markers.
        """
        loops = []
        loop: Taken | None = self
        while loop is not None and storage._taken is not loop:
            loops.append(loop)
            loop = loop._around
        if loop is None and storage._taken is not None:
            return
        for inner in reversed(loops):
            inner._enter(storage)

    def _enter(self, storage: Storage) -> None:
        tracer, value = self._tracer, storage._value
        self._before[storage] = storage.as_it_is()
        marker = self.markers[storage] = tracer.graph.enter(value, self._depth)
        tracer.stands_for(marker, value)
        storage._value, storage._taken = marker, self
        storage._version = tracer.tick()
        if self._forgets(storage):
            storage._known = None

    def is_changed(self, storage: Storage) -> bool:
        """Whether memory isn't any more what it was at the head of the turn."""
        return storage in self.markers and storage._value is not self.markers[storage]

    def knew(self, storage: Storage) -> bool:
        """Whether the elements of memory that has been taken over were known before the loop."""
        return self._before[storage].known is not None

    def give_back(self) -> None:
        """End the loop: memory that the turns haven't changed is what it was before."""
        for storage, was in self._before.items():
            storage._value, storage._taken, storage._known = was.value, was.taken, was.known
        self._before = {}
        self._tracer.taken = self._around
