"""NumPy's functions on arrays on devices: each is compiled for the device of its arguments."""

from __future__ import annotations

import functools
from typing import Any

from ..devices.placing import device_among
from ..errors import DeviceError, UnsupportedError
from .eager import compile_as


def run(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Carry out a function; see `quernel.devices.dispatch.run`."""
    device = device_among((args, kwargs))
    try:
        return _compiled(function, device)(*args, **kwargs)
    except UnsupportedError as error:
        name = getattr(function, "__name__", "a function")
        text = f"{name} can't run on {device}: {error.reason}"
        raise DeviceError(text + (f" (instead: {error.hint})" if error.hint else "")) from None


@functools.cache
def _compiled(function: Any, device: str) -> Any:
    """A function that does nothing but call another one, compiled for a device."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return compile_as(call, function, device=device, fullgraph=True)
