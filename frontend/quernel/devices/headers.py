"""Views of arrays in a device's memory, by NumPy's own rules and without the memory.

A *header* is a NumPy array of the same sizes and strides at an address where nothing is. What NumPy
makes of it without reading it (slices, axes in another order, other shapes) says how the view lies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_NOWHERE = 1 << 40


class Layout(NamedTuple):
    """How an array lies in a buffer.

    Attributes
    ----------
    offset : int
        Of its first element, in bytes.
    shape : tuple of int
    strides : tuple of int
        In bytes.
    """

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    def extent(self, itemsize: int) -> tuple[int, int]:
        """The bytes of the buffer from the array's first to its last: their begin and their end."""
        if self.size == 0:
            return self.offset, self.offset
        steps = [step * (size - 1) for size, step in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(step for step in steps if step < 0)
        return low, self.offset + sum(step for step in steps if step > 0) + itemsize

    def is_dense(self, itemsize: int) -> bool:
        """Whether there is nothing between the elements, in whichever order they lie."""
        step = itemsize
        if self.size == 0:
            return True
        for axis in reversed(self.order()):
            if self.shape[axis] != 1:
                if abs(self.strides[axis]) != step:
                    return False
                step *= self.shape[axis]
        return True

    def order(self) -> tuple[int, ...]:
        """The axes from the widest step to the narrowest."""
        axes = range(len(self.shape))
        return tuple(sorted(axes, key=lambda axis: -abs(self.strides[axis])))


def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides, in bytes, of an array in C's order."""
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class _Header(np.ndarray):
    """An array without memory, which debuggers and reports of errors may show."""

    def __repr__(self) -> str:
        return f"<header of an array of shape {self.shape}>"

    __str__ = __repr__


class _Interface:
    """What NumPy asks for the memory of an array."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> None:
        self.__array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": f"|V{itemsize}",
            "data": (_NOWHERE, False),
            "version": 3,
        }


def view(layout: Layout, itemsize: int, make: Callable[[np.ndarray], np.ndarray]) -> Layout:
    """The layout of a view.

    Parameters
    ----------
    make : callable
        Makes the view of a header. It may not read elements.

    Raises
    ------
    Exception
        What NumPy raises for a view that can't be.
    """
    interface = _Interface(layout.shape, layout.strides, itemsize)
    whole = np.asarray(interface).view(_Header)
    made = make(whole)
    moved = made.__array_interface__["data"][0] - _NOWHERE
    return Layout(layout.offset + moved, made.shape, made.strides)


def basic_key(key: Any) -> tuple | None:
    """An index of integers, slices, None and `...` as a tuple; None for another one."""
    parts = key if isinstance(key, tuple) else (key,)
    plain: list[Any] = []
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, slice):
            plain.append(part)
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            plain.append(operator.index(part))
        else:
            return None
    return tuple(plain)


def element(layout: Layout, itemsize: int, key: tuple) -> Layout:
    """The layout of what a basic index takes.

    Raises
    ------
    IndexError
    """
    return view(layout, itemsize, lambda whole: whole[key if Ellipsis in key else (*key, ...)])
