"""The memory of traced arrays: a graph value for its elements, another one after each write."""

from __future__ import annotations

from typing import Any

from ..arguments.leaves import Leaf
from .doubts import Frozen
from .memory import C_ORDER, Layout
from .tracer import Tracer, current
from .turned import turned
from .views import seen_through, sunk


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
        The tracer's tick when it was made.
    shown : bool
        Whether NumPy, too, gives views of memory that it has made for them.
    """

    __slots__ = (
        "value",
        "version",
        "leaf",
        "known",
        "frozen",
        "initial",
        "layout",
        "written",
        "born",
        "shown",
        "__weakref__",
    )

    is_chosen = False

    def __init__(
        self, value: Any, leaf: Leaf | None = None, known: Any = None, layout: Layout = C_ORDER
    ) -> None:
        tracer = current()
        tracer.keep(value)
        self.value = self.initial = value
        self.version = self.born = tracer.tick()
        self.leaf = leaf
        self.known = known
        self.frozen = Frozen()
        self.layout = layout
        self.written = self.shown = False
        tracer.live[self.version] = self

    def moved(self, value: Any) -> Storage:
        """Memory of some elements that stands for this one; what is a copy stays one."""
        made = Storage(value, layout=self.layout)
        made.frozen = self.frozen if self.frozen.is_copy else made.frozen
        if self in current().listed:
            current().listed[made] = current().listed[self]
        return made

    def put(self, tracer: Tracer, value: Any) -> None:
        """Let another graph value stand for the elements."""
        tracer.keep(value)
        self.value = value
        self.version = tracer.tick()

    @property
    def dtype(self) -> str:
        """The name of the elements' dtype."""
        return self.value.dtype

    @property
    def shape(self) -> tuple:
        """The sizes of the array that owns the memory."""
        return self.layout.from_memory(current().shape(self.value))

    @property
    def dims(self) -> tuple:
        """The graph's sizes of that array."""
        return self.layout.from_memory(self.value.shape)

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
            tracer.check_early(self, leaf)
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
        self.put(tracer, in_order(tracer, value, self.layout))
        self.written = True
        self.known = None
