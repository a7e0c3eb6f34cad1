"""How a call runs: kernels, library calls, what is left to NumPy, copies, guards."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..arguments.calls import Call
from ..arguments.leaf_kinds import guard_texts
from ..call.builder import builder
from ..call.fallback import Fallback, fallback_of
from ..call.stage_times import StageTimes
from ..errors import UnsupportedError
from ..signals import let_out


@dataclass(frozen=True)
class Kernel:
    """One loop over memory.

    Attributes
    ----------
    bytes_read, bytes_written, flops : int
        What one run of the kernel moves, and its operations, as its loops say.
    assumed : int
        The loops of it whose number of turns isn't known; each counts as 1024.
    turns : int or None
        How often a call runs it; None where that isn't known.
    decisions : list of str
        What was stored that wouldn't have to be, with the two costs that were compared, and which
        loops became one.
    """

    name: str
    source: str
    lines: list[str]
    ops: list[str]
    bytes_read: int
    bytes_written: int
    flops: int
    parallel: bool
    assumed: int = 0
    turns: int | None = 1
    decisions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Timing:
    """How a program was made ready.

    Attributes
    ----------
    what : str
        Which program, and whether it was compiled or found on disk.
    seconds : dict of float
        By stages, in their order; what a later process finds on disk has a load alone.
    """

    what: str
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        """All stages together, in seconds."""
        return sum(self.seconds.values())


@dataclass(frozen=True)
class Report:
    """How one kind of call runs."""

    name: str
    kernels: list[Kernel] = field(default_factory=list)
    library_calls: list[Any] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    copies: list[Any] = field(default_factory=list)
    temporaries: list[Any] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    times: list[Timing] = field(default_factory=list)

    def __str__(self) -> str:
        from .text import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from .text import report_html

        return report_html(self)

    def save(self, path: str) -> None:
        """Write the report as a page of HTML."""
        from .text import report_page

        with open(path, "w", encoding="utf-8") as file:
            file.write(report_page(self))


def explain(dispatcher: Any, args: tuple, kwargs: dict[str, Any]) -> Report:
    """The report of a call, which is compiled for it and not carried out."""
    build = builder()
    name = dispatcher.plain.__name__
    times = StageTimes()
    try:
        call = dispatcher.call_of(args, kwargs)
        known = dispatcher.answering(call)
        generic = call.signature(set(), shapes=False)
        with _same_symbols(dispatcher, known, call):
            captured, _ = build.timed_capture(dispatcher, call, generic, times)
        made = build.compiled(captured, dispatcher.options)
        times.add(made.times)
    except UnsupportedError as error:
        return _partly(dispatcher, error)
    except Exception as error:
        let_out(error)
        # The call itself may end so, or run in NumPy; only carrying it out would tell.
        kind = next(kind for kind in type(error).__mro__ if not _is_own(kind))
        reason = f"the function can't be captured: {kind.__name__}: {error}"
        return Report(name, fallbacks=[fallback_of(UnsupportedError(reason), dispatcher.plain)])
    manifest = json.loads(made.manifest)
    return Report(
        name,
        **_sections(manifest, made.source),
        copies=[*manifest.get("copies", []), *_conversions(call)],
        guards=_guards(captured, call),
        answers=_answers(known),
        notes=captured.notes,
        times=_timings(known or dispatcher.program_of(call), times),
    )


@contextlib.contextmanager
def _same_symbols(dispatcher: Any, program: Any, call: Call) -> Iterator[None]:
    """While a capture has symbols for the same sizes as the program that answers the call."""
    if program is not None:
        pairs = zip(call.parameters, program.entry["parameters"], strict=True)
        stored = [place for leaf, pattern in pairs for place, _ in leaf.kind.stored(leaf, pattern)]
        dispatcher.forced = {place for place in stored if type(place) is tuple}
    try:
        yield
    finally:
        dispatcher.forced = None


def _answers(program: Any) -> list[str]:
    """Which program answers a call, and why it was made."""
    if program is None:
        return ["one that the call will compile"]
    told = program.told()
    return [f"the program for {told['for']}", f"made for: {told['why']}"]


def _timings(program: Any, times: StageTimes) -> list[Timing]:
    """How the program of a call was made ready, and how the report's own was, if that says more."""
    if program is not None and program.times.is_compiled:
        return [_timing("compiled", program.times)]
    own = _timing("compiled for this report", times)
    return [own] if program is None else [_timing("loaded from disk", program.times), own]


