"""What graph values are that follow from constants alone, as far as they are small.

The compiler folds such operations, so the program sets no flag for what NumPy warns of. NumPy
computes them while capturing, and is heard (`float_states.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import NUMBERS
from ..signals import let_out

_MOST = 64  # elements
_DTYPES = {*NUMBERS.values()} - {"bfloat16"}
_REDUCTIONS = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
    "any": np.logical_or, "all": np.logical_and,
}  # fmt: skip


class Constants:
    """The elements of graph values that are known while capturing, by identity of the value."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, np.ndarray]] = {}

    def of(self, value: Any) -> np.ndarray | None:
        """The elements of a graph value, where they are known."""
        return self._known.get(id(value), (None, None))[1]

    def note(self, value: Any, array: np.ndarray) -> None:
        """Note the elements of a constant."""
        if array.size <= _MOST:
            self._known[id(value)] = value, array

    def elements(self, value: Any) -> np.ndarray | None:
        """The elements of a value, where they are known."""
        return self._known.get(id(value), (None, None))[1]

    def follow(self, name: str, operands: list[Any], attributes: dict, value: Any) -> None:
        """Compute an operation whose operands are known; where NumPy warns, it tells of that."""
        if not all(id(operand) in self._known for operand in operands):
            return
        compute = _COMPUTED.get(name) or _ufunc(name)
        sizes = [size if isinstance(size, int) else _MOST + 1 for size in value.shape]
        if compute is None or value.dtype not in _DTYPES or math.prod(sizes) > _MOST:
            return
        arrays = [self._known[id(operand)][1] for operand in operands]
        try:
            made = compute(arrays, attributes)
        except (TypeError, ValueError) as error:
            let_out(error)
            return  # what NumPy refuses here it refuses where the user's code asks it
        if made is not None:
            self.note(value, np.asarray(made).astype(value.dtype, copy=False))


def _ufunc(name: str) -> Callable[[list, dict], Any] | None:
    function = getattr(np, name, None)
    return None if not isinstance(function, np.ufunc) else lambda arrays, _: function(*arrays)


def _cast(arrays: list, attributes: dict) -> Any:
    return arrays[0].astype(attributes["dtype"])


def _full(arrays: list, attributes: dict) -> Any:
    return np.full(attributes["shape"], arrays[0])


def _reshape(arrays: list, attributes: dict) -> Any:
    return arrays[0].reshape(attributes["shape"])


def _broadcast_to(arrays: list, attributes: dict) -> Any:
    return np.broadcast_to(arrays[0], attributes["shape"])


def _concatenate(arrays: list, attributes: dict) -> Any:
    return np.concatenate(arrays, attributes["axis"])


def _transpose(arrays: list, attributes: dict) -> Any:
    return arrays[0].transpose(attributes["permutation"])


def _slice(arrays: list, attributes: dict) -> Any:
    place = _window(attributes)
    return None if place is None else arrays[0][place]


def _update_slice(arrays: list, attributes: dict) -> Any:
    place = _window(attributes)
    if place is None:
        return None
    made = arrays[0].copy()
    made[place] = arrays[1]
    return made


def _window(attributes: dict) -> Any:
    """What a slice selects; None where the program computes it."""
    parts = [attributes[name] for name in ("offsets", "sizes", "strides")]
    if not all(isinstance(number, int) for part in parts for number in part):
        return None
    steps = zip(*parts, strict=True)
    return np.ix_(*(offset + stride * np.arange(size) for offset, size, stride in steps))


def _reduce(arrays: list, attributes: dict) -> Any:
    reduction = _REDUCTIONS.get(attributes["kind"])
    return None if reduction is None else reduction.reduce(arrays[0], tuple(attributes["axes"]))


def _where(arrays: list, attributes: dict) -> Any:
    return np.where(*arrays)


def _iota(arrays: list, attributes: dict) -> Any:
    shape, axis = attributes["shape"], attributes["axis"]
    return np.indices(shape)[axis].astype(attributes["dtype"])


_COMPUTED = {
    "iota": _iota, "where": _where,
    "cast": _cast, "full": _full, "reshape": _reshape, "broadcast_to": _broadcast_to,
    "reduce": _reduce, "concatenate": _concatenate, "transpose": _transpose,
    "slice": _slice, "update_slice": _update_slice,
}  # fmt: skip
