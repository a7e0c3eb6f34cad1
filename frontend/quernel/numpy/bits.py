"""Bits that are packed into bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.operands import lift
from ..traced.array import TracedArray
from .calling import captured
from .registry import implements
from .shapes import moveaxis, ravel
from .sorting import line_of


@implements(np.packbits)
def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> TracedArray:
    """`np.packbits`."""
    a = lift(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    line, place = line_of(a if a.ndim else ravel(a), axis)
    bits = moveaxis(line.astype(bool, copy=False), place, -1)
    return moveaxis(captured(_packed, bits, bits.shape[-1], _shifts(bitorder)), -1, place)


def _packed(bits: Any, count: Any, shifts: Any) -> Any:
    groups = (count + 7) // 8
    padded = np.zeros((*bits.shape[:-1], groups * 8), np.uint8)
    padded[..., :count] = bits
    return (padded.reshape(*bits.shape[:-1], groups, 8) << shifts).sum(-1, dtype=np.uint8)


@implements(np.unpackbits)
def unpackbits(
    a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big"
) -> TracedArray:
    """`np.unpackbits`."""
    a = lift(a)
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    line, place = line_of(a if a.ndim else ravel(a), axis)
    packed = moveaxis(line, place, -1)
    bits = captured(_unpacked, packed, packed.shape[-1], _shifts(bitorder))
    if count is not None:
        length = bits.shape[-1]
        bits = captured(_fitted, bits, length, count)
    return moveaxis(bits, -1, place)


def _unpacked(packed: Any, count: Any, shifts: Any) -> Any:
    bits = (packed[..., None] >> shifts) & np.uint8(1)
    return bits.reshape(*packed.shape[:-1], count * 8)


def _fitted(bits: Any, length: Any, count: Any) -> Any:
    if count < 0:
        count += length
        if count < 0:
            raise ValueError("-count larger than number of elements")
    if count <= length:
        return bits[..., :count].copy()
    wide = np.zeros((*bits.shape[:-1], count), np.uint8)
    wide[..., :length] = bits
    return wide


def _shifts(order: Any) -> np.ndarray:
    if type(order) is not str:
        raise TypeError(f"'bitorder' must be str, not {type(order).__name__}")
    if order[:1] not in ("b", "l"):
        raise ValueError("'order' must be either 'little' or 'big'")
    shifts = np.arange(8, dtype=np.uint8)
    return shifts if order[0] == "l" else shifts[::-1].copy()
