"""Views that captured code described, made again on real arrays while a function is captured."""

from __future__ import annotations

import numpy as np

from ..dtypes import NUMBERS


def replayed(array: np.ndarray, forms: list[list]) -> np.ndarray:
    """The view of an array.

    Parameters
    ----------
    forms : list
        The forms of the views; they have no symbols.
    """
    for kind, *parts in forms:
        if kind == "slice":
            array = array[tuple(map(_slice, *parts))]
        elif kind == "transpose":
            array = array.transpose(parts[0])
        elif kind == "axes":
            array = replaced_axes(array, parts[0])
        elif kind == "diagonal":
            array = array.diagonal(parts[0][0], -2, -1)
        elif kind in ("contiguous", "fortran"):
            pass
        elif kind in ("reshape", "ravel"):
            array = array.reshape(parts[0])
        elif kind in ("real", "imag"):
            array = getattr(array, kind)
        elif kind in ("dtype", "bytes"):
            array = array.view(NUMBERS[parts[0][0]])
        elif kind == "strided":
            (start,), shape, steps = parts
            strides = [step * array.itemsize for step in steps]
            array = np.lib.stride_tricks.as_strided(array[start:], shape, strides)
        elif kind == "windows":
            array = windowed(array, *parts)
        else:
            array = np.broadcast_to(array, parts[0])
    return array


def replaced_axes(array: np.ndarray, axes: list[int]) -> np.ndarray:
    """The array with these of its axes, and -1 for a new one; what is left out has one element."""
    gone = tuple(axis for axis in range(array.ndim) if axis not in axes)
    kept = sorted(axis for axis in axes if axis >= 0)
    array = array.squeeze(gone).transpose([kept.index(axis) for axis in axes if axis >= 0])
    return array[tuple(None if axis < 0 else slice(None) for axis in axes)]


def windowed(array: np.ndarray, widths: list[int], axes: list[int]) -> np.ndarray:
    """Every run of so many elements along some axes, as new last axes."""
    shape = list(array.shape)
    for width, axis in zip(widths, axes, strict=True):
        shape[axis] = max(shape[axis] - width + 1, 0)
    strides = (*array.strides, *(array.strides[axis] for axis in axes))
    return np.lib.stride_tricks.as_strided(array, (*shape, *widths), strides, writeable=False)


def _slice(offset: int, size: int, stride: int) -> slice:
    stop = offset + size * stride
    return slice(offset, stop if stop >= 0 else None, stride)
