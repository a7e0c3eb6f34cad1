"""The processor to compile for, known without loading the compiler."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator
from functools import lru_cache

from .. import _runtime

# What is compiled ahead of time for other machines, where nobody says what for.
USUAL_TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")

_chosen: list[str] = []


def host_target() -> str:
    """The target that programs of this process are compiled for, as the compiler names it.

    It is the processor's level, with ``+svml`` where programs can call NumPy's functions of math;
    or the one that is chosen.
    """
    return _chosen[-1] if _chosen else _detected()


@lru_cache(maxsize=1)
def _detected() -> str:
    if platform.machine() not in ("x86_64", "AMD64"):
        return platform.machine()
    return _runtime.host_target()


@contextlib.contextmanager
def chosen(target: str) -> Iterator[None]:
    """Compile for another target; what comes of it isn't to be called here."""
    _chosen.append(target)
    try:
        yield
    finally:
        _chosen.pop()
