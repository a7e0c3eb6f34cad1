"""Indexing of traced arrays as NumPy does it: views, and elements chosen by arrays and masks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..primitives.assignment import assigned
from ..traced.array import TracedArray, constant, fresh
from ..traced.bounds import is_scalar_index
from ..traced.iterables import as_numpys
from ..traced.open_types import refuse_open_index
from .slicing import assigned_value, is_array_index, view_of


def get(array: TracedArray, key: Any) -> TracedArray:
    """``array[key]``."""
    key = _tuple(key)
    refuse_open_index(array.tracer, key)
    if _is_advanced(key):
        from .selecting import select  # which programs seldom need

        return select(array, key)
    view = view_of(array, key)
    has_ellipsis = any(item is Ellipsis for item in key)
    if view.shape == () and not has_ellipsis and (array.ndim or array.is_scalar or key == ()):
        known = view.known()
        if known is not None:
            storage = constant(array.tracer, known).storage
            return TracedArray(array.tracer, storage, is_scalar=True)
        return fresh(array.tracer, view.value, is_scalar=True)
    return view


def put(array: TracedArray, key: Any, value: Any) -> None:
    """``array[key] = value``."""
    if array.is_scalar:
        raise TypeError(f"'{array.dtype.type.__name__}' object does not support item assignment")
    key = _tuple(key)
    refuse_open_index(array.tracer, key)
    if _is_advanced(key):
        from .selecting import store

        store(array, key, value)
        return
    view = view_of(array, key)
    if view.same_place(value):
        return  # the second half of `x[...] += y`
    if view.shape == () and not any(item is Ellipsis for item in key):
        _check_single(view.dtype, value)
    new = assigned(array.tracer, value, view.dtype)
    if not view.shape and all(map(is_scalar_index, key)):
        sizes = array.tracer.shape(new)
        if any(type(size) is int and size != 1 for size in sizes):
            if view.dtype.kind == "c":
                raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
            raise ValueError("setting an array element with a sequence.")
    view.write(assigned_value(array.tracer, new, view.shape))


def _check_single(dtype: np.dtype, value: Any) -> None:
    """Raise what this NumPy raises where an array or a sequence is assigned to one element."""
    if type(value) in (list, tuple) or (type(value) is TracedArray and value.ndim):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rank = value.ndim if type(value) is TracedArray else 1
            np.zeros(1, dtype)[0] = np.zeros((1,) * rank, dtype)


def _tuple(key: Any) -> tuple:
    key = key if type(key) is tuple else (key,)
    return tuple(map(as_numpys, key))


def _is_advanced(key: tuple) -> bool:
    """Whether a key chooses elements by arrays, lists or booleans."""
    return any(is_array_index(item) for item in key)
