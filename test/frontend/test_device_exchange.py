"""Arrays on devices and other libraries: DLPack, and CUDA's array interface."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from fake_devices import HOSTS, STREAM, Buffer, Devices, X, same

import quernel as qn
from quernel import _runtime
from quernel.devices import driver, exchange, headers
from quernel.errors import DeviceError


@pytest.fixture(autouse=True)
def devices(monkeypatch):
    made = Devices(2)
    monkeypatch.setattr(driver, "_source", made)
    return made


def test_interfaces(devices):
    array = qn.to_device(X)[:, 1:, ::2]
    interface = array.__cuda_array_interface__
    assert Buffer.lent == ["host"]
    assert interface["data"] == (array.address, False)
    assert array.address == array._buffer.address + X[0, 0].nbytes
    del interface["data"], interface["descr"]
    assert interface == {
        "shape": (2, 2, 2), "strides": (96, 32, 16), "typestr": "<f8", "stream": None, "version": 3,
    }  # fmt: skip
    assert qn.to_device(np.zeros(0)).__cuda_array_interface__["data"][0] == 0


class Foreign:
    def __init__(self, array, interface):
        self.array, self.__cuda_array_interface__ = array, interface


def foreign(array, **changes):
    """An array of another library, which has memory of the host as a device's."""
    interface = {
        "shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False),
        "version": 3, "strides": array.strides,
    }  # fmt: skip
    return Foreign(array, {**interface, **changes})


@pytest.mark.parametrize("host", [X, X.T, X[::-1, ::2], np.array(1.0), X[:0]])
def test_foreign_arrays(host, devices):
    owner = foreign(host.copy("K") if host is X else host)
    array = qn.to_device(owner)
    assert array.address == owner.array.ctypes.data or not host.size
    assert same(array, host)
    assert devices.followed == []
    alive = weakref.ref(owner)
    part = array[...]
    del owner, array
    assert alive() is not None
    del part
    assert alive() is None


def test_kinds_of_foreign_arrays(devices):
    assert same(qn.to_device(foreign(X, strides=None, stream=2)), X)
    assert devices.followed == [(0, 2)]
    assert qn.to_device(foreign(X), "cpu").tobytes() == X.tobytes()
    assert qn.to_device(foreign(X), "cuda:1").device == "cuda:1"
    with pytest.raises(TypeError, match="an array with a mask can't be on a device; pass its data"):
        qn.to_device(foreign(X, mask=foreign(X > 3)))
    with pytest.raises(TypeError, match="an array on a device can't have dtype"):
        qn.to_device(foreign(X, typestr="<M8[s]"))


def test_foreign_arrays_that_are_read_only():
    array = qn.to_device(foreign(X, data=(X.ctypes.data, True)))
    for write in (lambda: array.__setitem__(0, 1.0), lambda: np.add(array, 1, out=array),
                  lambda: np.add.at(array, 0, 1), lambda: np.copyto(array[0], 1.0)):  # fmt: skip
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            write()
    assert array.__cuda_array_interface__["data"][1]
    text = "the array is read-only, which older versions of DLPack can't say"
    with pytest.raises(BufferError, match=text):
        array.__dlpack__()
    assert not qn.from_dlpack(array)._is_writeable
    assert array.copy()._is_writeable


@pytest.mark.parametrize("name", HOSTS)
def test_dlpack(name):
    array = qn.to_device(HOSTS[name])
    again = qn.from_dlpack(array)
    assert same(again, HOSTS[name])
    assert again.address == array.address or not array.size
    assert array.__dlpack_device__() == (2, 0)
    buffer = weakref.ref(array._buffer)
    del array
    gc.collect()
    assert buffer() is not None
    del again
    assert buffer() is None


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (2, 3)])
def test_capsules_that_nobody_takes(version):
    array = qn.to_device(X)
    capsule, buffer = array.__dlpack__(max_version=version), weakref.ref(array._buffer)
    is_versioned = version is not None and version >= (1, 0)
    assert ("dltensor_versioned" in repr(capsule)) == is_versioned
    del array
    assert buffer() is not None
    del capsule
    assert buffer() is None


