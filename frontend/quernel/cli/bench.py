"""``quernel bench``: a function beside NumPy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..report.text import size_text
from .target import UsageError, add_arguments, add_function, example, guarded, load

_LEAST_SECONDS = 0.5
_LEAST_RUNS = 3


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("bench", help="time a function beside NumPy")
    add_function(parser)
    add_arguments(parser)
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Print the times."""
    function = load(options.function)
    placeholders = example(function, options.arg)
    _check_memory(placeholders)
    arguments = guarded(lambda: tuple(_filled(item) for item in placeholders))
    plain = function.__wrapped__
    start = time.perf_counter()
    answer = guarded(function, *arguments)
    first = time.perf_counter() - start
    compiled = guarded(best_time, lambda: function(*arguments))
    numpy = guarded(best_time, lambda: plain(*arguments))
    print(f"first call    {first * 1e3:10.2f} ms")
    print(f"NumPy         {numpy * 1e3:10.3f} ms")
    print(f"Quernel       {compiled * 1e3:10.3f} ms   {numpy / compiled:.1f} times as fast")
    _print_share(arguments, answer, compiled)


def _check_memory(arguments: tuple) -> None:
    needed = sum(x.nbytes for x in arguments if isinstance(x, np.ndarray))
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        raise UsageError(
            f"the arguments take {size_text(needed)}, and this machine has {size_text(there)}"
        )


def _print_share(arguments: tuple, answer: Any, seconds: float) -> None:
    """The bytes that have to move, against what this machine's memory moves."""
    arrays = [x for x in (*arguments, answer) if isinstance(x, np.ndarray)]
    moved = sum(x.nbytes for x in arrays)
    if not moved:
        return
    rate, most = moved / seconds, copy_bandwidth()
    print(f"memory        {rate / 1e9:10.2f} GB/s   {rate / most:.0%} of a copy's")


def _filled(item: Any) -> Any:
    """Random numbers in the place of a placeholder."""
    if not isinstance(item, np.ndarray):
        return item
    rng = np.random.default_rng(0)
    if item.dtype.kind == "f":
        return rng.standard_normal(item.shape).astype(item.dtype)
    return rng.integers(0, 2 if item.dtype == bool else 10, item.shape).astype(item.dtype)


def best_time(call: Callable[[], Any]) -> float:
    """The shortest of several runs, in seconds."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < _LEAST_RUNS or spent < _LEAST_SECONDS:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def copy_bandwidth(size: int = 1 << 27) -> float:
    """Bytes a second that a copy reads and writes."""
    source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)
    return 2 * size / best_time(lambda: np.copyto(target, source))
