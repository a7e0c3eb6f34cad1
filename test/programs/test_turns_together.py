"""Turns of a loop that go through the same large arrays, which they do together."""

from __future__ import annotations

import numpy as np
import pytest
from places import thread_counts
from support import assert_same

import quernel as qn

ELEMENTS = 150_001


def bins(x, y, turns):
    out = np.zeros(turns)
    for i in range(turns):
        inside = (x >= i / turns) & (x < (i + 1) / turns)
        out[i] = y[inside].mean()
    return out


def two_sums(x, y, turns):
    out = np.zeros((turns, 2))
    for i in range(turns):
        d = x - i * 0.01
        out[i, 0] = d.sum()
        out[i, 1] = ((d - out[i, 0] / d.size) ** 2).sum()
    return out


def thresholds(x, y, turns):
    limits = np.linspace(0, 1, turns)
    found = np.empty(turns, dtype=int)
    best = np.empty(turns)
    for k, limit in enumerate(limits):
        found[k] = (x > limit).sum()
        best[k] = np.where(y < limit, x, 0).max()
    return found, best


# So many operations that reading is no matter.
def transform(x, y, turns):
    out = np.empty(turns, dtype=complex)
    n = np.arange(x.size)
    for k in range(turns):
        out[k] = (x * np.exp(-2j * np.pi * k * n / x.size)).sum()
    return out


def nearest(x, y, turns):
    out = np.empty(turns, dtype=int)
    for k in range(turns):
        out[k] = np.abs(x - y[k]).argmin()
    return out


# Each turn reads what the one before has written.
def in_order(x, y, turns):
    for k in range(turns):
        x[k] = (x * y).sum() / x.size
    return x


def into_the_array(x, y, turns):
    out = np.zeros(turns)
    for k in range(turns):
        out[k] = x.sum() + y[k]
        y[k] = out[k]
    return out


def some_turns_raise(x, y, turns):
    out = np.zeros(turns)
    for k in range(turns):
        total = (x * k).sum()
        if total < 0:
            raise ValueError("negative")
        out[k] = total
    return out


PROGRAMS = [
    bins,
    two_sums,
    thresholds,
    transform,
    nearest,
    in_order,
    into_the_array,
    some_turns_raise,
]
TOGETHER = {bins, two_sums, thresholds, nearest, into_the_array}


def arguments(elements: int, turns: int, dtype: str = "float64") -> list:
    rng = np.random.default_rng(elements)
    return [rng.random(elements).astype(dtype), rng.random(elements).astype(dtype), turns]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of bins without elements
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program, dtype: str) -> None:
    compiled = qn.compile(program, fullgraph=True)
    for elements, turns in ((ELEMENTS, 37), (ELEMENTS + 5, 37), (ELEMENTS * 2, 48), (50, 33)):
        theirs, ours = arguments(elements, turns, dtype), arguments(elements, turns, dtype)
        scale = 1e-11 if dtype == "float64" else 1e-4
        assert_same(compiled(*ours), program(*theirs), scale=scale)
        assert_same(ours, theirs, scale=scale)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_who_goes_together(program) -> None:
    text = qn.compile(program).lower(*arguments(ELEMENTS, 48)).text("cpp")
    assert ("< 48; i += 16" in text or "< 48; k += 16" in text) == (program in TOGETHER)


@pytest.mark.parametrize(
    "program", sorted(TOGETHER, key=lambda f: f.__name__), ids=lambda f: f.__name__
)
def test_bits_depend_on_no_threads(program) -> None:
    def bits(threads):
        result = qn.compile(program, threads=threads)(*arguments(ELEMENTS, 40))
        return [np.asarray(one).tobytes() for one in np.atleast_1d(result)]

    first, *others = [bits(threads) for threads in thread_counts(1, 2, 5)]
    assert all(other == first for other in others)
