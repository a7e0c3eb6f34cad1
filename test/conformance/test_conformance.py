"""The runner of NumPy's tests, and the smallest of the modules that it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from .__main__ import TESTS, numpys, report
from .expected import FILE, Expected

MODULES = ("test_ufunclike", "lib/tests/test_array_utils", "fft/tests/test_helper")
PASSED, FAILED = {"outcome": "passed", "programs": 2}, {"outcome": "failed", "programs": 2}
PLAIN = {"outcome": "passed", "programs": 0}


def test_a_part_of_numpys_tests_passes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "conformance", "numpy", "--jobs", "1", "--modules", *MODULES]
    environment = {**os.environ, "QUERNEL_VERIFY_PASSES": "0"}
    done = subprocess.run(
        command, cwd=TESTS, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is unexpected" in done.stdout
    assert len(done.stdout.splitlines()) >= len(MODULES) + 2


def test_every_module_is_there() -> None:
    suite = numpys()
    assert all((suite.root / module).is_file() for module in suite.modules)


def test_what_is_expected_has_a_reason_and_is_named_once() -> None:
    for suite in ("numpy", "array-api"):
        expected = Expected.read(suite)
        assert all(expected.reasons.values())
    names = [line.strip() for line in FILE.read_text().splitlines() if line.startswith("  ")]
    assert not [name for name, count in Counter(names).items() if count > 1]


def test_unexpected_ends_fail_the_run(capsys) -> None:
    plain = dict.fromkeys(("m::a", "m::b[1]", "m::b[2]", "m::c", "m::own"), PLAIN)
    compiled = {"m::a": PASSED, "m::b[1]": FAILED, "m::b[2]": PASSED, "m::own": PLAIN}
    listed = Expected({"m::b": "it differs", "m::c": "it ends the process"})
    assert report([(plain, compiled)], listed, whole=True) == 0
    assert "2 of 4 tests that reach compiled code pass" in capsys.readouterr().out
    listed.sometimes = frozenset(["m::own"])
    listed.reasons["m::own"] = "chance decides"
    assert report([(plain, compiled)], listed, whole=True) == 0
    assert report([(plain, compiled)], Expected({}), whole=True) == 1
    assert "m::b[1] failed" in capsys.readouterr().out
    plain["m::own"] = FAILED  # chance decides that of NumPy, too
    assert report([(plain, compiled)], listed, whole=True) == 0
    listed = Expected({**listed.reasons, "m::a": "it differs", "m::gone": "it differs"})
    assert report([(plain, compiled)], listed, whole=True) == 1
    told = capsys.readouterr().out
    assert "m::a passes, and is expected to fail" in told
    assert "m::gone is expected to fail, and there is no such test" in told
