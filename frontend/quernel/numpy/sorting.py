"""Sorting, and what follows from sorted elements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..primitives.elementwise import apply, where
from ..primitives.gathering import gathered
from ..primitives.layouts import laid_as
from ..primitives.operands import lift
from ..primitives.sizes import clipped, fitted, integer, require_all
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh, is_traced
from ..traced.bounds import is_nonnegative
from ..traced.memory import dense, reduced_layout
from ..traced.numbers import isinstance_symbolic
from ..traced.tracer import current
from .joining import stack
from .out_arguments import stored
from .reductions import MISSING, all_, axes_of, sum_, with_units
from .registry import implements
from .selection import take_along_axis
from .shapes import moveaxis, product, ravel, transpose
from .statistics import mean, unless_none

# What the runtime calls the algorithms that NumPy knows by their first letters. NumPy 2.4 has no
# other heapsort any more; before, places of equal elements may come in another order.
_ALGORITHMS = {"q": "", "h": "", "m": "_stable", "s": "_stable"}
_SHORT_LINE = 599  # up to this length NumPy takes medians without NaN of all lines at once


def in_order(a: TracedArray, axis: int, what: str, at: TracedArray | None = None) -> TracedArray:
    """Lines of an array sorted; the last axis of the result goes along them.

    Parameters
    ----------
    a : TracedArray
        At least one axis.
    axis : int
        That of the lines.
    what : str
        "sort" for the elements in order, "argsort" for their int64 places before, either with the
        algorithm behind it: "" or "_stable"; "partition" for some of the elements; "introselect"
        and "argintroselect" for all where NumPy's partition leaves them.
    at : TracedArray, optional
        Of a partition: the int64 positions that have what is there in order.
    """
    lines = moveaxis(a, axis, -1)
    operands = [lines.value] if at is None else [lines.value, at.value]
    return fresh(a.tracer, a.tracer.routine(what, operands, lines.ndim - 1)[0])


def line_of(a: Any, axis: Any) -> tuple[TracedArray, int]:
    """The array and the axis that its lines go along; all elements as one line for None."""
    a = lift(a)
    if axis is None:
        return ravel(a), 0
    return a, normalize_axis_index(operator.index(axis), a.ndim)


def _algorithm(kind: Any, order: Any, stable: Any) -> str:
    """What the runtime calls the algorithm that NumPy uses; NumPy refuses what it doesn't know."""
    np.sort(np.zeros(1), kind=kind, order=order, stable=stable)
    if stable:
        return "_stable"
    return _ALGORITHMS[kind[0].lower()] if kind else ""


@implements(np.sort)
def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> TracedArray:
    """`np.sort`."""
    algorithm = _algorithm(kind, order, stable)
    a, axis = line_of(a, axis)
    values = moveaxis(in_order(a, axis, "sort" + algorithm), -1, axis)
    return laid_as(fresh(a.tracer, values.value), a, "K")


@implements(np.argsort)
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> TracedArray:
    """`np.argsort`."""
    algorithm = _algorithm(kind, order, stable)
    a, axis = line_of(a, axis)
    places = moveaxis(in_order(a, axis, "argsort" + algorithm), -1, axis)
    return fresh(a.tracer, places.value)


@implements(np.partition)
def partition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> TracedArray:
    """`np.partition`, with all elements where NumPy's algorithm leaves them."""
    a, values = _partitioned("introselect", a, kth, axis, kind, order)
    return laid_as(values, a, "K")


@implements(np.argpartition)
def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
) -> TracedArray:
    """`np.argpartition`."""
    return _partitioned("argintroselect", a, kth, axis, kind, order)[1]


