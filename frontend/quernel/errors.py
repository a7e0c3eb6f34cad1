"""The exceptions and warnings that Quernel itself raises."""

from __future__ import annotations

import linecache
from typing import Any


class QuernelError(Exception):
    """Base class of every error of Quernel's own."""


class UnsupportedError(QuernelError):
    """A construct that can't be compiled.

    Parameters
    ----------
    reason : str
        What isn't supported, as the user wrote it.
    hint : str
        What to write instead.
    file, line, function : optional
        Where the user's code uses it.

    Attributes
    ----------
    demands : dict, optional
        What the call and the function's surroundings must be for the capture to end like this.
    argument : str, optional
        The argument of a call that can't be one of a compiled function, wherever that reads it.
    leaves : list of Leaf, optional
        The arguments of such a call.
    call_line : int, optional
        Where it is inside of a helper: the line of the compiled function that leads there.
    read : Blamed, optional
        What the function reads from outside, where that is to blame.
    is_rare : bool
        Whether programs seldom come to what isn't supported where data decide.
    is_on_path : bool
        Whether what isn't supported is on a path that data may not take.
    """

    def __init__(
        self,
        reason: str,
        hint: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        function: str | None = None,
    ) -> None:
        self.reason = reason
        self.hint = hint
        self.file = file
        self.line = line
        self.function = function
        self.demands: dict | None = None
        self.argument: str | None = None
        self.call_line: int | None = None
        self.leaves: list | None = None
        self.read: Any = None
        self.is_rare = self.is_on_path = False
        super().__init__(reason)

    def __str__(self) -> str:
        parts = [self.reason]
        if self.file is not None:
            place = f"  at {self.file}:{self.line}"
            parts.append(place + (f", in {self.function}" if self.function else ""))
            source = linecache.getline(self.file, self.line or 0).strip()
            if source:
                parts.append(f"    {source}")
        if self.hint:
            parts.append(f"  Instead: {self.hint}")
        return "\n".join(parts)


class NoCompilerError(UnsupportedError):
    """This installation runs programs that others have compiled, and has no compiler."""


def no_compiler(error: ImportError) -> NoCompilerError:
    """What is raised where something can't be imported that compiles."""
    return NoCompilerError(
        f"this installation has no compiler ({error})",
        "use a bundle that `quernel build` has made",
    )


def no_nvrtc(reason: str) -> NoCompilerError:
    """What is raised where the library is missing that compiles for devices."""
    return NoCompilerError(reason, "use a bundle that `quernel build` has made")


class SignatureError(QuernelError):
    """A signature text that can't be read, or that the function doesn't accept."""


def pointed(reason: str, text: str, position: int) -> SignatureError:
    """An error that shows where in a signature's text it is."""
    if "\n" in text:
        return SignatureError(reason)
    return SignatureError(f"{reason}\n  {text}\n  {' ' * position}^")


class LoadError(QuernelError):
    """A text of the user's own that can't be compiled, or loaded."""


class CacheError(QuernelError):
    """A cache command that can't be carried out."""


class ExportError(QuernelError):
    """A library that can't be made: a name, a C++ compiler, or what that says."""


class DeviceError(QuernelError):
    """A device that isn't there, or that an operation needs and doesn't get."""


class VerificationError(QuernelError):
    """A compiled result that differs from NumPy's beyond the stated bounds."""


class FallbackWarning(UserWarning):
    """A function, or a call of it, runs in NumPy instead of compiled code."""
