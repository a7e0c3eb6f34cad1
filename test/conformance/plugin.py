"""A plugin for pytest: ``-p conformance.plugin --namespace quernel --outcomes FILE``.

With ``--namespace quernel`` the imports of test modules give the compiled namespaces in place of
`numpy`, `numpy.linalg` and `numpy.fft`; what other modules import stays NumPy's.
The file has a line of JSON when a test begins, and one when it is over, so that it says which test
has ended the process.
"""

from __future__ import annotations

import builtins
import importlib
import json
import signal
import types
import warnings
from typing import Any

import pytest

NAMESPACES = (
    *("quernel.numpy", "quernel.numpy.linalg"),
    *("quernel.numpy.fft", "quernel.numpy.random"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("quernel")
    group.addoption("--namespace", choices=("numpy", "quernel"), default="numpy")
    group.addoption("--outcomes", metavar="FILE", help="where to write how tests end")
    group.addoption("--time-limit", type=int, default=60, metavar="SECONDS", help="of a test")
    group.addoption("--without", metavar="FILE", help="a file of tests, a line each, not to run")


def pytest_configure(config: pytest.Config) -> None:
    """Note outcomes, and replace NumPy, before any test module is imported."""
    is_compiled = config.getoption("--namespace") == "quernel"
    if is_compiled:
        replace_imports()
        silence_fallbacks()
    if path := config.getoption("--outcomes"):
        limit = config.getoption("--time-limit")
        config.pluginmanager.register(Outcomes(path, limit, is_compiled))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not to run."""
    if path := config.getoption("--without"):
        with open(path, encoding="utf-8") as file:
            left_out = set(file.read().splitlines())
        items[:] = [item for item in items if item.nodeid not in left_out]


def replace_imports() -> None:
    """Let the imports of test modules give the compiled namespaces."""
    from quernel.call.build import compiler

    compiler()  # what a process loads once is no test's time
    plain = builtins.__import__
    compiled = {module.__wrapped__: module for module in map(importlib.import_module, NAMESPACES)}

    def replaced(name: str, globals: Any = None, *args: Any, **kwargs: Any) -> types.ModuleType:
        module = plain(name, globals, *args, **kwargs)
        own = (globals or {}).get("__name__") or ""
        return (
            compiled.get(module, module) if own.rpartition(".")[2].startswith("test_") else module
        )

    builtins.__import__ = replaced


def silence_fallbacks() -> None:
    """Drop the warnings of calls that run in NumPy, which tests that count warnings would count."""
    from quernel import FallbackWarning

    plain = warnings.warn_explicit

    def warn_explicit(message: Any, category: Any, *args: Any, **kwargs: Any) -> None:
        if category is not FallbackWarning:
            plain(message, category, *args, **kwargs)

    warnings.warn_explicit = warn_explicit


class OutOfTime(BaseException):
    """A test has run for too long; no handler of `Exception` takes it."""


class Outcomes:
    """Notes how tests end.

    Parameters
    ----------
    path : str
        The file of lines of JSON.
    limit : int
        The seconds that a test may take.
    is_compiled : bool
        Whether to count the programs that tests run.
    """

    def __init__(self, path: str, limit: int, is_compiled: bool) -> None:
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115
        self.limit, self.is_compiled = limit, is_compiled
        self.now: dict[str, Any] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test begins."""
        self.now = {"test": nodeid, "outcome": "", "programs": programs_run(self.is_compiled)}
        self._write({"test": nodeid, "outcome": "crashed"})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Stop a test that takes too long."""

        def stop(*_: Any) -> None:
            raise OutOfTime(f"more than {self.limit} s")

        signal.signal(signal.SIGALRM, stop)
        signal.alarm(self.limit)
        try:
            return (yield)
        except OutOfTime as error:
            pytest.fail(str(error))
        finally:
            signal.alarm(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the worst of a test's phases."""
        now = self.now
        if report.outcome == "failed" or (report.when == "call" and now["outcome"] != "failed"):
            now["outcome"] = report.outcome
            if hasattr(report, "wasxfail"):
                now["outcome"] = "xfailed"
        if report.outcome == "skipped" and now["outcome"] == "":
            now["outcome"] = "skipped"
        if report.failed:
            now["text"] = str(report.longrepr)[-6000:]

    def pytest_runtest_logfinish(self) -> None:
        """Note how the test has ended."""
        self.now["programs"] = programs_run(self.is_compiled) - self.now["programs"]
        self._write(self.now)

    def _write(self, line: dict[str, Any]) -> None:
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def programs_run(is_compiled: bool) -> int:
    """How often programs have answered calls in this process: first calls and later ones."""
    if not is_compiled:
        return 0
    modules = map(importlib.import_module, NAMESPACES)
    names = [vars(module) for module in modules]
    names += [vars(made) for made in (names[-1]["Generator"], names[-1]["RandomState"])]
    every = {id(obj): obj for space in names for obj in list(space.values())}
    counted = [x for x in every.values() if hasattr(x, "stats") and not isinstance(x, type)]
    counts = [obj.stats() for obj in counted]
    return sum(one["compiles"] + one["disk_hits"] + one["memory_hits"] for one in counts)
