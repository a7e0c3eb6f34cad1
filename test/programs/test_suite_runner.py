"""The runner of other people's suites, on small checkouts made here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from emulated_device import installation  # noqa: E402

from npbench import tiny  # noqa: E402
from suites.compare import difference  # noqa: E402

PROGRAMS = {
    "written": "a[:] = a * x\n    return a.sum(), None",
    "refused": "open('/dev/null').close()\n    a += x",
    "broken": "return a[len(a)]",
}


def npbench(root: Path, names: tuple[str, ...]) -> None:
    """A checkout in NPBench's layout."""
    (root / "bench_info").mkdir(parents=True)
    for name in names:
        folder = root / "npbench" / "benchmarks" / "group" / name
        folder.mkdir(parents=True)
        info = {
            "relative_path": f"group/{name}",
            "module_name": name,
            "func_name": "kernel",
            "parameters": {"S": {"N": 5, "x": 2.0}, "M": {"N": 500, "x": 3.0}},
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["a"]},
            "input_args": ["a", "x"],
            "array_args": ["a"],
            "output_args": ["a"],
        }
        (root / "bench_info" / f"{name}.json").write_text(json.dumps({"benchmark": info}))
        make = "import numpy as np\ndef initialize(N):\n    return np.arange(float(N))\n"
        (folder / f"{name}.py").write_text(make)
        body = PROGRAMS[name]
        (folder / f"{name}_numpy.py").write_text(f"def kernel(a, x):\n    {body}\n")


