"""Shapes that meet: sizes that aren't proven equal are compared when the program runs.

As in NumPy, a size of 1 is repeated, also where only the running program knows that it is 1: such
an axis is read with a stride of 0 or 1 that the program computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .bounds import ask, integer, is_nonnegative, require_same
from .numbers import DATA, SymbolicSize, graph_dim
from .numbers import origins as origins_of
from .tracer import Tracer
from .views import slice_of

_VALUES = 8  # numbers that an error's message can have


def unified(tracer: Tracer, values: list[Any]) -> list[Any]:
    """The operands of an elementwise operation with shapes that broadcast for certain.

    Raises
    ------
    ValueError
        Where two known sizes differ; where only the program knows, it raises.
    """
    shapes = [tracer.shape(value) for value in values]
    text, numbers = _shapes_text([*shapes, *tracer.outs])
    message = f"operands could not be broadcast together with shapes {text}"
    if _clash(shapes):
        raise ValueError(message.format(*(number.known() for number in numbers)))
    if _agree(shapes):
        return values
    rank = max(map(len, shapes))
    return met(tracer, values, [range(rank - len(x), rank) for x in shapes], message, numbers)


Wording = Callable[[tuple, tuple], tuple[str, list]]


def of_slices(own: tuple, shape: tuple) -> tuple[str, list]:
    """NumPy's message where a value doesn't fit slices, and the sizes that it has places for."""
    (source, target), numbers = shape_texts([own, shape])
    return f"could not broadcast input array from shape {source} into shape {target}", numbers


def of_positions(own: tuple, shape: tuple) -> tuple[str, list]:
    """The same where it doesn't fit what index arrays choose."""
    (source, target), numbers = shape_texts([own, shape])
    text = f"shape mismatch: value array of shape {source} could not be broadcast to indexing "
    return f"{text}result of shape {target}", numbers


def of_mask(own: tuple, shape: tuple) -> tuple[str, list]:
    """The same where it doesn't fit what a mask of the whole array chooses."""
    numbers: list[Any] = []
    given, chosen = sizes_text(own[-1:], numbers), sizes_text(shape, numbers)
    text = f"NumPy boolean array indexing assignment cannot assign {given} input values to the "
    return f"{text}{chosen} output values where the mask is true", numbers


def unified_to(tracer: Tracer, value: Any, shape: tuple, wording: Wording = of_slices) -> Any:
    """A value that is assigned to a region of a shape, with sizes that broadcast to it.

    Raises
    ------
    ValueError
        Where a known size doesn't; where only the program knows, it raises.
    """
    own = tracer.shape(value)
    return _moved(tracer, value, stretched(tracer, own, shape, *wording(own, shape)))


def stretched(tracer: Tracer, own: tuple, shape: tuple, message: str, numbers: list) -> dict:
    """By axis of an array that broadcasts to a shape: the size and the stride to read it with.

    Those axes are left out that have the size, or the size 1, for certain.

    Raises
    ------
    ValueError
        Where a known size doesn't fit; where only the program knows, it raises.
    """
    if len(own) > len(shape) or any(_differ(*pair) for pair in _pairs(own, shape)):
        raise ValueError(message.format(*(number.known() for number in numbers)))
    moves: dict[int, tuple] = {}
    for k, (size, new) in enumerate(_pairs(own, shape)):
        if not is_one(size) and not _same(size, new):
            one = _compared(tracer, size, new, message, numbers, False)
            moves[k] = new, 1 if one is None else _stride(tracer, one, size)
    return moves


def are_same(first: tuple, second: tuple) -> bool:
    """Whether two shapes of one rank are proven equal, or are known."""
    return _agree([first, second])


def matched(
    tracer: Tracer,
    value: Any,
    sizes: dict[int, Any],
    message: str,
    shown: list | None = None,
    exception: str = "ValueError",
) -> Any:
    """A value whose axes have these sizes: proven, or else compared when the program runs.

    Parameters
    ----------
    message : str
        Of the exception, with places for the axis, the size that is asked for and its own.
    shown : list, optional
        The sizes that the message has places for, instead of those.
    """
    moves = {}
    for axis, new in sizes.items():
        own = tracer.size(value.shape[axis])
        if _same(own, new) or (type(own) is int and type(new) is int):
            continue  # what differs for certain is left to the operation
        ask(tracer, own, new)
        text = message if shown is not None else message.format(axis, "{0}", "{1}")
        numbers = (new, own) if shown is None else shown
        require_same(tracer, new, own, text, numbers, exception)
        moves[axis] = (new, 1)
    return _moved(tracer, value, moves)


def met(tracer: Tracer, values: list, names: list, message: str, numbers: list) -> list:
    """The operands, their axes read as those of the first that has an axis of the same name.

    Parameters
    ----------
    names : list of sequences
        Of the axes of each operand.
    """
    shapes = [tracer.shape(value) for value in values]
    common: dict[Any, Any] = {}
    for axes, shape in zip(names, shapes, strict=True):
        for name, size in zip(axes, shape, strict=True):
            here = common.get(name, 1)
            if is_one(size) or _same(size, here):
                continue
            common[name] = size if is_one(here) else _meet(tracer, here, size, message, numbers)
    moves: list[dict[int, tuple]] = [{} for _ in values]
    for k, (axes, shape) in enumerate(zip(names, shapes, strict=True)):
        for axis, (name, size) in enumerate(zip(axes, shape, strict=True)):
            if not is_one(size) and not _same(size, common[name]):
                one = _is_one_now(tracer, size) if _may_be_one(tracer, size) else None
                stride = 1 if one is None else _stride(tracer, one, size)
                moves[k][axis] = (common[name], stride)
    return [_moved(tracer, value, move) for value, move in zip(values, moves, strict=True)]


