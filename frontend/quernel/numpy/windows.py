"""Padding, and sums over windows that slide along an array."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..capture.judging import judged
from ..primitives.elementwise import apply, where
from ..primitives.gathering import gathered, iota
from ..primitives.operands import lift
from ..primitives.sizes import check, integer, is_nonnegative, require
from ..traced.array import TracedArray, fresh
from ..traced.bounds import ask
from ..traced.numbers import DATA, SymbolicSize, origins
from ..traced.tracer import Tracer
from ..traced.views import View
from .calling import by_source
from .creation import full
from .half_precision import HALF
from .joining import concatenate
from .memory import as_strided
from .reductions import any_, sum_
from .registry import implements
from .selection import taken
from .shapes import moveaxis

_CENTRAL = ("reflect", "symmetric", "wrap", "edge")


def _pairs(width: Any, rank: int) -> list[tuple]:
    """A width or value before and after each axis."""
    if type(width) is dict:
        named = {normalize_axis_index(axis, rank): width[axis] for axis in width}
        return [_pairs(named.get(axis, 0), 1)[0] for axis in range(rank)]
    if type(width) is TracedArray and width.ndim:
        width = width.tolist()
    if type(width) not in (tuple, list):
        return [(width, width)] * rank
    rows = [row if type(row) in (tuple, list) else None for row in width]
    if all(row is None for row in rows):
        pair = tuple(width) * (2 // len(width))
        return [(pair[0], pair[1])] * rank
    pairs = [tuple(row) * (2 // len(row)) for row in rows if row is not None]
    return pairs * rank if len(pairs) == 1 else pairs


@implements(np.pad, order="F")
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> TracedArray:
    """`np.pad`."""
    a = lift(array)
    widths = [tuple(map(operator.index, pair)) for pair in _pairs(pad_width, a.ndim)]
    if any(side < 0 for pair in widths for side in pair):
        raise ValueError("index can't contain negative values")
    if kwargs:  # which modes take which keywords, NumPy's signature doesn't say
        judged(np.pad, a, 0, mode, **kwargs)
    if mode == "constant":
        values = _pairs(kwargs.get("constant_values", 0), a.ndim)
        return _filled(a, widths, values)
    if mode not in _CENTRAL or kwargs.get("reflect_type", "even") != "even":
        return by_source(np.pad, a, pad_width, mode, **kwargs)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            a = _continued(a, axis, before, after, mode)
    return a if a is not array else a.copy()


def _filled(a: TracedArray, widths: list[tuple], values: list[tuple]) -> TracedArray:
    for axis, (pair, fills) in enumerate(zip(widths, values, strict=True)):
        parts = [a]
        for side, width, fill in zip((0, 1), pair, fills, strict=True):
            if width:
                shape = tuple(width if k == axis else n for k, n in enumerate(a.shape))
                parts.insert(0 if side == 0 else len(parts), full(shape, fill, a.dtype))
        a = concatenate(parts, axis) if len(parts) > 1 else a
    return fresh(a.tracer, a.value)


def _continued(a: TracedArray, axis: int, before: int, after: int, mode: str) -> TracedArray:
    """An axis continued on both sides by the elements that a rule names."""
    size = a.shape[axis]
    message = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
    require(a.tracer, size, "greater_equal", 1, ValueError(message))
    place = apply(np.subtract, iota(a.tracer, (size + before + after,), 0, "int64"), before)
    last = size - 1
    if mode == "edge":
        place = apply(np.minimum, apply(np.maximum, place, 0), last)
    elif _is_within(last if mode == "reflect" else size, max(before, after)):
        place = _near_place(place, size, mode)
    else:
        place = _any_place(place, size, mode)
    return taken(a, fresh(a.tracer, place.value), axis)


def _is_within(reach: Any, width: int) -> bool:
    """Whether a width isn't beyond a size of the arguments, which becomes a part of the program."""
    return not (type(reach) is SymbolicSize and DATA in origins(reach)) and bool(reach >= width)


