"""The picture of a run: how many times faster than NumPy every system is, row by row."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from measure import Measured
from report import ratios_by_system
from systems import LABELS


def check_drawable() -> None:
    """End with what to install, where the drawing library is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise SystemExit(
            "--picture needs matplotlib, which this Python doesn't have; "
            "`make bench-peers` installs it, with the peers, into .venv-bench"
        )


def draw(rows: list[Measured], path: Path) -> None:
    """Bars on a logarithmic axis, one group a row and one colour a system."""
    from matplotlib.figure import Figure

    labels = [label for label in ratios_by_system(rows) if label != "NumPy"]
    width = 0.8 / max(len(labels), 1)
    figure = Figure(figsize=(3 + 0.6 * len(rows), 5), layout="constrained")
    axes = figure.add_subplot()
    for place, label in enumerate(labels):
        having = [(at, row.ratios()[label]) for at, row in enumerate(rows) if label in row.times]
        left = [at - 0.4 + (place + 0.5) * width for at, _ in having]
        beyond = [ratio - 1 for _, ratio in having]
        colour = f"C{list(LABELS.values()).index(label)}"
        axes.bar(left, beyond, width, bottom=1, color=colour, label=label)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}×")
    axes.margins(x=0.01)
    axes.set_ylabel("times faster than NumPy")
    axes.set_xticks(range(len(rows)), [row.name for row in rows], rotation=45, ha="right")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
