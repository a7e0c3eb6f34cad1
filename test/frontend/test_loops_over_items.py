"""Loops over iterators, generators and long sequences are loops of the program."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest

import quernel as qn

X = np.random.default_rng(1).normal(size=(300, 4))
NUMBERS = [3 * k % 17 for k in range(100)]
PAIRS = [(k % 5, 0.5 * k) for k in range(100)]


def of_generator(x):
    total = 0.0
    for value in (np.abs(row).sum() for row in x):
        total = total * 0.5 + value
    return total


def late_variable(x):
    factor = 2.0
    rows = (row * factor for row in x)
    factor = 3.0
    total = x[0] * 0
    for row in rows:
        if row[0] > 5.0:
            break
        total = total * 0.5 + row
    return total


def numbered_generator(x):
    total = 0.0
    for k, value in enumerate(row.max() for row in x):
        total = total * 0.5 + value * k
    return total


def mapped(x):
    total = 0.0
    for value, row in zip(map(np.sum, x), x):  # noqa: B905
        total = total + value * row[0]
    return total


def reduced(x):
    return functools.reduce(lambda a, b: a * 0.5 + b, x)


def reduced_from(x):
    return functools.reduce(lambda a, b: a + b[0], x, 10.0)


def begun(x):
    rows = iter(x)
    first = next(rows)
    count = 0
    for row in rows:
        if row[0] > first[0]:
            count += 1
    return count


def over_places(x):
    total = 0.0
    for i, j in itertools.product(range(x.shape[0]), range(x.shape[1])):
        total = total * 0.9 + x[i, j]
    return total


def along_an_axis(x):
    return np.apply_along_axis(lambda row: row[row > 0].sum(), 1, x)


def of_table(x):
    total = 0.0
    for k, place in enumerate(NUMBERS):
        total += x[place, 1] * k - np.abs(x[place, 0]) + x[2 * place, 2] * x[place, 3]
        if total > 1e9:
            break
    return total


def of_tuples(x):
    total = 0.0
    for (place, factor), other in zip(PAIRS, reversed(NUMBERS)):  # noqa: B905
        total += x[place, 0] * factor - x[other, 1] * x[other + 1, 2] + abs(x[other, 3]) * 2.0
    return total


def over_a_list_that_it_changes(x):
    known, total = [k % 7 for k in range(60)], 0.0
    for k, place in enumerate(known):
        total += x[place, 0] * k - np.abs(x[place, 1]) + x[2 * place, 2] * x[place, 3]
        known[59 - k] = 3
    return total, known


def computes_no_more_than_it_needs(x):
    seen = [0]

    def next_one(row):
        seen[0] += 1
        return row[0]

    for value in map(next_one, x):
        if value > 1.5:
            break
    return value, seen[0]


def computes_all(x):
    seen = [0]

    def next_one(row):
        seen[0] += 1
        return row[0]

    last = 0.0
    for value in map(next_one, x):
        if value > 1e9:
            break
        last = value
    return last, seen[0]


def of_many_divisors(x):
    number, found = int(abs(x[0, 0]) * 1000) * 12, []
    for divisor in [2, 3, *range(5, 500, 2)]:
        while number % divisor == 0 and number > 0:
            found.append(divisor)
            number //= divisor
        if number == 1:
            break
    return found


def summed(x):
    return sum(row[0] * row[1] for row in x)


def greatest(x):
    return max(row.max() - row.min() for row in x), min(row.sum() for row in x)


def asked(x):
    return any(row[0] > 50 for row in x), all(row[0] < 50 for row in x)


def of_comprehension(x):
    return np.array([np.abs(x[i] * x[0]).sum() for i in range(len(x))])


def sum_of_comprehension(x):
    return sum([row.max() - row.min() for row in x])


def of_list(x):
    found = []
    for row in x:
        if row[0] > 0:
            found.append(int(row[0] * 10))
    return sum(found) / len(found), max(found), min(found), any(found), all(found)


FUNCTIONS = [
    of_generator, late_variable, numbered_generator, mapped, reduced, reduced_from, begun,
    over_places, along_an_axis, computes_no_more_than_it_needs, computes_all, of_table, of_tuples,
    of_many_divisors, summed, greatest, asked, of_comprehension, sum_of_comprehension, of_list,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_program_has_loops(function):
    compiled = qn.compile(function, fullgraph=True)
    got, want = compiled(X), function(X)
    assert repr(np.shape(got)) == repr(np.shape(want))
    if isinstance(want, (np.ndarray, float)):
        assert type(got) is type(want)
        np.testing.assert_allclose(got, want, rtol=1e-12)
    else:
        assert repr(got) == repr(want)
    graph = compiled.lower(X).text("quernel")
    assert "scf.for" in graph or "scf.while" in graph
    assert graph.count("\n") < 400  # as each iteration by itself would be more


def test_what_a_list_holds_when_its_item_comes_counts():
    got = qn.compile(over_a_list_that_it_changes, fullgraph=True)(X)
    want = over_a_list_that_it_changes(X)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    assert got[1] == want[1]


def test_few_items_of_a_list_are_taken_one_by_one():
    def few(x):
        total = x[0] * 0
        for place in [1, 5, 2]:
            total = total + x[place : place + 3].sum(axis=0)
        return total

    compiled = qn.compile(few, fullgraph=True)
    np.testing.assert_allclose(compiled(X), few(X), rtol=1e-12)
    assert "scf.for" not in compiled.lower(X).text("quernel")


def test_known_items_of_a_comprehension_stay_numbers():
    def known(x):
        sizes = [2 * k for k in range(300)]
        return x[0].reshape(sizes[1], sizes[1]) * sizes[5]

    np.testing.assert_array_equal(qn.compile(known, fullgraph=True)(X), known(X))


def test_what_is_left_of_an_iterator_is_gone_behind_a_loop():
    def gone(x):
        rows, total = iter(x), 0.0
        for row in rows:
            total += row[0]
        for _row in rows:
            total += 100.0
        return total

    assert math.isclose(qn.compile(gone, fullgraph=True)(X), gone(X), rel_tol=1e-12)


def test_deep_nests_are_quick_to_look_through(monkeypatch):
    """Each loop is gone through a few times for each loop around it, not twice as often."""
    from quernel.capture.scopes import Liveness

    visits = 0
    visited = Liveness._statement

    def counted(self, node, live):
        nonlocal visits
        visits += 1
        return visited(self, node, live)

    monkeypatch.setattr(Liveness, "_statement", counted)
    depth = 18
    lines = ["def nest(x):", "    n = 0"]
    lines += ["    " * (k + 1) + f"for i{k} in range(2):" for k in range(depth)]
    lines += ["    " * (depth + 1) + "n = n + x[0]", "    return n"]
    text = "\n".join(lines) + "\n"
    space: dict = {}
    exec(compile(text, "<nest>", "exec"), space)
    import linecache

    linecache.cache["<nest>"] = (len(text), None, text.splitlines(True), "<nest>")
    assert qn.compile(space["nest"], fullgraph=True)(np.ones(1)) == 2.0**depth
    assert visits < 10 * depth**2
