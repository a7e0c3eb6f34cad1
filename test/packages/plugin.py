"""A plugin for pytest: ``-p packages.plugin --compile-package NAME --outcomes FILE``.

Without ``--compile-package`` it only notes how each test ended and how long it took. The time is
that of the main thread, so that other processes on the machine don't count.
"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("quernel")
    group.addoption("--compile-package", metavar="NAME", help="compile every function of a package")
    group.addoption("--outcomes", metavar="FILE", help="write outcomes, times and refusals")


def pytest_configure(config: pytest.Config) -> None:
    """Replace the package's functions before its tests are imported."""
    replaced = None
    if name := config.getoption("--compile-package"):
        from quernel.call.build import compiler

        from .replace import Replaced

        compiler()  # what a process loads once is no test's time
        replaced = Replaced(name)
        config.addinivalue_line("filterwarnings", "ignore::quernel.FallbackWarning")
    if config.getoption("--outcomes"):
        config.pluginmanager.register(Outcomes(config.getoption("--outcomes"), replaced))


class Outcomes:
    """Notes how tests end.

    Parameters
    ----------
    path : str
        The JSON file.
    replaced : Replaced, optional
        The compiled functions.
    """

    def __init__(self, path: str, replaced: Any) -> None:
        self.path = path
        self.replaced = replaced
        self.tests: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Time a test."""
        start = time.thread_time()
        try:
            return (yield)
        finally:
            self._of(item.nodeid)["seconds"] = time.thread_time() - start

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the worst of a test's phases."""
        entry = self._of(report.nodeid)
        if report.outcome == "failed" or (report.when == "call" and entry["outcome"] != "failed"):
            entry["outcome"] = report.outcome
        if report.outcome == "skipped" and entry["outcome"] == "":
            entry["outcome"] = "skipped"
        if report.failed:
            entry["text"] = str(report.longrepr)[-4000:]

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        written: dict[str, Any] = {"tests": self.tests}
        if self.replaced is not None:
            written["functions"] = len(self.replaced.functions)
            written["compiles"] = self.replaced.compiles()
            written["refusals"] = self.replaced.refusals()
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(written, file, indent=1)

    def _of(self, test: str) -> dict[str, Any]:
        return self.tests.setdefault(test, {"outcome": "", "seconds": 0.0})
