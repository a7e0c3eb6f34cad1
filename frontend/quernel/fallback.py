"""Running the plain function in NumPy where no compiled code is possible, and saying so."""

from __future__ import annotations

import types
import warnings
from dataclasses import dataclass

from .errors import FallbackWarning, UnsupportedError


@dataclass(frozen=True)
class Fallback:
    """Why a call ran in NumPy."""

    reason: str
    file: str | None
    line: int | None
    hint: str

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
