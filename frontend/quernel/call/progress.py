"""What is said of a compile that takes long, while it goes on."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager

_SILENT = 1.0  # seconds of a compile of which nothing is said


@contextmanager
def announced(function: types.FunctionType) -> Iterator[None]:
    """Say that a function is compiled where that takes long: on a terminal, else in the log."""
    timer = threading.Timer(_SILENT, _announce, [function])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _announce(function: types.FunctionType) -> None:
    code = function.__code__
    text = f"compiling {function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"quernel: {text} ...", file=sys.stderr, flush=True)
        return
    import logging  # which a process that compiles quickly doesn't need

    logging.getLogger("quernel").info(text)