def test_capsules_are_taken_once():
    capsule = qn.to_device(X).__dlpack__()
    found = _runtime.dlpack_take(capsule)
    assert found["device"] == (2, 0)
    assert (found["shape"], found["strides"], found["dtype"]) == (X.shape, (12, 4, 1), (2, 64))
    with pytest.raises(ValueError, match=r"no capsule of DLPack that is to be taken"):
        _runtime.dlpack_take(capsule)
    with pytest.raises(ValueError, match=r"no capsule of DLPack that is to be taken"):
        _runtime.dlpack_take(3)


@pytest.mark.parametrize(("is_versioned", "flags"), [(False, 0), (True, 0), (True, 1)])
def test_numpy_takes_our_capsules(is_versioned, flags):
    """Its deleter frees right: NumPy calls it with the last view."""

    class Lent:
        def __init__(self, host):
            self.buffer = Buffer(0, host.nbytes)
            self.buffer.copy_from(np.ascontiguousarray(host))

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **kwargs):
            layout = headers.Layout(8, (2, 2), (48, 16))
            dtype = np.dtype("f8")
            return exchange.capsule(self.buffer, layout, dtype, (1, 0), is_versioned, flags)

    lent = Lent(X)
    taken = np.from_dlpack(lent)
    assert taken.tolist() == [[1, 3], [7, 9]]
    assert taken.flags.writeable == (is_versioned and not flags)
    buffer, part = weakref.ref(lent.buffer), taken[0]
    del lent, taken
    assert part.tolist() == [1, 3]
    del part
    assert buffer() is None


def test_dlpack_for_others(devices):
    array = qn.to_device(X)
    assert np.from_dlpack(array, device="cpu").tobytes() == X.tobytes()
    assert qn.from_dlpack(X).ctypes.data == X.ctypes.data
    assert Buffer.lent == []
    copied = _runtime.dlpack_take(array.__dlpack__(stream=-1, copy=True))
    assert copied["address"] != array.address
    assert Buffer.lent == []
    array.__dlpack__(stream=2)
    array.__dlpack__()  # the default stream
    assert Buffer.lent == [2, 1]
    with pytest.raises(BufferError, match=r"the array is on cuda:0: copy it with to_device\(\)"):
        array.__dlpack__(dl_device=(2, 1))
    with pytest.raises(ValueError, match="an array on a device reaches the host by a copy alone"):
        array.__dlpack__(dl_device=(1, 0), copy=False)
    odd = foreign(np.frombuffer(X.tobytes()[: 8 * 9 + 4], np.int32)[1:], strides=(9,), shape=(3,))
    with pytest.raises(BufferError, match="strides between elements, which DLPack can't say"):
        qn.to_device(odd).__dlpack__()


def test_dlpack_of_other_libraries(devices):
    streams = []

    class Other:
        """A library that knows no versions, or none but other dtypes."""

        def __init__(self, code, bits):
            self.kind = code, bits

        def __dlpack_device__(self):
            return (2, 1)

        def __dlpack__(self, stream=None):
            streams.append(stream)
            address = X.ctypes.data
            return _runtime.dlpack_capsule(self, address, [3], [1], self.kind, (2, 1), False, 0)

    array = qn.to_device(Other(2, 64))
    assert array.device == "cuda:1"
    assert same(array, X.ravel()[:3])
    assert streams == [STREAM]  # the thread's own
    for kind in ((3, 64), (2, 4), (0, 24), (1, 128)):
        with pytest.raises(TypeError, match="an array on a device can't have DLPack's dtype"):
            qn.to_device(Other(*kind))
    devices.count = 1
    with pytest.raises(DeviceError, match="there is no device 'cuda:1'"):
        qn.to_device(Other(2, 64))
