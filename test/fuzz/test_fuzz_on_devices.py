"""Random programs on the emulated device, and how calls there are seen as those of host arrays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .devices import PLACES
from .judge import How, Outcome
from .pool import Worker
from .program import Program, read
from .writer.generate import KINDS, program

# What went wrong on devices alone.
FOUND = sorted((Path(__file__).parent / "found").glob("on_device_*.py"))
HOW = How(device="emulated", quick=True)
# `d` lies in the memory of `a`, and the bytes between the elements of `a` are nobody's.
SPEC: dict[str, Any] = {
    "arguments": [
        ["a", "float64", ["n"], ""],
        ["d", "float64", ["n"], ""],
        ["b", "int8", ["n"], ""],
    ],
    "calls": [
        {"n": 7, "m": 1, "seed": 1, "layouts": ["sliced", "C", "reversed"], "place": place}
        | {"overlap": [["d", "a", "view"]], "special": False}
        for place in PLACES
    ],
    "dynamic": None,
}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker(60, HOW)
    yield started
    started.stop()


def outcome_of(worker: Worker, text: str, before: str = "") -> Outcome:
    made = Program("made", f"import numpy as np\n{before}\ndef compute(a, d, b):\n{text}", SPEC)
    return worker.run(made, HOW)


def test_arrays_on_devices_are_compared_as_those_of_the_host(worker: Worker) -> None:
    """Values, layouts, objects and memory of results and arguments are NumPy's."""
    text = (
        "    d[1] = 9\n    b[::2] += 1\n    c = a + 1\n    return a[::-1], d, c, c[1:], {'b': b}, 3"
    )
    outcome = outcome_of(worker, text)
    assert outcome.kind == "pass", outcome.detail


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("copied", "alias"),
        ("lambda a: a.view()", "alias"),
        ("lambda a: a + 1", "wrong"),
        ("written", "wrong"),
        ("raised", "device"),
    ],
)
def test_differences_on_devices_are_seen(worker: Worker, change: str, kind: str) -> None:
    """Here the function that is compiled changes an array that is on the device."""
    before = f"""
from quernel.devices.array import DeviceArray
from quernel.errors import DeviceError
from fuzz import judge

def copied(a):
    return a.copy()

def written(a):
    a[:] = 3
    return a

def raised(a):
    raise DeviceError("out of order")

change = {change}
judge.compiled_part = lambda function, how: lambda a, d, b: (
    change(a) if isinstance(a, DeviceArray) else function(a, d, b)
)
"""
    own = Worker(60, HOW)
    try:
        outcome = outcome_of(own, "    return a", before)
    finally:
        own.stop()
    assert outcome.kind == kind, outcome


@pytest.mark.parametrize("kind", KINDS)
def test_programs_on_the_emulated_device(worker: Worker, kind: str) -> None:
    outcome = worker.run(program(kind, 1), HOW)
    assert not outcome.is_failure, f"{outcome.kind}: {outcome.detail}"


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_found_on_devices(worker: Worker, path: Path) -> None:
    outcome = worker.run(read(path), HOW)
    assert outcome.kind == "pass", f"{outcome.kind}: {outcome.detail}"
