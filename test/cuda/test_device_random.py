"""Random numbers on the emulated device, by kernels that are part of the program."""

import sys

import pytest
from emulated_device import run_to_its_end

TEXT = """
import ctypes, os
import numpy as np
import quernel as qn

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_bytes.restype = ctypes.c_int64

def draws(rng):
    return rng.random(5), rng.random((3, 7000)), rng.random(), rng.random(0), rng.random(17)

def total(rng, x):
    return x + rng.random(3) + rng.random()

ours, theirs = (np.random.Generator(np.random.GENERATOR(7)) for _ in range(2))
for rng in (ours, theirs):  # a place within a block, and half of a word left
    rng.random(2), rng.integers(5, dtype=np.int32)
compiled = qn.compile(draws, device="cuda", fullgraph=True)
for _ in range(2):
    for got, expected in zip(compiled(ours), draws(theirs), strict=True):
        assert np.asarray(got).tobytes() == np.asarray(expected).tobytes(), (got, expected)
    assert ours.integers(5, dtype=np.int32) == theirs.integers(5, dtype=np.int32)
    assert ours.bit_generator.random_raw() == theirs.bit_generator.random_raw()

compiled = qn.compile(total, device="cuda", fullgraph=True)
x = qn.to_device(np.ones(3))
compiled(ours, x), total(theirs, np.ones(3))
before = LIBRARY.emulator_bytes(b"DtoH")
made = compiled(ours, x)
STATE_ALONE
assert made.to_host().tobytes() == total(theirs, np.ones(3)).tobytes()
print("done")
"""


@pytest.mark.parametrize(
    ("generator", "words"),
    [("PCG64", 6), ("PCG64DXSM", 6), ("Philox", 13), ("SFC64", 6), ("MT19937", None)],
)
def test_uniform_numbers(tmp_path, generator, words):
    # The state alone comes back from the device; MT19937 draws on the host.
    alone = f'assert LIBRARY.emulator_bytes(b"DtoH") - before == {words} * 8' if words else ""
    script = tmp_path / "script.py"
    script.write_text(TEXT.replace("GENERATOR", generator).replace("STATE_ALONE", alone))
    settings = {"QUERNEL_CACHE_DIR": str(tmp_path / "programs"), "EMULATOR_OPEN": "1"}
    settings |= {"QUERNEL_DEVICE_POOL": "off", "EMULATOR_SEED": "4"}
    run_to_its_end([sys.executable, str(script)], sys.path, settings)
