"""`python bench/functions.py`: the calls of docs/coverage.md for arrays of a million elements.

Each call is timed in NumPy and compiled, by turns, and the table has those that are slower than in
NumPy, twice, with the reason. Calls that take NumPy longer than a second, or less than ten
microseconds, are left out. With `--write` the table becomes docs/slower.md.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from slower import reason

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))

COUNT = 1_000_000
LONGEST, SHORTEST = 1.0, 10e-6  # seconds in NumPy
PATIENCE = 20  # seconds for all of a call, in a process of its own


UNIT = re.compile(r"np\.(a|arc)(sin|cos|tanh)\(|logit")  # functions of numbers from 0 to 1


def arguments(dtype: str, scale: int = 1) -> list[Any]:
    """What the names in `compatibility/cases.py` stand for, with more elements."""
    random = np.random.default_rng(0)
    fraction = random.random if np.dtype(dtype).kind == "f" else np.zeros

    def made(*shape: int) -> np.ndarray:
        return ((random.integers(1, 8, shape) + fraction(shape)) / scale).astype(dtype)

    side = math.isqrt(COUNT)
    square = (made(100, 100) + 9 * np.eye(100)).astype(dtype)
    positive = (square @ square.T).astype(dtype)
    places = [random.integers(0, 4, COUNT) for _ in range(2)]
    arrays = [made(COUNT), made(COUNT), made(side, side), square, positive]
    return [*arrays, square.reshape(10, 10, 10, 10), *places, random.random(COUNT) > 0.5]


def best(call: Callable[..., object], given: list[Any], rounds: int) -> float:
    """The seconds of the fastest of some calls."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call(*given)
        times.append(time.perf_counter() - start)
    return min(times)


def measure(expression: str, dtype: str) -> tuple[float, float] | None:
    """The seconds in NumPy and compiled; None where the call isn't compared."""
    from compatibility.judge import PARAMETERS, PRELUDE
    from fuzz.judge import function_of

    import quernel as qn

    warnings.simplefilter("ignore")
    text = f"{PRELUDE}def compute({PARAMETERS}):\n    return {expression}\n"
    function = function_of(text, Path(tempfile.mkdtemp()) / "call.py")
    compiled, given = (
        qn.compile(function, fullgraph=True),
        arguments(dtype, 8 if UNIT.search(text) else 1),
    )
    try:
        first = best(function, given, 1)
        compiled(*given)
    except Exception:  # NumPy takes no such dtype, or memory is out; coverage.md has refusals
        return None
    if first > LONGEST:
        return None
    turns = [(best(function, given, 3), best(compiled, given, 3)) for _ in range(5)]
    seconds = [min(of) for of in zip(*turns, strict=True)]
    return None if seconds[0] < SHORTEST else (seconds[0], seconds[1])


def _answer(queue: Any, expression: str, dtype: str) -> None:
    queue.put(measure(expression, dtype))


def measure_apart(expression: str, dtype: str) -> tuple[float, float] | None:
    """The same in a process that may take too long, or too much memory."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_answer, args=(queue, expression, dtype))
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return queue.get() if process.exitcode == 0 else None


def expressions(names: list[str]) -> list[str]:
    """The calls whose answers NumPy promises; of vectors, no products of each with each."""
    from compatibility.cases import CASES

    chosen = [
        case
        for case in CASES
        if case.called and case.compared and (not names or case.name in names)
    ]
    return [text for case in chosen for text in case.expressions if ".outer(" not in text]


def ratio_of(expression: str, dtype: str, below: float) -> tuple[float, float, float] | None:
    """How many times as fast a call is, and the seconds; measured once more where that is low."""
    found = measure_apart(expression, dtype)
    if found is not None and found[0] / found[1] < below:
        again = measure_apart(expression, dtype) or found
        found = max(found, again, key=lambda seconds: seconds[0] / seconds[1])
    return None if found is None else (found[0] / found[1], *found)


DOCUMENT = ROOT / "docs" / "slower.md"
HEAD = """# What is slower than in NumPy

Of the calls of [coverage.md](coverage.md), for arrays of a million elements, these take longer
compiled than in NumPy, or in SciPy, on two cores. The table is written by
`python bench/functions.py --write`; `bench/slower.py` has the reasons.

"""


def main() -> None:
    """Print each call that is slower, why, and how many were compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of functions, as in the document; all of them")
    parser.add_argument("--dtypes", default="float64,int64")
    parser.add_argument("--below", type=float, default=0.95, help="which ratios are printed")
    parser.add_argument("--write", action="store_true", help="the table to docs/slower.md")
    chosen = parser.parse_args()
    ratios, lines = [], ["| call | dtype | NumPy | compiled | ratio | why |", "|---" * 6 + "|"]
    print(*lines, sep="\n", flush=True)
    for expression in expressions(chosen.names):
        for dtype in chosen.dtypes.split(","):
            found = ratio_of(expression, dtype, chosen.below)
            if found is None:
                continue
            ratio, *seconds = found
            ratios.append(ratio)
            if ratio < chosen.below:
                times = " | ".join(f"{1e3 * time:.3f} ms" for time in seconds)
                parts = f"`{expression}`", dtype, times, f"{ratio:.2f}", reason(expression)
                lines.append(f"| {' | '.join(parts)} |")
                print(lines[-1], flush=True)
    if not ratios:
        raise SystemExit("no call was compared")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    slower = len(lines) - 2
    total = f"{len(ratios)} calls, {mean:.2f} times as fast; {slower} below {chosen.below}"
    print(f"\n{total}")
    if chosen.write:
        DOCUMENT.write_text(HEAD + "\n".join(lines) + f"\n\n{total}\n")


if __name__ == "__main__":
    main()
