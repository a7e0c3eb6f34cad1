"""The parent: one forked child for each program, so that nothing ends more than its own row."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .case import Case
from .worker import Settings, work


@dataclass
class Row:
    """What is known about one program; seconds and texts by candidate."""

    name: str
    note: str = ""
    firsts: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    fallbacks: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def best(self, framework: str) -> str | None:
        """The framework's fastest candidate, or its first one where nothing was timed."""
        found = [x for x in self.firsts if x.split(":")[0] == framework and x not in self.errors]
        right = [x for x in found if not self.wrong.get(x)] or found
        return min(right, key=lambda label: self.times.get(label, 0.0), default=None)

    def verdict(self, framework: str = "quernel") -> str:
        """What is wrong with a framework's answers; nothing where they are right."""
        label = self.best(framework)
        if label is not None:
            return self.wrong.get(label, "")
        texts = [text for x, text in self.errors.items() if x.split(":")[0] in (framework, "numpy")]
        return texts[0] if texts else "not run"


def measure(case: Case, settings: Settings) -> Row:
    """Run one program; what crashes or hangs is left out of another try with the rest."""
    excluded: set[str] = set()
    errors: dict[str, str] = {}
    while True:
        row = Row(case.name, case.note)
        stage, ending = _child(case, settings, excluded, row)
        row.errors = {**errors, **row.errors}
        if not ending:
            return row
        errors[stage] = row.errors[stage] = ending
        if stage == "numpy" or stage in excluded:
            return row
        excluded.add(stage)


def _child(case: Case, settings: Settings, excluded: set[str], row: Row) -> tuple[str, str]:
    """One child's life: the candidate that it was at in the end, and why it died, if it did."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    folder = Path(tempfile.mkdtemp(prefix="suite-"))
    child = context.Process(target=_enter, args=(case, settings, excluded, sender, folder))
    child.start()
    sender.close()
    stage, ending = "numpy", ""
    try:
        while True:
            if not receiver.poll(settings.timeout):
                ending = f"no answer in {settings.timeout:g} s"
                break
            kind, label, *rest = receiver.recv()
            stage = label
            _note(row, kind, label, rest)
    except EOFError:
        child.join()
        if child.exitcode:
            ending = _epitaph(child.exitcode, folder / "log")
    finally:
        _kill(child)
        shutil.rmtree(folder, ignore_errors=True)
    return stage, ending


def _note(row: Row, kind: str, label: str, rest: list) -> None:
    if kind == "first":
        row.firsts[label], wrong, fallback = rest
        if wrong:
            row.wrong[label] = wrong
        if fallback:
            row.fallbacks[label] = fallback
    elif kind == "time":
        row.times[label] = rest[0]
    elif kind == "failed":
        row.errors[label] = rest[0]


def _enter(case: Case, settings: Settings, excluded: set[str], sender, folder: Path) -> None:
    # A group of its own: compilers that a framework has started end with it.
    os.setsid()
    os.chdir(folder)
    log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    # Nothing compiled earlier may answer a first call, and nothing is written into the checkout.
    os.environ["QUERNEL_CACHE_DIR"] = str(folder / "quernel")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "numba")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    work(case, settings, excluded, lambda *message: sender.send(message))


def _kill(child: multiprocessing.Process) -> None:
    # The group outlives its leader; before setsid there is none.
    for _ in range(20):
        try:
            os.killpg(child.pid, signal.SIGKILL)
            break
        except ProcessLookupError:
            if not child.is_alive():
                break
            time.sleep(0.05)
    child.join()


def _epitaph(code: int, log: Path) -> str:
    said = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    last = said[-1] if said else ""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}" + (f": {last}" if last else "")
    return last or f"exit status {code}"
