"""NumPy's floating-point warnings of a compiled function.

The processor says that something has happened in a program, not where. So the user's function is
run again in NumPy, which gives its warnings at the user's lines, raises, or calls what
`np.seterrcall` names. What it gave is remembered: where the same warnings come again and again,
they are given from memory, and NumPy is asked again once that costs next to nothing.
"""

from __future__ import annotations

import time
import types
import warnings
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.calls import given_to
from ..raised import EVENTS
from .time_limit import OutOfTime, limited

# NumPy's texts.
_TEXTS = {
    "divide": "divide by zero",
    "over": "overflow",
    "under": "underflow",
    "invalid": "invalid value",
}
_FREE = 4  # so many runs again that tell the same come before the next ones become seldom,
_FREE_SECONDS = 0.05  # if all of them together take no longer
_SHARE = 50  # of the time from then on, running again may take one part
_WARY = 1024  # runs whose written arrays are copied, after one that may have warned of something
_CAREFUL = 16  # runs whose written arrays are copied, after one that couldn't be run again
_SECONDS = 2.0  # for a function with loops of its own, which may be much slower in Python

Event = tuple[str, str, int, dict[str, Any]]
Kept = list[tuple[np.ndarray, np.ndarray]]


class _Known:
    """What is known of the runs of a program that have met certain kinds of events."""

    def __init__(self) -> None:
        self.events: list[Event] | None = None  # those of the last run again
        self.same = 0  # how many times in a row it has given these
        self.seconds = 0.0  # of all runs again
        self.until = 0.0  # when that isn't believed any more, by the monotonic clock

    def learn(self, events: list[Event], seconds: float) -> None:
        """Take note of what a run again has given, and how long it took."""
        places = [event[:3] for event in events]
        is_same = self.events is not None and places == [event[:3] for event in self.events]
        self.same = self.same + 1 if is_same else 1
        self.events = events
        self.seconds += seconds
        free = _FREE if self.seconds < _FREE_SECONDS else 0
        self.until = 0.0 if self.same < free else time.monotonic() + _SHARE * seconds

    def rest(self) -> float:
        """For how many seconds from now on what is known is believed."""
        return max(0.0, self.until - time.monotonic())


class FloatWarnings:
    """What to do about the floating-point flags that the runs of one program have set.

    Parameters
    ----------
    plain : FunctionType
        The user's function.
    inner : int
        The kinds that the function itself sets to something else than "ignore".
    doubtful : int
        The kinds whose flags may stand for nothing that NumPy warns of.
    writes : bool
        Whether the program writes arguments.
    loops : bool
        Whether the function has loops, which may take Python much longer than the program.
    """

    def __init__(
        self, plain: types.FunctionType, inner: int, doubtful: int, writes: bool, loops: bool
    ) -> None:
        self.plain, self.inner, self.doubtful = plain, inner, doubtful
        self.writes, self.loops = writes, loops
        self._known: dict[int, _Known] = {}

    def __call__(
        self, kinds: int, is_strict: bool, args: tuple, kwargs: dict[str, Any], kept: Kept | None
    ) -> tuple[Any, int, int]:
        """Answer the runtime: see `FloatWatch` there.

        Parameters
        ----------
        is_strict : bool
            Whether a warning may change what the call does: errors, and calls of the user's.
        kept : list of (array, copy), optional
            What the program has written, and what it was before.

        Returns
        -------
        answer : object
            NotImplemented where the program's own answer counts.
        rest, copied : int
            For how many nanoseconds runs with these kinds need no question, and how many next runs
            should keep copies.
        """
        known = self._known.setdefault(kinds, _Known())
        if not is_strict and known.rest():
            self._give(known.events, kinds)
            return NotImplemented, 0, 0
        if self.writes and kept is None:
            # What may be no warning at all the next runs find out, which keep copies.
            self._give(known.events, kinds & ~self.doubtful)
            return NotImplemented, 0, _WARY if kinds & self.doubtful else _CAREFUL
        answer, log = self._again(known, kinds, is_strict, args, kwargs, kept or [])
        if log is None or self.inner:
            return answer, 0, _CAREFUL
        rest = int(known.rest() * 1e9)
        # Where there was nothing to warn of, the runtime needn't ask.
        return answer, 0 if log.events else rest, 0 if rest else _CAREFUL

    def _again(
        self,
        known: _Known,
        kinds: int,
        is_strict: bool,
        args: tuple,
        kwargs: dict[str, Any],
        kept: Kept,
    ) -> tuple[Any, Any]:
        """Run the user's function in NumPy: its answer, or NotImplemented; and what has heard."""
        start = time.monotonic()
        after = [] if is_strict else [(array, array.copy("K")) for array, _ in kept]
        _restore(kept)
        log, states = _runtime.FloatLog(), _logged()
        if states is None:
            return self._run(is_strict, args, kwargs), None
        try:
            with np.errstate(**states, call=log):
                answer = self._run(is_strict, args, kwargs)
        except (OutOfTime, MemoryError):
            told = {kind for text, *_ in log.events for kind in EVENTS if _TEXTS[kind] in text}
            self._give(None, kinds & ~sum(EVENTS[kind] for kind in told))
            is_strict = False
        except Exception:
            if not is_strict:  # else a warning may have been the error
                self._learn(known, log, start)
            raise
        self._learn(known, log, start)
        if is_strict:
            return answer, log
        _restore(after)
        return NotImplemented, log

    def _learn(self, known: _Known, log: Any, start: float) -> None:
        if not self.inner:  # else the log hasn't heard of all that there was
            known.learn(log.events, time.monotonic() - start)

    def _run(self, is_strict: bool, args: tuple, kwargs: dict[str, Any]) -> Any:
        if is_strict or not self.loops:
            return given_to(self.plain, args, kwargs)
        return limited(_SECONDS, given_to, (self.plain, args, kwargs), {})

    def _give(self, events: list[Event] | None, kinds: int) -> None:
        """Give remembered warnings; where there are none, one for each kind at the function."""
        if events is None:
            code = self.plain.__code__
            place = (code.co_filename, code.co_firstlineno, self.plain.__globals__)
            events = [
                (f"{_TEXTS[kind]} encountered in {self.plain.__name__}", *place)
                for kind, number in EVENTS.items()
                if kinds & number
            ]
        for text, file, line, namespace in events:
            registry = namespace.setdefault("__warningregistry__", {})
            module = namespace.get("__name__") or "<unknown>"
            warnings.warn_explicit(text, RuntimeWarning, file, line, module, registry)


def _logged() -> dict[str, Any] | None:
    """The states that let a log hear of all that NumPy would warn of; None where it has another."""
    states = np.geterr()
    if not set(states.values()) <= {"ignore", "warn", "raise"}:
        return None
    return {kind: "log" for kind, mode in states.items() if mode == "warn"}


def _restore(copies: Kept) -> None:
    for array, copy in copies:
        np.copyto(array, copy)
