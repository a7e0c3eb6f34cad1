"""The command: `python -m fuzz` runs seeds, one kept file, or shrinks a program that fails."""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from .attributes import with_attributes
from .devices import DEVICES
from .judge import FAILURES, OUTCOMES, How, Outcome
from .pool import TIMEOUT, Pool
from .program import Program, read
from .sanitizer import COMPILERS
from .shrink import shrink
from .writer.generate import KINDS, program


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the status is 1 where something failed."""
    options = parsed(arguments)
    how = How(
        fullgraph=not options.fallback,
        warnings=options.warnings,
        again=options.again,
        sanitizer=options.sanitize,
        batch=options.batch,
        quick=options.quick,
        device=options.device,
        nvrtc=options.nvrtc,
    )
    jobs = 1 if options.run or options.shrink else options.jobs
    with Pool(jobs, options.timeout, how) as pool:
        if options.run:
            return run_files(pool, options.run, how)
        if options.shrink:
            return shrink_one(pool, options.shrink, replace(how, batch=1), options.out)
        return run_seeds(pool, options, how)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="FIRST:LAST, without the last")
    parser.add_argument("--kind", default="all", help=f"all, or some of {', '.join(KINDS)}")
    parser.add_argument(
        "--loops", action="store_const", dest="kind", const="nests", help="as --kind nests"
    )
    parser.add_argument("--slow", type=float, default=2.0, help="seconds of a slow first call")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    parser.add_argument("--out", type=Path, help="a folder for the programs that fail")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds a program")
    parser.add_argument("--fallback", action="store_true", help="parts may run in NumPy")
    parser.add_argument("--warnings", action="store_true", help="compare warnings too")
    parser.add_argument(
        "--attributes", action="store_true", help="variables are attributes of an object"
    )
    parser.add_argument("--again", action="store_true", help="once more from the disk cache")
    parser.add_argument(
        "--sanitize",
        nargs="?",
        const="g++",
        choices=sorted(COMPILERS),
        help="watch the emitted text by this compiler's sanitizers",
    )
    parser.add_argument(
        "--device", choices=DEVICES, help="a GPU of this machine, or the emulated one"
    )
    parser.add_argument(
        "--nvrtc",
        action="store_true",
        help="NVIDIA's NVRTC has to take what is emulated",
    )
    parser.add_argument("--quick", action="store_true", help="Clang doesn't optimise")
    parser.add_argument("--batch", type=int, default=How.batch, help="programs a process")
    parser.add_argument("--keep-refused", action="store_true", help="write refused programs too")
    parser.add_argument("--print", action="store_true", help="print the programs, run none")
    parser.add_argument("--shrink", metavar="KIND-SEED or FILE", help="make a failure smaller")
    parser.add_argument("--run", type=Path, nargs="+", metavar="FILE", help="run kept programs")
    options = parser.parse_args(arguments)
    options.kinds = list(KINDS) if options.kind == "all" else options.kind.split(",")
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}")
    first, _, last = options.seeds.partition(":")
    options.range = range(int(first), int(last) if last else int(first) + 1)
    return options


def programs(options: argparse.Namespace) -> Iterator[Program]:
    """The programs of seeds, the kinds in turn."""
    for seed in options.range:
        for kind in options.kinds:
            made = program(kind, seed)
            yield with_attributes(made, seed % 2 == 1) if options.attributes else made


def run_seeds(pool: Pool, options: argparse.Namespace, how: How) -> int:
    """Run many programs, write those that fail, print the table."""
    if options.print:
        for made in programs(options):
            print(made.file((made.name,)))
        return 0
    # Ended from outside, a long run still prints what it has.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    table: dict[str, Counter] = defaultdict(Counter)
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    first_calls: dict[str, float] = {}
    start = time.monotonic()
    try:
        for made, outcome in pool.run(programs(options), how):
            kind = made.name.rpartition("-")[0]
            table[kind][outcome.kind] += 1
            first_calls[made.name] = outcome.first_call
            if outcome.is_failure or outcome.kind in ("refused", "unstable"):
                reasons[outcome.kind, outcome.reason].append(made.name)
            if outcome.is_failure or (options.keep_refused and outcome.kind == "refused"):
                print(f"{made.name} {outcome.kind} {outcome.reason}", flush=True)
                keep(options.out, made, outcome)
            elif outcome.first_call > options.slow:
                print(f"{made.name} slow {outcome.first_call:.1f} s", flush=True)
                keep(options.out, made, replace(outcome, kind="slow"))
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        signal.signal(signal.SIGTERM, before)
    took = time.monotonic() - start
    text = f"{tabulated(table)}\n{histogram(reasons)}\n{timed(first_calls, options.slow)}"
    text += f"{len(first_calls)} programs in {took:.0f} s\n"
    print(text)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "summary.txt").write_text(text)
    return int(any(counts[name] for counts in table.values() for name in FAILURES))


def timed(first_calls: dict[str, float], slow: float) -> str:
    """The seconds of processors that first calls took, and those that took more than is asked."""
    if not first_calls:
        return ""
    above = sorted((x for x in first_calls.items() if x[1] > slow), key=lambda x: -x[1])
    named = ", ".join(f"{name} {seconds:.1f}" for name, seconds in above)
    half = median(first_calls.values())
    return f"first calls: median {half:.2f} s, {len(above)} above {slow:g} s [{named}]\n"


def keep(folder: Path | None, made: Program, outcome: Outcome) -> None:
    """Write a program as a file that `--run` and `--shrink` take."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        detail = outcome.detail.splitlines()[0] if outcome.detail else ""
        notes = (made.name, f"{outcome.kind}: {detail}")
        (folder / f"{outcome.kind}-{made.name}.py").write_text(made.file(notes))


def tabulated(table: dict[str, Counter]) -> str:
    """Kinds × outcomes, the outcomes that came at all."""
    total = sum(table.values(), Counter())
    columns = [name for name in OUTCOMES if total[name]]
    rows = [["kind", "programs", *columns]]
    for kind, counts in [*sorted(table.items()), ("all", total)]:
        rows.append([kind, str(counts.total()), *(str(counts[name]) for name in columns)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(lines)


def histogram(reasons: dict[tuple[str, str], list[str]]) -> str:
    """The commonest reasons of each outcome, with the first seeds."""
    lines = []
    for (kind, reason), names in sorted(reasons.items(), key=lambda x: (x[0][0], -len(x[1]))):
        lines.append(f"{len(names):6} {kind}: {reason}  [{', '.join(names[:4])}]")
    return "\n".join(lines)


def run_files(pool: Pool, paths: list[Path], how: How) -> int:
    """Run kept programs one after the other."""
    failed = False
    for path in paths:
        outcome = pool.one(read(path), how)
        failed |= outcome.is_failure
        print(f"{path.name}: {outcome.kind}\n    {outcome.detail}" if outcome.detail else
              f"{path.name}: {outcome.kind}", flush=True)  # fmt: skip
    return int(failed)


def shrink_one(pool: Pool, what: str, how: How, out: Path | None) -> int:
    """Make a program smaller while its outcome stays, and print it."""
    kind, _, seed = what.rpartition("-")
    made = program(kind, int(seed)) if kind in KINDS else read(Path(what))
    outcome, small = shrink(made, lambda candidate: pool.one(candidate, how))
    print(small.file((f"{made.name}, {outcome.kind}: {outcome.reason}",)))
    keep(out, small, outcome)
    return int(outcome.is_failure)
