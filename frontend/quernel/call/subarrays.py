"""How an array is written as a view of another one that contains it."""

from __future__ import annotations

import numpy as np


def expression_of(base: np.ndarray, part: np.ndarray) -> str | None:
    """An expression of a view of ``{0}``, the base, that is the part; None where there is none.

    Both have elements of one dtype. What is counted from the base's end stays valid where its
    sizes change.
    """
    item = base.itemsize
    offset = _address(part) - _address(base)
    for size, stride in zip(part.shape, part.strides, strict=True):
        offset += min(stride, 0) * (size - 1)
    starts = _decomposed(base, offset)
    if starts is None or offset % item:
        return None
    used: dict[int, tuple[int, int]] = {}  # by axis of the base: the part's axis, and the step
    for axis, (size, stride) in enumerate(zip(part.shape, part.strides, strict=True)):
        if size > 1:
            along = _axis(base, starts, used, size, abs(stride))
            if along is None:
                return None
            used[along] = (axis, abs(stride) // base.strides[along])
    text = _indexed(base, part, starts, used)
    return text + _arranged(part, [axis for _, (axis, _) in sorted(used.items())])


def _decomposed(base: np.ndarray, offset: int) -> list[int] | None:
    """The index in the base of the element at an offset, where its strides nest."""
    if not base.size or offset < 0 or any(stride <= 0 for stride in base.strides):
        return None
    starts = [0] * base.ndim
    inner = 0
    axes = sorted(range(base.ndim), key=lambda axis: (-base.strides[axis], -base.shape[axis]))
    for axis in reversed(axes):
        if base.shape[axis] > 1 and base.strides[axis] <= inner:
            return None
        inner += (base.shape[axis] - 1) * base.strides[axis]
    for axis in axes:
        if base.shape[axis] > 1:
            starts[axis] = min(offset // base.strides[axis], base.shape[axis] - 1)
            offset -= starts[axis] * base.strides[axis]
    return None if offset else starts


def _axis(base: np.ndarray, starts: list[int], used: dict, size: int, stride: int) -> int | None:
    """The axis of the base along which elements lie a stride apart."""
    for axis, (length, step) in enumerate(zip(base.shape, base.strides, strict=True)):
        if axis in used or length == 1 or not stride or stride % step:
            continue
        if starts[axis] + (size - 1) * (stride // step) < length:
            return axis
    return None


def _indexed(base: np.ndarray, part: np.ndarray, starts: list[int], used: dict) -> str:
    parts = []
    for axis, (length, start) in enumerate(zip(base.shape, starts, strict=True)):
        if axis not in used:
            parts.append(str(start))
            continue
        along, step = used[axis]
        tail = length - 1 - start - (part.shape[along] - 1) * step
        parts.append(f"{start or ''}:{-tail or ''}:{step if step > 1 else ''}")
    return f"{{0}}[{', '.join([*parts, '...'])}]"


def _arranged(part: np.ndarray, axes: list[int]) -> str:
    """What brings the given axes of the part into its order, with those of size one."""
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    text = f".transpose({', '.join(map(str, order))})" if order != sorted(order) else ""
    parts = [
        ("::-1" if stride < 0 else ":") if size > 1 else "None"
        for size, stride in zip(part.shape, part.strides, strict=True)
    ]
    return text + (f"[{', '.join(parts)}]" if set(parts) - {":"} else "")


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
