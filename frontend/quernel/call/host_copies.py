"""Arguments on a device as NumPy's: what the plain function gets that shall raise its own error."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.array import DeviceArray


class HostCopies:
    """Copies of arrays on devices, which lie in one memory where those do."""

    def __init__(self) -> None:
        self._memories: dict[int, tuple[Any, np.ndarray, np.ndarray]] = {}
        self._arrays: dict[int, np.ndarray] = {}

    def of(self, obj: Any) -> Any:
        """An object, or a container, with copies in the place of its arrays on devices."""
        if isinstance(obj, DeviceArray):
            return self._copy(obj)
        if type(obj) in (tuple, list):
            return type(obj)(self.of(item) for item in obj)
        if type(obj) is dict:
            return {key: self.of(item) for key, item in obj.items()}
        return obj

    def write_back(self) -> None:
        """Copy to the devices what has changed."""
        for buffer, held, before in self._memories.values():
            if not np.array_equal(held, before):
                buffer.copy_from(held)

    def _copy(self, array: DeviceArray) -> np.ndarray:
        if id(array) not in self._arrays:
            buffer = array._buffer
            if buffer.address not in self._memories:
                held = np.empty(buffer.nbytes, np.uint8)
                buffer.copy_to(held)
                self._memories[buffer.address] = buffer, held, held.copy()
            held = self._memories[buffer.address][1]
            made = self._arrays[id(array)] = _view(held, array)
            made.flags.writeable = array.header().flags.writeable
        return self._arrays[id(array)]


def _view(held: np.ndarray, array: DeviceArray) -> np.ndarray:
    """The array in the bytes of its buffer."""
    if array.size == 0:
        return np.empty(array.shape, array.dtype)
    offset = array.address - array._buffer.address
    return np.ndarray(array.shape, array.dtype, held.data, offset, array.strides)
