"""How arrays lie in memory, and what else a program may ask of one."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..dtypes import NUMBERS as DTYPES
from .leaves import Leaf

# What a program may ask of an array: by the name in `.flags`, NumPy's number, and whether it is of
# no subclass, as the runtime numbers that.
FLAGS = {"owndata": 4, "writeable": 1024, "plain": 1 << 30}


def array_flags(leaf: Leaf) -> int:
    """The flags of an argument, as `FLAGS` and NumPy's C interface number them."""
    return flags_of(header_of(leaf.obj) if leaf.original is None else leaf.original)


def device_of(obj: Any) -> str | None:
    """The device that an array is on; None for what is no array on a device."""
    devices = sys.modules.get("quernel.devices.array")  # without it there is no such array
    return obj.device if devices is not None and type(obj) is devices.DeviceArray else None


def header_of(obj: Any) -> np.ndarray:
    """An array whose sizes, strides and flags are those of an array, which may be on a device."""
    return obj if device_of(obj) is None else obj.header()


def flags_of(array: np.ndarray) -> int:
    """The flags of an array, likewise."""
    return array.flags.num | (FLAGS["plain"] if type(array) is np.ndarray else 0)


def strides_layout(shape: tuple, strides: tuple) -> Any:
    """How the elements of an array lie that isn't contiguous.

    ``("dense", axes)`` where one element follows the other, with the axes in that order in memory;
    ``("nested", axes)`` where that isn't so, but a step along an axis leads over all that the axes
    behind it reach; else ``"strided"``, which may be any strides.

    Parameters
    ----------
    strides : tuple of int
        In elements, 0 along axes of at most one.
    """
    axes = tuple(sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])))
    count, span, is_dense = 1, 0, True
    for axis in reversed(axes):
        if shape[axis] < 2:
            continue
        if abs(strides[axis]) <= span:
            return "strided"
        is_dense = is_dense and strides[axis] == count
        count *= shape[axis]
        span += (shape[axis] - 1) * abs(strides[axis])
    return ("dense" if is_dense else "nested"), axes


def is_readable(obj: np.ndarray) -> bool:
    """Whether compiled code can read the array where it is."""
    if not obj.flags.aligned or not obj.dtype.isnative or obj.dtype.num not in DTYPES:
        return False
    item = obj.itemsize
    return all(stride % item == 0 for stride in obj.strides)


def lies(array: np.ndarray, how: str, axes: list[int], strides: Any = None) -> bool:
    """Whether an array lies as a layout says, axes of one element apart."""
    if how == "strides":
        trios = zip(array.shape, array.strides, strides, strict=True)
        return all(size < 2 or step == wanted * array.itemsize for size, step, wanted in trios)
    count, span, is_dense = array.itemsize, 0, True
    for axis in reversed(axes):
        size, step = array.shape[axis], array.strides[axis]
        if size > 1 and abs(step) <= span:
            return False
        is_dense = is_dense and (size < 2 or step == count)
        count *= size
        span += (size - 1) * abs(step)
    return is_dense == (how == "dense")
