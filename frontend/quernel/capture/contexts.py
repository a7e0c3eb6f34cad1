"""What stands for contexts of Python's library.

Their attributes are those that `Exceptions` asks a context for:

catches : callable
    Whether an exception ends there. A context without it is told of all, and decides then.
abandon : callable
    What ends a context where the capture begins anew.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from .warning_filters import CaughtWarnings


class Suppressed:
    """`contextlib.suppress`."""

    def __init__(self, *exceptions: type) -> None:
        self._exceptions = exceptions

    def catches(self, error: Exception) -> bool:
        """Whether it ends the block without the exception."""
        return isinstance(error, self._exceptions)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: Any, trace: Any) -> bool:
        return kind is not None and issubclass(kind, self._exceptions)


class Plain:
    """`contextlib.nullcontext`."""

    def __init__(self, enter_result: Any = None) -> None:
        self.enter_result = enter_result

    def catches(self, error: Exception) -> bool:
        """It ends for one exception as for another."""
        return False

    def __enter__(self) -> Any:
        return self.enter_result

    def __exit__(self, *details: object) -> None:
        pass


CONTEXTS = {
    contextlib.suppress: Suppressed,
    contextlib.nullcontext: Plain,
    warnings.catch_warnings: CaughtWarnings,
}
