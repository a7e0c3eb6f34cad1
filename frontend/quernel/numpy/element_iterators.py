"""`np.nditer` over one array, as a class that is captured as the user's are."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from ..traced.tracer import current
from .registry import constructs
from .sources import refuse_here

_FLAGS = {"multi_index", "c_index", "refs_ok"}
_MODES = {"readonly", "readwrite", "writeonly"}


class ElementIterator:
    """One array's elements, one after the other, as they lie in memory."""

    def __init__(self, op, flags=(), op_flags=None, order="K"):
        if not isinstance(op, np.ndarray):
            refuse_here("np.nditer of several arrays, or of what is none", "write the loop")
        mode = "readonly" if op_flags is None else op_flags
        while isinstance(mode, (list, tuple)) and len(mode) == 1:
            mode = mode[0]
        for flag in flags:
            if flag not in _FLAGS:
                refuse_here("np.nditer with other flags than positions", "write the loop")
        if not isinstance(mode, str) or mode not in _MODES:
            refuse_here("np.nditer with other modes than reading and writing", "write the loop")
        if order not in ("C", "K", "A") or (order != "C" and not op.flags.c_contiguous):
            refuse_here("np.nditer in another order than C's", "write the loop")
        if mode != "readonly" and not op.flags.writeable:
            refuse_here("np.nditer that writes to what can't be written", "write the loop")
        if op.size == 0:
            raise ValueError("Iteration of zero-sized operands is not enabled")
        self._array, self._reads = op, mode == "readonly"
        self._has_places, self._has_index = "multi_index" in flags, "c_index" in flags
        self.itersize, self.ndim = op.size, op.ndim
        self._count = 0

    @property
    def finished(self):
        return self._count >= self.itersize

    def iternext(self):
        self._count = min(self._count + 1, self.itersize)
        return self._count < self.itersize

    def reset(self):
        self._count = 0

    def _place(self):
        if self._count >= self.itersize:
            raise ValueError("Iterator is past the end")
        rest, place = self._count, ()
        for size in self._array.shape[:0:-1]:
            place = (rest % size, *place)
            rest = rest // size
        return (rest, *place) if self.ndim > 0 else ()

    @property
    def multi_index(self):
        if not self._has_places:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    @property
    def index(self):
        if not self._has_index:
            raise ValueError("Iterator does not have an index")
        return self._count

    @property
    def iterindex(self):
        return self._count

    @property
    def value(self):
        return self._element(self._place())

    def __getitem__(self, k):
        if not isinstance(k, int) or k not in (0, -1):
            refuse_here("np.nditer of several arrays, or of what is none", "write the loop")
        return self._element(self._place())

    def __setitem__(self, k, value):
        if self._reads:
            raise ValueError("Iterator operand 0 is not writeable")
        self[k][...] = value

    def _element(self, place):
        element = self._array[(*place, ...)]
        return np.broadcast_to(element, ()) if self._reads else element

    def __len__(self):
        return 1

    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def close(self):
        pass

    def __iter__(self):
        if self._has_places or self._has_index:
            refuse_here("a for loop over np.nditer with positions", "use np.ndenumerate")
        return (self._element(place) for place in np.ndindex(self._array.shape))


for _name, _member in vars(ElementIterator).items():
    _function = getattr(_member, "fget", _member)
    if isinstance(_function, FunctionType):  # refusals call it so
        _function.__module__, _function.__qualname__ = "numpy", f"nditer.{_name}"


@constructs(np.nditer)
def nditer(kind: type, *args: Any, **kwargs: Any) -> Any:
    """`np.nditer`."""
    return current().rebuilder.classes.of(ElementIterator)(*args, **kwargs)
