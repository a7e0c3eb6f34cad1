"""`python bench/run.py`: Quernel beside NumPy and every installed peer, in one table.

Steady times are medians of interleaved rounds in this process. What happens once (a first call, an
import) is the median over new processes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import peers
import programs
import quernel as qn
from timing import interleaved, per_call, readable

PROBE = Path(__file__).with_name("probe.py")
LABELS = {"quernel": "Quernel", **peers.LABELS}
Timer = Callable[..., dict[str, float]]
Row = tuple[str, dict[str, float], str]


def steady(program: str, *arrays: np.ndarray, timer: Timer) -> dict[str, float]:
    """Times of one program in NumPy, Quernel and the peers, its results compared first."""
    plain = programs.over(np)[program]
    compiled = qn.compile(plain, fullgraph=True)
    expected = plain(*arrays)
    np.testing.assert_array_equal(compiled(*arrays), expected)
    others = peers.candidates(program, *arrays)
    for call in others.values():
        np.testing.assert_allclose(np.asarray(call()), expected, rtol=1e-12)
    calls: dict[str, Callable[[], object]] = {
        "NumPy": lambda: plain(*arrays),
        "Quernel": lambda: compiled(*arrays),
    }
    return timer(calls | others)


def in_new_process(what: str, peer: str, points: int, cache: str | None = None) -> float:
    """One measurement of `probe.py` in its own process, with an empty cache unless one is given."""
    with tempfile.TemporaryDirectory() as empty:
        caches = {"QUERNEL_CACHE_DIR": cache or empty, "TORCHINDUCTOR_CACHE_DIR": empty}
        command = [sys.executable, str(PROBE), what, peer, str(points)]
        done = subprocess.run(
            command, env=os.environ | caches, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def median_of_processes(
    what: str, peer: str, points: int, runs: int, cache: str | None = None
) -> float:
    """The median of `in_new_process` over several runs."""
    return statistics.median(in_new_process(what, peer, points, cache) for _ in range(runs))


def first_calls(points: int, runs: int) -> list[Row]:
    """First calls in new processes: with nothing cached, and with a filled disk cache."""
    cold = {
        LABELS[name]: median_of_processes(
            "first-call", name, points, 1 if name == "torch" else runs
        )
        for name in ("quernel", *peers.installed())
    }
    with tempfile.TemporaryDirectory() as cache:
        in_new_process("first-call", "quernel", points, cache)
        warm = {"Quernel": median_of_processes("first-call", "quernel", points, runs, cache)}
    return [
        ("k-means, first call, nothing cached", cold, "≤ 100 ms"),
        ("k-means, first call in a new process, disk cache", warm, "≤ 10 ms"),
    ]


def imports(runs: int) -> Row:
    """What the import takes when NumPy is there already."""
    names = ("quernel", *peers.installed())
    times = {LABELS[name]: median_of_processes("import", name, 0, runs) for name in names}
    return ("import, beyond NumPy's", times, "≤ 60 ms")


def copies(source: np.ndarray) -> dict[str, Callable[[], object]]:
    """Copies of an array by NumPy, with one thread and with one for each core."""
    target = np.empty_like(source)
    cores = len(os.sched_getaffinity(0))
    parts = list(zip(np.array_split(target, cores), np.array_split(source, cores), strict=True))
    pool = ThreadPoolExecutor(cores)
    return {
        "copy": lambda: np.copyto(target, source),
        "parallel copy": lambda: list(pool.map(np.copyto, *zip(*parts, strict=True))),
    }


def chain(elements: int) -> tuple[Row, str]:
    """Ten elementwise operations beside the fastest copy of the same array."""
    a = np.random.default_rng(0).standard_normal(elements)
    copying = copies(a)

    def timer(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
        return interleaved({**copying, **calls}, rounds=25)

    times = steady("chain", a, timer=timer)
    copy = min(times.pop(name) for name in copying)
    bandwidth = 2 * a.nbytes / copy / 1e9
    share = copy / times["Quernel"]
    note = f"copy: {readable(copy)}, {bandwidth:.1f} GB/s; the chain reaches {share:.0%} of it"
    return (f"ten operations on {elements:,} float64", times, "≥ 90 % of a copy"), note


def table(rows: list[Row]) -> str:
    """The rows in Markdown, each time with its ratio to Quernel's."""
    systems = list(dict.fromkeys(name for _, times, _ in rows for name in times))
    lines = ["| what | " + " | ".join(systems) + " | goal |", "|---" * (len(systems) + 2) + "|"]
    for what, times, goal in rows:
        cells = []
        for name in systems:
            if name not in times:
                cells.append("")
            elif name == "Quernel":
                cells.append(f"**{readable(times[name])}**")
            else:
                cells.append(f"{readable(times[name])} ({times[name] / times['Quernel']:.3g}×)")
        lines.append(f"| {what} | " + " | ".join(cells) + f" | {goal} |")
    return "\n".join(lines)


def main() -> None:
    """Measures everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=2_000_000, help="points of the k-means")
    parser.add_argument("--elements", type=int, default=10_000_000, help="elements of the chain")
    parser.add_argument("--runs", type=int, default=5, help="new processes for what happens once")
    arguments = parser.parse_args()

    X, means = programs.kmeans_data(arguments.points)
    a, b, c = np.random.default_rng(0).standard_normal((3, 16))
    rows: list[Row] = [
        (
            f"k-means, {arguments.points:,}×2 float64, 4 means",
            steady("kmeans", X, means, timer=interleaved),
            "NumPy ≥ 60×",
        ),
        *first_calls(arguments.points, arguments.runs),
        imports(arguments.runs),
        ("a*b+c on 16 float64", steady("multiply_add", a, b, c, timer=per_call), "≤ 1 µs"),
    ]
    row, note = chain(arguments.elements)
    rows.append(row)
    memory = {
        name: in_new_process("memory", name, arguments.points) for name in ("numpy", "quernel")
    }

    cores = len(os.sched_getaffinity(0))
    print(f"{platform.machine()}, {cores} cores, NumPy {np.__version__}\n")
    print(table(rows))
    print(f"\nIn brackets: how many times Quernel's.\n{note}")
    print(
        "peak memory of the k-means beyond its inputs and result: "
        + ", ".join(f"{name} {size / 2**20:.2f} MiB" for name, size in memory.items())
    )


if __name__ == "__main__":
    main()
