"""Where in the user's code an operation comes from."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

import numpy as np

from ..describe import file_name

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep


class Callers:
    """The calls of the user's in which operations stand, for tracebacks of what they raise.

    Attributes
    ----------
    places : tuple of (str, int, str)
        File, line and function of each call that is going on, the innermost first.
    """

    def __init__(self) -> None:
        self.places: tuple[tuple[str, int, str], ...] = ()
        self._numbers: dict[tuple, int] = {}

    def number(self, function: str) -> int:
        """A number for the calls that are going on, and for the name of the innermost function."""
        if not self.places:
            return 0
        calls = ((file_name(file), name, line) for file, line, name in self.places)
        return self._numbers.setdefault((function, *calls), len(self._numbers) + 1)

    def described(self) -> list[tuple]:
        """The name of the innermost function and the calls, for each number from 1 on."""
        return list(self._numbers)


def user_frame(outermost: FrameType, depth: int = 1) -> FrameType | None:
    """The innermost frame above `outermost` that is neither Quernel's nor NumPy's."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_library(frame.f_code.co_filename):
        if frame is outermost:
            return None
        frame = frame.f_back
    return frame


def is_library(file: str) -> bool:
    """Whether a file is one of Quernel's or NumPy's."""
    return file.startswith((_OWN, _NUMPY))


def public_name(function: Any) -> str:
    """A function of NumPy's as users write it."""
    name = getattr(function, "__name__", str(function))
    owner = (getattr(function, "__module__", None) or "numpy").replace("numpy", "np", 1)
    return f"{owner}.{name}"
