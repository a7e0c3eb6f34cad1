"""Devices whose memory is the host's, in place of the runtime's part that drives real ones."""

from __future__ import annotations

import ctypes
import weakref
from typing import ClassVar

import ml_dtypes
import numpy as np

from quernel.call.siblings import placed
from quernel.devices import memory
from quernel.devices.array import DeviceArray
from quernel.devices.placing import to_device
from quernel.errors import DeviceError

STREAM = 0x5EED  # the handle of the threads' stream
NO_DRIVER = "there is no CUDA driver: libcuda.so.1 can't be loaded"
FACTS = {
    "name": "Imaginary",
    "capability": (9, 0),
    "multiprocessors": 4,
    "max_threads_per_block": 1024,
    "total_memory": 1 << 30,
}


X = np.arange(24.0).reshape(2, 3, 4)
HOSTS = {
    "C": X,
    "F": X.T,
    "axes": X.swapaxes(0, 1),
    "backwards": X[::-1, :, ::-1],
    "gaps": X[:, :, ::2],
    "repeated": np.broadcast_to(X[0], (3, 3, 4)),
    "empty": np.zeros((0, 3)),
    "none": np.array(3.5),
    "one": np.ones((1, 1)),
    "bool": X > 3,
    "complex": X + 1j,
    "half": X.astype(np.float16),
    "bfloat16": X.astype(ml_dtypes.bfloat16),
    "bytes": X.astype(np.uint8),
}


class Buffer:
    """What `_runtime.DeviceBuffer` is."""

    made: ClassVar[weakref.WeakSet] = weakref.WeakSet()
    lent: ClassVar[list] = []  # the streams that have waited, and the host

    def __init__(self, device: int, nbytes: int) -> None:
        self.device, self.nbytes = device, nbytes
        self._bytes = np.full(max(nbytes, 1), 0xA5, np.uint8)
        self.address = self._bytes.ctypes.data
        Buffer.made.add(self)

    @classmethod
    def borrow(cls, device: int, address: int, nbytes: int, owner: object) -> Buffer:
        made = object.__new__(cls)
        made.device, made.nbytes, made.address, made.owner = device, nbytes, address, owner
        place = (ctypes.c_uint8 * max(nbytes, 1)).from_address(address)
        made._bytes = np.ctypeslib.as_array(place)
        return made

    def copy_from(self, host: object, offset: int = 0) -> None:
        given = np.frombuffer(host, np.uint8)
        assert offset >= 0 and offset + given.size <= self.nbytes
        self._bytes[offset : offset + given.size] = given

    def lend(self, stream: int) -> None:
        Buffer.lent.append(stream)

    def wait(self) -> None:
        Buffer.lent.append("host")

    def copy_device(
        self, source: Buffer, nbytes: int, source_offset: int = 0, offset: int = 0
    ) -> None:
        assert source.device == self.device
        self.copy_from(source._bytes[source_offset : source_offset + nbytes].copy(), offset)

    def copy_to(self, host: object, offset: int = 0) -> None:
        wanted = np.frombuffer(host, np.uint8)
        assert offset >= 0 and offset + wanted.size <= self.nbytes
        wanted[:] = self._bytes[offset : offset + wanted.size]


class Devices:
    """What of `_runtime` drives devices."""

    DeviceBuffer = Buffer

    def __init__(self, count: int) -> None:
        Buffer.lent.clear()
        self.count, self.synchronized, self.followed = count, [], []

    def device_count(self) -> int:
        if self.count == 0:
            raise DeviceError(NO_DRIVER)
        return self.count

    def device_problem(self) -> str:
        return "" if self.count else NO_DRIVER

    def device_info(self, index: int) -> dict:
        return dict(FACTS)

    def device_synchronize(self, index: int) -> None:
        self.synchronized.append(index)

    def device_follow(self, index: int, stream: int) -> None:
        self.followed.append((index, stream))

    def device_stream(self, index: int) -> int:
        return STREAM

    def device_memory(self, index: int) -> tuple[int, int]:
        held = sum(buffer.nbytes for buffer in Buffer.made if buffer.device == index)
        return held, 2 * held

    def device_of_address(self, address: int) -> int:
        return 0


def on_host(function: object, args: tuple, kwargs: dict) -> object:
    """Carry out a function in NumPy, as `dispatch._run` does on a device."""
    device = placed(args, kwargs).device
    copies: list[tuple[DeviceArray, np.ndarray]] = []

    def host(obj: object) -> object:
        if isinstance(obj, DeviceArray):
            copies.append((obj, obj.to_host()))
            return copies[-1][1]
        if type(obj) in (tuple, list):
            return type(obj)(map(host, obj))
        return {key: host(item) for key, item in obj.items()} if type(obj) is dict else obj

    def back(obj: object) -> object:
        if isinstance(obj, (np.ndarray, np.generic)):
            same = [array for array, copy in copies if copy is obj]
            return same[0] if same else to_device(obj, device)
        return type(obj)(map(back, obj)) if isinstance(obj, (tuple, list)) else obj

    result = function(*host(args), **host(kwargs))
    for array, copy in copies:
        if array._is_writeable:
            memory.write(array._buffer, array._layout, array._dtype, copy)
    return back(result)


def same(array: DeviceArray, host: np.ndarray) -> bool:
    """An array on a device is like one on the host."""
    assert type(array) is DeviceArray
    found = array.to_host()
    assert (array.shape, array.dtype) == (host.shape, host.dtype)
    assert found.tobytes() == host.tobytes()
    return True
