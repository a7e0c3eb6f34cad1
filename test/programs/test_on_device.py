"""The suite's programs on the emulated device: programs of the host, kernels, copies.

Every access of a kernel is checked, since each array is an allocation of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from emulated_device import installation

FOLDER = Path(__file__).parent
MODULES = [
    "test_branches",
    "test_buffers",
    "test_functions",
    "test_growing_arrays",
    "test_loops",
    "test_numerics",
    "test_scans",
    "test_scatters",
    "test_selections",
    "test_writes",
]


@pytest.mark.parametrize("module", MODULES)
def test_programs_of(module: str) -> None:
    done = subprocess.run(
        [sys.executable, FOLDER / "on_device.py", module],
        env={
            **os.environ,
            "CUDA_PATH": str(installation()),
            "EMULATOR_OPEN": "1",
            "QUERNEL_DEVICE_POOL": "off",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {module: {}}, "\n".join(found[module].values())
