"""Names that refer to one array or another, or to values of several kinds, as data decide."""

from __future__ import annotations

import numpy as np
import pytest
from whole import same_call

import quernel as qn

STARTS = (np.array([3.0, 1.0, 2.0, 0.5]), np.array([-1.0, 5.0, 0.5, 2.0]))


def writes_the_chosen(x, y):
    z = x if x[0] > 0 else y
    z[1] = 7
    z += 1
    return z


def binds_on_one_side(x, y):
    v = x
    if y[0] > 0:
        v = v * 2
    v[0] = -1
    return v


def exchanges(x, y):
    if x[0] < 0:
        x, y = y, x
    x[0] = 9
    return x, y


def chooses_a_row(x, y):
    b = np.stack([x, y])
    row = b[0] if x[0] > 0 else b[1]
    row *= 2
    return b, row


def keeps_aliases_of_a_side(x, y):
    v = w = x
    if x[0] > 0:
        v = y + 1
        w = v
    v[0] = 5
    return w, v


def binds_again_in_turns(x, y):
    v = x
    for i in range(len(x)):
        x[i] = 1
        v = v + 1
    return v


def has_a_third_name(x, y):
    x, y = x.copy(), y.copy()
    z = x
    for _ in range(3):
        z[0] += 1
        x, y = y, x
    return x, y


def fills_two_buffers(x, y):
    t = x.copy()
    for _ in range(3):
        t[1:-1] = (x[:-2] + x[2:]) * 0.5
        t, x = x, t
    t[0] = 4
    return x


def flips(x, y):
    for _ in range(0, len(x), 2):
        x = x[::-1]
        x[0] += 1
    x[:2] = 0
    return x


def has_no_turn(x, y):
    for _ in range(int(y[0] > 0) - 1):
        x = y
    x[0] = 3
    return x


def has_a_turn_or_none(x, y):
    for _ in range(int(y[0] > 0)):
        x = y
    x[0] = 3
    return x


def searches(x, y):
    for e in x:
        if e > 2:
            break
    return e


def remembers_the_best(x, y):
    best = x + 1
    for i in range(4):
        z = best * 1.1 - i
        if z[0] > y[0]:
            best = z
    return best


def joins_shapes(x, y):
    z = x if x[0] > 0 else x[:3]
    return z.sum()


def joins_dtypes(x, y):
    s = x
    if x[0] > 0:
        s = x.astype(np.float32)
    t = s * 2
    return t.sum(), t


def returns_nothing_else(x, y):
    if x[0] > 0:
        return x


def _key(g):
    if g[0] > 1:
        return g.astype(np.int64)
    return g * 2.5


def passes_on_what_differs(x, y):
    return np.argsort(_key(x))


def adds_what_differs(x, y):
    return _key(x) + _key(-x)


def decides_each_call_anew(x, y):
    u = _key(x)
    v = _key(-x)
    return u + v


def decides_each_maximum_anew(x, y):
    u = max(2, x[0]) * np.ones(2, np.float32)
    n = max(2, x[1])
    return u, n * np.ones(2, np.float32), type(n) is int


def begins_with_nothing(x, y):
    best = None
    for e in x:
        if best is None or e < best:
            best = e
    return best


def differs_in_turns(x, y):
    for i in range(3):
        s = x if x[i] > 0 else x[:1]
        x[i] = s.sum()
    return s


def chooses_kinds(x, y):
    return x if x[0] > 0 else 2.5


def chooses_lengths(x, y):
    return (x, y) if x[0] > 0 else (x + 1, y, x)


PROGRAMS = [
    writes_the_chosen, binds_on_one_side, exchanges, chooses_a_row, keeps_aliases_of_a_side,
    binds_again_in_turns, has_a_third_name, fills_two_buffers, flips, has_no_turn,
    has_a_turn_or_none, searches, remembers_the_best, joins_shapes, joins_dtypes,
    returns_nothing_else, passes_on_what_differs, adds_what_differs, decides_each_call_anew,
    decides_each_maximum_anew, begins_with_nothing, differs_in_turns, chooses_kinds,
    chooses_lengths,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_references(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for x in STARTS:
        for y in STARTS:
            same_call(compiled, function, (x, y + 0.25))
    assert compiled.stats()["fallbacks"] == 0


def raises_after_writing(x, y):
    if x[0] > 0:
        x[1] = 3
        raise ValueError("x")
    return x * 2


def fails_after_writing(x, y):
    y += 1
    if x[0] > 0:
        x[1] = 3
        x[len(x)] = 2
    return x * 2


def binds_nothing(x, y):
    if x[0] > 0:
        z = y
    return z


def never_bound(x, y):
    if x[0] > 0:
        return x
    return z  # noqa: F821


@pytest.mark.parametrize(
    "function", [raises_after_writing, fails_after_writing, binds_nothing, never_bound]
)
def test_errors_of_the_path_that_is_taken(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for x in STARTS:
        theirs, ours = [x.copy(), x + 1], [x.copy(), x + 1]
        got = []
        for call, args in ((function, theirs), (compiled, ours)):
            try:
                got.append(call(*args).tolist())
            except (ValueError, LookupError, NameError) as error:
                got.append((type(error), str(error)))
        assert got[0] == got[1]
        assert np.array_equal(theirs, ours)
