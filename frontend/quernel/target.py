"""The processor to compile for, known without loading the compiler."""

from __future__ import annotations

import platform
from functools import lru_cache

from . import _runtime


@lru_cache(maxsize=1)
def host_target() -> str:
    """The highest vector level of this machine, as the compiler names it."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    return _runtime.processor_level()
