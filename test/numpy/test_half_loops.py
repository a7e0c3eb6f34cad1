"""float16 functions beside NumPy's loops of other processors, which other processes have here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

import quernel as qn
from quernel.cache.target import chosen
from quernel.numpy import half_tables

PROGRAM = Path(__file__).with_name("half_loops.py")
DISPATCHED = [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def run(folder: Path, *arguments: str, **environment: str) -> list[str]:
    """The lines that the program of comparisons prints."""
    command = [sys.executable, "-W", "ignore", str(PROGRAM), *arguments]
    own = {**os.environ, "QUERNEL_CACHE_DIR": str(folder), **environment}
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    """A cache that a process with NumPy's own loops has filled."""
    folder = tmp_path_factory.mktemp("cache")
    assert run(folder)[0] == "from disk [0, 0, 0]"
    return folder


def test_a_cache_that_a_process_with_other_loops_has_filled(filled) -> None:
    # Programs look results up where they run; one that took two loops for alike isn't taken.
    taken = int(not half_tables.exp_alike)
    told = run(filled, "replaced")
    assert told == [f"from disk [1, {taken}, 0]", "refused 1 1 1 1 0 0 1"]


@pytest.mark.skipif(not DISPATCHED, reason="this processor has but NumPy's baseline")
def test_the_loops_of_numpys_baseline(filled) -> None:
    run(filled, NPY_DISABLE_CPU_FEATURES=" ".join(DISPATCHED))


def test_tables_are_made_when_they_are_needed_and_cannot_be_written() -> None:
    table = half_tables.cosh
    assert table is half_tables.cosh
    assert table.dtype == np.uint32
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0
    assert type(half_tables.cosh_alike) is bool
    with pytest.raises(AttributeError, match="has no attribute 'sqrt'"):
        _ = half_tables.sqrt


def exponentials(x):
    return np.exp(x)


def test_programs_for_devices_compute_in_float32() -> None:
    x = np.ones(100, np.float16)
    with chosen("sm_90"):
        text = qn.compile(exponentials, device="cuda").lower(x).text("cuda")
    assert "(Float16)exp((float)" in text
    assert "gather" in qn.compile(exponentials).lower(x).text("cpp")
