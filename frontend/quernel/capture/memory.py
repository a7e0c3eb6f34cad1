"""Whether NumPy can give elements another shape where they lie, or has to copy them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..replay import replaced_axes

_NOTHING = np.zeros(1, np.int8)
_KINDS = ("slice", "transpose", "reshape", "ravel", "axes", "diagonal")


def shares(base: tuple, forms: list[list], shape: tuple) -> bool | None:
    """Whether a reshape of views of a C-contiguous array is a view; None where that can't be said.

    Parameters
    ----------
    base : tuple
        The sizes of the array.
    forms : list
        The JSON forms of the views.
    """
    array = lying(base, forms) if all(type(size) is int for size in shape) else None
    if array is None:
        return None
    try:
        _reshaped(array, shape)
    except AttributeError:
        return False
    return True


def lies_in_order(base: tuple, forms: list[list], order: str) -> bool | None:
    """Whether views of a C-contiguous array are contiguous in an order, ``"C"`` or ``"F"``."""
    array = lying(base, forms)
    return None if array is None else array.flags[f"{order}_CONTIGUOUS"]


def lying(base: tuple, forms: list[list]) -> np.ndarray | None:
    """An array of the strides of the views of a C-contiguous array; None where they aren't known.

    Its elements are of one byte. Its memory is never touched: NumPy judges by it.
    """
    sizes = [*base, *(item for _, *parts in forms for part in parts for item in part)]
    known = all(type(size) is int for size in sizes)
    if not known or any(form[0] not in _KINDS for form in forms):
        return None
    strides = [1]
    for size in reversed(base[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    array = np.lib.stride_tricks.as_strided(_NOTHING, base, strides[: len(base)])
    for form in forms:
        array = _seen(array, *form)
    return array


def _seen(array: np.ndarray, kind: str, *parts: Any) -> np.ndarray:
    if kind == "slice":
        # Where a slice begins makes no difference.
        strides = [stride * step for stride, step in zip(array.strides, parts[2], strict=True)]
        return np.lib.stride_tricks.as_strided(array, parts[1], strides)
    if kind == "transpose":
        return array.transpose(parts[0])
    if kind == "diagonal":
        return array.diagonal(parts[0][0], -2, -1)
    if kind == "axes":
        return replaced_axes(array, parts[0])
    return _reshaped(array, tuple(parts[0]))


def _reshaped(array: np.ndarray, shape: tuple) -> np.ndarray:
    made = array.view()
    made.shape = shape
    return made
