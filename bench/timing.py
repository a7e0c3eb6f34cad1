"""Timing that compares: every round runs all candidates, so a slow second hits all of them."""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable, Mapping

# Seconds before a candidate's turn. A BLAS' threads wait for its next call by spinning, for a tenth
# of a second; what runs meanwhile has a processor less.
REST = 0.15
# Seconds of a candidate's turn: calls behind its first one go on so long, since caches are cold and
# threads asleep after the rest.
TURN = 0.05
# Seconds that the clock runs at least: what takes less is called several times in a row.
LEAST = 0.001


def rested(call: Callable[[], float]) -> float:
    """Rest, then give the median of the seconds that `call` says it took in a turn.

    A first call that is as long as a turn is the only one; else it doesn't count.
    """
    time.sleep(REST)
    first = call()
    if first >= TURN:
        return first
    times = [call()]
    end = time.perf_counter() + TURN
    while time.perf_counter() < end:
        times.append(call())
    return statistics.median(times)


def once(function: Callable[[], object]) -> float:
    """Seconds of one call; its result is released after the clock stopped."""
    start = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - start
    del result
    return seconds


class Clock:
    """Times one candidate, which has been called once when this is made."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        function()
        self.calls = math.ceil(LEAST / max(once(function), 1e-9))

    def __call__(self) -> float:
        """Seconds of a call after a rest."""
        return rested(self._mean)

    def _mean(self) -> float:
        if self.calls == 1:
            return once(self.function)
        function = self.function
        start = time.perf_counter()
        for _ in itertools.repeat(None, self.calls):
            function()
        return (time.perf_counter() - start) / self.calls


def interleaved(candidates: Mapping[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Median seconds of each candidate."""
    return {name: statistics.median(values) for name, values in turns(candidates, rounds).items()}


def turns(
    candidates: Mapping[str, Callable[[], object]], rounds: int, *, seconds: float = 60.0
) -> dict[str, list[float]]:
    """Seconds of each candidate in each round; after `seconds` of rounds, three are enough."""
    clocks = {name: Clock(function) for name, function in candidates.items()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    deadline = time.perf_counter() + seconds
    for turn in range(rounds):
        for name, clock in clocks.items():
            times[name].append(clock())
        if turn >= 2 and time.perf_counter() > deadline:
            break
    return times


def readable(seconds: float) -> str:
    """`0.0123` as `12.3 ms`."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
