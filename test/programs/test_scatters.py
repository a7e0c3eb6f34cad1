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


# With pieces of a device's threads, groups of these, and many places for each update.
MANY = (40000, 1024, 1023, 140000)


@program(lambda n, rng: (rng.normal(size=7), rng.integers(-7, 7, n), rng.normal(size=n)), MANY)
def many_sums_of_floats(y, k, v):
    np.add.at(y, k, v)
    return np.bincount(k % 3, weights=v)


@program(
    lambda n, rng: (np.full(3, np.inf), rng.integers(0, 3, n), rng.normal(size=n)), (40000, 2000)
)
def extremes_of_floats(y, k, v):
    np.minimum.at(y, k, v)
    most = np.zeros(3)
    np.maximum.at(most, k, v)
    return most


@program(
    lambda n, rng: (np.zeros((5, 4)), rng.integers(0, 5, n), rng.normal(size=(n, 4))), (9000, 0, 3)
)
def rows_of_floats(y, k, v):
    np.add.at(y, k, v)


# About as many places as updates, of which a device carries out one after the other at each place.
ROUNDS = (3000, 1024, 1023, 1)


def spread(n, rng):
    return rng.normal(size=n), rng.integers(-n, n, n), rng.normal(size=n)


@program(spread, ROUNDS)
def as_many_places_as_updates(y, k, v):
    product = np.ones(y.size)
    np.add.at(y, k, v)
    np.multiply.at(product, k, v)
    return product


@program(spread, (3000, 1))
def sums_of_what_is_updated(y, k, v):
    np.add.at(y, k, y[::-1] * v)
    y[k] += v


@program(lambda n, rng: (rng.normal(size=n), np.full(n, 3), rng.normal(size=n)), (2000,))
def all_updates_at_one_place(y, k, v):
    np.add.at(y, k, v)


@program(
    lambda n, rng: (
        np.zeros((90, 70), np.float32),
        rng.integers(0, 90, (n, 2)),
        rng.integers(-70, 70, 2),
        rng.random((n, 2), np.float32),
    ),
    (1500, 0),
    scale=1e-4,
)
def sums_at_pairs(y, i, j, v):
    np.add.at(y, (i, j), v)


@program(
    lambda n, rng: (np.zeros((n, 3)), rng.integers(0, n, n), rng.normal(size=(n, 3))), (1500, 1)
)
def sums_of_rows(y, k, v):
    np.add.at(y, k, v)
    return np.add.reduce(y, axis=0)


@program(spread, ROUNDS)
def the_last_one_counts(y, k, v):
    y[k] = v


@program(table, (2000, 0, 3))
def the_last_one_of_many_counts(y, k, v):
    y[k] = v
    z = np.zeros((5, y.size))
    z[:, k] = 1
    z[2, k] = v
    return z


@program(
    lambda n, rng: (np.zeros((n, 3), np.int16), rng.integers(0, n, n), rng.integers(0, 9, (n, 3))),
    (1500, 1),
)
def the_last_rows_count(y, k, v):
    y[k] = v
    y[k, 1] = k % 100
    y[k, k % 3] = 7


@program(spread, (1500,))
def the_last_one_counts_in_turns(y, k, v):
    for t in range(3):
        y[k] = v * t + y[0]
        np.add.at(y, k // 2, v)


@program(lambda n, rng: (np.zeros(4, np.complex64), rng.integers(0, 4, n)), (5000, 2))
def sums_of_complex_numbers(y, k):
    np.add.at(y, k, 1 + 2j)


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


def test_threads_have_tables_of_floats() -> None:
    updates = (np.zeros(1000), np.zeros(10**7, np.int64), np.zeros(10**7))
    text = qn.compile(sums_of_floats, fullgraph=True).lower(*updates).text("cuda")
    kernels = text[: text.index("#else")].split("__global__")[1:]
    # Each of 10,000 threads takes every 10,000th update; groups of 128 tables are added up.
    assert " < 10000; " in kernels[-3] and "tmp0[at2] = tmp0[at2] + v[at1];" in kernels[-3]
    assert " < 79; " in kernels[-2] and " < 1000; " in kernels[-1]


def test_threads_claim_places() -> None:
    updates = (np.zeros(10**6), np.zeros(10**6, np.int64), np.zeros(10**6))
    for function in as_many_places_as_updates, the_last_one_counts:
        text = qn.compile(function, fullgraph=True).lower(*updates).text("cuda")
        kernels = text[: text.index("#else")].split("__global__")[1:]
        assert any(
            "atomicMax(" in kernel and "__launch_bounds__(256)" in kernel for kernel in kernels
        )
        assert any("] == " in kernel and "__launch_bounds__(256)" in kernel for kernel in kernels)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_scatters(case: Program) -> None:
    case.check()
