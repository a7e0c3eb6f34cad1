"""Arrays that have to be of some kind, and questions of whether they are."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..primitives.operands import lift
from ..traced.array import TracedArray, is_traced
from .calling import by_source, captured
from .creation import array, asarray
from .registry import implements
from .shapes import isscalar

_FLAGS = {
    name: letter
    for letter, names in {
        "C": "C C_CONTIGUOUS CONTIGUOUS",
        "F": "F F_CONTIGUOUS FORTRAN",
        "A": "A ALIGNED",
        "W": "W WRITEABLE",
        "O": "O OWNDATA",
        "E": "E ENSUREARRAY",
    }.items()
    for name in names.split()
}


@implements(np.require)
def require_array(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """`np.require`: the array itself where it has what is required, else a copy."""
    if like is not None:
        return by_source(np.require, a, dtype, requirements, like=like)
    letters = {_FLAGS[name.upper()] for name in requirements or ()}
    if {"C", "F"} <= letters:
        raise ValueError('Cannot specify both "C" and "F" order')
    made = asarray(a, dtype, next(iter(letters & {"C", "F"}), None))
    return made.copy() if made.is_view and letters & {"W", "O"} else made


@implements(np.asarray_chkfinite)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """`np.asarray_chkfinite`."""
    made = asarray(a, dtype, order)
    return captured(_finite, made) if made.dtype.kind in "fc" else made


def _finite(made: Any) -> Any:
    if not np.isfinite(made).all():
        raise ValueError("array must not contain infs or NaNs")
    return made


@implements(np.fromiter, creation=True)
def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> TracedArray:
    """`np.fromiter` of what can be gone through: an array's rows, a list's items."""
    items = iter if type(iter) is TracedArray else captured(_items, iter)
    count = operator.index(count)
    if count >= 0:
        if len(items) < count:
            raise ValueError(
                f"iterator too short: Expected {count} but iterator had only {len(items)} items."
            )
        items = items[:count]
    return array(items, dtype)


def _items(iter: Any) -> Any:
    return [item for item in iter]  # noqa: C416


@implements(np.iterable)
def iterable(y: Any) -> bool:
    """`np.iterable`."""
    if is_traced(y) and not isinstance(y, (tuple, list, dict)):
        return not isscalar(y) and lift(y).ndim > 0
    return np.iterable(y)


@implements(np.isfortran)
def isfortran(a: Any) -> bool:
    """`np.isfortran`."""
    return a.flags.fnc