def _timing(what: str, times: StageTimes) -> Timing:
    return Timing(what, dict(times.seconds))


def _with_parts(part: Any) -> Iterator[Any]:
    yield part
    for inner in part.parts():
        yield from _with_parts(inner)


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]


def _sections(manifest: dict[str, Any], source: str) -> dict[str, list]:
    return {
        "kernels": [_kernel(row, source) for row in manifest.get("kernels", [])],
        "library_calls": manifest.get("library_calls", []),
        "temporaries": manifest.get("temporaries", []),
    }


def _partly(dispatcher: Any, error: UnsupportedError) -> Report:
    """The report of a call that isn't compiled whole: its parts, as far as calls have made them."""
    report = Report(dispatcher.plain.__name__, fallbacks=[fallback_of(error, dispatcher.plain)])
    split = dispatcher.split_around(error)
    if split is None:
        return report
    parts = [inner for part in split.parts for inner in _with_parts(part)]
    for part in parts:
        report.fallbacks.extend(part.fallbacks)
        for program in part.programs.values():
            manifest = json.loads(program.manifest)
            for name, rows in _sections(manifest, program.source or "").items():
                getattr(report, name).extend(rows)
            report.copies.extend(manifest.get("copies", []))
            origin = "compiled" if program.times.is_compiled else "loaded from disk"
            report.times.append(_timing(f"a part of it, {origin}", program.times))
    if not any(part.programs for part in parts):
        report.notes.append("the statements around it are compiled when the function is called")
    return report


def _kernel(row: dict[str, Any], source: str) -> Kernel:
    names = ("bytes_read", "bytes_written", "flops", "assumed", "turns")
    fields = {name: row[name] for name in names}
    return Kernel(
        name=row["name"],
        source=kernel_text(source, row["name"]),
        lines=row.get("lines", []),
        ops=row.get("ops", []),
        parallel=bool(row.get("parallel")),
        decisions=row.get("decisions", []),
        **fields,
    )


def kernel_text(source: str, name: str) -> str:
    """The loop of a kernel in C++ text: what threads share is a function of its own."""
    whole = function_text(source, name)
    parts = re.findall(rf"\b{re.escape(name)}_range\w*(?=\()", whole)
    return "\n".join(function_text(source, part) for part in parts) or whole


def function_text(source: str, name: str) -> str:
    """The definition of a function in C++ text, with the comment before it."""
    match = re.search(rf"^[^\n;]*\b{re.escape(name)}\([^;{{]*\{{", source, re.MULTILINE)
    if match is None:
        return ""
    start = match.start()
    while True:  # comment lines belong to it
        above = source.rfind("\n", 0, max(start - 1, 0)) + 1
        if start == 0 or not source[above:start].lstrip().startswith("//"):
            break
        start = above
    depth, position = 1, match.end()
    while depth and position < len(source):
        depth += {"{": 1, "}": -1}.get(source[position], 0)
        position += 1
    return source[start:position] + "\n"


def _conversions(call: Call) -> list[str]:
    whys = [(leaf, "unaligned or byte-swapped") for leaf in call.copies]
    whys += [(leaf, "a long list") for leaf in call.converted if leaf not in call.copies]
    return [f"`{leaf.path}` is {why}: converted" for leaf, why in whys]


def _guards(captured: Any, call: Call) -> list[str]:
    pairs = zip(captured.parameters, call.parameters, strict=True)
    texts = [guard_texts(pattern, leaf.path) for pattern, leaf in pairs]
    texts += [guard_texts(pattern, read.label) for read, pattern in captured.reads]
    return sum(texts, [])
