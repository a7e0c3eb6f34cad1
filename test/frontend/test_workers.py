"""Compiled functions in workers' processes: one compiles, the others find it on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKERS = 3
KERNELS = """
import os
import time

import numpy as np

import quernel as qn


@qn.compile
def squares(x):
    return (x * x).sum()


class Line:
    def __init__(self, slope):
        self.slope = slope

    @qn.compile
    def at(self, x):
        return (self.slope * x).sum()


def called(function, folder, count):
    # None is done before each worker has a task, so no worker has two.
    open(os.path.join(folder, str(os.getpid())), "w").close()
    while len(os.listdir(folder)) < count:
        time.sleep(0.01)
    got = float(function(np.arange(8.0)))
    face = getattr(function, "__func__", function)
    return os.getpid(), got, face is squares or face is Line.at, face.stats()
"""
SCRIPT = """
import json
import sys
import tempfile

import kernels
import quernel as qn

WORKERS = {workers}


@qn.compile(fullgraph=True)
def cubes(x):
    return (x * x * x).sum()


class Shift:
    @qn.compile
    def by(self, x):
        return (x + 1).sum()


FUNCTIONS = {{
    "function": kernels.squares,
    "method": kernels.Line(2.0).at,
    "script's": cubes,
    "script's method": Shift().by,
}}


def answers(function):
    with tempfile.TemporaryDirectory() as folder:
        return call([(kernels.called, (function, folder, WORKERS))] * WORKERS)


{call}

if __name__ == "__main__":
    print(json.dumps(answers(FUNCTIONS[sys.argv[1]])))
"""
ANSWERS = {"function": 140.0, "method": 56.0, "script's": 784.0, "script's method": 36.0}
CALL = {
    "multiprocessing": """
def call(tasks):
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        return [job.get() for job in [pool.apply_async(f, a) for f, a in tasks]]
""",
    "joblib": """
def call(tasks):
    from joblib import Parallel
    return Parallel(n_jobs=WORKERS, backend="loky", batch_size=1)((f, a, {}) for f, a in tasks)
""",
    "dask": """
def call(tasks):
    import dask
    made = [dask.delayed(f)(*a) for f, a in tasks]
    with dask.config.set(scheduler="processes", num_workers=WORKERS, chunksize=1):
        return dask.compute(*made)
""",
    "ray": """
def call(tasks):
    import logging
    import ray
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    ray.init(num_cpus=WORKERS, object_store_memory=2**27, **quiet)
    try:
        return ray.get([ray.remote(f).remote(*a) for f, a in tasks])
    finally:
        ray.shutdown()
""",
}
# It is a cluster for this test alone, which nobody asks for a token.
RAY = {"RAY_AUTH_MODE": "disabled"}


def answers(folder: Path, kind: str) -> list:
    """What the workers of a new process say."""
    done = subprocess.run(
        [sys.executable, "script.py", kind],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        cwd=folder,
        env={**os.environ, "QUERNEL_CACHE_DIR": str(folder / "programs"), **RAY},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def total(found: list, counter: str) -> int:
    return sum(stats[counter] for *_, stats in found)


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("library", CALL)
def test_one_worker_compiles_for_all(tmp_path: Path, library: str, kind: str) -> None:
    pytest.importorskip(library)  # Ray isn't pinned, since it takes 260 MB
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "script.py").write_text(SCRIPT.format(workers=WORKERS, call=CALL[library]))
    for compiles in (1, 0):  # those of a later process find it, too
        found = answers(tmp_path, kind)
        assert len({process for process, *_ in found}) == WORKERS
        assert {answer for _, answer, *_ in found} == {ANSWERS[kind]}
        assert {is_known for _, _, is_known, _ in found} == {not kind.startswith("script")}
        assert total(found, "compiles") == compiles
        assert total(found, "disk_hits") == WORKERS - compiles
        assert total(found, "fallbacks") == 0
