"""What to pass instead of arguments that compiled code can't take."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import TEXT

RANDOM = "draw the numbers outside, and pass them as an argument"
_HELD = "pass the arrays and numbers that it holds as arguments of their own"
_METHOD = "compile a function of the arrays and numbers that the method needs, and call it"


def object_hint(obj: Any, path: str) -> str:
    """For an object that is no array and no number of Python's or NumPy's."""
    if path == "self":
        return _METHOD
    if type(obj).__module__.partition(".")[0] == "random" or _is_numpys_stream(obj):
        return RANDOM
    if isinstance(obj, numbers.Number):
        return f"pass float({path})"
    return f"pass list({path})" if isinstance(obj, Iterator) else _HELD


def _is_numpys_stream(obj: Any) -> bool:
    return type(obj).__module__.startswith("numpy.random")


def subclass_hint(array: np.ndarray, path: str) -> str:
    """For an array of a subclass: a plain array may not mean the same."""
    if isinstance(array, np.ma.MaskedArray):
        return f"pass two plain arrays: {path}.data and np.ma.getmaskarray({path})"
    plain = f"pass a plain array: np.asarray({path})"
    if isinstance(array, np.matrix):
        return f"{plain}, of which * and ** go by elements, and @ is the product"
    return plain


def dtype_hint(dtype: np.dtype, path: str) -> str:
    """For an array of a dtype that compiled code doesn't have."""
    if dtype.names:
        return f"pass its fields as arrays of their own: {path}[{dtype.names[0]!r}]"
    if dtype.kind in "mM":
        return f"pass its integers: {path}.astype(np.int64)"
    if dtype.kind == "O":
        return f"give it a dtype of numbers: {path}.astype(np.float64)"
    if dtype.kind in "SUT":
        return "compare and convert texts outside, and pass arrays of numbers"
    return f"use {TEXT}"
