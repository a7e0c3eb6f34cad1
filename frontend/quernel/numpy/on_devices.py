"""NumPy's functions on arrays on devices: each is compiled for the device of its arguments."""

from __future__ import annotations

import functools
from typing import Any

from ..devices.placing import device_among
from .eager import compile_as


def run(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Carry out a function; see `quernel.devices.dispatch.run`."""
    return _compiled(function, device_among((args, kwargs)))(*args, **kwargs)


@functools.cache
def _compiled(function: Any, device: str) -> Any:
    """A function that does nothing but call another one, compiled for a device."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return compile_as(call, function, device=device, fullgraph=True)
