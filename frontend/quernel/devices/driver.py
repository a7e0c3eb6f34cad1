"""The CUDA devices of this machine, through the part of the runtime that drives them.

All that needs a device goes through `runtime()`: tests put another one in its place.
"""

from __future__ import annotations

from typing import Any

from .. import _runtime
from ..errors import DeviceError
from .selection import Device, index_of

_source: Any = _runtime


def runtime() -> Any:
    """What has the functions of devices.

    Raises
    ------
    DeviceError
        Where Quernel was built without them.
    """
    if not hasattr(_source, "device_count"):
        raise DeviceError("this build of Quernel has no part that drives CUDA devices")
    return _source


def count() -> int:
    """How many devices there are; 0 where there is no driver."""
    try:
        return runtime().device_count()
    except DeviceError:
        return 0


def info(index: int) -> Device:
    """A device and what is known of it.

    Raises
    ------
    DeviceError
        Where it isn't there.
    """
    check_there(index)
    return Device(index=index, **runtime().device_info(index))


def check_there(device: Any) -> int:
    """The number of a device, which is there.

    Parameters
    ----------
    device : str, int or Device

    Raises
    ------
    DeviceError
        Where there is no driver, or fewer devices.
    """
    index = index_of(device)
    there = runtime().device_count()
    if index >= there:
        devices = "1 CUDA device" if there == 1 else f"{there} CUDA devices"
        raise DeviceError(f"there is no device 'cuda:{index}': this machine has {devices}")
    return index
