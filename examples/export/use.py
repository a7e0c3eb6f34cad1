"""The library from Python, by ctypes: Quernel needn't be installed."""

import ctypes

import numpy as np


def struct_of(element, rank):
    """The C struct of arrays."""
    numbers = ctypes.c_int64 * rank
    fields = [("data", ctypes.POINTER(element)), ("shape", numbers), ("strides", numbers)]
    return type(f"Array{rank}", (ctypes.Structure,), {"_fields_": fields})


def struct(array, element):
    """An array as the library sees it; strides are in elements."""
    kind = struct_of(element, array.ndim)
    strides = [step // array.itemsize for step in array.strides]
    numbers = ctypes.c_int64 * array.ndim
    data = array.ctypes.data_as(ctypes.POINTER(element))
    return ctypes.byref(kind(data, numbers(*array.shape), numbers(*strides)))


library = ctypes.CDLL("./libnearest.so")
library.nearest_error.restype = ctypes.c_char_p

points = np.array([[0.0, 0.0], [3.0, 4.0], [10.0, 10.0]])
means = np.asfortranarray([[0.0, 1.0], [10.0, 9.0]])
labels, distances = np.empty(3, np.int64), np.empty(3)
status = library.nearest(
    struct(points, ctypes.c_double),
    struct(means, ctypes.c_double),
    struct(labels, ctypes.c_int64),
    struct(distances, ctypes.c_double),
)
assert status == 0, library.nearest_error().decode()
for label, distance in zip(labels, distances, strict=True):
    print(f"{label} {distance:.3f}")
