"""Where in the user's code an operation comes from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ..describe import file_name, fortrans_name

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_PYTHON = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = ("site-packages", "dist-packages")
#: What to write instead of a call that can't be captured.
OUTSIDE = "call it outside and pass the result as an argument"


class Callers:
    """Where the capture is: at a line of the user's, in calls of the user's, perhaps in a library.

    Attributes
    ----------
    location : (str, int, str) or None
        File, line and function of the user's statement that is interpreted.
    places : tuple of (str, int, str)
        The same of each call of the user's that is going on, the innermost first.
    library : str
        The function of a library that the user's statement has called, while that is captured.
    within : (str, int, str) or None
        File, line and function of the library's statement that is interpreted then.
    """

    def __init__(self) -> None:
        self.location: tuple[str, int, str] | None = None
        self.places: tuple[tuple[str, int, str], ...] = ()
        self.library = ""
        self.within: tuple[str, int, str] | None = None
        self._numbers: dict[tuple, int] = {}

    @contextmanager
    def calling(self, library: str = "") -> Iterator[None]:
        """A call of a function of the user's, or of a library's function of this name."""
        before = self.location, self.places, self.library, self.within
        if library:
            self.library = self.library or library
        else:
            self.library, self.within = "", None
            if self.location is not None:
                self.places = (self.location, *self.places)
        try:
            yield
        finally:
            self.location, self.places, self.library, self.within = before

    def told(self, reason: str, hint: str) -> tuple[str, str]:
        """A refusal in terms of what the user has written, and its hint.

        What a library's source stumbles over nobody has written who reads of it.
        """
        if not self.library:
            return reason, hint
        at = ""
        if self.within is not None:
            file, line, function = self.within
            at = f"in {function} ({_short(file)}:{line}), "
        return f"{self.library} can't be compiled: {at}{reason}", OUTSIDE

    def number(self, function: str) -> int:
        """A number for the calls that are going on, and for the name of the innermost function."""
        if not self.places:
            return 0
        calls = ((file_name(file), name, line) for file, line, name in self.places)
        return self._numbers.setdefault((function, *calls), len(self._numbers) + 1)

    def described(self) -> list[tuple]:
        """The name of the innermost function and the calls, for each number from 1 on."""
        return list(self._numbers)


def _short(file: str) -> str:
    """The name of a library's file, with its folder's where many have that name."""
    folder, name = os.path.split(file)
    short = os.path.join(os.path.basename(folder), name) if name == "__init__.py" else name
    return short.encode("utf-8", "backslashreplace").decode()


def user_frame(outermost: FrameType, depth: int = 1) -> FrameType | None:
    """The innermost frame above `outermost` that is neither Quernel's nor NumPy's."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_library(frame.f_code.co_filename):
        if frame is outermost:
            return None
        frame = frame.f_back
    return frame


def is_library(file: str) -> bool:
    """Whether a file is one of Quernel's, NumPy's, SciPy's or Python's own."""
    if is_numpys(file) or file.startswith("<frozen "):
        return True
    if file.startswith(_PYTHON):
        return file[len(_PYTHON) :].split(os.sep, maxsplit=1)[0] not in _INSTALLED
    scipy = getattr(sys.modules.get("scipy"), "__file__", None)
    return bool(scipy) and file.startswith(os.path.join(os.path.dirname(scipy), ""))


def is_numpys(file: str) -> bool:
    """Whether a file is one of Quernel's or NumPy's."""
    return file.startswith((_OWN, _NUMPY))


def public_name(function: Any) -> str:
    """A function of a library as users write it, from the first module that has it."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", str(function))
    parts = (getattr(function, "__module__", None) or "numpy").split(".")
    public = [part for part in parts if not part.startswith("_")]
    for count in range(1, len(public)):
        owner = sys.modules.get(".".join(public[:count]))
        if vars(owner or object).get(name) is function:
            del public[count:]
    return ".".join(["np" if public[0] == "numpy" else public[0], *public[1:], name])


def is_method(function: Any) -> bool:
    """Whether a function is one of a class's."""
    owner, _, name = getattr(function, "__qualname__", "").rpartition(".")
    return bool(owner) and "<locals>" not in owner and name == function.__name__


def is_scipys(obj: Any) -> bool:
    """Whether an object of a module of SciPy's is at hand."""
    module = getattr(obj, "__module__", None)
    if type(module) is str:
        return module.startswith("scipy.")
    return bool(fortrans_name(obj))
