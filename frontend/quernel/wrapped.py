"""What stands for objects of NumPy's outside of captured code: functions of `quernel.numpy`."""

from __future__ import annotations

from typing import Any


class Wrapped:
    """An object that captured code takes for another one, its `__wrapped__`."""

    __slots__ = ()


def unwrapped(obj: Any) -> Any:
    """The object itself, or what it stands for."""
    return obj.__wrapped__ if isinstance(obj, Wrapped) else obj
