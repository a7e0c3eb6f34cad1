"""Threads that call, compile and clear, processes that follow, compiled functions as objects."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import quernel as qn


@qn.compile
def squares(x):
    return (x * x).sum()


class Line:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    @qn.compile
    def at(self, x):
        return self.slope * x


def of_ones(count: int) -> float:
    return float(squares(np.ones(count)))


def test_compiled_functions_are_pickled_by_name_and_copied_as_they_are() -> None:
    assert pickle.loads(pickle.dumps(squares)) is squares
    assert copy.copy(squares) is copy.deepcopy(squares) is squares
    bound = pickle.loads(pickle.dumps(Line(3.0).at))
    np.testing.assert_array_equal(bound(np.ones(2)), [3.0, 3.0])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_has_the_name_alone(protocol: int) -> None:
    data = pickle.dumps(squares, protocol)
    assert pickle.loads(data) is squares
    assert len(data) < 100


def test_functions_without_a_name_are_pickled_by_value_or_not_at_all() -> None:
    scale = 2.5

    @qn.compile(threads=1)
    def scaled(x):
        return x * scale

    assert copy.copy(scaled) is copy.deepcopy(scaled) is scaled
    with pytest.raises((pickle.PicklingError, AttributeError), match="scaled"):
        pickle.dumps(scaled)
    made, again = cloudpickle.loads(cloudpickle.dumps([scaled, scaled]))
    assert made is again is not scaled
    assert made.prepare.__self__.options.threads == 1
    np.testing.assert_array_equal(made(np.ones(3)), scaled(np.ones(3)))
    assert (made.stats()["disk_hits"], scaled.stats()["disk_hits"]) == (0, 1)
    assert made.__name__ == "scaled"
    assert cloudpickle.loads(cloudpickle.dumps(squares)) is squares


PROCESSES = """
import multiprocessing, sys
sys.path.insert(0, {folder!r})
from {module} import of_ones

if __name__ == "__main__":
    of_ones(100_000)  # its threads are there before the processes are
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        assert pool.map(of_ones, [1, 5, 100_000]) == [1, 5, 100_000]
    assert of_ones(100_000) == 100_000
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_call_what_was_called_before(method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    here = Path(__file__)
    script.write_text(PROCESSES.format(folder=str(here.parent), module=here.stem, method=method))
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_call_one_function() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(of_ones, range(1, 300))) == list(range(1, 300))


@pytest.mark.filterwarnings("error")
def test_threads_compile_and_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))

    def compiles(k: int) -> float:
        return float(qn.compile(lambda x: x * k + 1)(np.ones(3))[0])

    def clears(k: int) -> float:
        qn.cache.clear()
        squares.clear()
        return of_ones(k)

    with ThreadPoolExecutor(6) as pool:
        made = [pool.submit(compiles, k % 5) for k in range(40)]
        cleared = [pool.submit(clears, k) for k in range(1, 40)]
        assert [job.result() for job in made] == [k % 5 + 1.0 for k in range(40)]
        assert [job.result() for job in cleared] == list(range(1, 40))
