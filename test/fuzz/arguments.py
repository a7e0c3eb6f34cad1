"""The arguments of a call: values, layouts, overlaps, and guard bytes around each buffer.

Every array is a view of a buffer of bytes of its own. What of the buffer isn't an element, the
bytes before, behind and between, holds a pattern that nobody may change.

`overlap` of a call is a list of [name, other, how]; the argument `name` then lies in the memory of
`other`: "same" is the same object, "view" a second object, "reversed" the flipped one, "bytes" the
same bytes in another dtype, "shifted" one element further (both are parts of one longer array).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

GUARD = 64
PATTERN = 0xA5
NUMBERS = {"bool": bool, "int": int, "float": float, "complex": complex}
LAYOUTS = ("C", "F", "sliced", "reversed", "transposed", "readonly")


@dataclass
class Arguments:
    """What a function is called with, and the buffers behind the arrays."""

    values: list[Any] = field(default_factory=list)
    buffers: list[np.ndarray] = field(default_factory=list)
    unused: list[np.ndarray] = field(default_factory=list)

    def are_guards_whole(self) -> bool:
        """Whether every byte that is no element still holds the pattern."""
        pairs = zip(self.buffers, self.unused, strict=True)
        return all((buffer[mask] == PATTERN).all() for buffer, mask in pairs)


def sizes_of(shape: list[Any], call: dict[str, Any]) -> tuple[int, ...]:
    """A shape of a SPEC in numbers."""
    return tuple(call[size] if isinstance(size, str) else size for size in shape)


def elements(
    rng: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...], role: str, call: dict
) -> np.ndarray:
    """Small numbers: quarters, so that sums are exact; extremes among them where asked for."""
    if role == "index":
        n = max(call["n"], 1)
        return rng.integers(-n, n, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        values = rng.integers(0, 19, shape).astype(dtype)
        extremes: tuple = (0, np.iinfo(dtype).max)
    elif dtype.kind == "i":
        values = rng.integers(-9, 10, shape).astype(dtype)
        extremes = (np.iinfo(dtype).min, np.iinfo(dtype).max)
    else:
        values = (rng.integers(-24, 25, shape) / 4).astype(dtype)
        if dtype.kind == "c":
            values += (1j * rng.integers(-8, 9, shape) / 4).astype(dtype)
        extremes = (np.nan, np.inf, -np.inf, -0.0)
    if call.get("special") and values.size:
        flat = values.reshape(-1)
        for place in rng.integers(0, flat.size, 1 + flat.size // 6):
            flat[place] = extremes[rng.integers(len(extremes))]
    return values


def number(rng: np.random.Generator, kind: str) -> Any:
    """A Python number."""
    value = NUMBERS[kind](rng.integers(-2, 6))
    if kind in ("float", "complex"):
        value += rng.integers(0, 4) / 4
    return value + 0.5j if kind == "complex" else value


def make(spec: dict[str, Any], call: dict[str, Any]) -> Arguments:
    """The arguments of a call; the same each time."""
    rng = np.random.default_rng(call["seed"])
    made = Arguments()
    overlap = {name: (other, how) for name, other, how in call.get("overlap", ())}
    bases = {other for other, how in overlap.values() if how == "shifted"}
    named: dict[str, Any] = {}
    longer: dict[str, np.ndarray] = {}
    for (name, dtype, shape, role), layout in zip(spec["arguments"], call["layouts"], strict=True):
        if not shape and dtype in NUMBERS:
            value = number(rng, dtype)
            named[name] = call.get("numbers", {}).get(name, value)
            continue
        size = sizes_of(shape, call)
        if not shape:
            named[name] = elements(rng, np.dtype(dtype), (), role, call)[()]
            continue
        if name in overlap:
            other, how = overlap[name]
            named[name] = overlapping(named[other], longer.get(other), how, np.dtype(dtype))
            continue
        if name in bases:
            values = elements(rng, np.dtype(dtype), (size[0] + 1, *size[1:]), role, call)
            longer[name] = guarded(values, layout, made)
            named[name] = longer[name][:-1]
        else:
            values = elements(rng, np.dtype(dtype), size, role, call)
            named[name] = guarded(values, layout, made)
    made.values = [named[name] for name, *_ in spec["arguments"]]
    return made


def overlapping(
    other: np.ndarray, longer: np.ndarray | None, how: str, dtype: np.dtype
) -> np.ndarray:
    """An array in the memory of another."""
    if how == "bytes":
        return other.view(dtype)
    if how == "same":
        return other
    if how == "shifted" and longer is not None:
        return longer[1:]
    return other[::-1] if how == "reversed" else other[:]


def guarded(values: np.ndarray, layout: str, made: Arguments) -> np.ndarray:
    """The values in a layout, within a buffer of bytes whose others hold the pattern."""
    item = values.itemsize
    steps = [1] * values.ndim
    order = list(range(values.ndim))
    if layout == "sliced":
        steps = [3 if axis == values.ndim - 1 else 2 for axis in order]
    if layout in ("F", "transposed"):
        order.reverse()
    strides, span = [0] * values.ndim, item
    for axis in reversed(order):
        strides[axis] = span * steps[axis]
        span *= max(values.shape[axis], 1) * steps[axis]
    start = GUARD
    if layout == "reversed":
        start += sum(s * max(n - 1, 0) for s, n in zip(strides, values.shape, strict=True))
        strides = [-stride for stride in strides]
    buffer = aligned(span + 2 * GUARD)
    unused = np.ones(len(buffer), bool)
    array = as_strided(buffer[start : start + item].view(values.dtype), values.shape, strides)
    as_strided(unused[start:], (*values.shape, item), (*strides, 1))[...] = False
    buffer[:] = PATTERN
    array[...] = values
    if layout == "readonly":
        array.flags.writeable = False
    made.buffers.append(buffer)
    made.unused.append(unused)
    return array


def aligned(size: int) -> np.ndarray:
    """A buffer of bytes that starts at a multiple of 64."""
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size]
