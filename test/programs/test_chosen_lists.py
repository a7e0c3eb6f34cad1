"""Lists that data choose, and that are changed: a third one must not stand for them."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn


def filled_by_choice(x):
    low, high = [], []
    for v in x:
        (low if v < 0.5 else high).append(v)
    return len(low), len(high)


def appended(x):
    low, high = [1.0], [2.0]
    chosen = low if x[0] < 0.5 else high
    chosen.append(x[1])
    return len(low), len(high)


def bound_in_branches(x):
    low, high = [1.0], [2.0]
    if x[0] < 0.5:
        chosen = low
        x += 1
    else:
        chosen = high
    chosen[0] = 7.0
    return low[0], high[0]


def item_in_a_loop(x):
    low, high = [1.0], [2.0]
    for v in x[:5]:
        chosen = low if v < 0.5 else high
        chosen[0] = chosen[0] + 1
    return low[0], high[0]


def changed_behind_its_back(x):
    low, high = [1.0], [2.0]
    chosen = low if x[0] < 0.5 else high
    low[0] = 5.0
    high[0] = 6.0
    return chosen[0]


@pytest.mark.parametrize(
    "function",
    [filled_by_choice, appended, bound_in_branches, item_in_a_loop, changed_behind_its_back],
)
@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_changes_reach_the_list_that_was_chosen(function):
    x = np.random.default_rng(0).random(30)
    compiled = qn.compile(function)
    for start in (0.2, 0.8):
        x[0] = start
        assert_same(compiled(x.copy()), function(x.copy()))


def only_read(x):
    low, high = [1.0, x[1]], [2.0, x[2]]
    chosen = low if x[0] < 0.5 else high
    return chosen[0] * chosen[1]


def test_lists_that_are_only_read_need_no_fallback():
    x = np.random.default_rng(0).random(30)
    compiled = qn.compile(only_read, fullgraph=True)
    for start in (0.2, 0.8):
        x[0] = start
        assert_same(compiled(x), only_read(x))


def chosen_again_and_again(x):
    low, high = [1.0], [2.0]
    c0 = low if x[0] < 0.5 else high
    c1 = low if x[1] < 0.5 else high
    c2 = low if x[2] < 0.5 else high
    c3 = low if x[3] < 0.5 else high
    c4 = low if x[4] < 0.5 else high
    c5 = low if x[5] < 0.5 else high
    c6 = low if x[6] < 0.5 else high
    c7 = low if x[7] < 0.5 else high
    c8 = low if x[8] < 0.5 else high
    c9 = low if x[9] < 0.5 else high
    c10 = low if x[10] < 0.5 else high
    c11 = low if x[11] < 0.5 else high
    c12 = low if x[12] < 0.5 else high
    low[0] = 5.0
    first = c0[0] + c1[0] + c2[0] + c3[0] + c4[0] + c5[0] + c6[0]
    return first + c7[0] + c8[0] + c9[0] + c10[0] + c11[0] + c12[0]


def test_too_many_choices_are_refused():
    compiled = qn.compile(chosen_again_and_again, fullgraph=True, compile_limit=None)
    with pytest.raises(
        qn.errors.UnsupportedError, match="is one of two lists, one of which is changed"
    ):
        compiled(np.random.default_rng(0).random(30))
