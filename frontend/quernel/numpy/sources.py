"""Sources that are captured in place of SciPy's functions, and what they do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..raised import IN_NUMPY
from ..traced.scalars import truth
from ..traced.tracer import current
from .registry import SOURCES, implements


def refuse(what: str) -> None:
    """Leave a call to SciPy that a source has no answer for; captured sources call it."""
    current().fail(f"{what}, in SciPy", "call it outside of the compiled function")


def refuse_here(what: str, hint: str) -> None:
    """Leave a call to NumPy that a source has no answer for."""
    current().fail(what, hint)


def leave_unless(holds: Any, what: str) -> None:
    """Leave a call to SciPy where a condition on data doesn't hold."""
    tracer = current()
    condition = truth(tracer, holds)
    if condition is False:
        refuse(what)
    if condition is not True:
        tracer.check(condition, IN_NUMPY, f"{what}, in SciPy", undoes=True)


for _function in (refuse, refuse_here, leave_unless):
    implements(_function)(_function)


def in_place_of(name: str) -> Callable[[Any], Any]:
    """Register the source of a function, by its public module and name."""

    def register(source: Any) -> Any:
        SOURCES[name] = source
        # Refusals call it so.
        source.__module__, _, source.__name__ = name.rpartition(".")
        source.__qualname__ = source.__name__
        return source

    return register
