"""A few worker processes that run many programs, and are started again when they die."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue

from . import devices, sanitizer
from .judge import How, Outcome
from .program import Program

TIMEOUT = 60


class Worker:
    """One process; `run` waits for its answer."""

    def __init__(self, timeout: int, how: How | None = None) -> None:
        self.timeout = timeout
        self.environment: dict[str, str] = {}
        if how is not None and how.sanitizer:
            self.environment |= sanitizer.environment(how.sanitizer)
        if how is not None and how.device:
            self.environment |= devices.environment(how.device, how.nvrtc)
        self.process: subprocess.Popen | None = None

    def run(self, program: Program, how: How) -> Outcome:
        """The outcome of a program."""
        if self.process is None:
            self.start()
        request = {"name": program.name, "text": program.text, "spec": program.spec}
        request |= {"how": asdict(how), "timeout": self.timeout}
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            # The worker ends its programs in time, of which it may run one twice; else it is ended.
            ready, _, _ = select.select([self.process.stdout], [], [], 2 * self.timeout + 30)
            line = self.process.stdout.readline() if ready else ""
        except OSError:
            line = ""
        if line:
            return Outcome(**json.loads(line))
        self.stop()
        return Outcome("hang" if not ready else "crash", "worker", "the worker gave no answer")

    def start(self) -> None:
        folder = Path(__file__).parent.parent
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.environment, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Pool:
    """`jobs` workers; `run` gives outcomes as they come."""

    def __init__(self, jobs: int, timeout: int = TIMEOUT, how: How | None = None) -> None:
        self.jobs = jobs
        self.idle: SimpleQueue[Worker] = SimpleQueue()
        self.workers = [Worker(timeout, how) for _ in range(jobs)]
        for worker in self.workers:
            self.idle.put(worker)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.stop()

    def one(self, program: Program, how: How) -> Outcome:
        """The outcome of one program."""
        worker = self.idle.get()
        try:
            return worker.run(program, how)
        finally:
            self.idle.put(worker)

    def run(self, programs: Iterable[Program], how: How) -> Iterator[tuple[Program, Outcome]]:
        """Programs with their outcomes, in any order; few are held at a time."""
        waiting: dict[Future, Program] = {}
        with ThreadPoolExecutor(self.jobs) as threads:
            for program in programs:
                waiting[threads.submit(self.one, program, how)] = program
                if len(waiting) > 2 * self.jobs:
                    yield from self._done(waiting)
            while waiting:
                yield from self._done(waiting)

    def _done(self, waiting: dict) -> Iterator[tuple[Program, Outcome]]:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()
