"""Exported libraries as ctypes loads them, called as any program of C would."""

import ctypes

import numpy as np

OK, BAD, RAISED = 0, 2, 3
C_TYPES = {
    "b": ctypes.c_bool,
    "i": {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64},
    "u": {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64},
    "f": {2: ctypes.c_uint16, 4: ctypes.c_float, 8: ctypes.c_double},
}


class Library:
    """A library as ctypes loads it."""

    def __init__(self, path):
        self.path = path
        self.loaded = ctypes.CDLL(str(path))
        self.error_function = getattr(self.loaded, f"{path.stem.removeprefix('lib')}_error")
        self.error_function.restype = ctypes.c_char_p

    @property
    def error(self):
        return self.error_function().decode()

    def call(self, name, *arguments):
        """The status of a call with arrays and numbers."""
        kept = [struct(item) for item in arguments]
        given = [
            item if isinstance(item, ctypes._SimpleCData) else ctypes.byref(item) for item in kept
        ]
        status = getattr(self.loaded, name)(*given)
        for item, made in zip(arguments, kept, strict=True):
            if type(item) is list:
                item[:] = [made]
        return status

    def shapes(self, name, *arguments):
        """The shapes of the results, which are given as ranks with dtypes."""
        shapes = [list_of(item) if type(item) is tuple else item for item in arguments]
        assert self.call(f"{name}_shapes", *shapes) == OK, self.error
        return [tuple(item[0].shape) for item in shapes if type(item) is list]


def list_of(form):
    """An array without data, of a dtype and a rank, whose struct is seen afterwards."""
    dtype, rank = form
    return [array_type(np.dtype(dtype), rank)()]


def c_type(dtype):
    known = C_TYPES[dtype.kind]
    return known[dtype.itemsize] if type(known) is dict else known


def array_type(dtype, rank):
    numbers = ctypes.c_int64 * rank
    fields = [("data", ctypes.c_void_p), ("shape", numbers), ("strides", numbers)]
    return type("Array", (ctypes.Structure,), {"_fields_": fields if rank else fields[:1]})


def struct(item):
    if type(item) is list:
        return item[0]
    if isinstance(item, np.ndarray) and item.ndim == 0:  # a number that the function gives
        return ctypes.c_void_p(item.ctypes.data)
    if isinstance(item, np.ndarray):
        numbers = ctypes.c_int64 * item.ndim
        strides = numbers(*(step // item.itemsize for step in item.strides))
        return array_type(item.dtype, item.ndim)(item.ctypes.data, numbers(*item.shape), strides)
    if isinstance(item, np.generic):
        return c_type(item.dtype)(item.item())
    return item
