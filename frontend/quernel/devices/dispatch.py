"""Where NumPy's functions go that are called with arrays on a device.

What compiles them stands above this part; `quernel` fills it in when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DeviceError

_runner: Callable[[Any, tuple, dict[str, Any]], Any] | None = None


def fill(runner: Callable[[Any, tuple, dict[str, Any]], Any]) -> None:
    """Say what carries out functions on devices; see `_run`."""
    global _runner  # noqa: PLW0603
    _runner = runner


def _run(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Carry out a function of NumPy's on the device of its arguments.

    Parameters
    ----------
    function : callable
        A function or a ufunc of NumPy's, a method of a ufunc, or one of Python's `operator`.
    args, kwargs : tuple, dict
        Arrays on one device, beside whatever else the function takes.

    Returns
    -------
    object
        What the function gives, with arrays on that device.

    Raises
    ------
    DeviceError
        Where it can't be run there.
    """
    if _runner is None:
        raise DeviceError("nothing carries out NumPy's functions on devices")
    return _runner(function, args, kwargs)


def run(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Carry out a function on the device of its arguments; see `_run`."""
    return _run(function, args, kwargs)
