"""Views: how an array's elements lie in the array that it shares memory with.

A view gives its value from the value of its base (`read`), the value of the base after a write
through the view (`write`), and a form (`form`), from which `replay.py` and the runtime make the
same view of a real array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numbers import graph_dim
from .turned import sliced, turned, with_slice


def graph_dims(sizes: Any) -> list[Any]:
    """The graph's form of a shape."""
    return [graph_dim(size) for size in sizes]


def same_dims(first: Any, second: Any) -> bool:
    """Whether two shapes are proven equal: their sizes have the same forms."""
    return graph_dims(first) == graph_dims(second)


def seen_through(tracer: Any, value: Any, views: Any) -> Any:
    """The elements of a graph value that some views show, one on top of the other."""
    for view in views:
        if view.doubt is not None:
            view.doubt.read()
        value = view.read(tracer, value)
    return value


def extents(view: Any) -> tuple:
    """The sizes of a view and, of a slice, where it begins: what may be symbolic in it."""
    return (*view.shape(), *getattr(view, "offsets", ()), *getattr(view, "steps", ()))


def slice_of(value: Any, moves: dict[int, tuple]) -> dict[str, list]:
    """The slice that reads some axes of a value with other sizes and strides."""
    sizes, strides = list(value.shape), [1] * len(value.shape)
    for axis, (size, stride) in moves.items():
        sizes[axis], strides[axis] = graph_dim(size), graph_dim(stride)
    return {"offsets": [0] * len(sizes), "sizes": sizes, "strides": strides}


class View:
    """What all views have.

    Attributes
    ----------
    doubt : Doubt or None
        Whether it is a copy, where only the call can tell.
    """

    doubt: Any = None

    def dtype(self, base: np.dtype) -> np.dtype:
        """The dtype of the view of a base of a dtype."""
        return base

    def before(self, view: View) -> list[View] | None:
        """Views that show what a view of this one does, and are written with less; or None."""
        return None


class SliceView(View):
    """Element `i` of the view is element ``offset + i * stride`` of the base, for each axis."""

    kind = "slice"

    def __init__(self, offsets: list, sizes: list, strides: list[int]) -> None:
        self.offsets, self.sizes, self.strides = offsets, sizes, strides

    def shape(self) -> tuple:
        """The shape of the view."""
        return tuple(self.sizes)

    def is_whole(self, shape: tuple) -> bool:
        """Whether the view of an array of a shape shows all elements where they are."""
        starts = all(type(offset) is int and offset == 0 for offset in self.offsets)
        steps = all(stride == 1 for stride in self.strides)
        return starts and steps and same_dims(self.sizes, shape)

    def _attributes(self) -> dict[str, Any]:
        return {
            "offsets": graph_dims(self.offsets),
            "sizes": graph_dims(self.sizes),
            "strides": graph_dims(self.strides),
        }

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return sliced(tracer, base, self._attributes())

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        return with_slice(tracer, base, new, self._attributes())

    def form(self) -> list:
        """The form."""
        return ["slice", graph_dims(self.offsets), graph_dims(self.sizes), self.strides]


def composed(views: tuple, shape: tuple) -> tuple:
    """Views of an array: slices of slices as one, and without those that show everything."""
    made: list[Any] = []
    shapes = [shape]
    for item in views:
        view = item
        if type(view) is SliceView and made and type(made[-1]) is SliceView:
            first = made.pop()
            shapes.pop()
            offsets = [
                start + offset * step
                for start, step, offset in zip(
                    first.offsets, first.strides, view.offsets, strict=True
                )
            ]
            strides = [a * b for a, b in zip(first.strides, view.strides, strict=True)]
            view = SliceView(offsets, view.sizes, strides)
        if type(view) is SliceView and view.is_whole(shapes[-1]):
            continue
        made.append(view)
        shapes.append(view.shape())
    return tuple(made)


def sunk(views: tuple) -> tuple:
    """Views that show the same, parts before what a write would make whole arrays for."""
    made = list(views)
    for place in reversed(range(len(made) - 1)):
        while place + 1 < len(made):
            found = made[place].before(made[place + 1])
            if found is None:
                break
            made[place : place + 2] = found
            if len(found) > 1:
                break
    return tuple(made)


class TransposeView(View):
    """The base with its axes permuted."""

    kind = "transpose"

    def __init__(self, permutation: list[int], shape: tuple) -> None:
        self.permutation = permutation
        self._shape = shape

    def shape(self) -> tuple:
        """The shape of the view."""
        return tuple(self._shape[axis] for axis in self.permutation)

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return turned(tracer, base, self.permutation)

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        inverse = sorted(range(len(self.permutation)), key=self.permutation.__getitem__)
        return turned(tracer, new, inverse)

    def form(self) -> list:
        """The form."""
        return ["transpose", self.permutation]


