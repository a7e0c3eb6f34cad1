"""`python bench/functions.py`: the calls of docs/coverage.md for arrays of a million elements.

Each call is timed in NumPy and compiled, by turns, and the table has those that are slower than in
NumPy. Calls that take NumPy longer than a second, or less than ten microseconds, are left out.
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

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))

COUNT = 1_000_000
LONGEST, SHORTEST = 1.0, 10e-6  # seconds in NumPy
PATIENCE = 20  # seconds for all of a call, in a process of its own


UNIT = re.compile(r"np\.(a|arc)(sin|cos|tanh)\(")  # functions of numbers between -1 and 1


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


def main() -> None:
    """Print each call that is slower, and how many were compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of functions, as in the document; all of them")
    parser.add_argument("--dtypes", default="float64,int64")
    parser.add_argument("--below", type=float, default=1.0, help="which ratios are printed")
    chosen = parser.parse_args()
    ratios = []
    print("| call | dtype | NumPy | compiled | ratio |\n|---|---|---|---|---|")
    for expression in expressions(chosen.names):
        for dtype in chosen.dtypes.split(","):
            found = measure_apart(expression, dtype)
            if found is None:
                continue
            ratios.append(found[0] / found[1])
            if ratios[-1] < chosen.below:
                times = " | ".join(f"{1e3 * seconds:.3f} ms" for seconds in found)
                print(f"| `{expression}` | {dtype} | {times} | {ratios[-1]:.2f} |", flush=True)
    if not ratios:
        raise SystemExit("no call was compared")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    slower = sum(ratio < chosen.below for ratio in ratios)
    print(f"\n{len(ratios)} calls, {mean:.2f} times as fast; {slower} below {chosen.below}")


if __name__ == "__main__":
    main()
