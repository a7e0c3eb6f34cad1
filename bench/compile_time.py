"""`python bench/compile_time.py [FAMILY …] [--sizes 250,500]`: how compiling grows with a program.

Each family is a function of so many statements of one kind. Every measurement has a process of its
own; the times are those of the processor, in seconds: of the capture, of each stage of the
compiler, and of Clang with the linker.
"""

from __future__ import annotations

import argparse
import json
import linecache
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

VECTOR = np.linspace(0.5, 1.5, 4096)
MATRIX = np.linspace(0.1, 0.3, 16).reshape(4, 4)
STAGES = ("quernel", "kernels", "loops", "cpp")


def _nested(count: int) -> list[str]:
    lines = [f"{'    ' * k}for i{k} in range(n):" for k in range(count)]
    return [*lines, f"{'    ' * count}x[i{count - 1}] += 1.0"]


# By name: the statements, and the arguments.
FAMILIES: dict[str, tuple[Callable[[int], list[str]], dict[str, object]]] = {
    "elementwise": (lambda n: ["x = x + y"] * n, {"x": VECTOR, "y": VECTOR}),
    "sums": (lambda n: ["s = s + x.sum()", "x = x + s"] * (n // 2), {"x": VECTOR, "s": 0.5}),
    "means": (lambda n: ["x = x - x.mean()"] * n, {"x": VECTOR}),
    "totals": (  # the sum of each, one after the other
        lambda n: [f"s = s + (x * {k}.5).sum()" for k in range(n)],
        {"x": VECTOR, "s": 0.5},
    ),
    "parts": (lambda n: [f"y[{k}:] += x[{k}:]" for k in range(n)], {"x": VECTOR, "y": VECTOR}),
    "elements": (lambda n: [f"x[{k}] = x[{k + 1}] + 1" for k in range(n)], {"x": VECTOR}),
    "outer": (lambda n: ["x = np.sum(x[:, None] * x[None, :], axis=1)"] * n, {"x": VECTOR[:64]}),
    "products": (lambda n: ["x = x @ y"] * n, {"x": MATRIX, "y": MATRIX}),
    "nests": (_nested, {"x": VECTOR, "n": 2}),
    "scans": (lambda n: [f"x = np.cumsum(x, axis={k})" for k in range(n)], {}),
    "loops": (
        lambda n: [
            t for _ in range(n // 2) for t in ("for i in range(n):", "    x[i] = x[i] + 1.0")
        ],
        {"x": VECTOR, "n": 9},
    ),
    "branches": (
        lambda n: [t for k in range(n // 2) for t in (f"if x[{k}] > 1.0:", "    x = x + 1.0")],
        {"x": VECTOR},
    ),
    "wheres": (lambda n: ["x = np.where(x > 1.0, x, x * 2.0)"] * n, {"x": VECTOR}),
    "joins": (lambda n: ["x = np.concatenate([x[1:], x[:1]])"] * n, {"x": VECTOR}),
    "gathers": (lambda n: ["x = x[k]"] * n, {"x": VECTOR, "k": np.arange(4096)[::-1].copy()}),
    "stencils": (lambda n: ["x[1:-1] = (x[:-2] + x[2:]) * 0.5"] * n, {"x": VECTOR}),
    "norms": (lambda n: ["x = x / np.sqrt((x * x).sum())"] * n, {"x": VECTOR}),
    "softmaxes": (
        lambda n: (
            ["x = np.exp(x - x.max(axis=1, keepdims=True))", "x = x / x.sum(axis=1, keepdims=True)"]
            * (n // 2)
        ),
        {"x": VECTOR.reshape(64, 64)},
    ),
    "many": (
        lambda n: (
            [f"x{k} = x * {k}.0" for k in range(n)]
            + ["x = " + " + ".join(f"x{k}" for k in range(n))]
        ),
        {"x": VECTOR},
    ),
    "results": (
        lambda n: ["r = []", *[f"r.append(x * {k}.0)" for k in range(n)], "x = r"],
        {"x": VECTOR},
    ),
}


def function_of(family: str, count: int) -> tuple[Callable[..., object], list[object]]:
    """A function of so many statements of a family, and arguments for it."""
    statements, arguments = FAMILIES[family]
    arguments = dict(arguments)
    if family == "scans":
        arguments["x"] = np.ones((2,) * count)
    lines = [
        f"def f({', '.join(arguments)}):",
        *("    " + line for line in statements(count)),
        f"    return {', '.join(arguments)}",
        "",
    ]
    text = "\n".join(lines)
    place = f"<{family} {count}>"
    linecache.cache[place] = (len(text), None, [line + "\n" for line in lines], place)
    space: dict[str, object] = {"np": np}
    exec(compile(text, place, "exec"), space)
    return space["f"], [
        np.copy(value) if isinstance(value, np.ndarray) else value for value in arguments.values()
    ]


def measure(family: str, count: int, *, run: bool) -> dict[str, float]:
    """Seconds of each step, measured in this process."""
    import quernel as qn
    from quernel.cache.target import host_target
    from quernel.call.build import captured_call, compiled, compiler

    function, arguments = function_of("elementwise", 2)
    qn.compile(function, fullgraph=True)(
        *arguments
    )  # what the first compilation of a process takes more
    function, arguments = function_of(family, count)
    lowered = qn.compile(function, fullgraph=True).lower(*arguments)
    times = {}
    dispatcher, call = lowered._dispatcher, lowered._call
    before = time.process_time()
    captured = captured_call(dispatcher, call, call.signature(set(), shapes=False))
    times["capture"] = time.process_time() - before
    earlier = 0.0
    for stage in STAGES:
        before = time.process_time()
        target = host_target()
        compiler().lower(captured.graph, stage, target, dispatcher.options.compiler(target))
        taken = time.process_time() - before
        times[stage] = taken - earlier
        earlier = taken
    before = time.process_time()
    compiled(captured, dispatcher.options)
    times["clang"] = time.process_time() - before - earlier
    times["all"] = times["capture"] + earlier + times["clang"]
    if run:
        times |= running(function, arguments)
    return times


def running(function: Callable[..., object], arguments: list[object]) -> dict[str, float]:
    """Seconds of a call, compiled and in NumPy."""
    import quernel as qn

    face = qn.compile(function, fullgraph=True)
    times = {}
    for name, call in (("run", face), ("numpy", function)):
        call(*arguments)
        before = time.perf_counter()
        call(*arguments)
        times[name] = time.perf_counter() - before
    return times


def in_new_process(family: str, count: int, seconds: float, run: bool) -> dict[str, float] | str:
    """`measure` in a process of its own with an empty cache; what went wrong as text."""
    command = [sys.executable, __file__, family, "--one", str(count), *(["--run"] if run else [])]
    with tempfile.TemporaryDirectory() as empty:
        try:
            done = subprocess.run(
                command,
                env=os.environ | {"QUERNEL_CACHE_DIR": empty},
                capture_output=True,
                text=True,
                check=False,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return f"not done after {seconds:.0f} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Prints a line for each family and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--sizes", default="250,500,1000,2000")
    parser.add_argument("--seconds", type=float, default=120.0, help="the limit of one measurement")
    parser.add_argument("--run", action="store_true", help="time calls, too")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(measure(options.families[0], options.one, run=options.run)))
        return
    for family in options.families:
        for count in map(int, options.sizes.split(",")):
            times = in_new_process(family, count, options.seconds, options.run)
            if isinstance(times, str):
                print(f"{family:12} {count:5}  {times}", flush=True)
                break
            print(
                f"{family:12} {count:5} ",
                *(f"{name} {value:.3f}" for name, value in times.items()),
                flush=True,
            )


if __name__ == "__main__":
    main()