def _near_place(place: TracedArray, size: Any, mode: str) -> TracedArray:
    """Where the elements are that stand before, in and behind an axis, once around at most.

    No division is needed for it: the compiler cuts the loop where the comparisons change.
    """
    if mode == "wrap":
        before, behind = apply(np.add, place, size), apply(np.subtract, place, size)
    else:
        first = -1 if mode == "symmetric" else 0
        before = apply(np.subtract, first, place)
        behind = apply(np.subtract, 2 * size - 2 - first, place)
    rest = where(apply(np.greater_equal, place, size), behind, place)
    return where(apply(np.less, place, 0), before, rest)


def _any_place(place: TracedArray, size: Any, mode: str) -> TracedArray:
    """The same, any number of times around."""
    if mode == "wrap":
        return apply(np.remainder, place, size)
    mirrored = 2 * size - 1 if mode == "symmetric" else 2 * (size - 1)
    period = 2 * size if mode == "symmetric" else apply(np.maximum, mirrored, 1)
    place = apply(np.remainder, place, period)
    return apply(np.minimum, place, apply(np.subtract, mirrored, place))


def windows(a: TracedArray, width: Any) -> TracedArray:
    """Every run of `width` elements of a vector, as the rows of a matrix."""
    count = a.shape[0] - width + 1
    rows = iota(a.tracer, (count, width), 0, "int64")
    columns = iota(a.tracer, (count, width), 1, "int64")
    return gathered(a, [apply(np.add, rows, columns)], [0])


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> TracedArray:
    """`np.lib.stride_tricks.sliding_window_view`."""
    x = lift(x)
    sizes = window_shape if type(window_shape) in (tuple, list) else (window_shape,)
    axes = range(x.ndim) if axis is None else axis if type(axis) in (tuple, list) else (axis,)
    if len(sizes) != len(axes):
        if axis is None:
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(sizes)} window_shape elements and `x.ndim` is {x.ndim}."
            )
        raise ValueError(
            "Must provide matching length window_shape and axis; got "
            f"{len(sizes)} window_shape elements and {len(axes)} axes elements."
        )
    widths = [operator.index(width) for width in sizes]
    if any(width < 0 for width in widths):
        raise ValueError("`window_shape` cannot contain negative values")
    view = WindowView(x.shape, widths, [normalize_axis_index(k, x.ndim) for k in axes])
    for count in view.shape()[: x.ndim]:
        _require_window(x.tracer, count)
    if writeable:
        steps = x.strides
        return as_strided(x, view.shape(), (*steps, *(steps[axis] for axis in view.axes)))
    return x.view(view)


def _require_window(tracer: Tracer, count: Any) -> None:
    message = "window shape cannot be larger than input array shape"
    if type(count) is int and count <= 0:
        raise ValueError(message)
    if not is_nonnegative(tracer, count - 1):
        ask(tracer, count)
        one = tracer.constant(np.int64(1))
        held = tracer.op("greater_equal", [integer(tracer, count), one])
        check(tracer, held, "ValueError", message)


class WindowView(View):
    """Every run of so many elements along some axes of the base, as new last axes; read-only."""

    kind = "windows"

    def __init__(self, base: tuple, widths: list[int], axes: list[int]) -> None:
        self._base, self.widths, self.axes = base, widths, axes

    def shape(self) -> tuple:
        """The shape of the view."""
        sizes = list(self._base)
        for width, axis in zip(self.widths, self.axes, strict=True):
            sizes[axis] = sizes[axis] - width + 1
        return (*sizes, *self.widths)

    def read(self, tracer: Tracer, base: Any) -> Any:
        """The view's value."""
        made = fresh(tracer, base)
        for width, axis in zip(self.widths, self.axes, strict=True):
            made = _slid(made, width, axis)
        return made.value

    def write(self, tracer: Tracer, base: Any, new: Any) -> Any:
        """NumPy's own error."""
        raise ValueError("assignment destination is read-only")

    def form(self) -> list:
        """The form."""
        return ["windows", self.widths, self.axes]


def _slid(a: TracedArray, width: int, axis: int) -> TracedArray:
    """The windows along one axis, each as a new last axis."""
    count = a.shape[axis] - width + 1
    grid = [iota(a.tracer, (count, width), part, "int64") for part in (0, 1)]
    return moveaxis(taken(a, apply(np.add, *grid), axis), axis + 1, -1)


