"""Lists of the program's whose items are set, counted, reversed, and looked for."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn


def seasonal(x):
    season, level = [0.0] * 12, x[0]
    out = np.empty_like(x)
    for t in range(x.shape[0]):
        before = level
        level = 0.3 * (x[t] - season[t % 12]) + 0.7 * before
        season[t % 12] = 0.1 * (x[t] - level) + 0.9 * season[t % 12]
        out[t] = level + season[t % 12]
    return out


def counted(x):
    counts = [0, 0, 0]
    for v in x:
        counts[int(v * 3)] += 1
    return counts


def from_the_end(x):
    last = [0] * 4
    for i in range(x.shape[0]):
        last[-1 - i % 4] = i
        if x[i] > 0.5:
            last[int(x[i] * 4)] -= 2
    return last, np.array(last)


def pairs(x):
    found = [(0, 0.0)] * 5
    for i in range(x.shape[0]):
        found[i % 5] = (i, float(x[i]))
    return found


def sums(x):
    f = [0.0] * x.shape[0]
    f[1] = 1.0
    for i in range(2, x.shape[0]):
        f[i] = f[i - 1] + f[i - 2] * 0.5
    return np.array(f)


def reversed_path(x):
    path, i = [], x.shape[0] - 1
    while i > 0:
        path.append(i)
        i = int(i * x[i])
    path.reverse()
    return path


def extended(x):
    found = []
    for v in x:
        found += [v, -v]
        found.extend([v * 2])
    return np.array(found)


def seen_before(x):
    seen = []
    for v in x:
        k = int(v * 20)
        if k not in seen:
            seen.append(k)
    return seen


def cells_seen(x):
    seen, again = [], 0
    for v in x:
        cell = (int(v * 5), int(v * 77) % 3)
        if cell in seen:
            again += 1
        else:
            seen.append(cell)
    return seen, again


def popped_within(x):
    stack, seen = [5], np.zeros(256, bool)
    while len(stack) > 0:
        row, column = divmod(stack.pop(), 16)
        k = row * 16 + column
        if seen[k] or x[k % x.shape[0]] < 0.2:
            continue
        seen[k] = True
        if row > 0:
            stack.append(k - 16)
        if column > 0:
            stack.extend([k - 1])
        if row < 15:
            stack.append(k + 16)
    return seen


def by_choice(x):
    low, high = [], []
    for i in range(x.shape[0]):
        (low if x[i] < 0.5 else high).append(i)
    return low, high


def calls_by_choice(x):
    low, high = [], []
    for i in range(x.shape[0]):
        low.append(i) if x[i] < 0.5 else high.append(-i)
    return low, high


EACH = [
    seasonal, counted, from_the_end, pairs, sums, reversed_path, extended, seen_before,
    cells_seen, popped_within, by_choice, calls_by_choice,
]  # fmt: skip


@pytest.mark.parametrize("function", EACH)
def test_each_compiles_whole(function):
    compiled = qn.compile(function, fullgraph=True)
    for seed in range(3):
        x = np.random.default_rng(seed).random(60)
        got, want = compiled(x), function(x)
        assert repr(got) == repr(want) if function is not seasonal else True
        assert_same(got, want)


def test_sizes_and_numbers_of_the_call():
    def filled(x, n):
        found = [0] * n
        for i in range(x.shape[0]):
            found[i % n] = i
        return found

    compiled = qn.compile(filled)
    for size, n in ((40, 5), (41, 5), (41, 7), (0, 3), (3, 5)):
        x = np.zeros(size)
        assert compiled(x, n) == filled(x, n)
    with pytest.raises(ZeroDivisionError):
        compiled(np.zeros(4), 0)


def outside(x):
    found = [0] * 3
    for v in x:
        found[int(v * 5)] = 1
    return found


def outside_read(x):
    found = [0, 0, 0]
    for v in x:
        found[int(v * -5)] += 1
    return found


@pytest.mark.parametrize("function", [outside, outside_read])
def test_places_outside_raise_as_in_python(function):
    compiled, x = qn.compile(function, fullgraph=True), np.array([0.1, 0.3, 0.2])
    assert compiled(x) == function(x)
    x[1] = 0.9
    messages = []
    for call in (function, compiled):
        with pytest.raises(IndexError) as caught:
            call(x)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def two_names(x):
    a = [0.0] * 20
    b = a
    for i in range(20):
        a[i] = i * 0.5
    return b[3], len(b)


def numbers_of_two_types(x):
    found = [0] * 20
    for i in range(20):
        if x[i] > 0.5:
            found[i] = x[i]
    return np.array(found), found


def arrays(x):
    found = [np.zeros(3)] * 3
    for i in range(20):
        found[i % 3][0] += x[i]
    return found


def with_nan(x):
    found = []
    for v in x:
        if v not in found:
            found.append(v)
    return found


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", [two_names, numbers_of_two_types, arrays, with_nan])
def test_the_rest_is_pythons(function):
    compiled = qn.compile(function)
    for scale in (1.0, 0.1):
        x = np.random.default_rng(0).random(30) * scale
        x[4] = np.nan
        got, want = compiled(x), function(x)
        assert repr(got) == repr(want)
