"""The user's lines that a program knows, where files have changed since it was made.

A program is found by the code of functions, whatever their files and lines are. Equal code has
equally many entries in its table of lines, so each line that a program knows has one of now.
"""

from __future__ import annotations

import types
from typing import Any

from ..arguments.opaque import OPAQUE
from ..arguments.plain_objects import function_of
from ..describe import file_name

Places = dict[tuple[str, int], tuple[str, int]]


def described(function: types.FunctionType, reads: list[Any]) -> list[list]:
    """The lines of a function and of those that it reads, for an entry of the cache.

    Parameters
    ----------
    reads : list of Read
        What a capture has read from outside.
    """
    given = [read for read in reads if read.leaf is None or read.leaf.kind is not OPAQUE]
    places = [(None, function), *((read.place(), read.obj) for read in given)]
    codes = [(place, code_of(obj)) for place, obj in places]
    return [
        [place, file_name(code.co_filename), _lines(code)]
        for place, code in codes
        if code is not None
    ]


def code_of(obj: Any) -> types.CodeType | None:
    """The code of a function, a method or what wraps one; None for other objects."""
    obj = function_of(getattr(obj, "__func__", obj))
    if not isinstance(obj, types.FunctionType):
        obj = getattr(obj, "__wrapped__", None)
    return obj.__code__ if isinstance(obj, types.FunctionType) else None


def moved(known: list[list], codes: list[types.CodeType | None]) -> Places:
    """Where the places in files that an entry knows are now.

    Parameters
    ----------
    codes : list
        The code that stands now where each of the entry's functions stood.
    """
    places: Places = {}
    for (_, file, lines), code in zip(known, codes, strict=True):
        if code is None:
            continue
        for old, new in zip(lines, _lines(code), strict=False):
            if old is not None and new is not None:
                places.setdefault((file, old), (code.co_filename, new))
    return places


def _lines(code: types.CodeType) -> list[int | None]:
    """The lines of a code and of those inside of it, in the order of the instructions."""
    lines = [line for _, _, line in code.co_lines()]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            lines += _lines(constant)
    return lines
