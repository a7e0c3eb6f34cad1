"""Where a call runs: a function that names no device has a sibling for each one that it runs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arguments.layouts import device_of
from ..devices.selection import CPU, asked_for
from ..errors import DeviceError
from ..module import Module

_MOST_NESTED = 32
_PLAIN = (np.ndarray, np.generic, int, float, complex, bool, str, bytes, type(None))


class Elsewhere(DeviceError):
    """An array that a function reads is on another device than the one that it runs on."""

    def __init__(self, name: str, device: str, own: str | None) -> None:
        super().__init__(
            f"{name} is on {device}, and the function runs on {own or CPU}: "
            "move the array with quernel.to_device(), or compile the function without a device"
        )
        self.device = device


class Placed(NamedTuple):
    """Arguments, in which arrays of other libraries on devices are DeviceArrays.

    Attributes
    ----------
    device : str or None
        Which device arrays among them are on.
    is_changed : bool
        Whether there were any of other libraries.
    """

    args: tuple
    kwargs: dict[str, Any]
    device: str | None
    is_changed: bool


def placed(args: tuple, kwargs: dict[str, Any]) -> Placed:
    """Where the arguments of a call are.

    Raises
    ------
    DeviceError
        Where they are on several devices.
    """
    found: dict[str, None] = {}
    values = _seen(args, found, 0)
    named = _seen(kwargs, found, 0)
    if len(found) > 1:
        first, second = sorted(found)[:2]
        raise DeviceError(f"arrays on {first} and on {second} in one call; move one of them")
    is_changed = values is not args or named is not kwargs
    return Placed(values, named, next(iter(found), None), is_changed)


_NUMBERS = {bool, int, float, complex}


def _seen(obj: Any, found: dict[str, None], depth: int) -> Any:
    """Note the device of an argument; gives it, or what it is where other libraries have it."""
    if isinstance(obj, _PLAIN):
        return obj
    device = device_of(obj)
    if device is not None:
        found[device] = None
    elif type(obj) in (tuple, list, dict):
        return _seen_inside(obj, found, depth)
    elif isinstance(obj, Module):
        if obj._device not in (None, CPU):
            found[obj._device] = None
    elif _may_be_lent(type(obj)):
        from ..devices.placing import on_device

        array = on_device(obj)
        if array is not None:
            found[array.device] = None
            return array
    return obj


def _seen_inside(obj: Any, found: dict[str, None], depth: int) -> Any:
    if depth > _MOST_NESTED:
        return obj
    items = list(obj.values() if type(obj) is dict else obj)
    if _NUMBERS.issuperset(map(type, items)):
        return obj
    seen = [_seen(item, found, depth + 1) for item in items]
    if all(one is other for one, other in zip(seen, items, strict=True)):
        return obj
    return dict(zip(obj, seen, strict=True)) if type(obj) is dict else type(obj)(seen)


def _may_be_lent(kind: type) -> bool:
    return hasattr(kind, "__cuda_array_interface__") or hasattr(kind, "__dlpack_device__")


class Siblings:
    """The functions that stand for one on devices, each made when a call needs it.

    Parameters
    ----------
    make : callable
        Makes the dispatcher of a function for a device.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._make = make
        self._made: dict[str, Any] = {}

    def __iter__(self) -> Any:
        return iter(list(self._made.values()))

    def on(self, device: str) -> Any:
        """The one for a device."""
        if device not in self._made:
            self._made[device] = self._make(device)
        return self._made[device]

    def of(self, device: str | None) -> Any:
        """The one for arguments on a device, or for the block of code around; None for this one."""
        device = asked_for() if device is None else device
        return None if device in (None, CPU) else self.on(device)
