"""A process that runs programs: reads one a line, as JSON, and answers with its outcome.

Each request is answered in a process forked for it, so that no program depends on those before it
and a crash ends nothing else. A hang is ended by the alarm of that process. The disk cache is empty
before each program.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from .judge import How, Outcome, judge
from .program import Program


def main() -> None:
    os.nice(10)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # What programs need is imported once, before the forks.
    for package in ("quernel", "quernel.capture", "quernel.numpy"):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")

    with tempfile.TemporaryDirectory() as folder:
        os.environ["QUERNEL_CACHE_DIR"] = str(Path(folder, "cache"))
        for line in sys.stdin:
            request = json.loads(line)
            outcome = in_fork(request, Path(folder))
            shutil.rmtree(Path(folder, "cache"), ignore_errors=True)
            answers.write(json.dumps(outcome) + "\n")
            answers.flush()


def in_fork(request: dict, folder: Path) -> dict[str, str]:
    """The outcome of a request, from a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(request["timeout"])
        answer = json.dumps(outcome_of(request, folder)).encode()
        while answer:
            answer = answer[os.write(writer, answer) :]
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    number = os.waitstatus_to_exitcode(status)
    if number == -signal.SIGALRM:
        return Outcome("hang", "", f"no end within {request['timeout']} s").as_dict()
    name = signal.Signals(-number).name if number < 0 else f"exit {number}"
    return Outcome("crash", name, name).as_dict()


def outcome_of(request: dict, folder: Path) -> dict[str, str]:
    """What `judge` says; an exception of its own counts as internal."""
    try:
        program = Program(request["name"], request["text"], request["spec"])
        return judge(program, How(**request["how"]), folder).as_dict()
    except Exception as error:
        import traceback

        text = traceback.format_exc()
        return Outcome("internal", f"{type(error).__name__}: {error}"[:110], text).as_dict()


if __name__ == "__main__":
    main()
