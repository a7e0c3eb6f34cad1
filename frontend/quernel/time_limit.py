"""Python code that is given up after some time."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

_set_asynchronously = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_asynchronously.argtypes = (ctypes.c_ulong, ctypes.py_object)


class OutOfTime(BaseException):
    """What `limited` has begun took too long."""


def limited(seconds: float, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call a function of which nobody needs to know how far it came.

    Raises
    ------
    OutOfTime
        Where it took longer. It is raised between two instructions of Python's, so a single long
        operation isn't interrupted.
    Exception
        Whatever the function raises.
    """
    limit = _Limit(threading.get_ident())
    timer = threading.Timer(seconds, limit.reach)
    timer.daemon = True
    timer.start()
    try:
        return function(*args, **kwargs)
    finally:
        timer.cancel()
        limit.leave()


class _Limit:
    """A thread's way out of what it does, as long as it hasn't left it by itself."""

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.lock = threading.Lock()
        self.is_left = False

    def reach(self) -> None:
        """Have the thread raise; called in another one."""
        with self.lock:
            if not self.is_left:
                _set_asynchronously(self.thread, OutOfTime)

    def leave(self) -> None:
        """Have the thread raise no more."""
        with self.lock:
            self.is_left = True
            _set_asynchronously(self.thread, ctypes.py_object())
