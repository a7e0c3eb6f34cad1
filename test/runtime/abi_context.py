"""The runtime's context by ctypes, for the comparison with NumPy in one process."""

import ctypes
import re
from pathlib import Path

POINTER, SIZE = ctypes.c_void_p, ctypes.c_int64
CALL = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    POINTER,
    *[ctypes.c_int32] * 2,
    ctypes.POINTER(POINTER),
    *[ctypes.POINTER(SIZE)] * 2,
)
DTYPES = ["float32", "float64", "complex64", "complex128"]
TABLE = Path(__file__).resolve().parents[2] / "runtime" / "Library.def"
ROUTINES = re.findall(r'^QN_ROUTINE\(\w+, "(\w+)"', TABLE.read_text(), re.MULTILINE)


class Context(ctypes.Structure):
    _fields_ = (
        ("threads", ctypes.c_int32),
        ("alloc", POINTER),
        ("release", POINTER),
        ("fail", POINTER),
        ("poll", POINTER),
        ("call", CALL),
    )


def call(context, routine, dtype, addresses, strides, sizes):
    """The code of a routine; strides and sizes as abi.h wants them."""
    return context.call(
        ctypes.addressof(context),
        ROUTINES.index(routine),
        DTYPES.index(dtype),
        (POINTER * len(addresses))(*addresses),
        (SIZE * max(len(strides), 1))(*strides),
        (SIZE * 4)(*sizes),
    )
