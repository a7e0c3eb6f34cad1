"""Views that NumPy may have made by copying: only the strides of the call's arguments tell.

Nobody sees the difference until the memory is written. The first write, or the first look at such
a view after a write, makes the strides that decide a part of the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from .memory import storages_of
from .numbers import DATA, SymbolicSize, origins
from .restarts import Restart
from .tracer import Tracer, current
from .views import extents


class Frozen(NamedTuple):
    """Why a memory can't be written, and what to do instead; empty texts where it can.

    Attributes
    ----------
    doubt : Doubt or None
        Of a view of it, where that is the reason.
    is_copy : bool
        Whether the memory is a copy of what may be one memory.
    may_pool : bool
        Whether loops that hand on such memory as such may need no copy.
    """

    reason: str = ""
    hint: str = ""
    doubt: Any = None
    is_copy: bool = False
    may_pool: bool = False

    def __bool__(self) -> bool:
        return bool(self.reason)

    def check(self, tracer: Tracer) -> None:
        """Refuse a write."""
        if self.doubt is not None:
            self.doubt.settle()
        self.pool(tracer)
        if self.reason:
            tracer.fail(self.reason, self.hint)

    def pool(self, tracer: Tracer) -> None:
        """Begin anew with memory handed on as such, where it is a copy and that may help.

        Raises
        ------
        Restart
        """
        if self.may_pool and not tracer.choices.pools:
            raise Restart(pools=["all"])


_WRITTEN = (
    "writing to an array that several names share in some turns of a loop only",
    "copy the array where the name is bound: y = x.copy()",
)
# Of a part of a memory, and of a memory that several names may have.
CUT = Frozen(*_WRITTEN, is_copy=True)
SHARED = Frozen(*_WRITTEN, is_copy=True, may_pool=True)


def learn_strides(tracer: Tracer, causes: Iterable[tuple]) -> None:
    """Begin anew with what decides how a memory lies as a part of the program, if it isn't.

    Raises
    ------
    Restart
    """
    loops = {key for kind, key in causes if kind == "loop"}
    if loops:
        raise Restart(unroll=loops)
    paths = {path for kind, path in causes if kind == "argument"}
    arguments = [storage.leaf for storage in tracer.storages if storage.leaf.path in paths]
    new = [leaf for leaf in arguments if leaf.path not in tracer.choices.values]
    if new:
        dims = {(leaf.path, axis) for leaf in new for axis in range(len(leaf.shape))}
        raise Restart(values={leaf.path for leaf in new}, dims=dims)


def know_sizes(array: Any) -> None:
    """Begin anew with the sizes that say where an array lies in its memory known, if they can be.

    Raises
    ------
    Restart
    """
    for size in (*array.storage.shape, *(size for view in array.views for size in extents(view))):
        if type(size) is SymbolicSize and DATA not in origins(size):
            size.known()


class Doubt:
    """Of a view of an array: whether it shares memory with the array, or is a copy.

    Parameters
    ----------
    array : TracedArray
        What the view is a view of.
    shape : tuple
        The view's sizes.
    cause : str
        What has made the view.
    """

    def __init__(self, array: Any, shape: tuple, cause: str = "a reshape") -> None:
        self.array, self.shape = array, shape
        self.why = (
            f"writing to an array after {cause} that NumPy may have done by copying",
            "write before it, or copy what it gives: y = x.reshape(...).copy()",
        )
        self.seen = [(storage, storage.value) for storage in storages_of(array)]

    def read(self) -> None:
        """Look at the elements: as long as nobody has written to them, a copy has the same."""
        origin = current().origin
        if all(storage.value is value for storage, value in self.seen):
            return
        if any(origin(storage.value) is not origin(value) for storage, value in self.seen):
            self.settle()
        for storage, _ in self.seen:  # a loop hands the memory on, and may write to it later
            storage.frozen = storage.frozen or Frozen(*self.why, self)

    def settle(self) -> NoReturn:
        """Begin anew with what decides known.

        Raises
        ------
        Restart
        """
        tracer, array = current(), self.array
        causes = {cause for storage, _ in self.seen for cause in storage.layout.causes}
        learn_strides(tracer, causes)
        sizes = [*self.shape, *array.shape]
        for view in array.views:
            sizes += extents(view)
        for storage, _ in self.seen:
            sizes += storage.shape
        for size in sizes:
            if type(size) is SymbolicSize and DATA not in origins(size):
                size.known()
        tracer.fail(*self.why)
