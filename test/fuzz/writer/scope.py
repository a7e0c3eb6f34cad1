"""What a writer knows of the names of its program."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Dtype = Any  # np.dtype, or int, float, bool, complex for Python's numbers

ARRAY_DTYPES = tuple(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
    "complex64 complex128".split()
)
PYTHON_KINDS = {bool: "b", int: "i", float: "f", complex: "c"}
UNKNOWN = ("?",)


@dataclass(frozen=True)
class Value:
    """An expression: its text, dtype, and shape in sizes such as `n` or `n - 1`.

    The text can be followed by an index or a method. A shape of UNKNOWN depends on data.
    """

    text: str
    dtype: Dtype
    shape: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind as NumPy's `dtype.kind`."""
        return PYTHON_KINDS[self.dtype] if isinstance(self.dtype, type) else self.dtype.kind

    @property
    def is_real(self) -> bool:
        return self.kind != "c"

    @property
    def is_literal(self) -> bool:
        return self.text.replace(".", "").lstrip("-").isdigit()


@dataclass(frozen=True)
class Counter:
    """A name that holds a position of an axis: 0 up to its size."""

    text: str
    size: str


def loop_dtype(ufunc: np.ufunc, *operands: Value) -> Dtype | None:
    """The dtype of a ufunc's result; none where it has no loop, or float16 comes of other dtypes.

    How near results are to NumPy's is asked by the dtypes of arguments.
    """
    if all(isinstance(x.dtype, type) for x in operands):
        dtype = python_dtype(ufunc, operands)
        return dtype if dtype is not None else np.dtype(np.float64)
    dtypes = tuple(
        x.dtype if x.dtype in (int, float, complex) else np.dtype(x.dtype) for x in operands
    )
    try:
        *taken, made = ufunc.resolve_dtypes((*dtypes, *[None] * ufunc.nout))[: ufunc.nin + 1]
    except TypeError:
        return None
    half = np.dtype(np.float16)
    return None if half in (*taken, made) and half not in dtypes else made


def python_dtype(ufunc: np.ufunc, operands: Sequence[Value]) -> type | None:
    """The type of a Python operator's result."""
    if ufunc.types[0][-1] == "?" and ufunc not in (np.add, np.multiply):
        return bool
    if ufunc is np.true_divide:
        return float
    order = (bool, int, float, complex)
    widest = max(operands, key=lambda x: order.index(x.dtype)).dtype
    return int if widest is bool else widest


class Scope:
    """The names that are surely bound, the random generator, and how much may still be written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names: list[Value] = []
        self.counters: list[Counter] = []
        self.late: list[Value] = []  # bound on some paths only
        self.made = 0
        self.left = 0
        self.depth = 0
        self.in_loop = False

    def pick(self, *items: T) -> T:
        """One of the items."""
        return self.rng.choice(items)

    def chance(self, share: float) -> bool:
        """True as often as the share says."""
        return self.rng.random() < share

    def fresh(self, start: str) -> str:
        """A name that is nowhere yet."""
        self.made += 1
        return f"{start}{self.made}"

    def bind(self, name: str, dtype: Dtype, shape: tuple[str, ...] = ()) -> Value:
        """A name is bound to a value from now on."""
        value = Value(name, dtype, shape)
        self.names = [x for x in self.names if x.text != name] + [value]
        return value

    def rebound(self, value: Value, dtype: Dtype) -> None:
        """A name holds another value of the same shape, perhaps, or still the old one."""
        if dtype != value.dtype and self.depth > 1:
            order = (bool, int, float, complex)
            if isinstance(dtype, type) and isinstance(value.dtype, type):
                dtype = max(dtype, value.dtype, key=order.index)
            elif not isinstance(dtype, type) and not isinstance(value.dtype, type):
                dtype = np.result_type(dtype, value.dtype)
        self.names = [replace(x, dtype=dtype) if x.text == value.text else x for x in self.names]

    def arrays(self, rank: int | None = None, kinds: str = "biufc") -> list[Value]:
        """The arrays among the names."""
        return [
            x
            for x in self.names
            if x.shape and x.shape != UNKNOWN and rank in (None, len(x.shape)) and x.kind in kinds
        ]

    def numbers(self, kinds: str = "biuf") -> list[Value]:
        """The numbers among the names."""
        return [x for x in self.names if not x.shape and x.kind in kinds]

    def array_name(self, rank: int | None = None, kinds: str = "biufc") -> Value | None:
        """An array among the names."""
        found = self.arrays(rank, kinds)
        return self.rng.choice(found) if found else None
