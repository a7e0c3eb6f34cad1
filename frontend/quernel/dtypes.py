"""The dtypes of arrays and numbers in compiled code."""

from __future__ import annotations

import numpy as np

NAMES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
#: What to tell someone who uses another one.
TEXT = (
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64 or "
    "complex128"
)
#: Of Python's numbers.
PYTHON_KINDS = {"float": "float64", "int": "int64", "complex": "complex128"}
#: By NumPy's type numbers. bfloat16, which its package has NumPy number, comes in where it is met.
NUMBERS = {np.dtype(name).num: name for name in NAMES if name != "bfloat16"}
#: C's ``long long`` is a type of its own in NumPy, with the values of a ``long``.
EQUIVALENT = {np.dtype("q").num: "int64", np.dtype("Q").num: "uint64"}


def name_of(dtype: np.dtype) -> str | None:
    """The name of a dtype that programs have; None for another one.

    Byte order isn't looked at, and fields aren't.
    """
    known = NUMBERS.get(dtype.num) or EQUIVALENT.get(dtype.num)
    if known is None and is_bfloat16(dtype):
        known = NUMBERS[dtype.num] = "bfloat16"
    return known


def is_bfloat16(dtype: np.dtype) -> bool:
    """Whether it is the bfloat16 of the package ml_dtypes."""
    return dtype.kind == "V" and dtype.type.__module__ == "ml_dtypes" and dtype.name == "bfloat16"


def have_same_bytes(first: np.dtype, second: np.dtype) -> bool:
    """Whether elements of one dtype can be seen as another's, byte by byte; any as its own."""
    known = all(dtype.name in NAMES and dtype.kind in "iuf" for dtype in (first, second))
    return first == second or (known and first.itemsize == second.itemsize)
