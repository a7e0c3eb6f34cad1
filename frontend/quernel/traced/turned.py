"""Graph values with their axes in another order.

The turn moves from a result to the operands of the operation that computes it, so that what lies
in memory is computed in the order of memory, and turns back and forth meet and are gone.
"""

from __future__ import annotations

from typing import Any

_ELEMENTWISE = ("cast", "where", "real", "imag", "complex")


def turned(tracer: Any, value: Any, axes: Any) -> Any:
    """A value whose axis k is axis ``axes[k]`` of another one."""
    order = list(axes)
    if order == sorted(order):
        return value
    name, operands, attributes = tracer.source(value)
    if name == "transpose":
        inner = attributes["permutation"]
        return turned(tracer, operands[0], [inner[axis] for axis in order])
    if name in ("full", "empty"):
        shape = [attributes["shape"][axis] for axis in order]
        return tracer.op(name, operands, **{**attributes, "shape": shape})
    if name in _ELEMENTWISE or name in tracer.ufuncs:
        sides = [_aligned(tracer, operand, order) for operand in operands]
        return tracer.op(name, sides, **attributes)
    return tracer.op("transpose", [value], permutation=order)


def _aligned(tracer: Any, operand: Any, axes: list[int]) -> Any:
    """An operand of an elementwise operation, for a result whose axes are in another order."""
    shape = list(operand.shape)
    if not shape:
        return operand
    if len(shape) < len(axes):
        shape = [*[1] * (len(axes) - len(shape)), *shape]
        operand = tracer.op("reshape", [operand], shape=shape)
    return turned(tracer, operand, axes)


def unturned(tracer: Any, value: Any) -> tuple[Any, list[int]]:
    """A value in the order in which it is computed, and which of its axes each axis is."""
    name, operands, attributes = tracer.source(value)
    if name == "transpose":
        return operands[0], attributes["permutation"]
    return value, list(range(len(value.shape)))


def sliced(tracer: Any, value: Any, attributes: dict[str, list]) -> Any:
    """A part of a value: what it is cut from stays in the order of memory."""
    inner, axes = unturned(tracer, value)
    order = _inverse(axes)
    moved = {name: [items[k] for k in order] for name, items in attributes.items()}
    return turned(tracer, tracer.op("slice", [inner], **moved), axes)


def with_slice(tracer: Any, value: Any, new: Any, attributes: dict[str, list]) -> Any:
    """A value with new elements in a part of it."""
    inner, axes = unturned(tracer, value)
    order = _inverse(axes)
    moved = {name: [items[k] for k in order] for name, items in attributes.items()}
    made = tracer.op("update_slice", [inner, turned(tracer, new, order)], **moved)
    return turned(tracer, made, axes)


def reduced(tracer: Any, value: Any, kind: str, axes: list[int]) -> Any:
    """A reduction of some axes, which goes through memory in its order."""
    inner, places = unturned(tracer, value)
    gone = sorted(places[axis] for axis in axes)
    made = tracer.op("reduce", [inner], kind=kind, axes=gone)
    return _without(tracer, made, places, axes)


def place_of_best(tracer: Any, value: Any, kind: str, axis: int) -> Any:
    """The positions of the least or greatest elements along an axis."""
    inner, places = unturned(tracer, value)
    made = tracer.op("argreduce", [inner], kind=kind, axis=places[axis])
    return _without(tracer, made, places, [axis])


def scanned(tracer: Any, value: Any, kind: str, axis: int) -> Any:
    """What a reduction along an axis comes to at each of its elements."""
    inner, places = unturned(tracer, value)
    return turned(tracer, tracer.op("scan", [inner], kind=kind, axis=places[axis]), places)


def _without(tracer: Any, made: Any, places: list[int], axes: list[int]) -> Any:
    """What is left of a value without some of the axes that it has behind its turn."""
    kept = [place for axis, place in enumerate(places) if axis not in axes]
    return turned(tracer, made, [sorted(kept).index(place) for place in kept])


def _inverse(axes: list[int]) -> list[int]:
    return sorted(range(len(axes)), key=axes.__getitem__)
