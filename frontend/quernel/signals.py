"""Exceptions that a handler of a signal raises amid our work: they are the user's, and go out.

A handler may raise whatever it likes, between any two instructions. So whoever catches an error of
a class that users derive their own from calls `let_out` first, and functions of Python's library
that catch such errors stay aside: `_signal` knows the handlers without them, `files` reads sources.
"""

from __future__ import annotations

import _signal
import os
import signal
import types
from typing import Any

_FOLDER = os.path.dirname(__file__) + os.sep


def let_out(error: BaseException) -> None:
    """Raise what the handler of a signal has raised, where an exception is that or comes of it.

    What interrupts our work may leave it in a state that cleaning up isn't made for. So another
    exception may have taken the place of the handler's, which is then among its contexts.
    """
    found = _handlers(error)
    if found is not None:
        raise found from found.__cause__


def _handlers(error: BaseException) -> BaseException | None:
    """The first of an exception and its contexts that a handler has raised.

    A handler runs on top of whatever frame a signal interrupts, so its code is among the frames of
    the traceback. Python's own handler has no code; nothing of ours raises what it raises. The
    exceptions that a caller of ours is handling are contexts as well: none of them was caught here.
    """
    codes = {_code(_signal.getsignal(number)) for number in range(1, signal.NSIG)} - {None}
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        if isinstance(at, KeyboardInterrupt) or _passes(at.__traceback__, codes):
            return at
        at = at.__context__
        if at is None or not _caught_here(at.__traceback__):
            return None
    return None


def _caught_here(trace: types.TracebackType | None) -> bool:
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(_FOLDER)


def _passes(trace: types.TracebackType | None, codes: set[types.CodeType | None]) -> bool:
    while trace is not None and codes:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False


def _code(handler: Any) -> types.CodeType | None:
    """The code that runs when a handler is called; None where that isn't Python's."""
    while hasattr(handler, "func"):  # a functools.partial
        handler = handler.func
    if not callable(handler):
        return None
    handler = getattr(handler, "__func__", handler)
    if not hasattr(handler, "__code__"):
        handler = getattr(type(handler).__call__, "__func__", type(handler).__call__)
    return getattr(handler, "__code__", None)
