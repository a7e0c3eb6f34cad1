"""The CUDA devices of this machine: `quernel.cuda`."""

from __future__ import annotations

from typing import Any

from .devices import driver
from .devices.selection import Device
from .devices.streams import Event, Stream

__all__ = [
    "Device",
    "Event",
    "Stream",
    "devices",
    "is_available",
    "memory_allocated",
    "memory_reserved",
    "synchronize",
]


def is_available() -> bool:
    """Whether there is a device, and a driver for it."""
    return driver.count() > 0


def devices() -> list[Device]:
    """The devices of this machine; none where there is no driver.

    Returns
    -------
    list of Device
        Each with ``index``, ``name``, ``capability``, ``multiprocessors``,
        ``max_threads_per_block`` and ``total_memory``.
    """
    return [driver.info(index) for index in range(driver.count())]


def memory_allocated(device: Any = 0) -> int:
    """Bytes of a device's memory that arrays have.

    Parameters
    ----------
    device : int, str or Device

    Raises
    ------
    DeviceError
        Where the device isn't there.
    """
    return _memory(device)[0]


def memory_reserved(device: Any = 0) -> int:
    """Bytes of a device's memory that this process has, those kept for later arrays included.

    Parameters
    ----------
    device : int, str or Device

    Raises
    ------
    DeviceError
        Where the device isn't there.
    """
    return _memory(device)[1]


def _memory(device: Any) -> tuple[int, int]:
    """Bytes that arrays have, and bytes that the process has."""
    return driver.runtime().device_memory(driver.check_there(device))


def synchronize(device: Any = None) -> None:
    """Wait until a device has done all that this process has given it to do.

    Parameters
    ----------
    device : int, str, Device or None
        None: every device.

    Raises
    ------
    DeviceError
        Where the device isn't there, or there is none.
    """
    runtime = driver.runtime()
    if device is not None:
        runtime.device_synchronize(driver.check_there(device))
        return
    for index in range(runtime.device_count()):
        runtime.device_synchronize(index)
