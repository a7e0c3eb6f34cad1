"""Capsules of DLPack that other libraries make, as structures of C."""

from __future__ import annotations

import ctypes
import gc

import pytest

from quernel import _runtime


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Lender:
    """Makes capsules of an array of shape (2, 3, 4), and counts what comes back."""

    def __init__(self):
        self.returned, self.kept = 0, []

    def capsule(self, lanes=1, version=None, strides=None, flags=0):
        shape = (ctypes.c_int64 * 3)(2, 3, 4)
        steps = None if strides is None else (ctypes.c_int64 * 3)(*strides)
        tensor = Tensor(0x1000, 2, 1, 3, 2, 32, lanes, shape, steps, 64)
        deleter = DELETER(self.take_back)
        if version is None:
            managed, name = Unversioned(tensor, None, deleter), b"dltensor"
        else:
            managed = Versioned(*version, None, deleter, flags, tensor)
            name = b"dltensor_versioned"
        self.kept += [shape, steps, deleter, managed, name]
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(managed), name, None)

    def take_back(self, managed):
        self.returned += 1


@pytest.mark.parametrize("version", [None, (1, 0), (1, 7)])
def test_capsules_of_others(version):
    lender = Lender()
    found = _runtime.dlpack_take(lender.capsule(version=version, flags=1))
    owner = found.pop("owner")
    assert found == {
        "address": 0x1040, "shape": (2, 3, 4), "strides": (12, 4, 1), "dtype": (2, 32),
        "device": (2, 1), "read_only": version is not None,
    }  # fmt: skip
    gc.collect()
    assert lender.returned == 0
    del owner
    assert lender.returned == 1


def test_strides():
    lender = Lender()
    assert _runtime.dlpack_take(lender.capsule(strides=(1, 2, 6)))["strides"] == (1, 2, 6)
    assert lender.returned == 1


def test_capsules_that_cannot_be_taken():
    lender = Lender()
    with pytest.raises(BufferError, match="an array whose elements are vectors"):
        _runtime.dlpack_take(lender.capsule(lanes=2))
    with pytest.raises(BufferError, match="DLPack of version 2 isn't known"):
        _runtime.dlpack_take(lender.capsule(version=(2, 0)))
    assert lender.returned == 0  # they are still the lender's
    with pytest.raises(ValueError, match="an array has as many strides as sizes"):
        _runtime.dlpack_capsule(lender, 0, [2, 3], [1], (2, 64), (2, 0), False, 0)
