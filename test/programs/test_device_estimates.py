"""Figures of the kernels for GPUs, from what NVRTC makes of them. No GPU is needed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "device_estimates.py"
SPEC = importlib.util.spec_from_file_location("device_estimates", SCRIPT)
assert SPEC is not None and SPEC.loader is not None
estimates = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = estimates
SPEC.loader.exec_module(estimates)


def run(*options: str) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_every_kernel_has_its_line() -> None:
    status, said = run("sm_80")
    assert status == 0, said
    for name in (
        "elementwise_add",
        "kmeans_argmin",
        "row_sum_sum",
        "softmax_divide",
        "jacobi_multiply",
        "box_add",
        "running_sum_loop_3",
        "chosen_loop_3",
        "sums_by_places_loop_3",
        "skinny_sum",
        "matrices_sum",
        "applied_sum",
        "distances_sqrt",
    ):
        found = re.search(rf"{name} +(\d+) +\d+ +\d+ +(\d+)% +\d+  (\d+x\d+)", said)
        assert found is not None, said
        assert 0 < int(found[1]) <= 255 and 0 < int(found[2]) <= 100


def test_an_unknown_architecture() -> None:
    status, said = run("sm_10")
    assert status == 2 and "sm_10 isn't one of sm_80, sm_90" in said


def test_occupancy_is_bound_by_the_scarcest() -> None:
    limits = estimates.LIMITS["sm_80"]
    assert estimates.occupancy(estimates.Figures(32, 0, 0), limits) == 1
    assert estimates.occupancy(estimates.Figures(33, 0, 0), limits) == 0.75
    assert estimates.occupancy(estimates.Figures(255, 0, 0), limits) == 0.125
    assert estimates.occupancy(estimates.Figures(32, 40 * 1024, 0), limits) == 0.5


def test_loads_and_divisions_of_a_text() -> None:
    loads = "ld.global.nc.v4.f32 {%f1};\nld.global.L1::no_allocate.v2.f64 {%fd1};"
    text = f"{loads}\nld.global.f32 %f9;\nrem.s64 %rd1;"
    assert estimates.widths(text) == "1x32 2x128"
    assert estimates.widths("ld.shared.f32 %f1;") == "-"
    assert estimates.divisions(text) == 1
