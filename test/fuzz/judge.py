"""What becomes of a program: its calls in NumPy and compiled, and the worst that happens."""

from __future__ import annotations

import linecache
import os
import re
import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .arguments import make
from .attributes import INNER
from .devices import on_device, place_of
from .exactness import bound_of, disturbed, has_bits_of_host
from .oracle import Difference, Observed, differences, error_text, observe
from .program import Program
from .sanitizer import closed

# Outcomes of a run, as the table has them. "device" is an error of the device's. Those from
# "sanitizer" to "hang" are seen from outside the process.
OUTCOMES = tuple(
    "pass unstable refused wrong exception lost alias type warning "
    "device sanitizer crash hang internal".split()
)
FAILURES = OUTCOMES[3:]
MOST_LINES = 8000  # of a call, which keeps programs fast in NumPy


@dataclass(frozen=True)
class Outcome:
    """An outcome of OUTCOMES, what it is a case of (for histograms), what happened, and the seconds
    of processors that the first compiled call took."""

    kind: str
    reason: str = ""
    detail: str = ""
    first_call: float = 0.0

    @property
    def is_failure(self) -> bool:
        return self.kind in FAILURES

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class How:
    """How programs are run: with or without parts in NumPy, whether warnings are compared, whether
    each program runs once more from what the disk cache then has, and which compiler's sanitizers
    watch the emitted text, how many programs one process runs, whether Clang may not optimise, and
    on which device of `devices.DEVICES` they run, whose texts NVIDIA's NVRTC may have to take too.
    """

    fullgraph: bool = True
    warnings: bool = False
    again: bool = False
    sanitizer: str | None = None
    batch: int = 25
    quick: bool = False
    device: str | None = None
    nvrtc: bool = False


def judge(program: Program, how: How, folder: Path) -> Outcome:
    """Run a program's calls one after the other, up to the first that goes wrong."""
    function = function_of(program.text, folder / "program.py")
    took: list[float] = []
    outcome = judge_calls(program, function, how, took)
    if how.again and outcome.kind == "pass":
        outcome = judge_calls(program, function, how, took)
    return replace(outcome, first_call=took[0])


def judge_calls(
    program: Program, function: Callable[..., Any], how: How, took: list[float]
) -> Outcome:
    """Compile a function, and compare each of its program's calls with NumPy's."""
    import quernel as qn

    options = {"fullgraph": how.fullgraph, "dynamic": program.spec["dynamic"]}
    compiled = compiled_part(function, lambda part: qn.compile(part, **options))
    bound = bound_of(program.text, program.spec)
    on_host = replace(how, device=None)
    has_second = how.device and has_bits_of_host(program.text, program.spec)
    for place, call in enumerate(program.spec["calls"]):
        want = observe(function, make(program.spec, call))
        start = processor_seconds()
        try:
            try:
                got = observed(compiled, program, call, how)
            finally:
                took.append(processor_seconds() - start)
            second = observed(compiled, program, call, on_host) if has_second else None
        except qn.errors.DeviceError as error:
            return Outcome("device", general(str(error)), f"call {place}: {error}")
        except qn.errors.QuernelError as error:
            return refusal(error, place)
        found = differences(want, got, bound, how.warnings)
        if found and is_unstable(program, call, want, found[0], bound):
            return Outcome("unstable", "", f"call {place}: {found[0].text}")
        if second is not None and not found:
            found = differences(second, got, 0.0, False)
        if found:
            reason = general(found[0].text)
            return Outcome(found[0].kind, reason, f"call {place}: {found[0].text}")
    return Outcome("pass")


def processor_seconds() -> float:
    """What this process and the processes that it has waited for have used of processors."""
    return sum(os.times()[:4])


def observed(compiled: Callable[..., Any], program: Program, call: dict, how: How) -> Observed:
    """What a compiled function does in a call, on the device that is asked for."""
    arguments = make(program.spec, call)
    if how.device:
        compiled = on_device(compiled, arguments, place_of(call))
    with closed(arguments) if how.sanitizer else nullcontext():
        return observe(compiled, arguments)


def compiled_part(function: Callable[..., Any], how: Callable[..., Any]) -> Callable[..., Any]:
    """A function compiled, or that with the compiled function that it calls."""
    names = function.__globals__
    if INNER not in names:
        return how(function)
    names = {**names, INNER: how(names[INNER])}
    return types.FunctionType(function.__code__, names, function.__name__)


def function_of(text: str, path: Path) -> Callable[..., Any]:
    """The function that a text defines; its file is there to be read."""
    path.write_text(text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, str(path), "exec"), names)
    return names["compute"]


def refusal(error: Any, place: int) -> Outcome:
    """A construct that isn't supported, or the compiler's own failure."""
    reason = getattr(error, "reason", str(error))
    is_own_fault = getattr(error, "hint", "please report this") == "please report this"
    return Outcome(
        "internal" if is_own_fault else "refused", general(reason), f"call {place}: {error}"
    )


def general(text: str) -> str:
    """A reason without the names and numbers of its program, so that like reasons are one."""
    text = " ".join(text.split())
    if values := re.fullmatch(
        r"((?:result|argument)[^:]*: )(\w+)(\[| ).* in NumPy, (\w+)(\[| ).* compiled", text
    ):
        text = f"{values[1]}{values[2]} in NumPy, {values[4]} compiled"
        return re.sub(r"\[[\d, ]*\]|argument \d+", "[…]", text)
    text = re.sub(r"\(among [^)]*\)", "(among …)", text)
    text = re.sub(r"\b(u?int|float|complex)\d*\b|\bbool\b", "dtype", text)
    text = re.sub(r"`[^`]*`|'[^']*'", lambda m: m[0] if "." in m[0] else "`…`", text)
    return re.sub(r"-?\d+(\.\d+)?", "#", text)[:110]


def is_unstable(
    program: Program, call: dict, want: Observed, difference: Difference, bound: float | None
) -> bool:
    """Whether NumPy itself does otherwise once what nobody promises is a little off."""
    if difference.kind in ("alias", "type"):
        return False
    for seed in range(4):
        moved = observe(disturbed(program.text, program.spec, seed), make(program.spec, call))
        for found in differences(want, moved, bound, False):
            if found.kind in ("wrong", "exception", "lost"):
                return True
    return False


class TooLongError(BaseException):
    """A program runs through too many lines; nothing of the program's own catches this."""


def errors_in_numpy(program: Program, most_lines: int = MOST_LINES) -> list[str]:
    """The exceptions that end the calls of a program in NumPy, or "no exception".

    Raises
    ------
    TooLongError
        Where a call runs through more lines; the same on any machine, as no clock would be.
    """
    names: dict[str, Any] = {}
    exec(compile(program.text, "<program>", "exec"), names)
    errors = []
    for call in program.spec["calls"]:
        left = most_lines

        def count(frame: Any, event: str, _: Any) -> Any:
            nonlocal left
            if frame.f_code.co_filename != "<program>":
                return None
            left -= event == "line"
            if left < 0:
                raise TooLongError
            return count

        arguments, before = make(program.spec, call), sys.gettrace()
        sys.settrace(count)
        try:
            seen = observe(names["compute"], arguments)
        finally:
            sys.settrace(before)
        errors.append(error_text(seen.error))
    return errors
