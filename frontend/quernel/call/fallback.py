"""Running the plain function in NumPy where no compiled code is possible, and saying so."""

from __future__ import annotations

import types
import warnings

from ..errors import FallbackWarning, UnsupportedError


class Fallback:
    """Why a call ran in NumPy.

    Two that say the same are equal. (Making a dataclass takes each process milliseconds.)
    """

    __slots__ = ("reason", "file", "line", "hint")

    def __init__(self, reason: str, file: str | None, line: int | None, hint: str) -> None:
        self.reason, self.file, self.line, self.hint = reason, file, line, hint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fallback) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def _all(self) -> tuple:
        return (self.reason, self.file, self.line, self.hint)

    def __repr__(self) -> str:
        return f"Fallback{self._all()!r}"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{self.reason}" + (f" (instead: {self.hint})" if self.hint else "")


def fallback_of(error: UnsupportedError, function: types.FunctionType) -> Fallback:
    """The entry of an error; without a place of its own it gets the function's."""
    code = function.__code__
    file, line = error.file or code.co_filename, error.line or code.co_firstlineno
    return Fallback(error.reason, file, line, error.hint)


def placed(error: UnsupportedError, function: types.FunctionType) -> UnsupportedError:
    """The error, with the function's own place where it has none."""
    if error.file is None:
        code = function.__code__
        error.file, error.line = code.co_filename, code.co_firstlineno
        error.function = function.__name__
    return error


def warn(function: types.FunctionType, entry: Fallback, is_partial: bool = False) -> None:
    """Warn that a function runs in NumPy, all of it or a statement, at the user's line."""
    how = "is compiled except for a statement, which runs in NumPy"
    text = f"{function.__qualname__} {how if is_partial else 'runs in NumPy'}: {entry}"
    warnings.warn_explicit(text, FallbackWarning, entry.file or "<quernel>", entry.line or 1)
