"""Python code that is given up after some time."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

_LOOKS = 100  # turns of a loop, at each of which Python looks for what was sent

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
        self.is_left = self.is_sent = False

    def reach(self) -> None:
        """Have the thread raise; called in another one."""
        with self.lock:
            if not self.is_left:
                self.is_sent = True
                _set_asynchronously(self.thread, OutOfTime)

    def leave(self) -> None:
        """Have the thread raise no more: what was sent to it arrives here, if it hasn't before.

        To take it back would leave Python looking for it at every instruction, for good.
        """
        with self.lock:
            self.is_left = True
        if self.is_sent:
            try:
                for _ in range(_LOOKS):
                    pass
            except OutOfTime:
                pass
