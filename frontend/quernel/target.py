"""The processor to compile for, known without loading the compiler."""

from __future__ import annotations

import platform
from functools import lru_cache

_LEVELS = {
    "x86-64-v4": ("AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"),
    "x86-64-v3": ("AVX2", "FMA3"),
    "x86-64-v2": ("SSE42", "POPCNT"),
}


@lru_cache(maxsize=1)
def host_target() -> str:
    """The highest vector level of this machine, as the compiler names it.

    NumPy has asked the processor already, when it was imported.
    """
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    from numpy._core._multiarray_umath import __cpu_features__ as features

    for level, needed in _LEVELS.items():
        if all(features.get(name) for name in needed):
            return level
    return "x86-64"
