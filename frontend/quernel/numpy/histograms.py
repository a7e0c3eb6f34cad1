"""`np.histogram`, with NumPy's own correction at the edges, and `np.histogramdd`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..primitives.elementwise import apply, where
from ..primitives.gathering import gathered
from ..primitives.operands import lift
from ..primitives.sizes import fitted, is_nonnegative, require_all
from ..traced.array import TracedArray, fresh, is_traced
from .accumulation import diff
from .creation import zeros
from .reductions import max_, min_, sum_
from .registry import implements
from .searching import insertion
from .selection import scattered
from .sequences import linspace
from .shapes import product, ravel

_counted = range  # which is the name of an argument here
_UNSIGNED = {"i1": "u1", "i2": "u2", "i4": "u4", "i8": "u8"}


@implements(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple:
    """`np.histogram`."""
    a, weights = _flat(lift(a), weights)
    edges, uniform = _edges(a, bins, range)
    kind = np.dtype(np.int64) if weights is None else weights.dtype
    is_whole = range is None  # the edges are those of the data
    places, inside = _uniform(a, edges, is_whole, *uniform) if uniform else _sorted(a, edges)
    count = edges.shape[0] - 1
    n = zeros(count, kind)
    new = np.int64(1) if weights is None else weights
    new = new if inside is None else where(inside, new, kind.type(0))
    new = lift(new).astype(kind, copy=False)
    scattered(n, [fresh(a.tracer, places.value)], [0], new, "sum")
    if not density:
        return n, edges
    width = diff(edges).astype(np.float64, copy=False)
    return apply(np.divide, apply(np.divide, n, width), sum_(n)), edges


def _flat(a: TracedArray, weights: Any) -> tuple[TracedArray, TracedArray | None]:
    if a.dtype == bool:
        a = a.astype(np.uint8)
    if weights is not None:
        error = ValueError("weights should have the same shape as a.")
        weights = ravel(fitted(lift(weights), a.shape, error))
    return ravel(a), weights


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """`np.histogram_bin_edges`."""
    a, weights = _flat(lift(a), weights)
    return _edges(a, bins, range)[0]


def _edges(a: TracedArray, bins: Any, range_: Any) -> tuple[TracedArray, tuple | None]:
    """The edges; for bins of one width also the first, the last, and the number of bins."""
    tracer = a.tracer
    if isinstance(bins, str):
        tracer.fail("np.histogram with an estimated number of bins", "give the number of bins")
    known = lift(bins)
    if known.ndim == 1:
        rising = apply(np.less_equal, known[:-1], known[1:])
        message = "`bins` must increase monotonically, when an array"
        require_all(tracer, rising, "ValueError", message)
        return known, None
    if known.ndim:
        raise ValueError("`bins` must be 1d, when an array")
    count = operator.index(bins)
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = _outer_edges(a, range_)
    kind = np.result_type(_dtype(first), _dtype(last), a.dtype)
    if kind.kind in "iu":
        kind = np.result_type(kind, float)
    edges = linspace(first, last, count + 1, endpoint=True, dtype=kind)
    message = f"Too many bins for data range. Cannot create {count} finite-sized bins."
    require_all(tracer, apply(np.less, edges[:-1], edges[1:]), "ValueError", message)
    return edges, (first, last, count)


def _dtype(edge: Any) -> Any:
    return edge.dtype if type(edge) is TracedArray else edge


def _outer_edges(a: TracedArray, range_: Any) -> tuple[Any, Any]:
    tracer = a.tracer
    if range_ is None and type(a.size) is int and a.size == 0:
        return 0, 1
    if range_ is not None:
        first, last = range_
        if not is_traced(range_):
            return _given(first, last)
        ordered = apply(np.less_equal, first, last)
        message = "max must be larger than min in range parameter."
        require_all(tracer, ordered, "ValueError", message)
        origin = "supplied"
    else:
        if not is_nonnegative(tracer, a.size - 1):
            tracer.fail("np.histogram of data that may be empty, without range=", "give the range")
        first, last, origin = min_(a), max_(a), "autodetected"
    finite = apply(np.logical_and, apply(np.isfinite, first), apply(np.isfinite, last))
    require_all(tracer, finite, "ValueError", f"{origin} range of [nan, nan] is not finite")
    same = apply(np.equal, first, last)
    wide = apply(np.subtract, first, 0.5), apply(np.add, last, 0.5)
    ends = where(same, wide[0], first), where(same, wide[1], last)
    return tuple(fresh(tracer, end.value, True) for end in ends)


def _given(first: Any, last: Any) -> tuple[Any, Any]:
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _difference(a: Any, b: Any) -> TracedArray:
    """``a - b`` for ``a >= b``; unsigned for integers, which could overflow."""
    kinds = [x.dtype if type(x) is TracedArray else x for x in (a, b)]
    kind = np.result_type(*kinds)
    a, b = (lift(x).astype(kind, copy=False) for x in (a, b))
    unsigned = _UNSIGNED.get(kind.str[1:])
    if unsigned:
        a, b = a.astype(unsigned), b.astype(unsigned)
    return apply(np.subtract, a, b)


def _uniform(
    a: TracedArray, edges: TracedArray, is_whole: bool, first: Any, last: Any, count: int
) -> tuple:
    """Bin of each element and whether it has one, None if all have, for bins of one width."""
    tracer = a.tracer
    over, under = apply(np.greater_equal, a, first), apply(np.less_equal, a, last)
    inside = None if is_whole else apply(np.logical_and, over, under)
    x = a.astype(edges.dtype, copy=False)
    share = apply(np.divide, _difference(x, first), _difference(last, first))
    place = apply(np.multiply, share, count)
    place = (place if inside is None else where(inside, place, 0.0)).astype(np.int64)
    place = apply(np.minimum, place, count - 1)
    lower = gathered(edges, [fresh(tracer, place.value)], [0])
    place = apply(np.maximum, apply(np.subtract, place, apply(np.less, x, lower)), 0)
    upper = gathered(edges, [fresh(tracer, apply(np.add, place, 1).value)], [0])
    later = apply(np.greater_equal, x, upper)
    later = later if inside is None else apply(np.logical_and, later, inside)
    later = apply(np.logical_and, later, apply(np.not_equal, place, count - 1))
    return apply(np.add, place, later), inside


def _edges_before(a: TracedArray, edges: TracedArray) -> TracedArray:
    """How many of some edges aren't behind each element; of one on the last edge, one less."""
    x, ordered = _of_one_dtype(a, edges)
    on_last = apply(np.equal, a, edges[-1]).astype(np.int64)
    return apply(np.subtract, insertion(ordered, x, True), on_last)


