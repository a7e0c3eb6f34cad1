"""What is printed of a run, and what is kept of it as JSON."""

from __future__ import annotations

import os
import platform
import statistics
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measure import Measured
from once import Once
from suites.table import geomean
from systems import LABELS, versions
from timing import readable


def as_json(rows: list[Measured], once: list[Once], settings: dict[str, Any]) -> dict[str, Any]:
    """Everything that is known."""
    return {
        "machine": machine(),
        "versions": versions(),
        "settings": settings,
        "limits": limits(rows),
        "rows": [_row_as_json(row) for row in rows],
        "once": [asdict(row) for row in once],
        "geometric means": {
            label: {"over NumPy": geomean(ratios), "rows": len(ratios)}
            for label, ratios in ratios_by_system(rows).items()
        },
    }


def _row_as_json(row: Measured) -> dict[str, Any]:
    seconds, by = row.limit()
    derived = {"limit": seconds, "limited by": by, "ratios": row.ratios(), "shares": row.shares()}
    return {**asdict(row), **derived}


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line]
    return {
        "architecture": platform.machine(),
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def limits(rows: list[Measured]) -> dict[str, float]:
    """Medians over the rows: bytes a second of a copy, operations a second by precision."""
    found = {"copy": [row.limits.bandwidth for row in rows]}
    for row in rows:
        found.setdefault(f"product {row.precision}", []).append(row.limits.peak)
    return {name: statistics.median(values) for name, values in found.items() if values}


def ratios_by_system(rows: list[Measured]) -> dict[str, list[float]]:
    """How many times faster than NumPy each system is, in the rows that it has."""
    found: dict[str, list[float]] = {}
    for label in LABELS.values():
        ratios = [row.ratios()[label] for row in rows if label in row.times]
        if ratios:
            found[label] = ratios
    return found


def as_text(rows: list[Measured], once: list[Once]) -> str:
    """The head, the tables, and what the columns mean."""
    parts = [_head(rows)]
    if rows:
        parts += [_table(rows), _LEGEND]
    if once:
        parts.append(_once_table(once))
    return "\n\n".join(parts)


# The systems whose share of the limit is printed; the JSON has all.
SHARED = ("NumPy", "Quernel")
_LEGEND = """\
In brackets: how many times faster than NumPy; the mean is that of the rows which a system has.
The limit is the longer of two times: that of a copy by all cores which moves as many bytes as the
arguments and results have, and that of the floating-point operations at the best rate of a product
of matrices of the row's precision. Shares are the limit's time over the system's. Reading alone is
faster than copying, and caches are faster than both: a share can be above 100 %."""


def _head(rows: list[Measured]) -> str:
    here = machine()
    systems = ", ".join(f"{label} {version}" for label, version in versions().items())
    said = [f"{here['processor']}, {here['cores']} cores; {systems}"]
    rates = [
        f"{name} {rate / 1e9:.3g} {'GB/s' if name == 'copy' else 'GFLOP/s'}"
        for name, rate in limits(rows).items()
    ]
    return "\n".join([*said, *([", ".join(rates)] if rates else [])])


def _table(rows: list[Measured]) -> str:
    ratios = ratios_by_system(rows)
    shown = [label for label in SHARED if label in ratios]
    heads = ["what", *ratios, "limit", *(f"{label}'s share" for label in shown)]
    lines = [heads, ["---"] * len(heads), *(_cells(row, list(ratios), shown) for row in rows)]
    means = [f"{geomean(each):.3g}× ({len(each)})" for each in ratios.values()]
    lines.append(["geometric mean (rows)", *means, *[""] * (1 + len(shown))])
    return _markdown(lines)


def _cells(row: Measured, labels: list[str], shown: list[str]) -> list[str]:
    ratios, shares = row.ratios(), row.shares()
    seconds, by = row.limit()
    times = {label: readable(taken) for label, taken in row.times.items()}
    cells = {label: f"{times[label]} ({ratios[label]:.3g}×)" for label in times}
    cells["NumPy"] = times["NumPy"]
    return [
        row.what,
        *(cells.get(label, "") for label in labels),
        f"{readable(seconds)}, {by}",
        *(f"{shares[label]:.1%}" if label in shares else "" for label in shown),
    ]


def _once_table(once: list[Once]) -> str:
    labels = [label for label in LABELS.values() if any(label in row.values for row in once)]
    lines = [["what happens once", *labels, "goal"], ["---"] * (len(labels) + 2)]
    for row in once:
        cells = [_value(row, label) for label in labels]
        lines.append([row.what, *cells, row.goal])
    return _markdown(lines)


def _value(row: Once, label: str) -> str:
    if label not in row.values:
        return ""
    value = row.values[label]
    return readable(value) if row.unit == "s" else f"{value / 2**20:.2f} MiB"


def _markdown(lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
