"""The programs of test/programs on a device: on the emulated one, and on a GPU where there is one.

On the emulated device every access of a kernel is checked, since each array is an allocation of its
own, and NVRTC has to compile every text to PTX without a warning, for one of four architectures
that follows from the text; for each of them, and as programs are compiled that run, where
EMULATOR_ARCHITECTURES is `all`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cuda"))

from emulated_device import installation, nvidias_nvrtc

import quernel as qn

PROGRAMS = Path(__file__).parents[1] / "programs"
# What the others test isn't programs: texts, runners, reports, sizes of what is compiled.
OTHERS = {
    "test_bench",
    "test_compile_size",
    "test_cuda",
    "test_device_estimates",
    "test_explain",
    "test_suite_runner",
}
MODULES = sorted(path.stem for path in PROGRAMS.glob("test_*.py") if path.stem not in OTHERS)
# The emulated device has no memory for an array of two gigabytes, and takes minutes for products
# that are large enough for the threads of a CPU.
EMULATED = [module for module in MODULES if module not in ("test_large", "test_shared_matrices")]


def passed(module: str, **environment: str) -> int:
    """How many tests of a module pass on the device; an error where one fails."""
    path = str(PROGRAMS / f"{module}.py")
    options = ["-q", "--device", "cuda", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, path],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    counts = re.search(r"(\d+) passed", done.stdout.splitlines()[-1])
    return int(counts[1]) if counts else 0


@pytest.mark.parametrize("module", EMULATED)
def test_on_the_emulated_device(module: str) -> None:
    environment = {
        "CUDA_PATH": str(installation()),
        "EMULATOR_NVRTC": str(nvidias_nvrtc()),
        "EMULATOR_OPEN": "1",
        "QUERNEL_DEVICE_POOL": "off",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    assert passed(module, **environment) > 0


@pytest.mark.parametrize("module", MODULES)
def test_on_a_gpu(module: str) -> None:
    if not qn.cuda.is_available():
        pytest.skip("there is no GPU, or no driver")
    assert passed(module) > 0
