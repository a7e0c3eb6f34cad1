"""``python -m packages [NAME…]``: runs the packages' tests plain and compiled, and compares.

Each suite runs three times: in NumPy, compiled with an empty cache, and with the cache that this
has filled. It fails where a test fails that passes in NumPy. With ``--times``, the tests are told
that take more than three times as long as in NumPy: the suites run once more for it, since the run
before finds out which numbers differ between processes, and again where a test is slow. The suites
run at the same time, as many as there are cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_folder import memory_folder

TESTS = Path(__file__).resolve().parents[1]
_MOST_TIMES = 3.0
# Of a test: its first calls load programs, and the clock of a busy machine isn't exact.
_FLOOR = 0.2
_INTERNAL = ("please report this", "while capturing", "the compiler failed")


@dataclass(frozen=True)
class Suite:
    """A package and where its tests are."""

    package: str
    sources: str = ""  # a folder of an unpacked source archive; else the package has them

    def command(self, downloads: Path) -> list[str]:
        """What pytest is given to find the tests."""
        if not self.sources:
            return ["--pyargs", self.package]
        return ["--import-mode=importlib", str(downloads / self.sources)]

    def path(self, downloads: Path) -> list[str]:
        """The folders that modules are imported from."""
        own = [str((downloads / self.sources).parent.resolve())] if self.sources else []
        return [str(TESTS), *own, os.environ.get("PYTHONPATH", "")]


SUITES = (  # the one that takes longest begins
    Suite("filterpy", "filterpy-1.4.5/filterpy"),
    Suite("transforms3d"),
    Suite("numpy_financial"),
    Suite("numpy_groupies"),
)


def main() -> int:
    """Run the suites; 1 where a test fails that passes in NumPy."""
    parser = argparse.ArgumentParser(prog="packages", description=__doc__)
    names = [suite.package for suite in SUITES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    downloads = Path(".venv-packages/packages")
    parser.add_argument("--downloads", type=Path, default=downloads, metavar="DIR")
    parser.add_argument("-k", default="", metavar="TESTS", help="as for pytest")
    parser.add_argument("--times", action="store_true", help="tell which tests are slow")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    chosen = [suite for suite in SUITES if suite.package in (options.names or names)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda suite: _checked(suite, options), chosen))
    faults = [fault for faults, _ in found for fault in faults]
    slow = [f"slow: {line}" for _, lines in found for line in lines]
    print("\n".join([*slow, *faults]) or f"{len(chosen)} packages: nothing fails")
    return 1 if faults else 0


def _checked(suite: Suite, options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Run one suite; what is wrong, and where times are asked for what is slow, a line for each.

    Where a test is slow it runs once more: the processor's time, too, depends on what else runs.
    """
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        plain = run(suite, options, folder, compiled=False)
        cold, warm = (run(suite, options, folder, compiled=True) for _ in range(2))
        compiles = [cold["compiles"], warm["compiles"]]
        if options.times:
            warm = run(suite, options, folder, compiled=True)
            compiles.append(warm["compiles"])
            if too_slow(plain["tests"], warm["tests"]):
                take_faster(warm["tests"], run(suite, options, folder, compiled=True)["tests"])
    if not plain["tests"]:
        return [f"{suite.package}: no test ran"], []
    seconds = [sum(test["seconds"] for test in r["tests"].values()) for r in (plain, cold, warm)]
    passed = sum(test["outcome"] == "passed" for test in plain["tests"].values())
    print(
        f"{suite.package}: {passed} of {len(plain['tests'])} tests pass in NumPy; "
        f"{warm['functions']} functions; programs compiled {', then '.join(map(str, compiles))}; "
        f"NumPy {seconds[0]:.1f} s, cold {seconds[1]:.1f} s, warm {seconds[2]:.1f} s"
    )
    found = compare(plain["tests"], cold["tests"], warm["tests"])
    found += [reason for reason in warm["refusals"] if any(text in reason for text in _INTERNAL)]
    slow = too_slow(plain["tests"], warm["tests"]) if options.times else []
    return [f"{suite.package}: {x}" for x in found], [f"{suite.package}: {x}" for x in slow]


def run(suite: Suite, options: argparse.Namespace, folder: str, compiled: bool) -> dict[str, Any]:
    """The outcomes of one run in a process of its own."""
    path = os.path.join(folder, "outcomes.json")
    own = os.path.join(folder, "pytest.ini")  # else this project's own settings are taken
    Path(own).write_text("[pytest]\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "packages.plugin",
    ]
    command += ["-c", own, "--outcomes", path, *suite.command(options.downloads)]
    command += ["--compile-package", suite.package] if compiled else []
    command += ["-k", options.k] if options.k else []
    environment = {
        **os.environ,
        "QUERNEL_CACHE_DIR": os.path.join(folder, "cache"),
        "MPLBACKEND": "agg",
        "PYTHONPATH": os.pathsep.join(suite.path(options.downloads)),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if not os.path.exists(path):
        sys.exit(f"{suite.package}: pytest ends with {done.returncode}\n{done.stdout}{done.stderr}")
    outcomes = json.loads(Path(path).read_text(encoding="utf-8"))
    os.unlink(path)
    return outcomes


def _is_slow(warm: dict[str, Any] | None, plain: dict[str, Any]) -> bool:
    """Whether a test takes longer compiled than it may."""
    return warm is not None and warm["seconds"] > max(_MOST_TIMES * plain["seconds"], _FLOOR)


def take_faster(tests: dict[str, Any], others: dict[str, Any]) -> None:
    """Note of each test the faster one of two runs, if both pass."""
    for name, test in tests.items():
        other = others.get(name, test)
        if other["outcome"] == test["outcome"]:
            test["seconds"] = min(test["seconds"], other["seconds"])


def compare(plain: dict, cold: dict, warm: dict) -> list[str]:
    """What is wrong with the compiled runs."""
    found = []
    for name, test in plain.items():
        if test["outcome"] != "passed":
            continue
        for kind, others in (("cold", cold), ("warm", warm)):
            other = others.get(name, {"outcome": "missing", "seconds": 0.0})
            if other["outcome"] != "passed":
                last = other.get("text", "").strip().rpartition("\n")[2]
                found.append(f"{name} {other['outcome']} ({kind} cache): {last}")
                break
    return found


def too_slow(plain: dict, warm: dict) -> list[str]:
    """The tests that take too long with a warm cache. They are told, and fail nothing."""
    return [
        f"{name} takes {warm[name]['seconds']:.2f} s, {test['seconds']:.2f} s in NumPy"
        for name, test in plain.items()
        if test["outcome"] == "passed" and _is_slow(warm.get(name), test)
    ]


if __name__ == "__main__":
    sys.exit(main())
