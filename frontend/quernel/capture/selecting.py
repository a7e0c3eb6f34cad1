"""Elements chosen by index arrays and masks, read and written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.assignment import assigned
from ..primitives.gathering import compressed, gathered, index_array, places_of, positions
from ..primitives.joining import joined
from ..primitives.operands import as_array
from ..primitives.shaping import broadcast_arrays
from ..primitives.sizes import clipped
from ..traced.array import TracedArray, constant, fresh, is_traced
from ..traced.bounds import ask, integer, is_scalar_index, position
from ..traced.broadcasting import of_mask, of_positions, shape_texts
from ..traced.memory import gathered_layout, storages_of
from ..traced.tracer import Tracer
from ..traced.views import graph_dims, same_dims, slice_of
from .slicing import assigned_value, is_array_index, view_of


class Selection:
    """What a key with arrays chooses: a view, and positions on some of its axes.

    Attributes
    ----------
    view : TracedArray
        The array seen through the slices of the key.
    places : list of TracedArray
        Positions, of one shape.
    axes : list of int
        The axes of the view that they are positions on.
    at : int
        Where in the result the axes of the positions stand.
    """

    def __init__(self, array: TracedArray, key: tuple) -> None:
        items = _without_masks(_fitted(array, _expanded(array, key)))
        basic = [slice(None) if chooses(item) else item for item in items]
        self.view = view_of(array, tuple(basic))
        chosen = [k for k, item in enumerate(items) if chooses(item)]
        self.axes = chosen
        self.at = chosen[0] if chosen == list(range(chosen[0], chosen[-1] + 1)) else 0
        self.places = self._places(array, items)

    def _places(self, array: TracedArray, items: list) -> list[TracedArray]:
        numbers, axis = [], 0
        for item in items:
            if isinstance(item, _Inside):
                numbers.append(item.array)
            elif item is not None and chooses(item):
                numbers.append(_inside(array, item, axis))
            axis += item is not None
        return [fresh(array.tracer, part.value) for part in broadcast_arrays(*numbers)]

    @property
    def rest(self) -> list:
        """The sizes of the axes that are kept."""
        return [size for k, size in enumerate(self.view.shape) if k not in self.axes]

    def order(self) -> list[int]:
        """The axes of NumPy's result, each as the axis of what is gathered."""
        rank, total = self.places[0].ndim, self.places[0].ndim + len(self.rest)
        first, last = list(range(rank)), list(range(rank, total))
        return [*last[: self.at], *first, *last[self.at :]]

    def shape(self) -> tuple:
        """The shape of NumPy's result."""
        sizes = [*self.places[0].shape, *self.rest]
        return tuple(sizes[k] for k in self.order())


class _Inside:
    """Positions that are known to be inside of the array."""

    def __init__(self, array: TracedArray) -> None:
        self.array = array


def select(array: TracedArray, key: tuple) -> TracedArray:
    """The elements, as a new array."""
    tracer = array.tracer
    if len(key) == 1 and _is_mask(key[0]):
        mask = _mask(array, key[0])
        if 0 < mask.ndim <= array.ndim:
            return compressed(array, _fitted(array, [mask])[0])
        if not mask.ndim:
            return select(array[None], (_of_one(mask),))
    made = Selection(array, masks_traced(array, key))
    answer = gathered(made.view, made.places, made.axes).value
    order = made.order()
    if order != sorted(order):
        answer = tracer.op("transpose", [answer], permutation=order)
    layout = gathered_layout(made.view.lying, made.places[0].shape, made.axes, order)
    return fresh(tracer, answer, layout=layout)


def check_apart(array: TracedArray, mask: TracedArray) -> None:
    """Refuse to write where a mask says that is changed by that: NumPy reads it meanwhile."""
    shared = set(storages_of(array)).intersection(storages_of(mask))
    if shared and not array.same_place(mask):
        array.tracer.fail("a mask in the memory that it chooses from to write", "copy the mask")


def store(array: TracedArray, key: tuple, value: Any) -> None:
    """Write to the elements."""
    tracer = array.tracer
    if len(key) == 1 and _is_mask(key[0]):
        mask = _mask(array, key[0])
        check_apart(array, mask)
        if _store_masked(array, mask, value):
            return
        if not mask.ndim:
            store(array[None], (_of_one(mask),), value)
            return
    made = Selection(array, masks_traced(array, key))
    new = assigned(tracer, value, array.dtype, alone=False)
    is_whole = len(key) == 1 and _is_mask(key[0]) and _mask(array, key[0]).ndim == array.ndim
    if is_whole and len(new.shape) > 1:
        raise TypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {len(new.shape)} dimensions"
        )
    new = assigned_value(tracer, new, made.shape(), of_mask if is_whole else of_positions)
    order = made.order()
    if order != sorted(order):
        inverse = sorted(range(len(order)), key=order.__getitem__)
        new = tracer.op("transpose", [new], permutation=inverse)
    operands = [made.view.value, new, *(place.value for place in made.places)]
    made.view.write(tracer.op("scatter", operands, axes=made.axes, kind="set"))


def _of_one(mask: TracedArray) -> TracedArray:
    """A truth value as the mask of an axis of one element, which is what NumPy takes it for."""
    return mask.reshaped((1,), certain=True)