def _moved(tracer: Tracer, value: Any, moves: dict[int, tuple]) -> Any:
    return tracer.op("slice", [value], **slice_of(value, moves)) if moves else value


def _meet(tracer: Tracer, a: Any, b: Any, message: str, numbers: list) -> Any:
    """The size of an axis where two sizes meet that aren't proven equal."""
    _compared(tracer, b, a, message, numbers, True)
    if not _may_be_one(tracer, a):
        return a
    if not _may_be_one(tracer, b):
        return b
    one = _is_one_now(tracer, a)
    value = tracer.op("where", [one, integer(tracer, b), integer(tracer, a)])
    return tracer.symbol_of(value, 0, _larger(tracer, a, b), "n", origins_of(a, b) | {DATA})


def _larger(tracer: Tracer, a: Any, b: Any) -> Any:
    """A size of the call that neither of two sizes exceeds, or None."""
    a, b = tracer.most(a), tracer.most(b)
    if a is None or b is None:
        return None
    return next((x for x, y in ((a, b), (b, a)) if is_nonnegative(tracer, x - y)), a + b)


def _compared(tracer: Tracer, size: Any, new: Any, message: str, numbers: list, both: bool) -> Any:
    """Has the program check that a size is another one, or 1; says if it is 1 where it may be.

    `both` lets the other one be 1 as well.
    """
    ask(tracer, size, new)
    if type(size) is int and type(new) is int:
        raise ValueError(message.format(*numbers))
    fits = tracer.op("equal", [integer(tracer, size), integer(tracer, new)])
    one = _is_one_now(tracer, size) if _may_be_one(tracer, size) else None
    if one is not None:
        fits = tracer.op("logical_or", [fits, one])
    if both and _may_be_one(tracer, new):
        fits = tracer.op("logical_or", [fits, _is_one_now(tracer, new)])
    tracer.check(fits, "ValueError", message, [integer(tracer, number) for number in numbers])
    return one


def _stride(tracer: Tracer, one: Any, size: Any) -> Any:
    zero, step = (tracer.constant(np.int64(number)) for number in (0, 1))
    value = tracer.op("where", [one, zero, step])
    return tracer.symbol_of(value, 0, 1, "stride", origins_of(size) | {DATA})


def _is_one_now(tracer: Tracer, size: Any) -> Any:
    return tracer.op("equal", [integer(tracer, size), tracer.constant(np.int64(1))])


def _may_be_one(tracer: Tracer, size: Any) -> bool:
    if type(size) is int:
        return size == 1
    return not is_nonnegative(tracer, size - 2)


def is_one(size: Any) -> bool:
    """Whether a size is known to be one."""
    return type(size) is int and size == 1


def _same(a: Any, b: Any) -> bool:
    return graph_dim(a) == graph_dim(b)


def _agree(shapes: list) -> bool:
    """Whether shapes broadcast for certain, or are known not to."""
    rank = max(map(len, shapes), default=0)
    common: list[Any] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if is_one(common[axis]):
                common[axis] = size
            elif is_one(size) or _same(size, common[axis]):
                continue
            elif SymbolicSize in (type(size), type(common[axis])):
                return False
    return True


def _pairs(own: tuple, shape: tuple) -> Iterator[tuple[Any, Any]]:
    """The sizes of a shape with those of the last axes of another one."""
    return zip(own, shape[len(shape) - len(own) :], strict=True)


def _differ(size: Any, new: Any) -> bool:
    """Whether a known size can't be assigned to a known one."""
    return type(size) is int and type(new) is int and size not in (1, new)


def _clash(shapes: list) -> bool:
    """Whether two known sizes of one axis differ, and none of them is 1."""
    rank = max(map(len, shapes), default=0)
    known: list[set[int]] = [set() for _ in range(rank)]
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if type(size) is int and size != 1:
                known[axis].add(size)
    return any(len(sizes) > 1 for sizes in known)


def unaligned_text(first: tuple, second: tuple, axis: int) -> tuple[str, list]:
    """NumPy's message where the last axis of one array and an axis of another one differ."""
    ends = first[-1:], second[axis : axis + 1]
    texts, numbers = shape_texts([first, second, *ends])
    sizes = [text[1:-2] for text in texts[2:]]
    text = f"shapes {texts[0]} and {texts[1]} not aligned: {sizes[0]} (dim {len(first) - 1}) "
    return f"{text}!= {sizes[1]} (dim {axis})", numbers


def _shapes_text(shapes: list) -> tuple[str, list]:
    """Shapes as NumPy lists them in an error, with places for sizes that aren't known."""
    texts, numbers = shape_texts(shapes)
    return "".join(f"{text} " for text in texts), numbers


def shape_texts(shapes: list) -> tuple[list[str], list]:
    """Shapes for an error, with places for sizes that aren't known, and those sizes."""
    numbers: list[Any] = []
    texts = []
    for shape in shapes:
        texts.append(f"({sizes_text(shape, numbers)}{',' if len(shape) == 1 else ''})")
    return texts, numbers


def sizes_text(sizes: Any, numbers: list) -> str:
    """Sizes for an error, with places for those that aren't known, which are added to `numbers`."""
    items = []
    for size in sizes:
        if type(size) is int:
            items.append(str(size))
            continue
        place = next((k for k, number in enumerate(numbers) if _same(number, size)), len(numbers))
        if place < _VALUES:
            numbers += [size] if place == len(numbers) else []
        items.append(f"{{{place}}}" if place < _VALUES else "?")
    return ",".join(items)