class ReshapeView(View):
    """The base with another shape.

    Parameters
    ----------
    axes : list of int, optional
        Where axes of one element are left out or put in: the base's axes that stay, and -1 for a
        new one. NumPy gives those another stride than a reshape does.

    Attributes
    ----------
    is_ravel : bool
        Whether it is NumPy's `ravel`, which owns its memory where it has to copy.
    """

    kind = "reshape"

    def __init__(self, old: tuple, new: tuple, axes: list[int] | None = None) -> None:
        self.old, self.new, self.axes = old, new, axes
        self.is_ravel = False

    def shape(self) -> tuple:
        """The shape of the view."""
        return tuple(self.new)

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return tracer.op("reshape", [base], shape=graph_dims(self.new))

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        return tracer.op("reshape", [new], shape=graph_dims(self.old))

    def form(self) -> list:
        """The form."""
        if self.axes is not None:
            return ["axes", self.axes]
        return ["ravel" if self.is_ravel else "reshape", graph_dims(self.new)]


class DiagonalView(View):
    """The diagonal of the last two axes as the last axis.

    Parameters
    ----------
    shape : tuple
        Of the base; where the last two sizes aren't known, they are equal and the offset is 0.
    start : int
        Where the diagonal begins in the two axes as one.
    count : size
        How long it is.
    """

    kind = "diagonal"

    def __init__(self, shape: tuple, offset: int, start: int, count: Any) -> None:
        self._base, (*outer, rows, columns) = shape, shape
        zeros, ones = [0] * len(outer), [1] * len(outer)
        self.offset = offset
        self._flat = ReshapeView(shape, (*outer, rows * columns))
        start = 0 if type(count) is int and not count else start
        self._line = SliceView([*zeros, start], [*outer, count], [*ones, columns + 1])

    def shape(self) -> tuple:
        """The shape of the view."""
        return self._line.shape()

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return self._line.read(tracer, self._flat.read(tracer, base))

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        if type(self._line.strides[-1]) is not int:
            return self._where_equal(tracer, base, new)
        flat = self._line.write(tracer, self._flat.read(tracer, base), new)
        return self._flat.write(tracer, base, flat)

    def _where_equal(self, tracer: Any, base: Any, new: Any) -> Any:
        """The same for sizes that aren't known: an update needs strides that are."""
        sizes = graph_dims(self._base[-2:])
        places = [tracer.op("iota", [], shape=sizes, axis=axis, dtype="int64") for axis in (0, 1)]
        on = tracer.op("equal", places)
        column = tracer.op("reshape", [new], shape=[*new.shape, 1])
        return tracer.op("where", [on, column, base])

    def form(self) -> list:
        """The form."""
        return ["diagonal", [self.offset]]


class OrderView(View):
    """The base itself where it lies in an order in memory, ``"C"`` or ``"F"``, else a copy."""

    kind = "order"

    def __init__(self, shape: tuple, order: str) -> None:
        self._shape, self.order = shape, order

    def shape(self) -> tuple:
        """The shape of the view."""
        return self._shape

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return base

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """Not to be called: such a view has a doubt."""
        raise AssertionError

    def form(self) -> list:
        """The form."""
        return ["contiguous" if self.order == "C" else "fortran"]


class BroadcastView(View):
    """The base repeated along new or unit axes; read-only, as NumPy's is.

    Parameters
    ----------
    moves : dict, optional
        By axis of the base whose size may be 1: the size and the stride to read it with.
    """

    kind = "broadcast_to"

    def __init__(self, new: tuple, moves: dict[int, tuple] | None = None) -> None:
        self.new, self.moves = new, moves or {}
        self.steps = tuple(stride for _, stride in self.moves.values())

    def shape(self) -> tuple:
        """The shape of the view."""
        return tuple(self.new)

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        if self.moves:
            base = sliced(tracer, base, slice_of(base, self.moves))
        return tracer.op("broadcast_to", [base], shape=graph_dims(self.new))

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """NumPy's own error."""
        raise ValueError("assignment destination is read-only")

    def form(self) -> list:
        """The form."""
        return ["broadcast_to", graph_dims(self.new)]


class PartView(View):
    """The real or the imaginary part of a complex base."""

    def __init__(self, kind: str, shape: tuple) -> None:
        self.kind = kind
        self._shape = shape

    def shape(self) -> tuple:
        """The shape of the view."""
        return self._shape

    def dtype(self, base: np.dtype) -> np.dtype:
        """The dtype of the parts."""
        return base.type(0).real.dtype

    def read(self, tracer: Any, base: Any) -> Any:
        """The view's value."""
        return tracer.op(self.kind, [base])

    def write(self, tracer: Any, base: Any, new: Any) -> Any:
        """The base's value after the view has become `new`."""
        other = tracer.op("imag" if self.kind == "real" else "real", [base])
        return tracer.op("complex", [new, other] if self.kind == "real" else [other, new])

    def form(self) -> list:
        """The form."""
        return [self.kind]
