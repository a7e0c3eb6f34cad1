"""The dtypes of arrays and numbers in compiled code."""

from __future__ import annotations

import numpy as np

NAMES = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
#: What to tell someone who uses another one.
TEXT = "bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64 or complex128"
#: Of Python's numbers.
PYTHON_KINDS = {"float": "float64", "int": "int64", "complex": "complex128"}
#: NumPy's type numbers.
NUMBERS = {np.dtype(name).num: name for name in NAMES}
#: C's ``long long`` is a type of its own in NumPy, with the values of a ``long``.
EQUIVALENT = {np.dtype("q").num: "int64", np.dtype("Q").num: "uint64"}


def have_same_bytes(first: np.dtype, second: np.dtype) -> bool:
    """Whether elements of one dtype can be seen as another's, byte by byte; any as its own."""
    known = all(dtype.name in NAMES and dtype.kind in "iuf" for dtype in (first, second))
    return first == second or (known and first.itemsize == second.itemsize)
