"""A fixed 500 random programs, and the kept programs that once failed.

A seed that isn't in `known.py` may neither fail nor be refused too often. One that is listed there
must do what the list says: once it is mended, it comes off the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from . import known
from .judge import How, Outcome
from .pool import Worker
from .program import Program, read
from .writer.generate import KINDS, program

PROGRAMS = 500
CHUNK = 25
FOUND = sorted((Path(__file__).parent / "found").glob("*.py"))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker(timeout=30)
    yield started
    started.stop()


def numbered(number: int) -> Program:
    """The kinds in turn."""
    return program(list(KINDS)[number % len(KINDS)], number // len(KINDS))


def told(outcome: Outcome) -> str:
    return f"{outcome.kind}: {outcome.detail}"


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_programs(worker: Worker, first: int) -> None:
    refused, unlike = [], []
    for number in range(first, first + CHUNK):
        made = numbered(number)
        outcome = worker.run(made, How())
        expected = known.SEEDS.get(made.name, ())
        if outcome.kind == "refused" and not expected:
            refused.append(f"{made.name} {told(outcome)}")
        elif (outcome.kind in expected) if expected else not outcome.is_failure:
            continue
        else:
            unlike.append(f"{made.name}, expected {expected or 'pass'}, {told(outcome)}")
    assert not unlike, "\n".join(unlike)
    assert len(refused) <= known.MOST_REFUSED * CHUNK, "\n".join(refused)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_found(worker: Worker, path: Path) -> None:
    outcome = worker.run(read(path), How())
    expected = known.FOUND.get(path.stem, ("pass",))
    assert outcome.kind in expected, f"expected {expected}, {told(outcome)}"


def test_known_are_there() -> None:
    names = {numbered(number).name for number in range(PROGRAMS)}
    assert set(known.SEEDS) <= names
    assert set(known.FOUND) <= {path.stem for path in FOUND}
