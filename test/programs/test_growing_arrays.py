"""Arrays that loops of the program make longer, or of which the turns choose the size."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from whole import Program

import quernel as qn
from quernel.errors import UnsupportedError


def breadth_first(starts, targets, first):
    """How many edges lead from a node to each one."""
    distances = np.full(starts.size - 1, -1)
    distances[first] = 0
    frontier, steps = np.array([first]), 0
    while frontier.size:
        steps += 1
        begins = starts[frontier]
        counts = starts[frontier + 1] - begins
        before = np.cumsum(counts) - counts
        near = targets[np.arange(counts.sum()) + np.repeat(begins - before, counts)]
        frontier = np.unique(near[distances[near] < 0])
        distances[frontier] = steps
    return distances


def orbit(x, limit):
    """The values of a rule until it leaves a range."""
    found = np.array([x])
    while abs(found[-1]) < limit:
        found = np.append(found, found[-1] * 1.5 + 1)
    return found


def doubled(x, times):
    """An array that gets as long as a number says."""
    for _ in range(times):
        x = np.concatenate([x, x + 1])
    return x


def rows(n):
    """Rows that are joined one by one."""
    a = np.zeros((1, 3))
    k = 1
    while a.sum() < n:
        a = np.vstack([a, np.full((1, 3), float(k))])
        k += 1
    return a, k


def first_grows_then_shrinks(x, n):
    """An array of any size from turn to turn, beside one that gets shorter."""
    y = x
    for k in range(n):
        x = np.append(x, x[x > k]) if k % 2 else x[x > k]
        y = y[y != k]
    return x, y


def written(x, out):
    """The array that grows is written to, and read afterwards."""
    k = 0
    while x.sum() < 1000:
        x = np.append(x, x.max() + k)
        x[0] += k
        out[k % out.size] += x.size
        k += 1
    return x, k


def nested(x, n):
    """One loop within another."""
    total = 0.0
    for k in range(n):
        y = x[:1]
        while y.size < k:
            y = np.append(y, y * 2)
        total += y.sum()
    return total


def graph(n, rng):
    """Of each node, four edges."""
    return np.arange(n + 1) * 4, rng.integers(0, n, 4 * n), n // 2


def chain(n, _):
    """Nodes in a row, the last one with an edge to itself."""
    return np.arange(n + 1), np.minimum(np.arange(n) + 1, n - 1), 0


PROGRAMS = [
    Program(breadth_first, graph, sizes=(5, 8, 50)),
    Program(breadth_first, chain),
    Program(orbit, lambda n, _: (0.5 / n, 10.0**n)),
    Program(doubled, lambda n, rng: (rng.random(3), np.int64(n - 4))),
    Program(doubled, lambda n, rng: (rng.random(n), 9)),
    Program(rows, lambda n, _: (60 * n,)),
    Program(first_grows_then_shrinks, lambda n, _: (np.arange(40), n)),
    Program(written, lambda n, _: (np.arange(3.0), np.zeros(n, np.int64))),
    Program(nested, lambda n, rng: (rng.random(5), 3 * n)),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_they_compile_whole(program: Program) -> None:
    program.check()


def test_one_that_has_no_room_is_numpys_and_nothing_is_written_twice() -> None:
    def longer(x, out):
        while x.size < 100_000:
            out += 1
            x = np.concatenate([x, x])
        return x.size, out

    out, compiled = np.zeros(3), qn.compile(longer)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        size, _ = compiled(np.ones(7), out)
    assert (size, out.tolist()) == (114688, [14.0] * 3)
    assert "an array of more entries than a loop has room for" in str(found[0].message)


def test_entries_of_many_elements_have_no_room() -> None:
    def longer(x):
        while x.sum() < 9:
            x = np.concatenate([x, x[:1]])
        return x

    with pytest.raises(UnsupportedError, match="a while loop that can't be compiled as one"):
        qn.compile(longer, fullgraph=True)(np.ones((2, 100)) / 1000)
