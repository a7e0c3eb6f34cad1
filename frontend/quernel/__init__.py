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
from .errors import FallbackWarning

__version__ = VERSION
__all__ = ["FallbackWarning", "__version__", "cache", "compile", "errors", "load", "numpy"]


def __getattr__(name: str) -> Any:
    if name in ("cache", "numpy"):
        import importlib

        try:
            return importlib.import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            raise errors.no_compiler(error) from None
    if name == "load":
        from .loading import load

        return load
    raise AttributeError(f"module 'quernel' has no attribute {name!r}")
