"""Calls on a device, seen as those of host arrays.

The bytes behind some of a call's arrays are copied to the device, and its arguments become views of
them there, which lie as they do on the host: in the same order, with the same gaps, in one memory
where they are. When the call ends the bytes come back, and results get the memory of the host that
their own on the device stands for. So who compares values, guard bytes, objects and shared memory
needs to know nothing of devices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from .arguments import Arguments

# What --device takes: a GPU of this machine, or the emulated one.
DEVICES = ("cuda", "emulated")
# Which of the memory behind a call's arrays is on the device.
PLACES = {
    "all": slice(None),
    "none": slice(0),
    "even": slice(0, None, 2),
    "odd": slice(1, None, 2),
}


def environment(device: str, with_nvrtc: bool) -> dict[str, str]:
    """What a worker's environment has to say for a device.

    On the emulated one each array is an allocation of its own, so a kernel's accesses are checked.
    NVIDIA's NVRTC may have to compile each text there as well, without a warning.
    """
    if device != "emulated":
        return {}
    sys.path.insert(0, str(Path(__file__).parents[1] / "cuda"))
    from emulated_device import installation, nvidias_nvrtc

    return {
        "CUDA_PATH": str(installation()),
        "EMULATOR_OPEN": "1",
        "QUERNEL_DEVICE_POOL": "off",
    } | ({"EMULATOR_NVRTC": str(nvidias_nvrtc())} if with_nvrtc else {})


def place_of(call: dict[str, Any]) -> str:
    """Where the arrays of a call are, as PLACES has it."""
    return call.get("place") or list(PLACES)[call["seed"] % len(PLACES)]


def on_device(function: Callable[..., Any], arguments: Arguments, place: str) -> Callable[..., Any]:
    """The function, which is called with these arguments, of which some are on the device."""

    def called(*values: Any) -> Any:
        import quernel as qn

        mirror = Mirror(arguments, place)
        moved = [mirror.there(value) for value in values]
        try:
            # Without an array on the device the block has to ask for it.
            with nullcontext() if mirror.objects else qn.device("cuda"):
                result = function(*moved)
        finally:
            mirror.bring_back()
        return mirror.here(result)

    return called


class Mirror:
    """Memory of the host, and that on the device which stands for it."""

    def __init__(self, arguments: Arguments, place: str) -> None:
        import quernel as qn

        chosen = arguments.buffers[PLACES[place]]
        self.pairs = [(buffer, qn.to_device(buffer, "cuda")) for buffer in chosen]
        self.objects: list[tuple[np.ndarray, Any]] = []
        self.memories: dict[int, tuple[Any, np.ndarray]] = {
            there.address: (there, buffer) for buffer, there in self.pairs
        }

    def there(self, value: Any) -> Any:
        """What a value of the host's is in the call."""
        from quernel.devices.array import DeviceArray
        from quernel.devices.headers import Layout

        if not isinstance(value, np.ndarray):
            return value
        for host, made in self.objects:
            if host is value:
                return made
        for buffer, there in self.pairs:
            offset = value.ctypes.data - buffer.ctypes.data
            if 0 <= offset < len(buffer):
                layout = Layout(offset, value.shape, value.strides)
                made = DeviceArray(there._buffer, layout, value.dtype, value.flags.writeable)
                self.objects.append((value, made))
                return made
        return value

    def bring_back(self) -> None:
        """Copy all bytes to the host."""
        for buffer, there in self.pairs:
            there.to_host(out=buffer)

    def here(self, result: Any) -> Any:
        """The host's arrays in the place of the device's."""
        from quernel.devices.array import DeviceArray

        if isinstance(result, dict):
            return {key: self.here(item) for key, item in result.items()}
        if isinstance(result, (tuple, list)):
            return type(result)([self.here(item) for item in result])
        if not isinstance(result, DeviceArray):
            return result
        for host, made in self.objects:
            if made is result:
                return host
        made = self.view_of(result)
        self.objects.append((made, result))
        return made

    def view_of(self, array: Any) -> np.ndarray:
        """A host array that lies in a copy of the device's memory as an array lies in that."""
        buffer = array._buffer
        if buffer.address not in self.memories:
            held = np.empty(buffer.nbytes, np.uint8)
            buffer.copy_to(held, 0)
            self.memories[buffer.address] = array, held
        held = self.memories[buffer.address][1]
        if array.size == 0:
            return np.empty(array.shape, array.dtype)
        offset = array.address - buffer.address
        made = np.ndarray(array.shape, array.dtype, held.data, offset, array.strides)
        made.flags.writeable = array.header().flags.writeable
        return made
