"""The tests that are known to fail with `quernel.numpy`, and why."""

from __future__ import annotations

from pathlib import Path

import tomllib

FILE = Path(__file__).parent / "expected.toml"


class Expected:
    """The expected differences of a suite.

    Parameters
    ----------
    reasons : dict of str to str
        By a test's name; without ``[…]`` at its end it stands for at least one of the tests that
        differ in their parameters alone.
    sometimes : set of str
        Those of the names whose tests may pass as well, as chance decides.
    """

    def __init__(self, reasons: dict[str, str], sometimes: frozenset[str] = frozenset()) -> None:
        self.reasons = reasons
        self.sometimes = sometimes

    @classmethod
    def read(cls, suite: str, path: Path = FILE) -> Expected:
        """Read those of a suite from the file."""
        groups = tomllib.loads(path.read_text(encoding="utf-8")).get(suite, [])
        chance = [name for group in groups if group.get("sometimes") for name in group["tests"]]
        reasons = {name: group["reason"] for group in groups for name in group["tests"]}
        return cls(reasons, frozenset(chance))

    def reason(self, test: str) -> str | None:
        """Why a test is expected to fail; None: it isn't."""
        return self.reasons.get(test, self.reasons.get(family(test)))

    def wrong(self, passed: dict[str, bool], there: set[str], whole: bool) -> list[str]:
        """What of the file isn't so, a line for each.

        Parameters
        ----------
        passed : dict of str to bool
            Whether tests that NumPy passes have passed.
        there : set of str
            All the tests that ran, also those that NumPy itself fails, as chance may have it.
        whole : bool
            Whether all tests of the modules ran.
        """
        fails: dict[str, bool] = {}
        for test, is_good in passed.items():
            for name in {test, family(test) if whole else test} & self.reasons.keys():
                fails[name] = fails.get(name, False) or not is_good
        good = [name for name, bad in fails.items() if not bad and name not in self.sometimes]
        lines = [f"{name} passes, and is expected to fail" for name in good]
        modules = {test.partition("::")[0] for test in passed}
        known = there | {family(test) for test in there}
        gone = [name for name in self.reasons if name not in known]
        missing = [name for name in gone if whole and name.partition("::")[0] in modules]
        return lines + [
            f"{name} is expected to fail, and there is no such test" for name in missing
        ]


def family(test: str) -> str:
    """The name of a test without its parameters."""
    return test.partition("[")[0]
