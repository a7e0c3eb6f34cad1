"""How elements lie in memory, and whether NumPy can give them another shape where they lie.

A graph value that stands for memory has its axes in the order of memory, so that the compiler
stores and reads it from one end to the other: an array in Fortran order is a value of the reversed
shape, and the array's own elements are that value with its axes turned back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..signals import let_out
from .replay import replaced_axes, windowed

_NOTHING = np.zeros(1, np.int8)
_KINDS = (
    *("slice", "transpose", "reshape", "ravel", "axes", "diagonal", "dtype", "bytes", "windows"),
    *("real", "imag", "broadcast_to", "strided"),
)
_PARTS = ("real", "imag")  # of complex numbers: every second one
_WHOLE = ("transpose", "axes")  # views that show all elements, whatever the sizes


class Layout(NamedTuple):
    """How the elements of a memory lie.

    Attributes
    ----------
    axes : tuple of int or None
        The axes in the order of memory, that of the longest strides first; None where they are
        in that order.
    how : {"dense", "nested", "ordered", "strides", "unknown"}
        Whether one element follows the other; or not, but a step along one of `axes` leads over all
        that the axes behind it reach; or nobody knows which of the two; or the strides are known.
    strides : tuple of int or None
        In elements, by axis, where they are known.
    causes : frozenset
        What decides, where the program doesn't know the strides: ``("argument", path)`` and
        ``("loop", key)``.
    """

    axes: tuple | None = None
    how: str = "unknown"
    strides: tuple | None = None
    causes: frozenset = frozenset()

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order."""
        return self.how == "dense" and self.axes is None

    def lies_as(self, other: Layout) -> bool:
        """Whether elements of one shape are known to lie alike."""
        return self == other and self.how in ("dense", "strides")

    def in_memory(self, items: Any) -> tuple:
        """What there is for each axis, in the order of memory."""
        return tuple(items) if self.axes is None else tuple(items[k] for k in self.axes)

    def from_memory(self, items: Any) -> tuple:
        """What there is for each axis, in the order of the array's axes."""
        return tuple(items) if self.axes is None else tuple(items[k] for k in self.inverse)

    @property
    def inverse(self) -> tuple:
        """Of each axis of the array, its place in memory."""
        assert self.axes is not None
        return tuple(sorted(range(len(self.axes)), key=self.axes.__getitem__))


C_ORDER = Layout(how="dense")


def unknown(*causes: tuple) -> Layout:
    """The layout of elements that lie as something says that the program doesn't know."""
    return Layout(causes=frozenset(causes))


def dense(shape: tuple, axes: Iterable[int]) -> Layout:
    """The layout of elements one behind the other, with the axes in an order in memory."""
    order = tuple(axes)
    long = [axis for axis in order if not (type(shape[axis]) is int and shape[axis] == 1)]
    return C_ORDER if long == sorted(long) else Layout(order, "dense")


def fortran_order(shape: tuple) -> Layout:
    """The layout of elements in Fortran order."""
    return dense(shape, reversed(range(len(shape))))


def result_layout(shape: tuple, operands: Iterable[tuple], axes: Any = None) -> Layout:
    """How NumPy lays the result of an elementwise operation, which keeps its operands' order.

    Parameters
    ----------
    operands : iterable of (Layout, base shape, forms of the views)
    axes : list of int, optional
        The axis of each operand that an axis of the result is, where they aren't aligned.
    """
    items = list(operands)
    if len(shape) < 2 or _are_contiguous(items):
        return C_ORDER
    arrays = _small_arrays(items)
    if arrays is None:
        return _undecided(items)
    new = ["writeonly", "allocate"]
    flags = [["readonly"]] * len(arrays) + [new]
    mapping = None if axes is None else [axes, list(range(len(axes)))]
    made = np.nditer([*arrays, None], ["multi_index"], flags, np.int8, op_axes=mapping).operands[-1]
    return dense(shape, _by_length([made]))


def reduced_layout(shape: tuple, lain: tuple, axes: list[int]) -> Layout:
    """How NumPy lays what is left of an array after a reduction of some axes."""
    layout, base, forms = lain
    if len(shape) < 2 or (layout.contiguous and not forms):
        return C_ORDER
    array = _small(lying(base, forms, layout, exact=False))
    if array is None:
        return _undecided([lain])
    made = np.add.reduce(np.zeros_like(array), axis=tuple(axes))
    return dense(shape, _by_length([made]))


