"""What the sanitizers see in emitted text, and a few programs under them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .judge import How, Outcome
from .pool import Worker
from .program import Program, read
from .sanitizer import library
from .writer.generate import KINDS, program

SPEC = {
    "arguments": [
        ["a", "float64", ["m"], ""],
        ["b", "float64", ["n"], ""],
        ["e", "int32", ["n"], ""],
    ],
    "calls": [{"n": 7, "m": 17, "seed": 1, "layouts": ["C", "C", "C"], "special": False}],
    "dynamic": None,
}
# A program that changes what the compiler has printed for it before that is compiled.
BROKEN = """import numpy as np
from fuzz import sanitizer

shared_object = sanitizer.shared_object


def broken(text, *arguments):
    before, after = {change!r}
    assert before in text, text
    return shared_object(text.replace(before, after), *arguments)


sanitizer.shared_object = broken


def compute(a, b, e):
    return np.cumsum(a)[:-8:-1] + b, e + 1
"""


TOUCHES = sorted((Path(__file__).parent / "found").glob("touches_*.py"))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker(60, How(sanitizer="g++"))
    yield started
    started.stop()


def outcome_of(worker: Worker, made: Program, compiler: str = "g++") -> Outcome:
    return worker.run(made, How(sanitizer=compiler))


def changed(before: str, after: str) -> Program:
    return Program("broken", BROKEN.format(change=(before, after)), SPEC)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("e[i]", "e[i + 1]", "use-after-poison READ of size 4"),
        ("+ b[i]", "+ b[i - 1]", "use-after-poison READ of size 8"),
        ("out0[i]", "out0[i + 1]", "heap-buffer-overflow WRITE of size 8"),
        ("tmp0[16 - i]", "tmp0[17 - i]", "use-after-poison READ of size 8"),
        (
            "compute_loop(a, temporary);",
            "double *t = temporary; temporary.release(); t[0] = 1; return 0;",
            "use-after-poison WRITE",
        ),
        ("wrap_add(e1, 1)", "e1 * 2147483647", "signed integer overflow"),
        ("wrap_add(e1, 1)", "e1 << (e1 & 1 ? 33 : 32)", "shift exponent"),
        ("wrap_add(e1, 1)", "(int32_t)1e10", "is outside the range of representable values"),
        ("e[i]", "*(const int32_t *)((const char *)e + 1)", "misaligned address"),
    ],
)
def test_broken_text_is_seen(worker: Worker, before: str, after: str, reason: str) -> None:
    outcome = outcome_of(worker, changed(before, after))
    assert outcome.kind == "sanitizer", outcome.detail
    assert reason in outcome.detail.splitlines()[0]


def test_clang_sees_it_too() -> None:
    if library("clang++-22") is None:
        pytest.skip("libclang-rt-22-dev isn't installed")
    worker = Worker(60, How(sanitizer="clang++-22"))
    try:
        for after in ("e[i + 1]", "e[i] * 2147483647"):
            assert outcome_of(worker, changed("e[i]", after), "clang++-22").kind == "sanitizer"
    finally:
        worker.stop()


def test_programs_are_clean(worker: Worker) -> None:
    for made in (changed("", ""), *(program(kind, 0) for kind in KINDS), *map(read, TOUCHES)):
        outcome = outcome_of(worker, made)
        assert not outcome.is_failure, f"{made.name} {outcome.kind}: {outcome.detail}"
