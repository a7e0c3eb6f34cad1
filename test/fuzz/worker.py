"""A process that runs programs: reads one a line, as JSON, and answers with its outcome.

It hands them to a child, which is forked for a few programs, so that a crash ends nothing else. A
hang is ended by the child's alarm. What fails in a child that has run others before is run again in
a new child: if it doesn't fail there in the same way, the outcome says which others came before.
Each program has a folder of its own, with an empty disk cache.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from . import sanitizer
from .judge import How, Outcome, general, judge
from .program import Program


def main() -> None:
    os.nice(10)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # What programs need is imported once, before the forks.
    for module in pkgutil.walk_packages(importlib.import_module("quernel").__path__, "quernel."):
        importlib.import_module(module.name)
    with tempfile.TemporaryDirectory() as folder:
        children = Children(Path(folder))
        for line in sys.stdin:
            answers.write(json.dumps(children.outcome(json.loads(line)).as_dict()) + "\n")
            answers.flush()


class Children:
    """The child that runs programs now, and those that follow it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.child: Child | None = None

    def outcome(self, request: dict) -> Outcome:
        """The outcome of a request."""
        if self.child is None or len(self.child.ran) >= request["how"]["batch"]:
            self.renew()
        before = list(self.child.ran)
        found = self.ask(request)
        if not found.is_failure or not before:
            return found
        self.renew()
        alone = self.ask(request)
        if alone.kind == found.kind:
            return alone
        note = f"{found.detail}\nBy itself: {alone.kind}. It came after {', '.join(before)}."
        return replace(found, reason=f"{found.reason} (after others)", detail=note)

    def ask(self, request: dict) -> Outcome:
        """The outcome of a request in the child, which may end."""
        found = self.child.outcome(request)
        if self.child.status is not None:
            self.child = None
        return found

    def renew(self) -> None:
        """A new child instead of the one that there is."""
        if self.child is not None:
            self.child.end()
        self.child = Child(Path(tempfile.mkdtemp(dir=self.folder)))


class Child:
    """A forked process that runs programs one after the other, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ran: list[str] = []
        self.status: int | None = None
        read_request, write_request = os.pipe()
        read_answer, write_answer = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(write_request)
            os.close(read_answer)
            run(os.fdopen(read_request), os.fdopen(write_answer, "w"), folder)
            os._exit(0)
        os.close(read_request)
        os.close(write_answer)
        self.requests, self.answers = os.fdopen(write_request, "w"), os.fdopen(read_answer)

    def outcome(self, request: dict) -> Outcome:
        """The outcome of a request, which may be that the process ends."""
        self.ran.append(request["name"])
        with contextlib.suppress(BrokenPipeError):
            self.requests.write(json.dumps(request) + "\n")
            self.requests.flush()
        if line := self.answers.readline():
            return Outcome(**json.loads(line))
        is_watched = request["how"]["sanitizer"]
        found = sanitizer.finding(self.folder) if is_watched else None
        said = sanitizer.said(self.folder)[:500] if is_watched else ""
        self.end()
        if found:
            return Outcome("sanitizer", general(found[0]), found[1])
        if self.status == -signal.SIGALRM:
            return Outcome("hang", "", f"no end within {request['timeout']} s")
        status = self.status
        name = signal.Signals(-status).name if status < 0 else f"exit {status}"
        return Outcome("crash", name, f"{name}\n{said}".strip())

    def end(self) -> None:
        """Wait for the end of a process that gets no more requests."""
        with contextlib.suppress(BrokenPipeError):
            self.requests.close()
        self.answers.close()
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        shutil.rmtree(self.folder, ignore_errors=True)


def run(requests: TextIO, answers: TextIO, folder: Path) -> None:
    """What a child does."""
    for number, line in enumerate(requests):
        request = json.loads(line)
        signal.alarm(request["timeout"])
        how, place = How(**request["how"]), folder / str(number)
        if number == 0:
            prepare(how, folder)
        place.mkdir()
        os.environ["QUERNEL_CACHE_DIR"] = str(place / "cache")
        outcome = outcome_of(Program(request["name"], request["text"], request["spec"]), how, place)
        signal.alarm(0)
        shutil.rmtree(place, ignore_errors=True)
        answers.write(json.dumps(outcome.as_dict()) + "\n")
        answers.flush()


def prepare(how: How, folder: Path) -> None:
    """Have this process compile as `how` says."""
    from quernel.options import Options

    if how.sanitizer:
        sanitizer.install(how.sanitizer, folder)
    if how.sanitizer or how.quick:
        compiler = Options.compiler
        Options.compiler = lambda options, target: {
            **compiler(options, target),
            "optimize": False,
        }


def outcome_of(program: Program, how: How, folder: Path) -> Outcome:
    """What `judge` says; an exception of its own counts as internal."""
    try:
        return judge(program, how, folder)
    except Exception as error:
        import traceback

        text = traceback.format_exc()
        return Outcome("internal", f"{type(error).__name__}: {error}"[:110], text)


if __name__ == "__main__":
    main()