def _of_one_dtype(*arrays: TracedArray) -> list[TracedArray]:
    kind = np.result_type(*(a.dtype for a in arrays))
    return [a.astype(kind, copy=False) for a in arrays]


def _sorted(a: TracedArray, edges: TracedArray) -> tuple:
    """Bin of each element and whether it has one, for any edges; the last bin is closed."""
    x, edges = _of_one_dtype(a, edges)
    found = apply(np.subtract, _edges_before(x, edges), 1)
    count = edges.shape[0] - 1
    over, under = apply(np.greater_equal, x, edges[0]), apply(np.less_equal, x, edges[-1])
    inside = apply(np.logical_and, over, under)
    return apply(np.maximum, apply(np.minimum, found, count - 1), 0), inside


@implements(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple:
    """`np.histogramdd`; `np.histogram2d` calls it, too."""
    columns = _columns(sample)
    tracer, rank = columns[0].tracer, len(columns)
    each = list(bins) if isinstance(bins, list | tuple) else [bins] * rank
    if type(bins) is TracedArray and bins.ndim:
        each = [bins[k] for k in _counted(rank)]
    if len(each) != rank:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = [None] * rank if range is None else list(range)
    if len(ranges) != rank:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_grid(tracer, *row) for row in zip(_counted(rank), columns, each, ranges, strict=True)]
    place: Any = 0
    for column, edge in zip(columns, edges, strict=True):
        behind = _edges_before(column, edge)
        place = apply(np.add, apply(np.multiply, place, edge.shape[0] + 1), behind)
    sizes = [edge.shape[0] + 1 for edge in edges]
    n = zeros(product(sizes), np.dtype(np.float64))
    new: Any = np.float64(1)
    if weights is not None:
        error = ValueError("The weights and list don't have the same length.")
        new = fitted(lift(weights), columns[0].shape, error)
        if new.dtype.kind == "c":
            tracer.fail("np.histogramdd with complex weights", "take those of their parts")
        new = new.astype(np.float64, copy=False)
    scattered(n, [fresh(tracer, place.value)], [0], lift(new), "sum")
    hist = n.reshaped(tuple(sizes), certain=True)[(slice(1, -1),) * rank]
    if not density:
        return fresh(tracer, hist.value), edges
    total = sum_(hist)
    for axis, edge in enumerate(edges):
        width = diff(edge)
        shape = tuple(width.shape[0] if k == axis else 1 for k in _counted(rank))
        hist = apply(np.divide, hist, width.reshaped(shape, certain=True))
    return apply(np.divide, hist, total), edges


def _columns(sample: Any) -> list[TracedArray]:
    """The coordinates of the samples, an axis each."""
    if type(sample) is TracedArray and sample.ndim == 2:
        return [sample[:, k] for k in _counted(operator.index(sample.shape[1]))]
    if type(sample) is TracedArray:
        return [ravel(sample)]
    columns = [ravel(lift(column)) for column in sample]
    columns = _of_one_dtype(*columns)
    mismatch = ValueError("all the input arrays must have the same length")
    return [columns[0], *(fitted(x, columns[0].shape, mismatch) for x in columns[1:])]


def _grid(tracer: Any, axis: int, column: TracedArray, bins: Any, range_: Any) -> TracedArray:
    """The edges along one axis."""
    known = lift(bins)
    if known.ndim == 1:
        message = f"`bins[{axis}]` must be monotonically increasing, when an array"
        rising = apply(np.less_equal, known[:-1], known[1:])
        require_all(tracer, rising, "ValueError", message)
        return known
    if known.ndim:
        raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array")
    count = operator.index(bins)
    if count < 1:
        raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
    return linspace(*_outer_edges(column, range_), count + 1)
