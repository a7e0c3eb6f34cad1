"""The mark of functions that are parts of others."""

from __future__ import annotations

import types

_MARK = "__quernel_part__"


def mark_part(function: types.FunctionType) -> None:
    """Say that Python goes on with a function's results."""
    function.__dict__[_MARK] = True


def is_part(function: types.FunctionType) -> bool:
    """Whether Python goes on with a function's results: they must alias what they do in NumPy."""
    return _MARK in function.__dict__
