"""Arrays on devices that other libraries lend this one: CuPy, Numba, PyTorch, JAX."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _runtime
from ..dtypes import NAMES
from ..signals import let_out
from .driver import check_there, runtime
from .headers import Layout, c_strides
from .memory import usable
from .streams import current_handle

CPU_DEVICE, CUDA_DEVICE = 1, 2  # of DLPack
_MANAGED = 13
DEFAULT_STREAM = 1
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT16 = (4, 16)
_DTYPES = {
    (_CODES[dtype.kind], 8 * dtype.itemsize): dtype
    for dtype in (np.dtype(name) for name in NAMES if name != "bfloat16")
}


class Foreign(NamedTuple):
    """An array of another library's."""

    buffer: Any
    layout: Layout
    dtype: np.dtype
    device: int
    is_writeable: bool


def lent(obj: Any) -> Foreign | None:
    """The array on a CUDA device that an object of another library's is; None where it is none.

    It isn't copied; the object, or what keeps its memory, lives as long as the buffer.

    Raises
    ------
    TypeError
        For a dtype that programs don't have, and for a masked array.
    DeviceError
        Where the device isn't there.
    """
    if is_on_cuda(obj):
        return from_capsule(obj)
    interface = getattr(obj, "__cuda_array_interface__", None)
    return None if interface is None else _from_interface(obj, interface)


def is_on_cuda(obj: Any) -> bool:
    """Whether an object exports an array on a CUDA device by DLPack."""
    asked = getattr(obj, "__dlpack_device__", None)
    return asked is not None and asked()[0] in (CUDA_DEVICE, _MANAGED)


def _from_interface(obj: Any, interface: dict[str, Any]) -> Foreign:
    if interface.get("mask") is not None:
        raise TypeError("an array with a mask can't be on a device; pass its data")
    dtype = usable(np.dtype(interface["typestr"]))
    shape = tuple(interface["shape"])
    address, is_read_only = interface["data"]
    strides = interface.get("strides")
    strides = c_strides(shape, dtype.itemsize) if strides is None else tuple(strides)
    device = runtime().device_of_address(address) if address else 0
    if interface.get("stream") is not None:
        runtime().device_follow(device, interface["stream"])
    return _borrowed(obj, address, shape, strides, dtype, device, not is_read_only)


def from_capsule(obj: Any) -> Foreign:
    """The array on a CUDA device that an object exports by DLPack.

    Raises
    ------
    TypeError
        For a dtype that programs don't have.
    DeviceError
        Where the device isn't there.
    """
    _, number = obj.__dlpack_device__()
    device = check_there(number)
    # What is asked in this stream from now on comes behind what makes the array.
    stream = current_handle(device) or DEFAULT_STREAM
    try:
        capsule = obj.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError as error:  # it is older than versions
        let_out(error)
        capsule = obj.__dlpack__(stream=stream)
    found = _runtime.dlpack_take(capsule)
    dtype = _dtype_of(*found["dtype"])
    strides = tuple(step * dtype.itemsize for step in found["strides"])
    address, shape = found["address"], found["shape"]
    return _borrowed(found["owner"], address, shape, strides, dtype, device, not found["read_only"])


def _borrowed(
    owner: Any,
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: np.dtype,
    device: int,
    is_writeable: bool,
) -> Foreign:
    """An array at an address; the buffer begins where its lowest element is."""
    begin, end = Layout(0, shape, strides).extent(dtype.itemsize)
    buffer = runtime().DeviceBuffer.borrow(device, address + begin, end - begin, owner)
    return Foreign(buffer, Layout(-begin, shape, strides), dtype, device, is_writeable)


def _dtype_of(code: int, bits: int) -> np.dtype:
    """The dtype of DLPack's code and bits."""
    if (code, bits) == _BFLOAT16:
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    if (code, bits) not in _DTYPES:
        raise TypeError(f"an array on a device can't have DLPack's dtype {code} of {bits} bits")
    return _DTYPES[code, bits]


def capsule(
    buffer: Any,
    layout: Layout,
    dtype: np.dtype,
    device: tuple[int, int],
    is_versioned: bool,
    flags: int,
) -> Any:
    """A capsule of DLPack's, which keeps the buffer until its consumer is done.

    Raises
    ------
    BufferError
        Where strides are no multiples of elements.
    """
    if any(step % dtype.itemsize for step in layout.strides):
        raise BufferError("strides between elements, which DLPack can't say")
    strides = [step // dtype.itemsize for step in layout.strides]
    number = (_CODES[dtype.kind], 8 * dtype.itemsize) if dtype.kind in _CODES else _BFLOAT16
    address = buffer.address + layout.offset
    return _runtime.dlpack_capsule(
        buffer, address, layout.shape, strides, number, device, is_versioned, flags
    )
