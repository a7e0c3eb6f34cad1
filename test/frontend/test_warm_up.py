"""The compiler is warmed up once, by a first compile of a process that may use several threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, os, sys
import numpy as np
import quernel as qn
from quernel import _runtime
import quernel.call.warm_up as warm_up
asked = []
begin = _runtime.warm_up
def record(library):
    asked.append([os.path.exists(library), "quernel._compiler" in sys.modules])
    return begin(library)
_runtime.warm_up = record

def f(x): return x * 2 + 1
def g(x): return x * 3 + 1

x = np.arange(5.0)
{before}
assert (qn.compile(f)(x) == f(x)).all()
assert (qn.compile(g)(x) == g(x)).all()
{after}
print(json.dumps(asked))
"""
FORK = """
child = os.fork()
if child == 0:
    h = qn.compile(lambda x: x - 5.0, fullgraph=True)
    os._exit(0 if (h(x) == x - 5).all() else 1)
assert os.waitpid(child, 0)[1] == 0
"""


def asked(
    folder: Path, before: str = "", after: str = "", threads: str = "2", cache: str = "cache"
) -> list:
    script = folder / "program.py"
    script.write_text(PROGRAM.format(before=before, after=after))
    environment = {"QUERNEL_CACHE_DIR": str(folder / cache), "OMP_NUM_THREADS": threads}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_first_compile_warms_up_and_calls_from_disk_do_not(tmp_path: Path) -> None:
    assert asked(tmp_path) == [[True, False]]
    assert asked(tmp_path) == []


def test_one_thread_does_one_thing_after_the_other(tmp_path: Path) -> None:
    assert asked(tmp_path, threads="1") == []


def test_a_compiler_that_is_loaded_is_not_warmed_up(tmp_path: Path) -> None:
    assert asked(tmp_path, before="import quernel._compiler") == []


def test_what_can_not_be_loaded_does_not_matter(tmp_path: Path) -> None:
    nowhere = "_runtime.warm_up = lambda library: begin('/nowhere.so')"
    assert asked(tmp_path, before=nowhere) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_waits_and_its_child_compiles(tmp_path: Path) -> None:
    begun = "\nwarm_up.warm_up()\n"  # outside of a section: nobody else forks
    for k in range(5):
        assert len(asked(tmp_path, before=begun + FORK, cache=f"cache{k}")) == 1


def test_the_end_of_the_process_waits(tmp_path: Path) -> None:
    for k in range(5):
        end = "warm_up.warm_up(); print(json.dumps(asked)); sys.exit()"
        assert len(asked(tmp_path, before=end, cache=f"cache{k}")) == 1
