"""What a side of a branch leaves by a jump isn't joined where nobody reads it any more."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn


def compaction(x, y, limit):
    c = (x[None, :] + y[:, None]).ravel()
    steps = np.full(c.size, limit, np.int32)
    index, z = np.arange(c.size), np.zeros_like(c)
    for i in range(limit):
        z = 0.5 * z * z + c
        out = np.abs(z) > 3.0
        steps[index[out]] = i
        keep = ~out
        if not keep.any():
            break
        index, z, c = index[keep], z[keep], c[keep]
    return steps.reshape(y.size, x.size)


def compaction_of_some(x, y, limit):
    c = (x[None, :] + y[:, None]).ravel()
    steps, z = np.zeros(c.size, np.int64), np.zeros_like(c)
    rows, index = np.divmod(np.arange(c.size), x.size)
    for i in range(limit):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        out = np.abs(z) > 3.0
        steps[rows[out] * x.size + index[out]] = i + 1
        np.logical_not(out, out)
        z = z[out]
        rows, index = rows[out], index[out]
        c = c[out]
    return steps


def returns_early(x, y, limit):
    z = x
    for i in range(limit):
        z = z * 0.5 + 1.0
        keep = z > 1.5
        if not keep.any():
            return i, 0
        z = z[keep]
    return limit, z.size


def read_behind(x, y, limit):
    z = x
    for i in range(limit):
        z = z * 0.5 + 1.0
        if z[0] > 1.9:
            z = z + 10.0
            break
        z = z + 0.001 * i
    return z


def read_in_finally(x, y, limit):
    z, seen = x, 0.0
    for _ in range(limit):
        try:
            z = z * 0.5 + 1.0
            if z[0] > 1.9:
                z = z + 10.0
                break
            z = z + 0.001
        finally:
            seen = seen + z[0]
    return seen


def iterative(x, y, limit):
    z = x.copy()
    for _ in range(limit):
        new = np.abs(z) * 0.5 + 0.25
        if np.abs(new - z).max() < 1e-3:
            return new
        z = new
    return z


def iterative_pair(x, y, limit):
    z = x.copy()
    for _ in range(limit):
        new = np.abs(z) * 0.5 + 0.25
        if np.abs(new - z).max() < 1e-3:
            return new, new
        z = new
    return z, None


@pytest.mark.parametrize(
    "function",
    [
        compaction,
        compaction_of_some,
        returns_early,
        read_behind,
        read_in_finally,
        iterative,
        iterative_pair,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("limit", [1, 3, 30])
@pytest.mark.parametrize("scale", [1.0, 0.1, -3.0])
def test_results(function, limit, scale):
    x, y = np.linspace(-2, 2, 12) * scale, np.linspace(-1, 1, 10)
    compiled = qn.compile(function, fullgraph=True)
    got, want = compiled(x, y, limit), function(x, y, limit)
    assert repr(got) == repr(want)
    if type(want) is tuple:
        assert (got[0] is got[1]) == (want[0] is want[1])


def appended_behind_a_loop(x):
    rows = []
    for value in x:
        if value > 3:
            return None
    rows.append(x * 2)
    return rows


def of_one_length_or_another(x):
    rows = [x + 1]
    if x[0] > 3:
        return rows
    rows.append(x * 2)
    return rows


def item_set_on_one_side(x):
    rows = [x + 1]
    if x[0] > 3:
        rows.append(x * 2)
        return rows
    rows[0] = x * 3
    return rows, rows


def within_another(x):
    rows = []
    table = {"rows": rows}
    if x[0] > 3:
        return table
    rows.append(x * 2)
    table["count"] = 1
    return table, rows


def keys_of_data(x):
    found = {}
    for place in range(len(x)):
        if x[place] > 3:
            found["place"] = place
            return found
    found["none"] = True
    return found


def written_by_who_called(x):
    def made(x):
        rows = []
        if x[0] > 3:
            return rows
        rows.append(x * 2)
        return rows

    one, other = made(x), made(x)
    one.append(x)
    return len(one), len(other), one is other


def from_outside(x, rows):
    if x[0] > 3:
        return rows
    rows.append(x * 2)
    return rows


@pytest.mark.parametrize(
    "function",
    [
        appended_behind_a_loop,
        of_one_length_or_another,
        item_set_on_one_side,
        within_another,
        keys_of_data,
        written_by_who_called,
        from_outside,
    ],
)
@pytest.mark.parametrize("x", [[1.0, 2.0], [5.0, 1.0], [1.0, 5.0]])
def test_lists_that_are_given_back(function, x):
    outside = ([],) if function is from_outside else ()
    ours = tuple(list(rows) for rows in outside)
    got = qn.compile(function, fullgraph=True)(np.array(x), *ours)
    assert repr(got) == repr(function(np.array(x), *outside))
    assert repr(ours) == repr(outside)


def seen_by_who_called(x):
    def added(rows):
        if x[0] > 3:
            return rows
        rows.append(x * 2)
        return rows

    rows = []
    return len(added(rows)), len(rows)


def read_at_the_end(x):
    rows = []
    try:
        if x[0] > 3:
            return None
        rows.append(x * 2)
        return rows
    finally:
        x[1] = len(rows)


@pytest.mark.parametrize("function", [seen_by_who_called, read_at_the_end])
def test_lists_that_others_have_are_no_copies(function):
    with pytest.raises(
        qn.errors.UnsupportedError, match="a dict or an object where a condition on data"
    ):
        qn.compile(function, fullgraph=True)(np.ones(2))
