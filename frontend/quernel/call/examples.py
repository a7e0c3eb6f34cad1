"""Calls like one, of the sizes that a program is for: its guards are made without such a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments.calls import Call
from ..arguments.leaf_kinds import DICT, LIST, NAMED, OBJECT, TUPLE
from ..arguments.leaves import Leaf, Mismatch, Pattern
from ..arguments.simple_kinds import ARRAY

_HOLDERS = (TUPLE, LIST, NAMED, DICT)


def placeholder(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array with the layout of a C-contiguous one that is never touched."""
    strides, step = [], np.dtype(dtype).itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    base = np.empty(1, dtype)
    return np.lib.stride_tricks.as_strided(base, shape, tuple(reversed(strides)))


def example_of(entry: dict[str, Any], call: Call) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a call like another one, for which the sizes are those of a program.

    Raises
    ------
    Mismatch
        Where none can be made.
    """
    sizes: dict[str, int] = {}
    pairs = zip(call.parameters, entry["parameters"], strict=True)
    values = [_example(leaf, pattern, sizes) for leaf, pattern in pairs]
    named = dict(zip(call.kwnames, values[call.nargs :], strict=True))
    return tuple(values[: call.nargs]), named


def _example(leaf: Leaf, pattern: Pattern, sizes: dict[str, int]) -> Any:
    if leaf.kind is ARRAY and pattern[0] == ARRAY.name:
        return _array(leaf, pattern[3], sizes)
    if leaf.kind in _HOLDERS and pattern[0] == leaf.kind.name:
        if len(pattern[-1]) != len(leaf.children):
            raise Mismatch
        pairs = zip(leaf.children, pattern[-1], strict=True)
        return leaf.kind.rebuilt(leaf, [_example(*pair, sizes) for pair in pairs])
    if leaf.kind is OBJECT and pattern[0] == OBJECT.name:
        return _object(leaf, pattern, sizes)
    return leaf.obj


def _array(leaf: Leaf, dims: list[Any], sizes: dict[str, int]) -> np.ndarray:
    if leaf.layout != "C" or len(dims) != len(leaf.shape):
        raise Mismatch
    pairs = zip(dims, leaf.shape, strict=True)
    shape = [dim if type(dim) is int else sizes.setdefault(dim, size) for dim, size in pairs]
    return leaf.obj if tuple(shape) == leaf.shape else placeholder(tuple(shape), leaf.obj.dtype)


def _object(leaf: Leaf, pattern: Pattern, sizes: dict[str, int]) -> Any:
    """An object of the same class with the attributes that the program looks at."""
    parts = dict(zip(pattern[-2], pattern[-1], strict=True))
    made = type(leaf.obj).__new__(type(leaf.obj))
    for name, child in zip(leaf.keys, leaf.children, strict=True):
        if name in parts:
            object.__setattr__(made, name, _example(child, parts[name], sizes))
    return made
