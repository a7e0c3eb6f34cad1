"""NumPy's functions on arrays on devices: each is compiled for the device of its arguments."""

from __future__ import annotations

import functools
from typing import Any

from ..api import compile
from ..call.siblings import placed
from ..errors import DeviceError, UnsupportedError


def run(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Carry out a function; see `quernel.devices.dispatch.run`."""
    device = placed(args, kwargs).device
    out = kwargs.get("out")
    if type(out) is tuple and len(out) == 1:
        kwargs = kwargs | {"out": out[0]}
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

    # Its own module stays: captured code takes functions of NumPy's modules for NumPy's.
    call.__name__ = call.__qualname__ = getattr(function, "__name__", "function")
    return compile(call, device=device, fullgraph=True)
