"""How elements lie in memory, and whether NumPy can give them another shape where they lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..replay import replaced_axes

_NOTHING = np.zeros(1, np.int8)
_KINDS = ("slice", "transpose", "reshape", "ravel", "axes", "diagonal", "dtype")
_LARGEST = 1 << 40  # elements of an array of which NumPy is asked how a result would lie


@dataclass(frozen=True)
class Layout:
    """How the elements of a memory lie.

    Attributes
    ----------
    contiguous : bool
        Whether they lie in C order.
    strides : tuple of int or None
        In elements, where they don't lie in C order and the program knows them.
    arguments : frozenset of str
        The paths of the arguments whose strides decide, where the program doesn't know them.
    """

    contiguous: bool = False
    strides: tuple | None = None
    arguments: frozenset = frozenset()

    def lies_as(self, other: Layout) -> bool:
        """Whether elements of one shape are known to lie alike."""
        return self == other and (self.contiguous or self.strides is not None)


C_ORDER = Layout(contiguous=True)
ANYHOW = Layout()


def fortran_order(shape: tuple) -> Layout:
    """The layout of elements in Fortran order."""
    if len(shape) < 2:
        return C_ORDER
    if not all(type(size) is int for size in shape):
        return ANYHOW
    strides = _c_strides(shape[::-1])[::-1]
    return C_ORDER if strides == _c_strides(shape) else Layout(strides=strides)


def result_layout(shape: tuple, operands: Iterable[tuple]) -> Layout:
    """How NumPy lays the result of an elementwise operation, which keeps its operands' order.

    Parameters
    ----------
    operands : iterable of (Layout, base shape, forms of the views)
    """
    items = list(operands)
    if len(shape) < 2 or all(layout.contiguous and not forms for layout, _, forms in items):
        return C_ORDER
    arrays = [lying(base, forms, layout) for layout, base, forms in items]
    if all(array is not None for array in arrays) and all(type(size) is int for size in shape):
        return _laid(shape, arrays)
    return Layout(arguments=frozenset().union(*(layout.arguments for layout, _, _ in items)))


def joined_layout(shape: tuple, parts: list[tuple]) -> Layout:
    """How NumPy lays arrays that it puts together along an axis; arguments as those above."""
    if len(shape) < 2 or all(layout.contiguous and not forms for layout, _, forms in parts):
        return C_ORDER
    arrays = [lying(base, forms, layout) for layout, base, forms in parts]
    if any(array is None for array in arrays) or not all(type(size) is int for size in shape):
        return Layout(arguments=frozenset().union(*(layout.arguments for layout, _, _ in parts)))
    strides, step = [0] * len(shape), 1
    for axis in reversed(_by_strides(arrays)):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return Layout(strides=tuple(strides))


def _by_strides(arrays: list[np.ndarray]) -> list[int]:
    """The axes of arrays, those of long strides first, as NumPy sorts them for `concatenate`."""
    order: list[int] = []
    for axis in range(arrays[0].ndim):
        place = len(order)
        for k in reversed(range(len(order))):
            pairs = [(a, order[k]) for a in arrays if a.shape[axis] != 1 != a.shape[order[k]]]
            if not pairs:
                continue
            if not all(abs(a.strides[axis]) > abs(a.strides[other]) for a, other in pairs):
                break
            place = k
        order.insert(place, axis)
    return order


def gathered_layout(lain: tuple, places: tuple, axes: list[int], order: list[int]) -> Layout:
    """How NumPy lays what positions on some axes of an array choose.

    Parameters
    ----------
    lain : (Layout, base shape, forms of the views)
        How the array lies.
    places : tuple
        The shape of the positions.
    order : list of int
        The result's axes: each as an axis of what is chosen, positions first.
    """
    layout, base, forms = lain
    if order == sorted(order) and (
        len(order) - len(places) < 2 or (layout.contiguous and not forms)
    ):
        return C_ORDER
    array = lying(base, forms, layout)
    if array is None or not all(type(size) is int for size in places):
        return Layout(arguments=layout.arguments)
    kept = [k for k in range(array.ndim) if k not in axes]
    shape = tuple(array.shape[k] for k in kept)
    rest = np.lib.stride_tricks.as_strided(_NOTHING, shape, [array.strides[k] for k in kept])
    inner = _laid(shape, [rest]).strides or _c_strides(shape)
    count = int(np.prod(shape))
    strides = [*(step * count for step in _c_strides(places)), *inner]
    return Layout(strides=tuple(strides[k] for k in order))


def _laid(shape: tuple, arrays: list[Any]) -> Layout:
    """The layout that NumPy's iterator gives a new operand; its elements are never touched."""
    if np.prod(shape, dtype=object) > _LARGEST:
        return ANYHOW
    new = ["writeonly", "allocate"]
    flags = [["readonly"]] * len(arrays) + [new]
    made = np.nditer([*arrays, None], ["zerosize_ok", "multi_index"], flags, np.int8).operands[-1]
    return C_ORDER if made.flags.c_contiguous else Layout(strides=made.strides)


def shares(base: tuple, forms: list[list], shape: tuple, layout: Layout) -> bool | None:
    """Whether a reshape of views of an array is a view; None where that can't be said.

    Parameters
    ----------
    base : tuple
        The sizes of the array.
    forms : list
        The forms of the views.
    """
    array = lying(base, forms, layout) if all(type(size) is int for size in shape) else None
    if array is None:
        return None
    try:
        _reshaped(array, shape)
    except AttributeError:
        return False
    return True


def lies_in_order(base: tuple, forms: list[list], order: str, layout: Layout) -> bool | None:
    """Whether views of an array are contiguous in an order, ``"C"`` or ``"F"``."""
    array = lying(base, forms, layout)
    return None if array is None else array.flags[f"{order}_CONTIGUOUS"]


def lying(base: tuple, forms: list[list], layout: Layout = C_ORDER) -> np.ndarray | None:
    """An array of the strides of the views of an array; None where they aren't known.

    Its elements are of one byte. Its memory is never touched: NumPy judges by it.
    """
    # Where a slice begins makes no difference.
    parts = [part for kind, *parts in forms for part in parts[kind == "slice" :]]
    known = all(type(size) is int for size in (*base, *(item for part in parts for item in part)))
    if not known or any(form[0] not in _KINDS for form in forms):
        return None
    strides = layout.strides
    if layout.contiguous:
        strides = _c_strides(base)
    if strides is None:
        return None
    array = np.lib.stride_tricks.as_strided(_NOTHING, base, strides[: len(base)])
    try:
        for form in forms:
            array = _seen(array, *form)
    except AttributeError:  # a reshape that is no view
        return None
    return array


def _c_strides(shape: tuple) -> tuple:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return tuple(strides)


def _seen(array: np.ndarray, kind: str, *parts: Any) -> np.ndarray:
    if kind == "slice":
        strides = [stride * step for stride, step in zip(array.strides, parts[2], strict=True)]
        return np.lib.stride_tricks.as_strided(array, parts[1], strides)
    if kind == "transpose":
        return array.transpose(parts[0])
    if kind == "diagonal":
        return array.diagonal(parts[0][0], -2, -1)
    if kind == "dtype":
        return array
    if kind == "axes":
        return replaced_axes(array, parts[0])
    return _reshaped(array, tuple(parts[0]))


def _reshaped(array: np.ndarray, shape: tuple) -> np.ndarray:
    made = array.view()
    made.shape = shape
    return made
