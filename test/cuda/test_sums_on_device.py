"""Sums that a device adds in an order of its own, or in NumPy's: the same bits in each run."""

import numpy as np
import pytest

BEGIN = """
import os
import numpy as np
import quernel as qn

RANDOM = np.random.default_rng(0)
"""

PROGRAM = """
def running(x):
    return np.cumsum(x), np.cumsum(x.reshape(3, -1), axis=1), x[x > 0]

def by_places(k, v):
    return np.bincount(k, v)

def compiled(function, *arrays):
    results = qn.compile(function, fullgraph=True)(*map(qn.to_device, arrays))
    return [each.to_host() for each in (results if isinstance(results, tuple) else (results,))]

x = RANDOM.random(6147).astype(np.float32) - np.float32(0.5)
answers = compiled(running, x)
answers += compiled(by_places, RANDOM.integers(0, 9, 6000), RANDOM.random(6000))
np.savez(os.environ["RESULTS"], *answers)
"""


def test_each_run_gives_the_same_bits(run, tmp_path):
    seen = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.npz"
        run(PROGRAM, EMULATOR_SEED=seed, RESULTS=str(path))
        with np.load(path) as arrays:
            seen.append([arrays[name].tobytes() for name in arrays])
    assert len(seen[0]) == 4 and seen[0] == seen[1]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_updates_in_rounds_have_the_bits_of_numpy(run, seed):
    run(
        """
def updated(y, k, v):
    np.add.at(y, k, v)

def stored(y, k, v):
    y[k] = v

for function in updated, stored:
    y = RANDOM.random(5000).astype(np.float32)
    k, v = RANDOM.integers(-5000, 5000, 7000), RANDOM.random(7000).astype(np.float32)
    k[::3] = 17  # more updates than there are rounds
    expected, array = y.copy(), qn.to_device(y)
    function(expected, k, v)
    qn.compile(function, fullgraph=True)(array, qn.to_device(k), qn.to_device(v))
    assert array.to_host().tobytes() == expected.tobytes(), function
""",
        EMULATOR_SEED=seed,
    )
