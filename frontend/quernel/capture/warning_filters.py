"""`warnings.catch_warnings`, and the filters that are set inside of it.

Compiled code gives no warnings itself: where it meets what NumPy may warn of, the plain function is
run once more (`call/float_warnings.py`), and has its filters then. So they are nothing to the
program, as long as they end with the block and make no exceptions of warnings; but what is met
within the block isn't remembered.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..traced.location import OUTSIDE
from ..traced.tracer import current

_QUIET = ("default", "ignore", "always", "all", "module", "once")


class CaughtWarnings:
    """`warnings.catch_warnings`."""

    def __init__(self, *, record: Any = False, module: Any = None, **filters: Any) -> None:
        if record or module is not None:
            current().fail("warnings.catch_warnings that records them", OUTSIDE)
        if filters:
            _check_action(**filters)

    def catches(self, error: Exception) -> bool:
        """It ends for one exception as for another."""
        return False

    def __enter__(self) -> None:
        current().caught_warnings += 1
        current().floats.enter_filters()

    def __exit__(self, *details: object) -> None:
        self.abandon()

    def abandon(self) -> None:
        """End it, also where the capture begins anew."""
        current().caught_warnings -= 1
        current().floats.leave()


def stand_in(function: Any) -> Callable[..., Any] | None:
    """What captured code calls in place of a function of `warnings`'; None for most."""
    is_filter = function in (warnings.simplefilter, warnings.filterwarnings)
    return _set_filter if is_filter else None


def _set_filter(action: Any, *args: Any, **kwargs: Any) -> None:
    if not current().caught_warnings:
        what = "warnings' filters that stay when the function has returned"
        current().fail(what, "set them within warnings.catch_warnings(), or outside")
    _check_action(action)


def _check_action(action: Any = "default", *args: Any, **kwargs: Any) -> None:
    if action not in _QUIET:
        current().fail("warnings that are raised", "use np.errstate, or set it outside")
