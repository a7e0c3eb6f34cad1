"""Results with sizes that the data make: any axis, any order in memory, views of hidden memory."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn

X = np.array([[0, 2, 1, 0], [1, 0, 0, 3], [0, 0, 2, 0]])
NONE = np.zeros((2, 3), int)


def chosen_block(x):
    keep = np.flatnonzero(x[:, 0] == 0)
    return x[np.ix_(keep, keep)]


def products(x):
    chosen = x[x > 0]
    every = np.outer(chosen, chosen)
    return every, every.T, every[1:], {"one": np.outer(chosen, x[0])}


def turned(x):
    return x[:, x[0] > 0] * 2, x[x[:, 0] == 0][:, None].transpose(0, 2, 1) * 2


def beside(x):
    return np.hstack([x[:, x[0] > 0], x]), np.compress(x[0] > 0, x, axis=1)


def places(x):
    return np.argwhere(x), np.nonzero(x), np.where(x > 1), x.nonzero()


def unraveled(x):
    return np.unravel_index(np.flatnonzero(x), x.shape), np.unravel_index(x, (5, 2))


def arrays_of(result):
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    return [part for item in result for part in arrays_of(item)]


def steps(array):
    """The strides that lead to other elements."""
    return [step for step, size in zip(array.strides, array.shape, strict=True) if size > 1]


@pytest.mark.parametrize("function", [chosen_block, products, turned, beside, places, unraveled])
def test_sizes_strides_and_owners_are_numpys(function):
    compiled = qn.compile(function, fullgraph=True)
    for x in (X, X[::-1].copy(), NONE, X.astype(float)):
        if function is unraveled and x.dtype != int:
            continue
        got, expected = compiled(x), function(x)
        assert_same(got, expected)
        for ours, theirs in zip(arrays_of(got), arrays_of(expected), strict=True):
            if theirs.size:
                assert steps(ours) == steps(theirs)
            if function is not turned and function is not beside:
                assert ours.flags.owndata == theirs.flags.owndata
        shared = [
            [[np.may_share_memory(a, b) for a in arrays] for b in arrays]
            for arrays in (arrays_of(got), arrays_of(expected))
        ]
        assert shared[0] == shared[1]


def test_columns_of_places_are_written_apart():
    def shifted(x):
        rows, columns = np.nonzero(x)
        rows += 1
        return rows, columns, x[rows - 1, columns]

    assert_same(qn.compile(shifted, fullgraph=True)(X), shifted(X))


def test_size_without_a_bound_beside_others():
    def counted(x):
        doubled = x * 2
        counts = np.zeros((2, int(x.max())))
        return counts, doubled

    assert_same(qn.compile(counted, fullgraph=True)(X), counted(X))
