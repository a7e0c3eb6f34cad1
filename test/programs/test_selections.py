"""Masks, index arrays, histograms, sparse rows and sizes that depend on the data."""

from __future__ import annotations

import numpy as np
import pytest
from whole import Program

PROGRAMS = []


def program(make, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return add


def vector(n, rng):
    return (rng.normal(size=n),)


def indexed(n, rng):
    return rng.normal(size=n), rng.integers(-n, n, 2 * n)


@program(vector)
def masked_values(x):
    return x[x > 0]


@program(vector)
def masked_mean(x):
    return x[x > 0].sum() / max((x > 0).sum(), 1)


@program(vector)
def masked_write(x):
    x[x < 0] = 0
    x[x > 1] -= 1
    x[(x > 0.2) & (x < 0.4)] *= 2


@program(vector)
def masked_write_of_values(x):
    big = x > 0
    x[big] = x[big] ** 2 + np.arange(big.sum())


@program(lambda n, rng: (rng.normal(size=(n, 3)),))
def masked_rows(a):
    keep = a[:, 0] > 0
    rows = a[keep]
    a[~keep] = -1
    return rows, rows.sum(axis=0)


@program(lambda n, rng: (rng.normal(size=(n, n)),))
def masked_matrix(a):
    a[a < 0] = np.nan
    a[np.isnan(a)] = 0
    return a[a > 1].size


@program(vector)
def masks_in_a_loop(x):
    counts = np.zeros(4)
    edges = np.linspace(-2, 2, 5)
    for k in range(4):
        inside = np.logical_and(edges[k] <= x, x < edges[k + 1])
        counts[k] = x[inside].sum()
    return counts


@program(vector)
def mean_of_nothing(x):
    return x[x > 1e9].mean(), x[x > 1e9].sum(), x[x > 1e9].shape


@program(vector)
def compaction_in_a_loop(x):
    rounds = 0
    while x.size > 0 and rounds < 20:
        x = x[np.abs(x) > 0.3] * 0.7
        rounds += 1
    return x, rounds


@program(vector)
def places(x):
    (where,) = np.nonzero(x > 0)
    return where, np.flatnonzero(x < 0), np.argwhere(x > 1)


@program(indexed)
def gathered(x, where):
    return x[where]


@program(indexed)
def scattered(x, where):
    x[where] = np.arange(len(where))


@program(indexed)
def last_duplicate_wins(x, where):
    x[where] += 1
    x[where * 0] = np.arange(len(where))


@program(indexed)
def counted_duplicates(x, where):
    np.add.at(x, where, 0.5)


@program(lambda n, rng: (rng.normal(size=(n, n)), rng.integers(0, n, n)))
def gathered_rows_and_columns(a, where):
    return a[where], a[:, where], a[where, where], a[where[:, None], where]


@program(lambda n, rng: (rng.normal(size=(n, n)), rng.integers(0, n, n)))
def scattered_rows(a, where):
    a[where, 0] = 7
    a[where[0]] = 1
    a[1, where] *= 2


@program(lambda n, rng: (rng.normal(size=n), [0, 2, -1]))
def listed_positions(x, where):
    return x[[0, 1, 1]], x[where]


@program(indexed)
def gathered_in_a_loop(x, where):
    total = 0.0
    for k in where:
        total = total * 0.5 + x[k]
    return total


@program(indexed)
def histogram_by_hand(x, where):
    bins = np.zeros(len(x), np.int64)
    for k in range(len(where)):
        bins[where[k]] += 1
    return bins


@program(lambda n, rng: (rng.random(10 * n), 7))
def histograms(x, bins):
    counts, edges = np.histogram(x, bins)
    weighted = np.histogram(x, bins, weights=x * 2)[0]
    return counts, edges, weighted


def sparse(n, rng):
    lengths = rng.integers(0, 4, n)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    total = int(starts[-1])
    columns = rng.integers(0, n, total).astype(np.uint32)
    return starts, columns, rng.normal(size=total), rng.normal(size=n)


@program(sparse)
def sparse_rows(starts, columns, values, x):
    y = np.zeros(starts.size - 1, values.dtype)
    for i in range(starts.size - 1):
        inside = columns[starts[i] : starts[i + 1]]
        y[i] = values[starts[i] : starts[i + 1]] @ x[inside]
    return y


@program(sparse)
def sparse_rows_by_element(starts, columns, values, x):
    y = np.zeros(starts.size - 1)
    for i in range(starts.size - 1):
        for k in range(starts[i], starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
    return y


@program(vector)
def chosen(x):
    return np.where(x > 0, x, -x), np.where(x > 0)[0], np.take(x, [1, 0]), np.clip(x, -1, 0.5)


@program(vector)
def sorted_selection(x):
    order = np.argsort(x)
    return x[order], np.sort(x)[::-1]


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_selections(case: Program) -> None:
    case.check()
