"""Grids of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.elementwise import apply
from ..primitives.gathering import iota
from ..primitives.operands import as_array, dtype_of, lift, operand
from ..primitives.shaping import allowed
from ..traced.array import TracedArray, fresh
from ..traced.scalars import number_type
from ..traced.tracer import current
from ..traced.views import BroadcastView, ReshapeView, same_dims
from .creation import zeros
from .joining import concatenate, stack
from .registry import implements, stands_for
from .selection import nonzero
from .sequences import arange, linspace, settled, steps_between


@implements(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple:
    """`np.meshgrid`."""
    tracer = current()
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    arrays = [as_array(tracer, x) for x in xi]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[0], order[1] = 1, 0
    axis_of = {k: order.index(k) for k in order}
    sizes = [arrays[k].size for k in order]
    grids = []
    for k, item in enumerate(arrays):
        shape = [1] * len(arrays)
        shape[axis_of[k]] = item.size
        grid = item.reshaped((item.size,), certain=True)
        axes = [-1] * len(arrays)
        axes[axis_of[k]] = 0
        grid = grid.view(ReshapeView(grid.shape, tuple(shape), axes))
        if not sparse and not same_dims(shape, sizes):
            grid = grid.view(BroadcastView(tuple(sizes)))
        grids.append(fresh(tracer, grid.value) if copy else grid)
    return tuple(grids)


@implements(np.indices, creation=True)
def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """`np.indices`."""
    tracer = current()
    shape = allowed(tracer, dimensions)
    kind = dtype_of(tracer, dtype)
    if sparse:
        return tuple(
            iota(tracer, tuple(n if k == axis else 1 for k, n in enumerate(shape)), axis, kind.name)
            for axis in range(len(shape))
        )
    if not shape:
        return zeros((0,), kind)
    return stack([iota(tracer, shape, axis, kind.name) for axis in range(len(shape))])


@implements(np.ix_)
def ix_(*args: Any) -> tuple:
    """`np.ix_`."""
    arrays = []
    for axis, item in enumerate(args):
        part = lift(item)
        if part.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if part.dtype == bool:
            part = nonzero(part)[0]
        shape = (*(1,) * axis, part.size, *(1,) * (len(args) - axis - 1))
        arrays.append(part.reshaped(shape, certain=True))
    return tuple(arrays)


def _points(piece: slice) -> tuple[Any, Any, Any]:
    """Count, start and step of a slice of `np.mgrid`; an imaginary step is a number of points."""
    start = 0 if piece.start is None else piece.start
    step = 1 if piece.step is None else piece.step
    if isinstance(step, complex | np.complexfloating):
        count = int(abs(step))
        step = (piece.stop - start) / float(count - 1) if count != 1 else 1
        return count, start, step
    return steps_between(start, piece.stop, step), start, step


class Grid:
    """`np.mgrid` and `np.ogrid` in captured code."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            return self._line(key)
        tracer = current()
        key = [slice(*map(settled, (piece.start, piece.stop, piece.step))) for piece in key]
        points = [_points(piece) for piece in key]
        kind = self._kind(key)
        shape = tuple(count for count, _, _ in points)
        lines = []
        for axis, (count, start, step) in enumerate(points):
            own = tuple(count if k == axis else 1 for k in range(len(shape)))
            index = iota(tracer, own if self.sparse else shape, axis, kind.name)
            if not _is(step, 1):
                index = apply(np.multiply, index, step)
            lines.append(index if _is(start, 0) else apply(np.add, index, start))
        if self.sparse:
            return tuple(lines)
        return stack([line.astype(kind, copy=False) for line in lines])

    def _kind(self, key: list[slice]) -> np.dtype:
        tracer, types = current(), []
        for piece in key:
            count = isinstance(piece.step, complex | np.complexfloating)
            step = abs(piece.step) if count else piece.step
            types += [
                operand(tracer, x).type for x in (piece.start, piece.stop, step) if x is not None
            ]
        return np.result_type(0, *(kind(0) if isinstance(kind, type) else kind for kind in types))

    def _line(self, piece: slice) -> TracedArray:
        start = 0 if piece.start is None else piece.start
        if isinstance(piece.step, complex | np.complexfloating):
            count, start, step = _points(piece)
            index = iota(current(), (count,), 0, "float64")
            return apply(np.add, apply(np.multiply, index, step), start)
        return arange(start, piece.stop, 1 if piece.step is None else piece.step)


def _weak(item: Any, part: TracedArray) -> Any:
    """A number by its kind, anything else by its dtype."""
    kind = part.dtype if number_type(item) is None else operand(current(), item).type
    return kind(0) if isinstance(kind, type) else kind


def _is(number: Any, known: int) -> bool:
    return type(number) is int and number == known


class Joiner:
    """`np.r_` and `np.c_` in captured code, without directives."""

    def __init__(self, columns: bool) -> None:
        self.columns = columns

    def __getitem__(self, key: Any) -> TracedArray:
        items = key if type(key) is tuple else (key,)
        parts = [self._part(item) for item in items]
        kinds = [_weak(item, part) for item, part in zip(items, parts, strict=True)]
        kind = np.result_type(*kinds)
        if not self.columns:
            rows = [p if p.ndim else p.reshaped((1,), True) for p in parts]
            return concatenate(rows, 0, dtype=kind)
        columns = [p if p.ndim > 1 else p.reshaped((p.size, 1), True) for p in parts]
        return concatenate(columns, -1, dtype=kind)

    def _part(self, item: Any) -> TracedArray:
        if isinstance(item, str):
            current().fail("np.r_ with a directive", "use np.concatenate or np.stack")
        if type(item) is slice:
            start = 0 if item.start is None else item.start
            if isinstance(item.step, complex):
                return linspace(start, item.stop, int(abs(item.step)))
            return arange(start, item.stop, 1 if item.step is None else item.step)
        return lift(item)


stands_for(np.mgrid, Grid(sparse=False))
stands_for(np.ogrid, Grid(sparse=True))
stands_for(np.r_, Joiner(columns=False))
stands_for(np.c_, Joiner(columns=True))


@implements(np.fromfunction, creation=True)
def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """`np.fromfunction`: what a function gives for the indices of all elements."""
    return function(*indices(shape, dtype=dtype), **kwargs)
