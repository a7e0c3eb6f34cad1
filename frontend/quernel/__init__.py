"""Quernel compiles NumPy functions into fused, parallel kernels.

>>> import numpy as np, quernel as qn
>>> @qn.compile
... def distance(x, y):
...     return np.sqrt(x * x + y * y)
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy  # noqa: F401  (imported by `_runtime`, Ctrl-C would be an ImportError)

from . import errors
from .signals import let_out as _let_out

try:
    from . import _runtime  # noqa: F401
except ImportError as error:  # which a module in C makes of whatever is raised while it begins
    if error.__cause__ is not None:
        _let_out(error.__cause__)
    raise
from .api import compile
from .cache.store import VERSION
from .devices import dispatch as _dispatch
from .errors import FallbackWarning
from .module import Module

__version__ = VERSION
__all__ = [
    "DeviceArray",
    "FallbackWarning",
    "Kernel",
    "Module",
    "__version__",
    "cache",
    "compile",
    "cuda",
    "device",
    "errors",
    "from_dlpack",
    "load",
    "numpy",
    "to_device",
]


def _run_on_device(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    try:
        from .numpy.on_devices import run
    except ModuleNotFoundError as error:
        raise errors.no_compiler(error) from None
    return run(function, args, kwargs)


_dispatch.fill(_run_on_device)


def __getattr__(name: str) -> Any:
    if name in ("cache", "cuda", "numpy"):
        import importlib

        try:
            return importlib.import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            raise errors.no_compiler(error) from None
    if name in ("DeviceArray", "from_dlpack", "to_device"):
        from .devices import placing

        return getattr(placing, name)
    if name == "device":
        from .devices.block import device

        return device
    if name in ("Kernel", "load"):
        from . import loading

        return getattr(loading, name)
    raise AttributeError(f"module 'quernel' has no attribute {name!r}")