def _correlated(a: TracedArray, v: TracedArray, mode: str) -> TracedArray:
    """The sums of products of `v` with the windows of the longer `a`."""
    kind = np.result_type(a.dtype, v.dtype)
    a, v = a.astype(kind, copy=False), v.astype(kind, copy=False)
    width = v.shape[0]
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    padded = [(a, 0, 0)]
    if mode != "valid" and width > 1:  # zeros are read at the ends alone
        before = width - 1 if mode == "full" else width // 2
        after = width - 1 if mode == "full" else width - 1 - before
        first, last = a[: width - 1], a[a.shape[0] - width + 1 :]
        padded = [(first, before, 0), (a, 0, 0), (last, 0, after)]
    sums = [
        _sums(part, v, *zeros) for part, *zeros in padded if part.shape[0] + sum(zeros) >= width
    ]
    return sums[0] if len(sums) == 1 else concatenate(sums, 0)


def _sums(a: TracedArray, v: TracedArray, before: int, after: int) -> TracedArray:
    """The sums of products of `v` with each window of what has so many zeros before and after.

    Zeros are multiplied with nothing, not even with an infinity.
    """
    kind, size, width = a.dtype, a.shape[0], v.shape[0]
    if kind == HALF:  # NumPy adds the products up in float32
        a, v = a.astype(np.float32), v.astype(np.float32)
    if before or after:
        a = _filled(a, [(before, after)], [(0, 0)])
    products = apply(np.multiply, windows(a, width), v)
    if before or after:
        shape = size + before + after - width + 1, width
        places = apply(np.add, *[iota(a.tracer, shape, axis, "int64") for axis in (0, 1)])
        inside = apply(np.less, places, size) if after else apply(np.greater_equal, places, before)
        products = where(inside, products, products.dtype.type(0))
    if kind.kind == "b":
        return any_(products, axis=1)
    return sum_(products, axis=1, dtype=v.dtype).astype(kind, copy=False)


def _vectors(a: Any, v: Any) -> tuple[TracedArray, TracedArray]:
    a, v = lift(a), lift(v)
    a, v = (x if x.ndim else x.reshaped((1,), certain=True) for x in (a, v))
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if any(type(x.shape[0]) is not int for x in (a, v)):
        v.tracer.fail("a convolution of arrays whose sizes aren't known", "dynamic=False")
    return a, v


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> TracedArray:
    """`np.convolve`."""
    a, v = _vectors(a, v)
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    if not v.shape[0]:
        raise ValueError("v cannot be empty" if a.shape[0] else "a cannot be empty")
    return _correlated(a, v[::-1], mode)


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> TracedArray:
    """`np.correlate`."""
    a, v = _vectors(a, v)
    if not a.shape[0] or not v.shape[0]:
        raise ValueError("first array argument cannot be empty")
    v = apply(np.conjugate, v) if v.dtype.kind == "c" else v
    if v.shape[0] <= a.shape[0]:
        return _correlated(a, v, mode)
    return _correlated(v, a, mode)[::-1]


@implements(np.gradient, order="K")
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """`np.gradient`."""
    f = lift(f)
    axes = range(f.ndim) if axis is None else axis if type(axis) in (tuple, list) else (axis,)
    axes = [normalize_axis_index(k, f.ndim) for k in axes]
    spacing = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if len(spacing) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order != 1 or any(lift(h).ndim for h in spacing):
        return by_source(np.gradient, f, *varargs, axis=axis, edge_order=edge_order)
    f = f.astype(np.float64) if f.dtype.kind in "iu" else f  # of bool NumPy takes no difference
    parts = [_slope(f, h, k) for h, k in zip(spacing, axes, strict=True)]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _slope(f: TracedArray, h: Any, axis: int) -> TracedArray:
    error = ValueError(
        "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
        "elements are required."
    )
    require(f.tracer, f.shape[axis], "greater_equal", 2, error)

    def part(start: Any, stop: Any) -> TracedArray:
        return f[(*(slice(None),) * axis, slice(start, stop))]

    inner = apply(np.subtract, part(2, None), part(None, -2))
    inner = apply(np.divide, inner, apply(np.multiply, 2.0, h))
    first = apply(np.divide, apply(np.subtract, part(1, 2), part(0, 1)), h)
    last = apply(np.divide, apply(np.subtract, part(-1, None), part(-2, -1)), h)
    return concatenate([first, inner, last], axis).astype(f.dtype, copy=False)
