"""Searches in arrays whose sizes only the running program knows."""

import numpy as np
import pytest
from support import assert_same

import quernel as qn

RNG = np.random.default_rng(5)


def both_sides(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, "right"), np.digitize(v, a)


def in_chosen(a, v):
    chosen = a[a > 0.5]
    return np.searchsorted(chosen, v), np.searchsorted(chosen, v[0], "right")


def in_turns(a, v):
    total = 0
    for k in range(3):
        if v[k] > 0.3:
            total += np.searchsorted(a[a > 0.2 * k], v).sum()
    return total


@pytest.mark.parametrize("function", [both_sides, in_chosen, in_turns])
def test_searches_take_as_many_steps_as_the_size_has_bits(function):
    compiled = qn.compile(function, fullgraph=True, dynamic=True)
    for size, count in ((10, 5), (2, 3), (7, 40), (64, 9), (1000, 12)):
        a, v = np.sort(RNG.random(size)), RNG.random(count)
        v[0] = a[-1]
        v[1] = np.nan if function is both_sides else a[0]
        assert_same(compiled(a, v), function(a, v))
        assert_same(compiled(a / 3, v), function(a / 3, v))
    assert compiled.stats()["compiles"] == 1
