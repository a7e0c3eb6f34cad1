"""The runtime's context by ctypes, for the comparison with NumPy in one process."""

import ctypes

POINTER, SIZE = ctypes.c_void_p, ctypes.c_int64
MATMUL = ctypes.CFUNCTYPE(ctypes.c_int32, *[POINTER] * 4, *[SIZE] * 10)
LAPACK = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    POINTER,
    *[ctypes.c_int32] * 2,
    ctypes.POINTER(POINTER),
    ctypes.POINTER(SIZE),
    *[SIZE] * 4,
)


class Context(ctypes.Structure):
    _fields_ = (
        ("threads", ctypes.c_int32),
        ("alloc", POINTER),
        ("release", POINTER),
        ("matmul_f64", MATMUL),
        ("matmul_f32", MATMUL),
        ("matmul_c128", MATMUL),
        ("matmul_c64", MATMUL),
        ("fail", POINTER),
        ("poll", POINTER),
        ("lapack", LAPACK),
    )
