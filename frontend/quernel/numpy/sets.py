"""Distinct elements, and sets of them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..capture.array import TracedArray, fresh
from ..capture.tracer import current
from .accumulation import cumsum, diff, neighbours
from .creation import empty, full
from .joining import concatenate
from .operands import lift
from .reductions import any_
from .registry import implements
from .selection import compressed, gathered, nonzero, scattered
from .shapes import broadcast_to, ravel
from .sorting import in_order, sort
from .ufuncs import apply


def _changes(values: TracedArray) -> TracedArray:
    """Whether each of some sorted elements differs from the one before; NaN equals NaN."""
    sooner, later = neighbours(values, 0)
    differs = apply(np.not_equal, later, sooner)
    if values.dtype.kind == "f":
        differs = apply(np.logical_and, differs, apply(np.logical_not, apply(np.isnan, sooner)))
    return concatenate([full((1,), True), differs], 0)


@implements(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`np.unique` of all elements."""
    a = lift(ar)
    if axis is not None or not equal_nan:
        a.tracer.fail("np.unique with axis= or equal_nan=False", "use np.unique(x)")
    if a.dtype.kind == "c":
        a.tracer.fail("np.unique of complex numbers", "use np.unique outside")
    flat = ravel(a)
    if not operator.index(flat.size):
        a.tracer.fail("np.unique of nothing", "test the size first")
    if return_index or return_inverse:
        places = in_order(flat, 0, "argsort_stable" if return_index else "argsort")
        values = gathered(flat, [places], [0])
    else:
        values = in_order(flat, 0, "sort")
    mask = _changes(values)
    starts = nonzero(mask)[0]
    answers = [compressed(values, mask, starts.shape[0])]
    if return_index:
        answers.append(compressed(places, mask, starts.shape[0]))
    if return_inverse:
        inverse = empty(flat.shape, np.int64)
        number = apply(np.subtract, cumsum(mask), 1)
        scattered(inverse, [fresh(a.tracer, places.value)], [0], number, "set")
        answers.append(inverse.reshaped(a.shape, certain=True))
    if return_counts:
        answers.append(diff(starts, append=flat.size))
    return answers[0] if len(answers) == 1 else tuple(answers)


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> TracedArray:
    """`np.union1d`."""
    return unique(concatenate([ravel(ar1), ravel(ar2)], 0))


@implements(np.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> TracedArray:
    """`np.intersect1d`."""
    if return_indices:
        current().fail("np.intersect1d(return_indices=True)", "search the elements")
    first, second = (ravel(a) if assume_unique else unique(a) for a in (ar1, ar2))
    both = sort(concatenate([first, second], 0))
    sooner, later = neighbours(both, 0)
    return compressed(sooner, apply(np.equal, later, sooner))


@implements(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> TracedArray:
    """`np.setdiff1d`."""
    first, second = (ravel(ar1) if assume_unique else unique(ar1)), ravel(ar2)
    found = any_(apply(np.equal, first[:, None], broadcast_to(second, (1, second.size))), axis=1)
    return compressed(first, apply(np.logical_not, found))