def _partitioned(
    what: str, a: Any, kth: Any, axis: Any, kind: Any, order: Any
) -> tuple[TracedArray, TracedArray]:
    """An array, and its lines along an axis, or their places, partitioned."""
    a, axis = line_of(a, axis)
    np.partition(np.zeros(1), 0, kind=kind, order=order)  # NumPy refuses what it doesn't know
    count = a.shape[axis]
    if type(count) is int and count == 0:
        return a, argsort(a, axis) if what == "argintroselect" else a.copy()
    if type(count) is int and not is_traced(kth):
        for k in np.ravel(kth):
            if not -count <= k < count:
                raise ValueError(f"kth(={k}) out of bounds ({count})")
    kth = lift(kth)
    if kth.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError("object too deep for desired array")
    places = ravel(kth).astype(np.int64, copy=False)
    places = where(places < 0, places + count, places)
    inside = all_((places >= 0) & (places < count))
    what_fails = "np.partition by a position that isn't there"
    a.tracer.check(inside.value, IN_NUMPY, what_fails, undoes=True)
    lines = moveaxis(in_order(a, axis, what, places), -1, axis)
    return a, fresh(a.tracer, lines.value)


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> TracedArray | np.int64:
    """`np.lexsort`: by the last key, and by those before it where that is equal."""
    parts = [lift(key) for key in keys]
    if not parts:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(part.ndim != parts[0].ndim for part in parts):
        raise ValueError("all keys need to be the same shape")
    mismatch = ValueError("all keys need to be the same shape")
    parts = [parts[0], *(fitted(part, parts[0].shape, mismatch) for part in parts[1:])]
    if not parts[0].ndim and axis in (0, -1):
        return np.int64(0)  # of keys without axes
    order = argsort(parts[0], axis, "stable")
    for part in parts[1:]:
        within = argsort(take_along_axis(part, order, axis), axis, "stable")
        order = take_along_axis(order, within, axis)
    return order


@implements(np.median)
def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    """`np.median` along one axis, or of all elements."""
    return _median(a, axis, out, keepdims)


