"""`python bench/run.py`: Quernel beside NumPy and every installed peer, in one run.

Times of calls are medians of interleaved rounds in this process, in which a copy and a product of
matrices take part: they say how fast the machine is. What happens once (a first call, an import) is
the median over new processes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import measure
import once
from limits import Yardsticks
from picture import check_drawable, draw
from report import as_json, as_text
from rows import ROWS
from suites.command import check_known, listed
from systems import LABELS, installed

# Elements of the copy and rows of the matrices; points of the k-means of which the first call is.
FULL, QUICK = (10_000_000, 1024), (1_000_000, 512)
POINTS, FEW_POINTS = 2_000_000, 20_000


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--only", default="", help="rows: a,b,…")
    made.add_argument("--frameworks", default="", help="a,b,…; all that are installed")
    made.add_argument("--rounds", type=_count, default=7, help="of every row")
    made.add_argument("--runs", type=_count, default=5, help="processes, for what happens once")
    made.add_argument("--quick", action="store_true", help="small sizes: does everything work?")
    made.add_argument("--json", type=Path, help="where to keep everything")
    made.add_argument("--picture", type=Path, help="where to draw it: FILE.svg, .png or .pdf")
    return made


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of times")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Measure what the options ask for, print it and keep it; 0 where Quernel has every row."""
    only, wanted = listed(options.only), listed(options.frameworks)
    check_known(only, [*(row.name for row in ROWS), *once.ONCE], "row")
    check_known(wanted, [name for name in LABELS if name != "numpy"], "framework")
    if options.picture:
        check_drawable()
    systems = tuple(wanted or installed())
    points = FEW_POINTS if options.quick else POINTS
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what a peer leaves in the current folder isn't kept
        rows = _steady(only, measure.Settings(systems, options.rounds, options.quick))
        firsts = _once(only, once.Settings(systems, points, options.runs))
        os.chdir(here)
    print(as_text(rows, firsts))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        kept = as_json(rows, firsts, vars(options))
        options.json.write_text(json.dumps(kept, indent=1, default=str))
        print(f"\neverything: {options.json}")
    if options.picture:
        draw(rows, options.picture)
        print(f"the picture: {options.picture}")
    return 0 if all(LABELS["quernel"] not in row.missing for row in rows) else 1


def _steady(only: list[str], settings: measure.Settings) -> list[measure.Measured]:
    yardsticks = Yardsticks(*(QUICK if settings.quick else FULL))
    measured = []
    for row in ROWS:
        if not only or row.name in only:
            print(row.name, file=sys.stderr, flush=True)
            measured.append(measure.measure(row, settings, yardsticks))
    return measured


def _once(only: list[str], settings: once.Settings) -> list[once.Once]:
    chosen = [name for name in once.ONCE if not only or name in only]
    return [once.ONCE[name](settings) for name in chosen]


if __name__ == "__main__":
    raise SystemExit(run(parser().parse_args()))
