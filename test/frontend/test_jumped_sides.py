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
    [compaction, returns_early, read_behind, read_in_finally, iterative, iterative_pair],
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