def _median(a: Any, axis: Any, out: Any, keepdims: Any, most: int | None = None) -> Any:
    """The median; see `_laid_as_mean`."""
    middle: list = []

    def wanted(count: Any) -> list:
        middle[:] = [clipped(current(), (count - 1) // 2, count), count // 2]
        return middle

    a, lines, shape = _lines(a, axis, keepdims, wanted)
    first, second = middle
    last = sum_(lines[..., -1:], axis=-1)  # of no element where there is none
    answer = _unless_nan(mean(lines[..., first : second + 1], axis=-1), last)
    return stored(_shaped(_laid_as_mean(answer, a, axis, most), shape, axis), out)


def _laid_as_mean(answer: Any, a: TracedArray, axis: Any, most: int | None = None) -> Any:
    """Medians as NumPy lays means of an array's elements.

    Parameters
    ----------
    most : int, optional
        Those of longer lines lie in C order.
    """
    gone = [] if axis is None else list(normalize_axis_tuple(axis, a.ndim))
    if len(gone) != 1 or answer.ndim < 2:
        return answer
    layout = reduced_layout(answer.shape, a.lying, gone)
    if layout.contiguous or (most is not None and operator.index(a.shape[gone[0]]) > most):
        return answer
    return fresh(a.tracer, answer.value, layout=layout)


def _lines(
    a: Any, axis: Any, keepdims: Any, wanted: Callable[[Any], list], skips_nan: bool = False
) -> tuple[TracedArray, TracedArray, Any]:
    """The array, its lines, and the shape of a result that keeps the axes.

    The lines have what would be at the wanted positions if they were sorted, and NaN at their end
    where there is one. `wanted` is told how long a line is; if NaN is skipped, an array of the
    numbers of each line that aren't NaN.
    """
    a = lift(a)
    _refuse_nothing(a, axis, skips_nan)
    kept = None
    if keepdims is not MISSING and keepdims:
        own = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
        kept = tuple(1 if k in own else size for k, size in enumerate(a.shape))
    line, axis = line_of(*_merged(a, axis))
    if skips_nan:
        present = apply(np.logical_not, apply(np.isnan, moveaxis(line, axis, -1)))
        positions = wanted(sum_(present, axis=-1, keepdims=True))
        only = [lift(place)[0] for place in positions] if line.ndim == 1 else None
    else:
        only = [*wanted(line.shape[axis]), line.shape[axis] - 1]
    if only is None or a.dtype.kind == "c":
        return a, in_order(line, axis, "sort"), kept
    places = stack([lift(k).astype(np.int64, copy=False) for k in only])
    return a, in_order(line, axis, "partition", places), kept


def _refuse_nothing(a: TracedArray, axis: Any, skips_nan: bool) -> None:
    """Leave lines without elements to NumPy, which warns of them, or raises.

    Where only the program knows, it looks if NaN is skipped; else it does as NumPy by itself.
    """
    what = "a median, or a quantile, of nothing"
    tracer, sizes = a.tracer, [a.shape[k] for k in axes_of(a, axis)]
    if any(type(size) is int and size == 0 for size in sizes):
        tracer.fail(what, "test the size first")
    for size in sizes:
        if skips_nan and not is_nonnegative(tracer, size - 1):
            held = tracer.op("greater", [integer(tracer, n) for n in (size, 0)])
            tracer.check(held, IN_NUMPY, what, undoes=True)


def _merged(a: TracedArray, axis: Any) -> tuple[TracedArray, Any]:
    """An array whose lines go along one axis, or all axes, with that axis."""
    if type(axis) not in (tuple, list):
        return a, axis
    gone = normalize_axis_tuple(axis, a.ndim)
    rest = [k for k in range(a.ndim) if k not in gone]
    length = product([a.shape[k] for k in gone])
    shape = (*(a.shape[k] for k in rest), length)
    return transpose(a, [*rest, *gone]).reshaped(shape, certain=True), -1


@implements(np.nanmedian)
def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    """`np.nanmedian` along one axis, or of all elements."""
    a = lift(a)
    if a.dtype.kind == "c":
        a.tracer.fail("a median of complex numbers without NaN", "take those of their parts")
    if a.dtype.kind != "f":
        return _median(a, axis, out, keepdims, _SHORT_LINE)
    found: list = []

    def wanted(count: Any) -> list:
        most = apply(np.maximum, apply(np.subtract, count, 1), 0)
        first, second = (apply(np.floor_divide, x, 2) for x in (most, count))
        found[:] = [count, first, apply(np.minimum, second, most)]
        return found[1:]

    a, lines, shape = _lines(a, axis, keepdims, wanted, skips_nan=True)
    count = found[0]
    low, high = (take_along_axis(lines, lift(k), -1) for k in found[1:])
    middle = apply(np.divide, apply(np.add, low, high), 2)
    answer = where(apply(np.equal, apply(np.remainder, count, 2), 1), low, middle)
    answer = unless_none(answer, count)[..., 0]
    answer = fresh(a.tracer, answer.value, not answer.ndim)
    answer = _laid_as_mean(answer, a, axis, _SHORT_LINE)
    return stored(_shaped(answer, shape, axis), out)


def _unless_nan(answer: Any, last: TracedArray) -> Any:
    """NaN where the last of the sorted elements is NaN."""
    if last.dtype.kind not in "fc":
        return answer
    made = where(apply(np.isnan, last), last, answer)
    return fresh(made.tracer, made.value, not made.ndim)


def _shaped(answer: Any, shape: Any, axis: Any) -> Any:
    if shape is None:
        return answer
    axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
    return with_units(lift(answer), list(shape), list(axes))


def _define_quantile(function: Any, scale: float, *, skips_nan: bool = False) -> None:
    def implementation(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        tracer = current()
        if lift(a).dtype.kind == "c":
            raise TypeError("a must be an array of real numbers")
        if weights is not None:
            tracer.fail(f"np.{function.__name__} with weights=", "interpolate yourself")
        np.quantile(np.ones(2), 0.5, method=method)  # refuses what NumPy doesn't know
        weak = type(q) in (int, float) or isinstance_symbolic(q)
        points = _points(q, scale)
        each = _each(points)
        weak = weak and not points.ndim
        skips = skips_nan and lift(a).dtype.kind == "f"
        spots: list = []
        present: list = []

        def wanted(count: Any) -> list:
            present.append(count[..., 0] if skips else count)
            spots.extend(_Spot(point, count, method) for point in each)
            return [k for spot in spots for k in (spot.first, spot.second)]

        a, lines, shape = _lines(a, axis, keepdims, wanted, skips)
        parts = [_quantile(lines, spot, weak) for spot in spots]
        if skips:
            parts = [unless_none(part, present[0]) for part in parts]
        else:
            parts = [_unless_nan(part, lines[..., -1]) for part in parts]
        shaped = [_shaped(part, shape, axis) for part in parts]
        if points.ndim and skips_nan:
            return stored(_line_by_line(shaped), out)
        return stored(stack(shaped) if points.ndim else shaped[0], out)

    implements(function)(implementation)


def _line_by_line(parts: list[TracedArray]) -> TracedArray:
    """Quantiles of lines, one behind the other in memory, as NumPy takes them of each line."""
    rank = lift(parts[0]).ndim
    made = stack(parts)
    layout = dense(made.shape, [*range(1, rank + 1), 0])
    return fresh(made.tracer, made.value, layout=layout)


def _points(q: Any, scale: float) -> TracedArray:
    """The quantiles as parts of one, all of them between 0 and 1."""
    points = lift(q)
    if points.dtype.kind != "f":
        points = points.astype(np.float64)
    if scale != 1:
        points = apply(np.true_divide, points, scale)
    what = "Quantiles" if scale == 1 else "Percentiles"
    message = f"{what} must be in the range [0, {int(scale)}]"
    if not is_traced(q):
        inside = np.all((np.asarray(q) >= 0) & (np.asarray(q) <= scale))
        if not inside:
            raise ValueError(message)
        return points
    low, high = apply(np.greater_equal, points, 0), apply(np.less_equal, points, 1)
    require_all(points.tracer, apply(np.logical_and, low, high), "ValueError", message)
    return points


def _each(points: TracedArray) -> list:
    if points.ndim > 1:
        points.tracer.fail("quantiles in an array of several axes", "ravel them")
    return [points[k] for k in range(operator.index(points.shape[0]))] if points.ndim else [points]


def _between(alpha: float, beta: float) -> Any:
    """Where Hyndman and Fan's continuous methods look among sorted elements."""

    def place(count: Any, q: Any) -> Any:
        return count * q + (alpha + q * (1 - alpha - beta)) - 1

    return place


def _ends(count: Any, q: Any) -> Any:
    return (count - 1) * q


# How NumPy's methods find the place, which needn't be whole.
_PLACES = {
    "inverted_cdf": lambda count, q: count * q - 1,
    "averaged_inverted_cdf": lambda count, q: count * q - 1,
    "closest_observation": lambda count, q: count * q - 1 - 0.5,
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "linear": _ends,
    "median_unbiased": _between(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _between(3 / 8.0, 3 / 8.0),
    "lower": _ends,
    "higher": _ends,
    "midpoint": lambda count, q: (
        0.5 * (apply(np.floor, _ends(count, q)) + apply(np.ceil, _ends(count, q)))
    ),
    "nearest": _ends,
}
_WHOLE = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}


class _Spot:
    """Where a quantile is in sorted lines: between two positions, and how far from the first.

    The number of elements is one for all lines, or an array of them. No share: it is at the first.
    """

    def __init__(self, point: TracedArray, count: Any, method: str) -> None:
        place = _PLACES[method](count, point)
        self.of_each = type(count) is TracedArray and count.ndim > 0
        self.share: Any = None
        before = apply(np.floor, place)
        if method in _WHOLE:
            self._at(apply(_WHOLE[method], place), count)
        elif method in ("inverted_cdf", "closest_observation"):
            is_before = apply(np.equal, place, before)
            if method == "closest_observation":
                odd = apply(np.equal, apply(np.remainder, before, 2), 1)
                is_before = apply(np.logical_and, is_before, odd)
            self._at(where(is_before, before, apply(np.add, before, 1)), count)
        else:
            # Places before the first and behind the last element are at these.
            share = apply(np.subtract, place, before)
            if method == "midpoint":
                share = where(apply(np.equal, share, 0), share.dtype.type(0), share.dtype.type(0.5))
            elif method == "averaged_inverted_cdf":
                share = where(apply(np.equal, share, 0), share.dtype.type(0.5), share.dtype.type(1))
            self.share = share
            self._at(before, count)
            after = apply(np.minimum, apply(np.add, before, 1), apply(np.subtract, count, 1))
            self.second = apply(np.maximum, where(apply(np.less, place, 0), 0.0, after), 0).astype(
                np.int64
            )

    def _at(self, place: Any, count: Any) -> None:
        inside = apply(np.minimum, place, apply(np.subtract, count, 1))
        self.first = self.second = apply(np.maximum, inside, 0).astype(np.int64)


def _quantile(lines: TracedArray, spot: _Spot, weak: bool) -> Any:
    """NumPy's linear interpolation between the neighbours of a place in the sorted lines."""
    axis, share = lines.ndim - 1, spot.share

    def at(place: TracedArray) -> TracedArray:
        if spot.of_each:
            return take_along_axis(lines, place, -1)[..., 0]
        return gathered(lines, [lift(place)], [axis])

    low = at(spot.first)
    if share is None:
        return fresh(lines.tracer, low.value, not low.ndim)
    high = at(spot.second)
    if spot.of_each:
        share = share[..., 0]
    near = apply(np.greater_equal, share, 0.5)
    rest = apply(np.subtract, 1, share)
    if weak and lines.dtype.kind == "f":  # a Python number, which leaves the dtype alone
        share, rest = share.astype(lines.dtype), rest.astype(lines.dtype)
    distance = apply(np.subtract, high, low)
    up = apply(np.add, low, apply(np.multiply, distance, share))
    down = apply(np.multiply, distance, rest)
    answer = where(near, apply(np.subtract, high, down), up)
    return fresh(lines.tracer, answer.value, not answer.ndim)


_define_quantile(np.quantile, 1)
_define_quantile(np.percentile, 100)
_define_quantile(np.nanquantile, 1, skips_nan=True)
_define_quantile(np.nanpercentile, 100, skips_nan=True)
