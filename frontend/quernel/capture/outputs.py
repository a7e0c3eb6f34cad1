"""The outputs of a program: the numbers and the arrays that its result shows."""

from __future__ import annotations

import math
from typing import Any

from .array import fresh
from .memory import Layout
from .numbers import as_kind, is_dynamic, know_behind
from .state import GONE
from .tracer import Tracer
from .views import SliceView, graph_dims


class Outputs:
    """Collects the outputs of a program.

    Attributes
    ----------
    values : list
        The graph values that the program computes as its outputs.
    axes : dict of int to tuple of int
        Of outputs that don't lie in C order: the axes of the array in the order of memory.
    """

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.values: list[Any] = []
        self.axes: dict[int, tuple] = {}
        self._numbers: dict[tuple[str, int], int] = {}

    def _output(self, use: str, value: Any) -> int:
        """The index of the output that a number is: one for each use of a graph value."""
        index = self._numbers.get((use, id(value)))
        if index is None:
            index = self._numbers[use, id(value)] = self._append(value)
        return index

    def _append(self, value: Any) -> int:
        if value is GONE:
            value.dtype  # refuses the program  # noqa: B018
        self.values.append(value)
        return len(self.values) - 1

    def _stored(self, value: Any, layout: Layout) -> list:
        """The node of an output that owns its memory; the value is in the order of memory."""
        tracer = self.tracer
        shape = tracer.shape(value)
        refusal = self._refusal(shape)
        if refusal is not None:
            know_behind(*shape)
            tracer.refuse_size(shape, *refusal)
        if not is_dynamic(*shape):
            index = self._append(value)
            if layout.axes is not None:
                self.axes[index] = layout.axes
            return ["output", index]
        if layout.axes is not None or is_dynamic(*shape[1:]):
            return self._packed(value, layout)
        whole = (tracer.most(shape[0]), *shape[1:])
        index = self._append(self._in_room(value, whole))
        return ["prefix", index, self._output("count", as_kind(tracer, shape[0], int))]

    def _packed(self, value: Any, layout: Layout) -> list:
        """The node of an output whose elements are one row until the binding shapes it."""
        tracer = self.tracer
        shape = tracer.shape(value)
        room = math.prod(tracer.most(size) for size in shape)
        row = fresh(tracer, value).reshaped((math.prod(shape),))
        sizes = [
            size
            if type(size) is int
            else ["output", self._output("count", as_kind(tracer, size, int))]
            for size in shape
        ]
        axes = list(layout.axes or range(len(shape)))
        return ["room", self._append(self._in_room(row.value, (room,))), sizes, axes]

    def _in_room(self, value: Any, whole: tuple) -> Any:
        """Elements at the beginning of a larger array."""
        tracer = self.tracer
        shape = tracer.shape(value)
        room = tracer.op("empty", [], shape=graph_dims(whole), dtype=value.dtype)
        return SliceView([0] * len(shape), list(shape), [1] * len(shape)).write(tracer, room, value)

    def _refusal(self, shape: tuple) -> tuple[str, str] | None:
        """Why an array of a shape can't be an output, and what to do instead."""
        if any(is_dynamic(size) and self.tracer.most(size) is None for size in shape):
            return "returning an array whose size only the data say", "return what it is made of"
        return None
