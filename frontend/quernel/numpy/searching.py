"""Searches in sorted arrays, and what counts by them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.gathering import gathered, index_array, iota
from ..primitives.operands import lift
from ..primitives.sizes import require, require_all, size_of
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, fresh
from ..traced.broadcasting import matched
from ..traced.numbers import graph_dim
from ..traced.tracer import current
from ..traced.turned import scanned
from .creation import full, zeros
from .joining import concatenate
from .reductions import all_, any_, max_, sum_
from .registry import implements
from .selection import scattered, taken
from .shapes import ravel

_MOST_STEPS = 63  # bits of a size
_FEW = 16  # elements that are looked at one after the other


def _before(x: TracedArray, y: TracedArray) -> TracedArray:
    """``x < y`` where NaN is greater than everything else."""
    less = apply(np.less, x, y)
    if x.dtype.kind != "f":
        return less
    last = apply(np.logical_and, apply(np.isnan, y), apply(np.logical_not, apply(np.isnan, x)))
    return apply(np.logical_or, less, last)


def insertion(a: TracedArray, v: TracedArray, right: bool) -> TracedArray:
    """Where elements belong in a sorted array: a binary search without branches."""
    size = a.shape[0]
    low = full(v.shape, 0, np.int64)
    if type(size) is int and not size:
        return low
    count = apply(np.add, low, size)
    if type(size) is not int:
        return _searched(a, v, right, low, count)
    for _ in range(size.bit_length()):
        low, count = _halved(a, v, right, low, count)
    return low


def _halved(a: TracedArray, v: TracedArray, right: bool, low: Any, count: Any) -> tuple:
    """One step of a search: of each part that is left, the half in which the element belongs."""
    tracer, size = a.tracer, a.shape[0]
    half = apply(np.right_shift, count, 1)
    middle = apply(np.minimum, apply(np.add, low, half), apply(np.maximum, size, 1) - 1)
    probe = gathered(a, [fresh(tracer, middle.value)], [0])
    behind = apply(np.logical_not, _before(v, probe)) if right else _before(probe, v)
    behind = apply(np.logical_and, behind, apply(np.greater, count, 0))
    below = apply(np.subtract, count, apply(np.add, half, 1))
    return where(behind, apply(np.add, middle, 1), low), where(behind, below, half)


def _searched(a: TracedArray, v: TracedArray, right: bool, low: Any, count: Any) -> TracedArray:
    """A search in an array whose size the running program knows: as many steps as it has bits."""
    tracer = a.tracer
    bits = apply(np.right_shift, a.shape[0], iota(tracer, (_MOST_STEPS,), 0, "int64"))
    steps = size_of(tracer, sum_(apply(np.greater, bits, 0)).value, _MOST_STEPS)
    starts, depth = (low.value, count.value), tracer.depth
    tracer.graph.begin_for(0, graph_dim(steps), 1, "step")
    try:
        tracer.open_region()
        markers = [tracer.graph.enter(start) for start in starts]
        turn = _halved(a, v, right, *(fresh(tracer, marker) for marker in markers))
        pairs = [(marker, part.value) for marker, part in zip(markers, turn, strict=True)]
        values = tracer.graph.end_for(pairs)
    except BaseException:
        tracer.close_regions(depth)
        tracer.graph.discard()
        raise
    tracer.close_region()
    return fresh(tracer, values[0])


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """`np.searchsorted`."""
    a, v = lift(a), lift(v)
    if a.ndim != 1:
        raise ValueError("object too deep for desired array")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if sorter is not None:
        a = _sorted_by(a, index_array(sorter))
    kind = np.result_type(a.dtype, v.dtype)
    a, v = a.astype(kind, copy=False), v.astype(kind, copy=False)
    found = insertion(a, fresh(v.tracer, v.value), side == "right")
    return fresh(found.tracer, found.value, not v.ndim)


def _sorted_by(a: TracedArray, sorter: TracedArray) -> TracedArray:
    """The elements at the places of a sorter; NumPy looks at some of these alone."""
    error = ValueError("sorter.size must equal a.size")
    require(a.tracer, sorter.size, "equal", a.shape[0], error)
    inside = apply(np.greater_equal, sorter, 0)
    inside = apply(np.logical_and, inside, apply(np.less, sorter, a.shape[0]))
    why = "np.searchsorted with a place outside in sorter="
    a.tracer.check(all_(inside).value, IN_NUMPY, why, undoes=True)
    return taken(a, sorter, 0)


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """`np.digitize`."""
    x, bins = lift(x), lift(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        rule = "to dtype('float64') according to the rule 'safe'"
        raise TypeError(f"Cannot cast array data from {bins.dtype!r} {rule}")
    rising = all_(apply(np.less_equal, bins[:-1], bins[1:]))
    falling = all_(apply(np.greater_equal, bins[:-1], bins[1:]))
    message = "bins must be monotonically increasing or decreasing"
    require_all(x.tracer, apply(np.logical_or, rising, falling), "ValueError", message)
    side = "left" if right else "right"
    upwards = searchsorted(bins, x, side)
    downwards = apply(np.subtract, bins.size, searchsorted(bins[::-1], x, side))
    answer = where(rising, upwards, downwards)
    return fresh(x.tracer, answer.value, not x.ndim)


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """`np.interp` as NumPy computes it, elements that meet a point taken as they are."""
    x, xp, fp = lift(x), lift(xp), lift(fp)
    tracer = x.tracer
    if period is not None:
        tracer.fail("np.interp with a period", "bring x into the range first")
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if fp.dtype.kind == "c":
        tracer.fail("np.interp of complex values", "interpolate real and imaginary parts")
    x, xp, fp = (a.astype(np.float64, copy=False) for a in (x, xp, fp))
    size, message = xp.shape[0], "fp and xp are not of the same length."
    if type(size) is int and type(fp.shape[0]) is int and size != fp.shape[0]:
        raise ValueError(message)
    fp = fresh(tracer, matched(tracer, fp.value, {0: size}, message))
    require(tracer, size, "greater_equal", 1, ValueError("array of sample points is empty"))
    place = apply(np.subtract, insertion(xp, fresh(tracer, x.value), True), 1)
    inner = apply(np.maximum, apply(np.minimum, place, size - 2), 0)
    after = apply(np.minimum, apply(np.add, inner, 1), size - 1)
    x0, x1 = (gathered(xp, [fresh(tracer, p.value)], [0]) for p in (inner, after))
    y0, y1 = (gathered(fp, [fresh(tracer, p.value)], [0]) for p in (inner, after))
    slope = apply(np.divide, apply(np.subtract, y1, y0), apply(np.subtract, x1, x0))
    y = _line(x, x0, y0, slope)
    other = where(apply(np.equal, y0, y1), y0, _line(x, x1, y1, slope))
    other = where(apply(np.isnan, _line(x, x1, y1, slope)), other, _line(x, x1, y1, slope))
    y = where(apply(np.isnan, y), other, y)
    y = where(apply(np.equal, x, x0), y0, y)
    y = where(apply(np.greater_equal, x, xp[-1]), fp[-1], y)
    y = where(apply(np.greater, x, xp[-1]), fp[-1] if right is None else right, y)
    y = where(apply(np.less, x, xp[0]), fp[0] if left is None else left, y)
    y = where(apply(np.isnan, x), x, y)
    return fresh(tracer, y.value, not x.ndim)


def _line(x: TracedArray, x0: Any, y0: Any, slope: Any) -> TracedArray:
    return apply(np.add, apply(np.multiply, slope, apply(np.subtract, x, x0)), y0)


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> TracedArray:
    """`np.bincount`: ones, or weights, added up by position."""
    x = lift(x)
    tracer = x.tracer
    if x.ndim != 1:
        raise ValueError("object too deep for desired array")
    if not np.can_cast(x.dtype, np.int64, "safe"):
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to {np.dtype(np.int64)!r} "
            "according to the rule 'safe'"
        )
    x = x.astype(np.int64, copy=False)
    least = operator.index(minlength)
    if least < 0:
        raise ValueError("'minlength' must not be negative")
    message = "'list' argument must have no negative elements"
    top = apply(np.add, max_(x, initial=-1), 1)  # before the check, with which it shares a loop
    require_all(tracer, apply(np.greater_equal, x, 0), "ValueError", message)
    top = apply(np.maximum, top, least) if least else top
    size = size_of(tracer, top.value, lower=least)
    if weights is None or x.size == 0:  # NumPy looks at no weights of nothing
        counts, new = zeros(size, np.int64), np.int64(1)
    else:
        counts, new = zeros(size, np.float64), lift(weights).astype(np.float64, copy=False)
    scattered(counts, [x], [0], new, "sum")
    return counts


def repeated(a: TracedArray, counts: TracedArray, axis: int) -> TracedArray:
    """Each line of an array as often as its own count says."""
    from .accumulation import cumsum

    ends = cumsum(counts)
    message = "repeats may not contain negative values."
    require_all(a.tracer, apply(np.greater_equal, counts, 0), "ValueError", message)
    total = size_of(a.tracer, sum_(counts).value)
    return taken(a, _line_at_each_place(counts, ends, total), axis)


def _line_at_each_place(counts: TracedArray, ends: TracedArray, total: Any) -> TracedArray:
    """Which line each place shows: its number is noted where it begins, and holds until the next.

    Of lines that begin at the same place all but the last one are shown nowhere.
    """
    tracer, noted = counts.tracer, zeros((total + 1,), np.int64)
    lines = iota(tracer, counts.shape, 0, "int64")
    starts = apply(np.subtract, ends, counts)
    operands = [noted.value, lines.value, starts.value]
    noted.write(tracer.op("scatter", operands, axes=[0], kind="set"))
    return fresh(tracer, scanned(tracer, noted[:-1].value, "max", 0))


@implements(np.isin)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> TracedArray:
    """`np.isin`."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table":
        current().fail("np.isin(kind='table'), which data may refuse", "leave kind= out")
    found = members(lift(element), ravel(test_elements))
    found = apply(np.logical_not, found) if invert else found
    return fresh(current(), found.value, False)


def members(elements: TracedArray, tests: TracedArray) -> TracedArray:
    """Whether each element is among those of a line.

    It is compared with each of a few, else looked for where they stand in order.
    """
    from .sorting import in_order

    common = np.result_type(elements.dtype, tests.dtype)
    wide = [x for x in (elements, tests) if x.dtype.kind in "iu" and x.dtype.itemsize == 8]
    is_rounded = common.kind in "fc" and wide
    if is_rounded or (type(tests.size) is int and tests.size <= _FEW):
        return any_(apply(np.equal, elements[..., None], tests), axis=-1)
    ordered = in_order(tests.astype(common, copy=False), 0, "sort")
    elements = elements.astype(common, copy=False)
    place = insertion(ordered, elements, False)
    beyond = concatenate([ordered, zeros((1,), common)], 0)
    same = apply(np.equal, gathered(beyond, [fresh(elements.tracer, place.value)], [0]), elements)
    return apply(np.logical_and, same, apply(np.less, place, tests.size))
