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
import contextlib
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


def answers(call, function):
    with tempfile.TemporaryDirectory() as folder:
        return call([(kernels.called, (function, folder, WORKERS))] * WORKERS)


@contextlib.contextmanager
def workers():
{workers_of}

if __name__ == "__main__":
    with workers() as call:
        found = {{name: answers(call, function) for name, function in FUNCTIONS.items()}}
    print(json.dumps(found))
"""
ANSWERS = {"function": 140.0, "method": 56.0, "script's": 784.0, "script's method": 36.0}
WORKERS_OF = {
    "multiprocessing": """
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        yield lambda tasks: [job.get() for job in [pool.apply_async(f, a) for f, a in tasks]]
""",
    "joblib": """
    from joblib import Parallel
    made = Parallel(n_jobs=WORKERS, backend="loky", batch_size=1)
    yield lambda tasks: made((f, a, {}) for f, a in tasks)
""",
    "dask": """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    import dask
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, spawned) as pool:
        with dask.config.set(scheduler="processes", pool=pool, num_workers=WORKERS, chunksize=1):
            yield lambda tasks: dask.compute(*[dask.delayed(f)(*a) for f, a in tasks])
""",
    "ray": """
    import logging
    import ray
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    ray.init(num_cpus=WORKERS, object_store_memory=2**27, **quiet)
    try:
        yield lambda tasks: ray.get([ray.remote(f).remote(*a) for f, a in tasks])
    finally:
        ray.shutdown()
""",
}
# It is a cluster for this test alone, which nobody asks for a token.
RAY = {"RAY_AUTH_MODE": "disabled"}


def answers(folder: Path) -> dict[str, list]:
    """What the workers of a new process say, by the function."""
    done = subprocess.run(
        [sys.executable, "script.py"],
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


@pytest.mark.parametrize("library", WORKERS_OF)
def test_one_worker_compiles_for_all(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)  # Ray isn't pinned, since it takes 260 MB
    (tmp_path / "kernels.py").write_text(KERNELS)
    script = SCRIPT.format(workers=WORKERS, workers_of=WORKERS_OF[library])
    (tmp_path / "script.py").write_text(script)
    for compiles in (1, 0):  # those of a later process find it, too
        told = answers(tmp_path)
        assert told.keys() == ANSWERS.keys()
        for kind, found in told.items():
            assert len({process for process, *_ in found}) == WORKERS
            assert {answer for _, answer, *_ in found} == {ANSWERS[kind]}
            assert {is_known for _, _, is_known, _ in found} == {not kind.startswith("script")}
            assert total(found, "compiles") == compiles
            assert total(found, "disk_hits") == WORKERS - compiles
            assert total(found, "fallbacks") == 0
