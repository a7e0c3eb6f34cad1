"""Updates at places that the data name, of integers and of floats, many to a place and few."""

from __future__ import annotations

import numpy as np
import pytest
from whole import Program

import quernel as qn

PROGRAMS = []
SIZES = (40000, 0, 1, 1025, 9000)


def program(make, sizes=SIZES, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, sizes=sizes, **how))
        return function

    return add


def places(n, rng):
    return (rng.integers(0, 50, n),)


def table(n, rng, dtype=np.int64):
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, n, dtype)
    return np.arange(-3, 37).astype(dtype), rng.integers(-40, 40, n), values


@program(places)
def counts(k):
    return np.bincount(k), np.bincount(k, minlength=80), np.bincount(k // 50)


@program(lambda n, rng: (rng.integers(0, 50, n), rng.random(n)), (40000, 1, 1025, 9000))
def weighted_counts(k, w):
    return np.bincount(k, w)


@program(lambda n, rng: (rng.normal(size=n + 1),))
def histograms(x):
    return np.histogram(x, 10)[0], np.histogram(x, 7, weights=x)[0], np.histogram(x > 0, 2)[0]


@program(table)
def sums(y, k, v):
    np.add.at(y, k, v)
    np.subtract.at(y, k, 3)


@program(table)
def extremes(y, k, v):
    least, most = y.copy(), y.copy()
    np.minimum.at(least, k, v)
    np.maximum.at(most, k, v)
    return least, most


@program(table)
def bits(y, k, v):
    zeros, ones, odd = y.copy(), y.copy(), y.copy()
    np.bitwise_and.at(zeros, k, v)
    np.bitwise_or.at(ones, k, v)
    np.bitwise_xor.at(odd, k, v)
    return zeros, ones, odd


@program(lambda n, rng: table(n, rng, np.uint32))
def unsigned(y, k, v):
    most = y.copy()
    np.add.at(y, k, v)
    np.maximum.at(most, k, v)
    return most


@program(lambda n, rng: table(n, rng, np.int32))
def short_numbers(y, k, v):
    least = y.copy()
    np.add.at(y, k, v)
    np.minimum.at(least, k, v)
    return least


@program(lambda n, rng: table(n, rng, np.int8))
def numbers_without_atomics(y, k, v):
    np.add.at(y, k, v)


@program(table)
def products(y, k, v):
    np.multiply.at(y, k, v | 1)


@program(lambda n, rng: (np.zeros(40), rng.integers(-40, 40, n), rng.normal(size=n)))
def sums_of_floats(y, k, v):
    np.add.at(y, k, v)


@program(
    lambda n, rng: (np.zeros((9, 4), np.int64), rng.integers(0, 9, n), rng.integers(0, 9, (n, 4))),
    (5000, 0, 3),
)
def rows(y, k, v):
    np.add.at(y, k, v)


@program(
    lambda n, rng: (np.zeros((9, 4), np.int64), rng.integers(0, 9, n), rng.integers(0, 4, n)),
    (20000, 0, 3),
)
def pairs(y, i, j):
    np.add.at(y, (i, j), 1)


@program(table)
def what_is_read_is_updated(y, k, v):
    np.add.at(y, k, y[k] + v)


@program(places)
def counts_of_counts(k):
    return np.bincount(np.bincount(k) % 7)


def test_integers_have_atomic_updates() -> None:
    lowered = qn.compile(counts, fullgraph=True).lower(np.arange(40000) % 50)
    assert "atomicAdd((unsigned long long *)&" in lowered.text("cuda")
    floats = (np.zeros(40), np.arange(40000) % 40, np.ones(40000))
    assert "atomic" not in qn.compile(sums_of_floats, fullgraph=True).lower(*floats).text("cuda")


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_scatters(case: Program) -> None:
    case.check()