def product_layout(shape: tuple, operands: list[tuple]) -> Layout:
    """How NumPy lays products of matrices: the batch axes keep their operands' order."""
    if len(shape) < 3 or _are_contiguous(operands):
        return C_ORDER
    return asked_layout(shape, operands, np.matmul)


def asked_layout(shape: tuple, operands: list[tuple], function: Callable[..., Any]) -> Layout:
    """How a function of NumPy's lays the new array that it makes of some: it is asked for one."""
    arrays = _small_arrays(operands) if len(shape) > 1 else []
    if arrays is None:
        return _undecided(operands)
    made = function(*map(np.zeros_like, arrays)) if arrays else None
    return C_ORDER if made is None else dense(shape, _by_length([made]))


def joined_layout(shape: tuple, parts: list[tuple]) -> Layout:
    """How NumPy lays arrays that it puts together along an axis; arguments as those above."""
    if len(shape) < 2 or _are_contiguous(parts):
        return C_ORDER
    arrays = _small_arrays(parts)
    if arrays is None:
        return _undecided(parts)
    return dense(shape, _by_length(arrays))


def _by_length(arrays: list[Any]) -> list[int]:
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
    array = _small(lying(base, forms, layout, exact=False))
    if array is None:
        return _undecided([lain])
    kept = [k for k in range(array.ndim) if k not in axes]
    inner = _by_length([array.transpose([*kept, *axes])[(..., *(0,) * len(axes))]])
    memory = [*range(len(places)), *(len(places) + k for k in inner)]
    sizes = [*places, *(array.shape[k] for k in kept)]
    return dense(tuple(sizes[k] for k in order), [order.index(k) for k in memory])


def _undecided(operands: Iterable[tuple]) -> Layout:
    return Layout(causes=frozenset().union(*(layout.causes for layout, _, _ in operands)))


def _are_contiguous(operands: list[tuple]) -> bool:
    return all(layout.contiguous and not forms for layout, _, forms in operands)


def _small_arrays(operands: list[tuple]) -> list[Any] | None:
    """Small arrays that lie as the operands do; None where nobody knows how one of them lies."""
    arrays = [_small(lying(base, forms, layout, exact=False)) for layout, base, forms in operands]
    return None if any(array is None for array in arrays) else arrays


def _small(array: Any) -> Any:
    """An array of at most two elements along each axis, with the strides of another one.

    NumPy orders axes by strides alone, those of one element apart.
    """
    if array is None:
        return None
    shape = [size if size == 1 else 2 for size in array.shape]
    return np.lib.stride_tricks.as_strided(array, shape, array.strides)


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
    except ValueError as error:
        let_out(error)
        return False
    return True


def lies_in_order(base: tuple, forms: list[list], order: str, layout: Layout) -> bool | None:
    """Whether views of an array are contiguous in an order, ``"C"`` or ``"F"``."""
    whole = layout.how in ("dense", "nested") and all(form[0] in _WHOLE for form in forms)
    if whole and layout.how == "nested":
        return False
    array = lying(base, forms, layout, exact=not whole)
    return None if array is None else array.flags[f"{order}_CONTIGUOUS"]


