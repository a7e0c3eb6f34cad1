"""What happens once, each time in a new process: first calls, imports, and memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from systems import LABELS

PROBE = Path(__file__).with_name("probe.py")
# Seconds of a process after which it isn't run again: it has compiled with a compiler of its own.
SLOW = 5.0


@dataclass(frozen=True)
class Settings:
    """What the command line says about these rows: systems beside NumPy, points, and processes."""

    systems: tuple[str, ...]
    points: int
    runs: int


@dataclass(frozen=True)
class Once:
    """One row: values by the system's label, and why the other systems have none.

    Attributes
    ----------
    name, what : str
        What `--only` and the table call it.
    unit : str
        `s`, or `B` for bytes.
    goal : str
        What Quernel has to reach.
    """

    name: str
    what: str
    unit: str
    goal: str
    values: dict[str, float]
    missing: dict[str, str]


class Missing(Exception):
    """A system has no such value, for this reason."""


def first_call(settings: Settings) -> Once:
    """The first call of k-means, with nothing cached."""
    row = Once("first-call", "k-means, first call, nothing cached", "s", "≤ 100 ms", {}, {})
    return _filled(row, "first-call", settings.systems, settings)


def cached_call(settings: Settings) -> Once:
    """The first call in a process that finds Quernel's disk cache filled."""
    what = "k-means, first call in a new process, disk cache"
    row = Once("cached-call", what, "s", "≤ 10 ms", {}, {})
    with tempfile.TemporaryDirectory() as cache:
        in_new_process("first-call", "quernel", settings.points, cache)
        return _filled(row, "first-call", ("quernel",), settings, cache)


def imports(settings: Settings) -> Once:
    """What the import takes when NumPy is there already."""
    row = Once("import", "import, beyond NumPy's", "s", "≤ 60 ms", {}, {})
    return _filled(row, "import", settings.systems, settings)


def memory(settings: Settings) -> Once:
    """What k-means needs beyond its arguments and its result."""
    row = Once("memory", "k-means, peak memory beyond the result", "B", "", {}, {})
    return _filled(row, "memory", ("numpy", "quernel"), settings)


ONCE = {"first-call": first_call, "cached-call": cached_call, "import": imports, "memory": memory}


def _filled(
    row: Once, what: str, systems: tuple[str, ...], settings: Settings, cache: str | None = None
) -> Once:
    for system in systems:
        try:
            row.values[LABELS[system]] = _median(what, system, settings, cache)
        except Missing as problem:
            row.missing[LABELS[system]] = str(problem)
    return row


def _median(what: str, system: str, settings: Settings, cache: str | None) -> float:
    values: list[float] = []
    for _ in range(settings.runs):
        start = time.perf_counter()
        values.append(in_new_process(what, system, settings.points, cache))
        if time.perf_counter() - start > SLOW:
            break
    return statistics.median(values)


def in_new_process(what: str, system: str, points: int, cache: str | None = None) -> float:
    """One measurement of `probe.py` in its own process, with an empty cache unless one is given.

    Raises
    ------
    Missing
        Where the system can't do it.
    """
    with tempfile.TemporaryDirectory() as empty:
        caches = {"QUERNEL_CACHE_DIR": cache or empty, "TORCHINDUCTOR_CACHE_DIR": empty}
        command = [sys.executable, str(PROBE), what, system, str(points)]
        done = subprocess.run(
            command, env=os.environ | caches, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1])
    answer = json.loads(done.stdout.splitlines()[-1])
    if "reason" in answer:
        raise Missing(answer["reason"])
    return float(answer["value"])
