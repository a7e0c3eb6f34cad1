"""Distinct elements, and sets of them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..primitives.elementwise import apply
from ..primitives.gathering import compressed, gathered, iota
from ..primitives.operands import lift
from ..traced.array import TracedArray, fresh
from ..traced.tracer import current
from .accumulation import cumsum, diff, neighbours
from .creation import empty
from .joining import concatenate
from .reductions import any_
from .registry import implements
from .searching import members
from .selection import nonzero, scattered
from .shapes import moveaxis, product, ravel
from .sorting import in_order, lexsort, sort


def _begins(values: TracedArray, equal_nan: bool) -> TracedArray:
    """Whether each of some sorted elements, or rows, is the first of its value."""
    place = iota(values.tracer, values.shape[:1], 0, "int64")
    before = apply(np.maximum, apply(np.subtract, place, 1), 0)
    sooner = gathered(values, [before], [0])
    differs = apply(np.not_equal, values, sooner)
    if values.ndim > 1:
        differs = any_(differs, axis=1)
    elif values.dtype.kind in "fc" and equal_nan:
        differs = apply(np.logical_and, differs, apply(np.logical_not, apply(np.isnan, sooner)))
    return apply(np.logical_or, apply(np.equal, place, 0), differs)


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
    """`np.unique` of all elements, or of the rows along an axis."""
    a = lift(ar)
    if axis is not None and a.ndim == 1:
        normalize_axis_index(operator.index(axis), 1)
        axis = None
    is_hashed = not sorted and axis is None and a.dtype.kind in "iuc"
    if is_hashed and not (return_index or return_inverse or return_counts):
        why = "np.unique in no order, which NumPy gives in that of its hash table"
        a.tracer.fail(why, "use np.unique with sorted=True")
    flat, rest = (ravel(a), ()) if axis is None else _rows(a, axis)
    if axis is not None:
        if not flat.shape[1]:
            a.tracer.fail("np.unique of rows without elements", "test the size first")
        columns = [flat[:, k] for k in range(operator.index(flat.shape[1]))]
        places = lift(lexsort(columns[::-1]))
        values = gathered(flat, [places], [0])
    elif return_index or return_inverse:
        places = in_order(flat, 0, "argsort_stable" if return_index else "argsort")
        values = gathered(flat, [places], [0])
    else:
        values = in_order(flat, 0, "sort")
    mask = _begins(values, equal_nan)
    starts = nonzero(mask)[0]
    found = compressed(values, mask, starts.shape[0])
    if axis is not None:
        found = found.reshaped((found.shape[0], *rest), certain=True)
        if axis % a.ndim:  # NumPy turns the rows back
            found.storage.shown = True
            found = moveaxis(found, 0, axis)
    answers = [found]
    if return_index:
        answers.append(compressed(places, mask, starts.shape[0]))
    if return_inverse:
        inverse = empty(flat.shape[:1], np.int64)
        number = apply(np.subtract, cumsum(mask), 1)
        scattered(inverse, [fresh(a.tracer, places.value)], [0], number, "set")
        answers.append(inverse.reshaped(a.shape, certain=True) if axis is None else inverse)
    if return_counts:
        answers.append(diff(starts, append=flat.shape[0]))
    return answers[0] if len(answers) == 1 else tuple(answers)


def _rows(a: TracedArray, axis: Any) -> tuple[TracedArray, tuple]:
    """What stands along an axis as rows of one axis each, and the shape that they have."""
    front = moveaxis(a, normalize_axis_index(operator.index(axis), a.ndim), 0)
    return front.reshaped((front.shape[0], product(front.shape[1:]))), front.shape[1:]


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
    return compressed(first, apply(np.logical_not, members(first, second)))
