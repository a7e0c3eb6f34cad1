"""Devices by name, as users write them, and the one that a block of code asks for."""

from __future__ import annotations

import contextvars
import re
import types
from typing import Any

from .. import _runtime
from ..errors import DeviceError

CPU = "cpu"
_CUDA = re.compile(r"cuda(?::(0|[1-9][0-9]*))?")
# The devices of the blocks around, the innermost last.
_blocks: contextvars.ContextVar[tuple[str | None, ...]] = contextvars.ContextVar(
    "devices", default=()
)


class Device(types.SimpleNamespace):
    """A CUDA device of this machine; code takes it wherever it takes a device's name.

    Attributes
    ----------
    index : int
        Its number among the devices, as in ``"cuda:0"``.
    name : str
        As its maker calls it.
    capability : tuple of int
        The version of its instructions, such as ``(9, 0)``.
    multiprocessors : int
    max_threads_per_block : int
    total_memory : int
        In bytes.
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(str(self))

    def __str__(self) -> str:
        return f"cuda:{self.index}"


def parse(device: Any) -> str | None:
    """The full name of a device, or None for None.

    Parameters
    ----------
    device : str, Device or None
        ``"cpu"``, ``"cuda"`` for the first CUDA device, ``"cuda:1"``.

    Raises
    ------
    DeviceError
        For what names no device. Whether the device is there isn't asked.
    """
    if device is None:
        return None
    if isinstance(device, Device):
        return str(device)
    if isinstance(device, str) and device == CPU:
        return CPU
    found = _CUDA.fullmatch(device) if isinstance(device, str) else None
    if found is None:
        raise DeviceError(f"device must be None, 'cpu', 'cuda' or 'cuda:N', not {device!r}")
    return f"cuda:{found[1] or 0}"


def index_of(device: Any) -> int:
    """The number of a CUDA device that users give by its name or by its number.

    Raises
    ------
    DeviceError
        For what names no CUDA device. Whether the device is there isn't asked.
    """
    if isinstance(device, int) and not isinstance(device, bool) and device >= 0:
        return device
    name = parse(device) if isinstance(device, (str, Device)) else None
    if name is None or name == CPU:
        raise DeviceError(f"a CUDA device is 'cuda', 'cuda:N' or its number, not {device!r}")
    return int(name.partition(":")[2])


def asked_for() -> str | None:
    """The device of the innermost ``with quernel.device(…)``; None where there is none."""
    blocks = _blocks.get()
    return blocks[-1] if blocks else None


def enter(name: str | None) -> None:
    """Begin a block of code that asks for a device."""
    if name not in (None, CPU):
        _runtime.watch_device_blocks(_blocks)
    _blocks.set((*_blocks.get(), name))


def leave() -> None:
    """End the innermost block."""
    _blocks.set(_blocks.get()[:-1])
