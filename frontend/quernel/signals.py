"""Exceptions that a handler of a signal raises amid our work: they are the user's, and go out."""

from __future__ import annotations

import signal
import types
from typing import Any


def raised_by_handler(error: BaseException) -> bool:
    """Whether one of the handlers that Python runs for signals has raised an exception.

    A handler runs on top of whatever frame a signal interrupts, so its code is among the frames of
    the traceback.
    """
    codes = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    trace = error.__traceback__ if codes else None
    while trace is not None:
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
