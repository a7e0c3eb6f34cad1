"""`quernel.to_device` and `quernel.from_dlpack`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import exchange, memory
from .array import DeviceArray
from .driver import check_there
from .selection import CPU, asked_for, parse


def to_device(x: Any, device: Any = None) -> Any:
    """Put an array on a device.

    Parameters
    ----------
    x : array_like
        Of any shape, of a dtype that programs have. An array on a CUDA device that another library
        has (CuPy, Numba, PyTorch, JAX) isn't copied, and lives as long as the result.
    device : {"cuda", "cuda:N", "cpu"} or Device, optional
        By default that of ``with quernel.device(…)``, if it is a CUDA device, else ``"cuda"``; for
        arrays that are on a device, the one that they are on.

    Returns
    -------
    DeviceArray
        `x` itself where it is there already; a NumPy array for ``"cpu"``.

    Raises
    ------
    DeviceError
        Where the device isn't there, or has no memory left.
    TypeError
        For a dtype that programs don't have, and for masked arrays.

    Examples
    --------
    >>> points = qn.to_device(np.random.rand(1_000_000, 2))
    >>> points[:, 0].shape
    (1000000,)
    """
    found = on_device(x)
    name = parse(device)
    if found is not None:
        return found.to_device(name)
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array can't be on a device; pass its data and its mask")
    if name is None:
        name = asked_for()
        name = "cuda:0" if name in (None, CPU) else name
    host = np.asarray(x)
    if name == CPU:
        return host
    index = check_there(name)
    return DeviceArray(*memory.upload(host, index), memory.usable(host.dtype))


def from_dlpack(x: Any) -> Any:
    """The array that an object of another library's exports by DLPack, without a copy.

    Returns
    -------
    DeviceArray or ndarray
        Where its memory is.

    Raises
    ------
    DeviceError
        Where its device isn't there.
    TypeError
        For a dtype that programs don't have.
    """
    if not exchange.is_on_cuda(x):
        return np.from_dlpack(x)
    return _borrowed(exchange.from_capsule(x))


def on_device(x: Any) -> DeviceArray | None:
    """The array on a device that an object is, perhaps of another library's; else None.

    Raises
    ------
    TypeError
        For a dtype that programs don't have, and for a masked array.
    DeviceError
        Where the device isn't there.
    """
    if isinstance(x, DeviceArray):
        return x
    if isinstance(x, (np.ndarray, np.generic, int, float, complex, list, tuple)):
        return None
    found = exchange.lent(x)
    return None if found is None else _borrowed(found)


def _borrowed(found: exchange.Foreign) -> DeviceArray:
    return DeviceArray(found.buffer, found.layout, found.dtype, found.is_writeable)