def _store_masked(array: TracedArray, mask: TracedArray, value: Any) -> bool:
    """Write where a mask is true what is the same for every such place; whether that is so."""
    tracer = array.tracer
    missing = array.ndim - mask.ndim
    if missing < 0:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, "
            f"but {mask.ndim} were indexed"
        )
    mask = _fitted(array, [mask])[0]
    new = assigned(tracer, value, array.dtype, alone=False)
    if len(new.shape) > missing:
        return False
    chosen = mask.value
    if missing:
        chosen = tracer.op("reshape", [chosen], shape=[*chosen.shape, *[1] * missing])
    array.write(tracer.op("where", [chosen, new, array.value]))
    return True


def _fitted(array: TracedArray, items: list) -> list:
    """The items of a key, masks with the sizes of the axes that they stand for.

    Raises
    ------
    IndexError
        Where a mask has another known shape; where only the program knows, it raises.
    """
    axis, answer = 0, list(items)
    for k, item in enumerate(items):
        rank = _axes_used(item)
        if _is_mask(item):
            answer[k] = _of_axes(_mask(array, item), array.shape[axis : axis + rank], axis)
        axis += rank
    return answer


def _of_axes(mask: TracedArray, shape: tuple, first: int) -> TracedArray:
    for k, (own, size) in enumerate(zip(shape, mask.shape, strict=True)):
        if same_dims([own], [size]):
            continue
        (wanted, given), numbers = shape_texts([(own,), (size,)])
        message = (
            f"boolean index did not match indexed array along axis {first + k}; size of axis is "
            f"{wanted[1:-2]} but size of corresponding boolean axis is {given[1:-2]}"
        )
        _require_fit(mask.tracer, own, size, message, numbers)
        mask = _padded(mask, k, own)
    return mask


def _require_fit(tracer: Tracer, own: Any, size: Any, message: str, numbers: list) -> None:
    """Refuse a size of a mask that is neither the axis's nor 0, which NumPy takes everywhere."""
    if type(own) is int and type(size) is int and size:
        raise IndexError(message)
    if type(size) is int and not size:
        return
    ask(tracer, own, size)
    value, zero = integer(tracer, size), tracer.constant(np.int64(0))
    fits = tracer.op("equal", [value, integer(tracer, own)])
    fits = tracer.op("logical_or", [fits, tracer.op("equal", [value, zero])])
    tracer.check(fits, "IndexError", message, [integer(tracer, number) for number in numbers])


def _padded(mask: TracedArray, axis: int, size: Any) -> TracedArray:
    """A mask with a size along an axis, the same as its own or larger; what is new is false."""
    tracer = mask.tracer
    rest = clipped(tracer, size - mask.shape[axis])
    shape = graph_dims(tuple(rest if k == axis else n for k, n in enumerate(mask.shape)))
    none = tracer.op("full", [tracer.constant(np.False_)], shape=shape)
    whole = joined([mask, fresh(tracer, none)], axis, "")
    return fresh(
        tracer, tracer.op("slice", [whole.value], **slice_of(whole.value, {axis: (size, 1)}))
    )


def _is_mask(item: Any) -> bool:
    if type(item) is TracedArray or isinstance(item, np.ndarray):
        return item.dtype == bool
    if type(item) is list:
        return bool(item) and np.asarray(_flat(item)).dtype == bool
    return isinstance(item, bool | np.bool_)


def _flat(items: list) -> Any:
    return [0] if is_traced(items) else items


def _mask(array: TracedArray, item: Any) -> TracedArray:
    return as_array(array.tracer, item)


def masks_traced(array: TracedArray, key: tuple) -> tuple:
    """A key with its masks as traced arrays."""
    return tuple(_mask(array, item) if _is_mask(item) else item for item in key)


def _axes_used(item: Any) -> int:
    if item is None:
        return 0
    return item.ndim if _is_mask(item) else 1


def _expanded(array: TracedArray, key: tuple) -> list:
    """The key with the ellipsis and the missing axes spelled out."""
    used = sum(_axes_used(item) for item in key if item is not Ellipsis)
    missing = array.ndim - used
    if missing < 0:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, "
            f"but {used} were indexed"
        )
    dots = [k for k, item in enumerate(key) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = dots[0] if dots else len(key)
    return [*key[:at], *[slice(None)] * missing, *key[at + 1 :]]


def _without_masks(items: list) -> list:
    """Masks as the positions where they are true."""
    answer: list[Any] = []
    for item in items:
        if _is_mask(item):
            answer += [_Inside(part) for part in places_of(item)]
        else:
            answer.append(item)
    return answer


def chooses(item: Any) -> bool:
    """Whether an item of a key is a position, or an array of them."""
    return isinstance(item, _Inside) or is_array_index(item) or is_scalar_index(item)


def _inside(array: TracedArray, item: Any, axis: int) -> TracedArray:
    """Positions along an axis, counted from its start and checked."""
    size = array.shape[axis]
    if is_scalar_index(item):
        return _as_integers(array, position(array.tracer, item, size, axis))
    made = _as_integers(array, item)
    known = made.known()
    if known is None or type(size) is not int:
        return positions(index_array(made), size, axis)
    wrong = known[(known < -size) | (known >= size)]
    if len(wrong):
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {size}")
    return constant(array.tracer, np.where(known < 0, known + size, known).astype(np.int64))


def _as_integers(array: TracedArray, item: Any) -> Any:
    made = as_array(array.tracer, item)
    if made.dtype.kind not in "iu" and made.shape != (0,):
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return made.astype(np.int64, copy=False)
