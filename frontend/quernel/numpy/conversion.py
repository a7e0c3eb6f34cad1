"""What NumPy's own functions use to make arrays of their arguments, and numbers of results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..primitives.operands import lift, operand
from ..traced.array import TracedArray, fresh
from ..traced.tracer import current
from .registry import constructs


class Converter:
    """NumPy's array converter in captured code."""

    def __init__(self, *inputs: Any) -> None:
        self.inputs = inputs
        self.scalar_input = tuple(type(x) is not TracedArray or not x.ndim for x in inputs)

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, k: int) -> TracedArray:
        return lift(self.inputs[k])

    def as_arrays(self, subok: bool = True, pyscalars: str = "convert") -> tuple:
        """The arguments as arrays."""
        return tuple(lift(x) for x in self.inputs)

    def result_type(self, extra: Any = None, ensure_inexact: bool = False) -> np.dtype:
        """The dtype in which all arguments meet."""
        kinds = [operand(current(), x).type for x in self.inputs]
        numbers = [kind(0) if isinstance(kind, type) else kind for kind in kinds]
        more = [*([] if extra is None else [extra]), *([1.0] if ensure_inexact else [])]
        return np.result_type(*numbers, *more)

    def wrap(self, array: TracedArray, to_scalar: bool | None = None) -> TracedArray:
        """A result; a number where all arguments were numbers."""
        scalar = all(self.scalar_input) if to_scalar is None else to_scalar
        if scalar and not array.ndim:
            return fresh(array.tracer, array.value, True)
        return array


_converter = getattr(np._core._multiarray_umath, "_array_converter", None)
if _converter is not None:
    constructs(_converter)(lambda kind, *inputs: Converter(*inputs))
