"""List comprehensions of which data say how many items they have."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn

X = np.array([0.5, -1.0, 2.0, 3.0, -4.0, 2.5])
LABELS = np.array([3, 1, 3, 7, 1, 3])


def sums_of_classes(x, labels):
    return np.array([x[labels == label].sum() for label in np.unique(labels)])


def normed_means(x, labels):
    means = np.array([x[labels == k].mean() for k in np.unique(labels)]) - x.mean()
    return means / np.abs(means).max(), means.size


def returned(x, labels):
    return [v * 2 for v in x if v > 0]


def returned_counters(x, labels):
    return [k for k, v in enumerate(x) if v > 1]


def bound_and_asked(x, labels):
    large = [k for k in range(len(x)) if x[k] > 1]
    if not large:
        return None
    return len(large), np.array(large), large[0]


def pairs(x, labels):
    return np.array([(k, v) for k, v in enumerate(x) if v > 0])


def two_loops(x, labels):
    return np.array([a - b for a in x if a > 0 for b in labels if b > a if b < 7]).sum()


def several(x, labels):
    return np.array([v for v in x if v > 1]), 3, [k for k in labels if k > 1], x


def names_of_its_own(x, labels):
    v, k = 7, [9]
    found = [v * k for k, v in enumerate(x[v - 6 :]) if v > 1]
    return found, v, k


def in_loops(x, labels):
    total = 0.0
    for k in range(3):
        if x[k] > 0:
            total += np.array([v for v in x if v > k]).sum()
    return total


def of_an_inner_function(x, labels):
    def selected(limit):
        return np.array([v for v in x if v < limit])

    return selected(1.0).sum() + selected(2.0).sum()


def many_turns(x, labels):
    wide = np.tile(x, 1000)
    return np.array([np.median(wide[k : k + 5]) for k in range(wide.size - 5)])


def raises(x, labels):
    return np.array([x[k] for k in labels if k > 2])


FUNCTIONS = (
    sums_of_classes, normed_means, returned, returned_counters, bound_and_asked, pairs, two_loops,
    several, names_of_its_own, in_loops, of_an_inner_function, many_turns,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_comprehension_that_data_decide_is_a_loop(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    calls = (X, LABELS), (X[::-1].copy(), LABELS % 5), (np.tile(X, 3), np.tile(LABELS, 3))
    for args in calls:
        assert_same(compiled(*args), function(*args), ulp=4)


def test_an_item_that_raises_raises() -> None:
    compiled = qn.compile(raises, fullgraph=True)
    good = LABELS % 5
    assert_same(compiled(X, good), raises(X, good))
    with pytest.raises(IndexError) as error:
        raises(X, LABELS)
    with pytest.raises(IndexError, match=str(error.value)):
        compiled(X, LABELS)


def test_a_list_without_items_is_left_to_numpy() -> None:
    compiled = qn.compile(pairs)
    with pytest.warns(qn.FallbackWarning, match="an array of a list without items"):
        assert_same(compiled(-np.abs(X), LABELS), pairs(-np.abs(X), LABELS))


def used_as_pythons(x):
    return tuple([v for v in x if v > 1])


def not_first(x):
    return np.concatenate([x * 2, np.array([v for v in x if v > 1])])


def binds_inside(x):
    return np.array([y for v in x if (y := v * 2) > 1])


def inside_of_another(x):
    return np.array([sum([v for v in x if v > w]) for w in x])


@pytest.mark.parametrize("function", [used_as_pythons, not_first, binds_inside, inside_of_another])
def test_other_comprehensions_stay_as_they_are(function) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match="a comprehension that selects by data"):
        qn.compile(function, fullgraph=True)(X)
    with pytest.warns(qn.FallbackWarning):
        assert_same(qn.compile(function)(X), function(X))


def test_what_a_comprehension_names_stays_inside() -> None:
    def reads(x):
        found = np.array([v for v in x if v > 1])
        return found, v  # noqa: F821

    with pytest.raises(NameError, match="name 'v' is not defined"):
        qn.compile(reads)(X)
