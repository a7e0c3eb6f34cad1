"""The processor to compile for, known without loading the compiler."""

from __future__ import annotations

import platform
from functools import lru_cache

from .. import _runtime


@lru_cache(maxsize=1)
def host_target() -> str:
    """The target that programs of this process are compiled for, as the compiler names it.

    It is the processor's level, with ``+svml`` where programs can call NumPy's functions of math.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    return _runtime.host_target()