def lying(
    base: tuple, forms: list[list], layout: Layout = C_ORDER, exact: bool = True
) -> np.ndarray | None:
    """An array of the strides of the views of an array; None where they aren't known.

    Its elements are of one byte. Its memory is never touched: NumPy judges by it.

    Parameters
    ----------
    exact : bool
        Whether the strides have to be those of the array; else it is enough that they have the
        same order.
    """
    # Where a slice begins makes no difference.
    parts = [part for kind, *parts in forms for part in parts[kind == "slice" :]]
    known = all(type(size) is int for size in (*base, *(item for part in parts for item in part)))
    if exact and (not known or any(form[0] not in _KINDS for form in forms)):
        return None
    large = 1 << min(24, 56 // max(len(base), 1))  # no known step is as long as an unknown size
    strides = _strides(tuple(_number(size, large) for size in base), layout, exact)
    if strides is None:
        return None
    array = np.lib.stride_tricks.as_strided(
        _NOTHING, [_number(size, large) for size in base], strides[: len(base)]
    )
    try:
        for kind, *parts in forms:
            numbers = [[_number(x, large) for x in part] for part in parts]
            if not exact and kind in ("reshape", "ravel") and sum(x != 1 for x in numbers[0]) < 2:
                array = np.lib.stride_tricks.as_strided(_NOTHING, numbers[0], [1] * len(numbers[0]))
            else:
                array = _seen(array, kind, *numbers, *[[exact]] * (kind == "bytes"))
    except ValueError as error:  # a reshape that is no view, or of unknown sizes
        let_out(error)
        return None
    return array


def last_step(layout: Layout, base: tuple, forms: list[list]) -> int | None:
    """How many elements apart those of the last axis are, whatever the sizes; None if unsaid."""
    axes = layout.axes or tuple(range(len(base)))
    if layout.how != "dense" or axes[-1:] != (len(base) - 1,):
        return None
    step, whole = 1, layout.axes is None
    for kind, *parts in forms:
        if kind == "slice" and type(parts[2][-1]) is int:
            step, whole = step * parts[2][-1], False
        elif kind == "bytes":
            step = 1
        elif kind != "dtype" and not (kind == "reshape" and whole):
            return None
    return step


def _number(size: Any, large: int) -> int:
    return size if type(size) is int else large


def _strides(base: tuple, layout: Layout, exact: bool) -> tuple | None:
    """The strides of an array, or ones that have the same order."""
    if layout.how == "strides":
        return layout.strides
    if layout.how == "dense":
        return layout.from_memory(_c_strides(layout.in_memory(base)))
    if layout.how in ("nested", "ordered") and not exact:
        return layout.from_memory(_c_strides(tuple(size + 1 for size in layout.in_memory(base))))
    return None


def _c_strides(shape: tuple) -> tuple:
    sizes = (max(size, 1) for size in reversed(shape[1:]))
    return tuple(itertools.accumulate(sizes, lambda a, b: a * b, initial=1))[::-1]


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
    if kind == "broadcast_to":
        return np.broadcast_to(array, parts[0])
    if kind == "windows":
        return windowed(array, *parts)
    if kind in _PARTS:
        return _scaled(array, 2, 1)
    if kind == "strided":
        return np.lib.stride_tricks.as_strided(array, *parts[1:])
    if kind == "bytes":
        return _resized(array, *parts[1], *parts[2])
    if kind in ("contiguous", "fortran"):
        raise ValueError  # a copy, perhaps
    return _reshaped(array, tuple(parts[0]))


def _scaled(array: np.ndarray, ratio: int, last: int) -> np.ndarray:
    """The array in elements of a part of the size: the last axis has so many for each."""
    shape, strides = list(array.shape), [stride * ratio for stride in array.strides]
    if last != 1:
        shape[-1], strides[-1] = shape[-1] * last, 1
    return np.lib.stride_tricks.as_strided(array, shape, strides)


def _resized(array: np.ndarray, old: int, new: int, exact: bool) -> np.ndarray:
    """The array in elements of other sizes in bytes, those of the last axis.

    Where strides needn't be exact, those of the other axes stay: they have the same order.

    Raises
    ------
    ValueError
        Where strides aren't those of whole elements.
    """
    if old > new:
        return _scaled(array, old // new, old // new)
    ratio = new // old
    *outer, last = array.shape
    strides = array.strides[:-1]
    if exact and any(
        stride % ratio for stride, size in zip(strides, outer, strict=True) if size > 1
    ):
        raise ValueError
    steps = [*(stride // ratio if exact else stride for stride in strides), 1]
    return np.lib.stride_tricks.as_strided(array, (*outer, last // ratio), steps)


def _reshaped(array: np.ndarray, shape: tuple) -> np.ndarray:
    """A view of another shape.

    Raises
    ------
    ValueError
        Where there is none. (To set the array's own shape would raise one too, but NumPy makes the
        copy first, of memory that isn't there.)
    """
    return array.reshape(shape, copy=False)


def storages_of(array: Any) -> list[Any]:
    """All the memory that an array may lie in, each once."""
    found: dict[int, Any] = {}
    pending = [array.storage]
    while pending:
        storage = pending.pop()
        if id(storage) not in found:
            found[id(storage)] = storage
            if storage.is_chosen:
                pending += [storage.second.storage, storage.first.storage]
    return [storage for storage in found.values() if not storage.is_chosen]


def note_bytes(array: Any) -> None:
    """Note that the program sees how arguments lie in memory: it takes no copies of them."""
    leaves = (storage.leaf for storage in storages_of(array))
    array.tracer.seen_bytes.update(leaf.path for leaf in leaves if leaf is not None)
