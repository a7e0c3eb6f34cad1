"""The command line that the suites share."""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import json
import os
import platform
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")


def parser(description: str) -> argparse.ArgumentParser:
    """The options that every suite has."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--root", type=Path, required=True, help="the suite's checkout")
    made.add_argument("--frameworks", default="", help="a,b,…; all that are installed")
    made.add_argument("--only", default="", help="programs: a,b,…")
    made.add_argument("--threads", default="", help="a,b,…: a table for so many; all cores")
    made.add_argument("--repeat", type=int, default=10, help="rounds")
    made.add_argument("--seconds", type=float, default=20.0, help="of rounds a program, 3 at least")
    made.add_argument("--timeout", type=float, default=120.0, help="of one call, compiled in it")
    made.add_argument("--json", type=Path, help="where to keep the numbers")
    made.add_argument("--check-only", action="store_true", help="compare, don't time")
    made.add_argument("--device", help="where Quernel's programs run, like cuda; the CPU")
    made.add_argument("--fallback", action="store_true", help="let parts run in NumPy, and say so")
    return made


def _compile_package() -> None:
    """Write Quernel's bytecode files, which users have: without them a first call takes longer."""
    spec = importlib.util.find_spec("quernel")
    for top in spec.submodule_search_locations if spec else ():
        for folder, _, _ in os.walk(top, followlinks=True):  # a build's folders are links
            compileall.compile_dir(folder, maxlevels=0, quiet=2)


def run(arguments: argparse.Namespace, cases: Callable[[argparse.Namespace], list[Any]]) -> int:
    """Run the programs of a suite and print a table for each number of threads.

    Returns
    -------
    int
        0 where all answers are right.
    """
    arguments.root = arguments.root.resolve()
    _compile_package()
    status, programs = 0, []
    for threads in _thread_counts(arguments.threads):
        # A process of its own for each: NumPy's BLAS reads its threads while it is loaded.
        with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
            wrong, rows = pool.submit(_measured, arguments, cases, threads).result()
        status |= wrong
        programs += rows
    if arguments.json:
        kept = {"settings": vars(arguments), "programs": programs}
        arguments.json.write_text(json.dumps(kept, indent=1, default=str))
    return status


def _thread_counts(text: str) -> list[int]:
    cores = len(os.sched_getaffinity(0))
    try:
        wanted = [int(item) for item in listed(text)] or [cores]
    except ValueError:
        raise SystemExit(f"--threads takes numbers, not {text!r}") from None
    return sorted({min(max(count, 1), cores) for count in wanted})


def _measured(
    arguments: argparse.Namespace,
    cases: Callable[[argparse.Namespace], list[Any]],
    threads: int,
) -> tuple[int, list[dict[str, Any]]]:
    """The table for one number of threads is printed; whether an answer is wrong, and the rows."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ |= {f"{pool}_NUM_THREADS": str(threads) for pool in POOLS}

    import numpy as np

    from .frameworks import LABELS, installed
    from .runner import measure
    from .table import as_json, correct, report

    found = installed()
    wanted = listed(arguments.frameworks) or found
    check_known(wanted, list(LABELS), "framework")
    frameworks = ["numpy", *(name for name in found if name in wanted and name != "numpy")]
    if arguments.check_only:
        frameworks = [name for name in frameworks if name in ("numpy", "quernel")]
    every = cases(arguments)
    only = listed(arguments.only)
    check_known(only, [case.name for case in every], "program")
    settings = _settings(arguments, frameworks)
    rows = []
    for case in every:
        if only and case.name not in only:
            continue
        row = measure(case, settings)
        print(f"{row.name}: {row.verdict() or 'correct'}", flush=True)
        rows.append(row)
    print(f"\n{platform.machine()}, {threads} threads, NumPy {np.__version__}\n")
    print(report(rows, frameworks), flush=True)
    is_wrong = "quernel" in frameworks and not all(map(correct, rows))
    return int(is_wrong), as_json(rows, threads)


def _settings(arguments: argparse.Namespace, frameworks: list[str]) -> Any:
    from .worker import Settings

    return Settings(
        tuple(frameworks[1:]),
        arguments.repeat,
        arguments.seconds,
        arguments.timeout,
        arguments.check_only,
        not arguments.fallback,
        arguments.device,
    )


def listed(text: str) -> list[str]:
    """The items of `a,b,…`."""
    return [item for item in text.split(",") if item]


def check_known(names: list[str], known: list[str], what: str) -> None:
    """End with what there is, where a name isn't among it."""
    for name in names:
        if name not in known:
            raise SystemExit(f"no {what} is called {name!r}; there are {', '.join(known)}")
