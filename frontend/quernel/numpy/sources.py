"""Sources that are captured in place of SciPy's functions, and what they do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..traced.tracer import current
from .registry import SOURCES, implements


def refuse(what: str) -> None:
    """Leave a call to SciPy that a source has no answer for; captured sources call it."""
    current().fail(f"{what}, in SciPy", "call it outside of the compiled function")


def refuse_here(what: str, hint: str) -> None:
    """Leave a call to NumPy that a source has no answer for."""
    current().fail(what, hint)


for _refusal in (refuse, refuse_here):
    implements(_refusal)(_refusal)


def in_place_of(name: str) -> Callable[[Any], Any]:
    """Register the source of a function, by its public module and name."""

    def register(source: Any) -> Any:
        SOURCES[name] = source
        # Refusals call it so.
        source.__module__, _, source.__name__ = name.rpartition(".")
        source.__qualname__ = source.__name__
        return source

    return register
