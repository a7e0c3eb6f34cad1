"""The outputs of a program: the numbers and the arrays that its result shows."""

from __future__ import annotations

import math
from typing import Any

from ..traced.array import fresh
from ..traced.memory import Layout
from ..traced.numbers import as_kind, is_dynamic
from ..traced.tracer import Tracer
from ..traced.views import SliceView, graph_dims
from .state import GONE


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
        self._handed: list[tuple[int, Any]] = []

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
        if self._is_unbounded(shape):
            return self._given(value, layout)
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
        index = self._append(self._in_room(row.value, (room,)))
        return ["room", index, *self._shape(shape, layout)]

    def _given(self, value: Any, layout: Layout) -> list:
        """The node of an array whose memory the program takes and the caller owns afterwards."""
        shape = self.tracer.shape(value)
        self.values.append(None)  # the address: `hand_over` makes it
        self._handed.append((len(self.values) - 1, value))
        return ["handed", len(self.values) - 1, value.dtype, *self._shape(shape, layout)]

    def _shape(self, shape: tuple, layout: Layout) -> tuple[list, list]:
        """The sizes in the order of memory, and which axis of the array each of them is."""
        sizes = [
            size
            if type(size) is int
            else ["output", self._output("count", as_kind(self.tracer, size, int))]
            for size in shape
        ]
        return sizes, list(layout.axes or range(len(shape)))

    def hand_over(self) -> None:
        """Give the caller the memory of arrays without a bound, when all else has been captured."""
        for index, value in self._handed:
            self.values[index] = self.tracer.op("hand_over", [value])

    def _in_room(self, value: Any, whole: tuple) -> Any:
        """Elements at the beginning of a larger array."""
        tracer = self.tracer
        shape = tracer.shape(value)
        room = tracer.op("empty", [], shape=graph_dims(whole), dtype=value.dtype)
        return SliceView([0] * len(shape), list(shape), [1] * len(shape)).write(tracer, room, value)

    def _is_unbounded(self, shape: tuple) -> bool:
        """Whether nobody knows before the run how much memory an array of a shape takes at most."""
        return any(is_dynamic(size) and self.tracer.most(size) is None for size in shape)
