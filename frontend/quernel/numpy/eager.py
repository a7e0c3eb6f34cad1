"""NumPy functions compiled alone."""

from __future__ import annotations

from typing import Any


def eager(target: Any) -> Any:
    """A compiled function that does nothing but call a NumPy function."""
    from ..api import compile

    def call(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    call.__name__ = call.__qualname__ = target.__name__
    call.__doc__ = target.__doc__
    return compile(call)