def run(script: str, root: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
    """Exit status, what was printed, and the rows by name."""
    kept = root / "kept.json"
    places = [str(root), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, str(BENCH / script), "--root", str(root), "--json", str(kept)]
    done = subprocess.run(
        [*command, *options],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    rows = json.loads(kept.read_text())["programs"] if kept.exists() else []
    return done.returncode, done.stdout + done.stderr, {row["name"]: row for row in rows}


def test_a_right_program(tmp_path: Path) -> None:
    npbench(tmp_path, ("written",))
    before = sorted(tmp_path.rglob("*.py*"))
    options = ("--frameworks", "quernel", "--preset", "M", "--repeat", "3", "--threads", "1")
    status, said, rows = run("npbench.py", tmp_path, *options)
    assert status == 0, said
    assert set(rows["written"]["times"]) == set(rows["written"]["firsts"]) == {"numpy", "quernel"}
    assert rows["written"]["wrong"] == rows["written"]["errors"] == {}
    assert "1 threads" in said
    assert "correct: 1 of 1; without a fallback: 1" in said
    assert "median" in said and "slower than NumPy" in said
    assert sorted(tmp_path.rglob("*.py*")) == before


def test_what_is_refused_is_reported(tmp_path: Path) -> None:
    npbench(tmp_path, ("refused", "written"))
    status, said, rows = run("npbench.py", tmp_path, "--check-only")
    assert status == 1
    assert rows["refused"]["errors"]["quernel"] and not rows["written"]["errors"]
    assert "correct: 1 of 2" in said

    status, said, rows = run("npbench.py", tmp_path, "--check-only", "--fallback")
    assert status == 0, said
    assert "refused_numpy.py:2" in rows["refused"]["fallbacks"]["quernel"]
    assert "correct: 2 of 2; without a fallback: 1" in said


def test_a_broken_program_ends_only_its_row(tmp_path: Path) -> None:
    npbench(tmp_path, ("broken", "written"))
    status, said, rows = run("npbench.py", tmp_path, "--check-only")
    assert status == 1
    assert "IndexError" in rows["broken"]["errors"]["numpy"]
    assert "correct: 1 of 2" in said


def test_peers_that_crash_hang_or_differ(tmp_path: Path) -> None:
    npbench(tmp_path, ("written",))
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").touch()
    variants = {
        "n": "import os, signal\ndef kernel(a, x):\n    os.kill(os.getpid(), signal.SIGSEGV)\n",
        "np": "import time\ndef kernel(a, x):\n    time.sleep(100)\n",
        "npr": "def kernel(a, x):\n    a += x\n    return a.sum(), None\n",
    }
    folder = tmp_path / "npbench" / "benchmarks" / "group" / "written"
    for suffix, text in variants.items():
        (folder / f"written_numba_{suffix}.py").write_text(text)
    options = ("--frameworks", "quernel,numba", "--repeat", "3", "--timeout", "10")
    status, said, rows = run("npbench.py", tmp_path, *options)
    assert status == 0, said
    row = rows["written"]
    assert "SIGSEGV" in row["errors"]["numba:numba_n"]
    assert row["errors"]["numba:numba_np"] == "no answer in 10 s"
    assert row["wrong"] == {"numba:numba_npr": "other values"}
    assert set(row["times"]) == {"numpy", "quernel", "numba:numba_npr"}
    assert "(wrong)" in said


def test_a_program_on_the_emulated_device(tmp_path: Path, monkeypatch) -> None:
    npbench(tmp_path, ("written",))
    monkeypatch.setenv("CUDA_PATH", str(installation()))
    options = ("--check-only", "--preset", "tiny", "--device", "cuda")
    status, said, _ = run("npbench.py", tmp_path, *options)
    assert status == 0 and "correct: 1 of 1; without a fallback: 1" in said


def test_sizes_for_emulated_devices() -> None:
    sizes = {"TSTEPS": 100, "N": 4000, "M": 4000, "k": 3, "x": 2.5, "few": 30}
    made = tiny({"module_name": "any", "parameters": {"S": sizes}})
    assert made == {"TSTEPS": 4, "N": 21, "M": 20, "k": 3, "x": 2.5, "few": 30}


def test_wrong_usage(tmp_path: Path) -> None:
    status, said, _ = run("npbench.py", tmp_path)
    assert status == 1 and "NPBench's checkout" in said
    npbench(tmp_path, ("written",))
    assert "no program is called 'gemm'" in run("npbench.py", tmp_path, "--only", "gemm")[1]
    assert (
        "no framework is called 'fortran'"
        in run("npbench.py", tmp_path, "--frameworks", "fortran")[1]
    )
    assert "numpy-benchmarks' checkout" in run("numpy_benchmarks.py", tmp_path)[1]
    assert "pyhpc-benchmarks' checkout" in run("pyhpc.py", tmp_path)[1]
    assert "takes numbers, not 'all'" in run("npbench.py", tmp_path, "--threads", "all")[1]


def test_the_other_suite(tmp_path: Path) -> None:
    folder = tmp_path / "numpy_benchmarks" / "benchmarks"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "scaled.py").write_text(
        textwrap.dedent("""\
        #setup: import numpy as np ; a = np.arange(6.) ; rest = (a, 2)
        #run: scaled(*rest, d=1.5)
        def scaled(x, y, d=1.0):
            x *= y
            return x + d
        """)
    )
    status, said, rows = run("numpy_benchmarks.py", tmp_path, "--check-only")
    assert status == 0, said
    assert list(rows) == ["scaled"] and "correct: 1 of 1" in said


def pyhpc(root: Path, body: str) -> None:
    """A checkout in the layout of pyhpc-benchmarks, with a program of two modules."""
    folder = root / "benchmarks" / "some_mixing"
    folder.mkdir(parents=True)
    (root / "benchmarks" / "__init__.py").touch()
    make = "import numpy as np\ndef generate_inputs(n):\n    return np.arange(float(n)), 2.0\n"
    (folder / "__init__.py").write_text(make)
    run_of = "def run(*inputs, device='cpu'):\n    outputs = mix(*inputs)\n    return outputs\n"
    (folder / "mix_numpy.py").write_text(f"def mix(a, x):\n    {body}\n\n{run_of}")
    (folder / "mix_numba.py").write_text(f"def mix(a, x):\n    {PROGRAMS['written']}\n\n{run_of}")


def test_a_program_of_the_suite_of_ocean_models(tmp_path: Path) -> None:
    pyhpc(tmp_path, PROGRAMS["written"])
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").touch()
    before = sorted(tmp_path.rglob("*.py*"))
    options = ("--frameworks", "quernel,numba", "--sizes", "5,500", "--repeat", "3")
    status, said, rows = run("pyhpc.py", tmp_path, *options, "--threads", "1")
    assert status == 0, said
    assert list(rows) == ["some_mixing-5", "some_mixing-500"]
    for row in rows.values():
        assert row["threads"] == 1 and row["wrong"] == row["errors"] == {}
        assert set(row["times"]) == {"numpy", "quernel", "numba"}
    assert "correct: 2 of 2; without a fallback: 2" in said
    assert sorted(tmp_path.rglob("*.py*")) == before


def test_what_is_not_whole_in_the_suite_of_ocean_models(tmp_path: Path) -> None:
    pyhpc(tmp_path, PROGRAMS["refused"])
    options = ("--check-only", "--sizes", "5", "--threads", "1")
    status, said, rows = run("pyhpc.py", tmp_path, *options)
    assert status == 1 and "correct: 0 of 1" in said
    assert rows["some_mixing-5"]["errors"]["quernel"]
    status, said, rows = run("pyhpc.py", tmp_path, *options, "--fallback")
    assert status == 0, said
    assert "mix_numpy.py:2" in rows["some_mixing-5"]["fallbacks"]["quernel"]


def test_a_table_for_each_number_of_threads(tmp_path: Path) -> None:
    npbench(tmp_path, ("written",))
    cores = len(os.sched_getaffinity(0))
    status, said, _ = run("npbench.py", tmp_path, "--check-only", "--threads", f"1,{cores},999")
    assert status == 0, said
    kept = json.loads((tmp_path / "kept.json").read_text())["programs"]
    assert [row["threads"] for row in kept] == sorted({1, cores})
    assert all(f"{row['threads']} threads" in said for row in kept)


F32, F64 = np.float32, np.float64


@pytest.mark.parametrize(
    ("got", "want", "said"),
    [
        (np.ones(3), np.ones(3), ""),
        (np.ones(3, F32), np.ones(3), "float32, not float64"),
        (np.ones((3, 1)), np.ones(3), "shape (3, 1), not (3,)"),
        (np.ones(3), F64(1), "ndarray, not float64"),
        (1.0, F64(1), "float, not float64"),
        (None, np.ones(3), "None, not ndarray"),
        ((1, 2), (1, 3), "x[1] is 2, not 3"),
        ((1,), (1, 3), "1 items, not 2"),
        ([1], (1,), "list, not tuple"),
        ({"a": 1}, {"b": 1}, "other keys"),
        (np.array([1, 2, 4]), np.array([1, 2, 3]), "1 of 3 elements differ"),
        (np.array([True]), np.array([False]), "1 of 1 elements differ"),
        (np.array([1.0, 1e9 + 0.5]), np.array([1.0, 1e9]), ""),
        (np.array([1.0, 1e9 + 2]), np.array([1.0, 1e9]), "error 2.0e-09"),
        (np.array([1 + 5e-5], F32), np.array([1], F32), ""),
        (np.array([1 + 5e-4], F32), np.array([1], F32), "error 5.0e-04"),
        (np.array([1 + 1e-3j]), np.array([1 + 0j]), "error 1.0e-03"),
        (np.array([np.nan, 1]), np.array([np.nan, 1]), ""),
        (np.array([np.nan, 1]), np.array([1.0, 1]), "error inf"),
        (np.array([np.inf, 1]), np.array([-np.inf, 1]), "error inf"),
        (np.array([1e-300]), np.array([0.0]), "error inf"),
    ],
)
def test_what_differs(got: Any, want: Any, said: str) -> None:
    answer = difference(got, want, "x")
    assert said in answer
    assert bool(answer) == bool(said)


def test_a_greater_tolerance() -> None:
    assert difference(np.array([1 + 1e-7]), np.array([1.0]), "x")
    assert not difference(np.array([1 + 1e-7]), np.array([1.0]), "x", 1e3)
