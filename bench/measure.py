"""Measures the rows: every system's answer is compared with NumPy's, then all are timed in turn."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import programs
from limits import Limits, Yardsticks
from rows import Row
from suites.compare import arrays, error
from systems import LABELS, ready, reason
from timing import turns


@dataclass(frozen=True)
class Settings:
    """What the command line says about every row.

    Attributes
    ----------
    systems : tuple of str
        Those beside NumPy.
    """

    systems: tuple[str, ...]
    rounds: int
    quick: bool


@dataclass(frozen=True)
class Measured:
    """What is known about one row.

    Attributes
    ----------
    moved, operations : int
        The least of bytes and of floating-point operations.
    times : dict of str to float
        Median seconds of a call, by the system's label.
    rounds : dict of str to list of float
        The seconds of each round, those of the limits included.
    missing : dict of str to str
        Why the other systems have none.
    """

    name: str
    what: str
    moved: int
    operations: int
    precision: str
    limits: Limits
    times: dict[str, float]
    rounds: dict[str, list[float]]
    missing: dict[str, str]

    def limit(self) -> tuple[float, str]:
        """The least seconds, and what takes them."""
        return self.limits.seconds(self.moved, self.operations)

    def ratios(self) -> dict[str, float]:
        """How many times faster than NumPy each system is."""
        return {label: self.times["NumPy"] / seconds for label, seconds in self.times.items()}

    def shares(self) -> dict[str, float]:
        """Which part of its time each system would need at the limit."""
        least, _ = self.limit()
        return {label: least / seconds for label, seconds in self.times.items()}


def measure(row: Row, settings: Settings, yardsticks: Yardsticks) -> Measured:
    """Times of one row."""
    arguments = row.arguments(*(row.quick if settings.quick else row.size))
    plain = programs.over(np)[row.program]
    expected = plain(*arguments)
    calls: dict[str, Callable[[], object]] = {"NumPy": lambda: plain(*arguments)}
    missing = {}
    for system in settings.systems:
        try:
            call = ready(system, row.program, arguments)
            check(call(), expected, row.tolerance)
        except Exception as problem:
            missing[LABELS[system]] = reason(problem)
        else:
            calls[LABELS[system]] = call
    precision = _precision(arguments)
    times = turns({**yardsticks.calls(precision), **calls}, settings.rounds)
    return Measured(
        row.name,
        f"{row.what}, {_described(arguments[0])}",
        _bytes(arguments) + _bytes(expected),
        row.operations(*arguments),
        precision,
        yardsticks.limits(times),
        {label: statistics.median(times[label]) for label in calls},
        times,
        missing,
    )


def check(got: object, want: object, tolerance: float) -> None:
    """Compare shapes and values; dtypes are the peers' own.

    Raises
    ------
    ValueError
        Where they differ by more than the tolerance.
    """
    some, others = arrays(got), arrays(want)
    if [one.shape for one in some] != [other.shape for other in others]:
        raise ValueError("other shapes than NumPy's")
    worst = max(map(error, some, others))
    if worst > tolerance:
        raise ValueError(f"other values than NumPy's: error {worst:.1e} of the greatest element")


def _described(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} × {_described(value[0])}"
    return f"{'×'.join(f'{size:,}' for size in value.shape)} {value.dtype}"


def _bytes(tree: object) -> int:
    return sum(leaf.nbytes for leaf in arrays(tree))


def _precision(arguments: tuple[Any, ...]) -> str:
    return str(arrays(arguments)[0].dtype)
