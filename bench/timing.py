"""Timing that compares: every round runs all candidates, so a slow second hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def once(function: Callable[[], object]) -> float:
    """Seconds of one call; its result is released after the clock stopped."""
    start = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - start
    del result
    return seconds


def interleaved(
    candidates: Mapping[str, Callable[[], object]], *, rounds: int = 15, seconds: float = 60.0
) -> dict[str, float]:
    """Median seconds of each candidate, after one round to warm up."""
    for function in candidates.values():
        function()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    deadline = time.perf_counter() + seconds
    for _ in range(rounds):
        for name, function in candidates.items():
            times[name].append(once(function))
        if time.perf_counter() > deadline:
            break
    return {name: statistics.median(values) for name, values in times.items()}


def per_call(
    candidates: Mapping[str, Callable[[], object]], *, rounds: int = 9, calls: int = 20000
) -> dict[str, float]:
    """Like `interleaved`, for calls so short that the clock would disturb them."""

    def repeat(function: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                function()

        return run

    medians = interleaved({name: repeat(f) for name, f in candidates.items()}, rounds=rounds)
    return {name: seconds / calls for name, seconds in medians.items()}


def readable(seconds: float) -> str:
    """`0.0123` as `12.3 ms`."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
