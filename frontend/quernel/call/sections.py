"""Sections that a fork and the end of the process wait for, and what is made anew in a child."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import weakref
from typing import Any

from .. import _runtime
from ..errors import UnsupportedError

# Without callbacks: what a signal's handler raises in one would be dropped.
_renewed: list[weakref.ref[Any]] = []
_looked_at = [64]


class _Section:
    """A context in which a thread holds what its copy in a child could never let go.

    That is the locks of the compiler, of its functions and of imports. A fork waits until no
    other thread is in a section, for ten seconds at most; so does the end of the process.
    """

    __enter__ = staticmethod(_runtime.enter_section)
    __exit__ = staticmethod(_runtime.leave_section)


section = _Section()


def check_compiler() -> None:
    """Refuse to compile where another thread was compiling when this process was forked.

    Raises
    ------
    UnsupportedError
    """
    if _runtime.forked_amid_section():
        raise UnsupportedError(
            "this process was forked while another thread was compiling",
            "compile before the fork, or start processes with the method 'spawn'",
        )


def renew_in_children(owner: Any) -> None:
    """Call an object's `renew` in forked children, where no other thread is left."""
    _renewed.append(weakref.ref(owner))
    if len(_renewed) > 2 * _looked_at[0]:
        _renewed[:] = [known for known in _renewed if known() is not None]
        _looked_at[0] = max(64, len(_renewed))


def _renew_all() -> None:
    for known in _renewed:
        owner = known()
        if owner is not None:
            owner.renew()


def _end() -> None:
    """Wait for the sections of other threads.

    Python ends its other threads by unwinding their stacks, which the compiler's frames don't
    allow. Where Ctrl-C ends the process, Python notes that for the exit status, but forgets it as
    soon as any thread executes a text, as making a dataclass does. So it is told once more.
    """
    _runtime.await_sections()
    if _was_interrupted():
        with contextlib.suppress(KeyboardInterrupt):
            exec("raise KeyboardInterrupt")


def _was_interrupted() -> bool:
    """Whether an interrupt that nobody has caught has ended the main script."""
    trace = getattr(sys, "last_traceback", None)
    if trace is None or sys.last_type is not KeyboardInterrupt or hasattr(sys, "ps1"):
        return False
    while trace.tb_next is not None and trace.tb_frame.f_globals.get("__name__") == "runpy":
        trace = trace.tb_next  # of `python -m`
    frame = trace.tb_frame
    is_main = frame.f_globals is vars(sys.modules["__main__"])
    return is_main and frame.f_code.co_name == "<module>"


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_runtime.await_sections,
        after_in_parent=_runtime.resume_sections,
        after_in_child=_renew_all,
    )
