"""Sizes that differ between calls: from the second on, one program is for all of them."""

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError


def element(x):
    return x[5] + x[-3]


def pieces(x):
    return x[2:5] * 2, x[3:-2] * x[4:-1], x[::-1][1:4].mean()


def halves(x):
    return x[len(x) // 2 :][:3] - x[: len(x) // 2][:3]


def joined(x):
    return np.concatenate((x[:3], x[5:]))


def pairs(x):
    return x.reshape(-1, 2), x.reshape(2, -1).sum(0), x.reshape(len(x) // 2, 2).sum(1)


def parts(x):
    return np.split(x, 2), np.array_split(x, 5), np.roll(x, 3), np.diff(x, 2)


def middle(x):
    return np.median(x), np.percentile(x, 30)


def by_length(x):
    if len(x) > 20:
        return x * 2
    return x + 1


def by_parity(x):
    n = len(x)
    if n % 4 == 0:
        return x[: n // 2] + 1
    return x[: (n - 1) // 2] * 2


def guarded(x):
    if x.size == 0:
        raise ValueError("empty")
    y = x.copy() if len(x) < 20 else x * 3
    return y.sum() / max(len(x), 3)


def halved(x):
    n, k = len(x), 0
    while n > 1:
        n //= 2
        k += 1
    return x * k


def clipped(x):
    return x[: min(len(x), 16)].sum(), x[-max(3, len(x) // 4) :].mean()


def numbers(x):
    return np.array(x.shape) * 2, len(x), len(x) ** 2, x / len(x), float(len(x)), -len(x)


FUNCTIONS = [
    element, pieces, halves, joined, pairs, parts, middle, by_length, by_parity, guarded, halved,
    clipped, numbers,
]  # fmt: skip


def same(got, want):
    assert type(got) is type(want)
    if type(got) in (tuple, list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-15, strict=True)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_one_program_for_all_sizes(function):
    compiled = qn.compile(function, fullgraph=True)
    for size in (12, 14, 24, 32, 40, 18, 22, 64):
        x = np.arange(float(size))
        same(compiled(x), function(x))
    assert compiled.stats()["compiles"] == 2


def rows(x):
    return x.reshape(2, -1, 3), x.reshape(-1, x.shape[1] * 3)


def grid(x, n):
    return x.reshape(n, 4)


def even(x):
    return np.split(x, 2)


ODD = [
    (pairs, (np.ones(15),)),
    (rows, (np.ones((7, 5)),)),
    (rows, (np.ones((6, 8))[:4],)),
    (grid, (np.ones(22), 5)),
    (even, (np.ones(13),)),
    (element, (np.ones(4),)),
    (by_length, (np.ones(0),)),
    (guarded, (np.ones(0),)),
]


@pytest.mark.parametrize(("function", "odd"), ODD, ids=lambda x: getattr(x, "__name__", ""))
def test_sizes_that_do_not_fit_raise_as_in_numpy(function, odd):
    compiled = qn.compile(function, fullgraph=True)
    for size in (12, 24, 36):
        args = {rows: (np.ones((size, 3)),), grid: (np.ones(size), size // 4)}
        args = args.get(function, (np.ones(size),))
        same(compiled(*args), function(*args))
    want = outcome(function, odd)
    got = outcome(compiled, odd)
    if isinstance(want, Exception):
        assert (type(got), str(got)) == (type(want), str(want))
    else:
        same(got, want)


def outcome(function, args):
    try:
        return function(*args)
    except (ValueError, IndexError) as error:
        return error


def table(x):
    return [x * k for k in range(len(x))]


def lengths(x):
    return [x - k for k in range(len(x))]


def call_with_sizes(compiled, function, sizes):
    for size in sizes:
        x = np.arange(float(size))
        same(compiled(x), function(x))


def test_sizes_that_have_to_be_part_of_the_program_have_a_bound():
    compiled = qn.compile(table)
    with pytest.warns(qn.FallbackWarning, match="size of axis 0 of `x` has to be part of") as said:
        call_with_sizes(compiled, table, range(2, 20))
    assert len(said) == 1
    assert compiled.stats()["compiles"] == 8
    static = qn.compile(table, dynamic=False, fullgraph=True)
    call_with_sizes(static, table, range(2, 14))
    with pytest.raises(UnsupportedError, match="dynamic=False"):
        call_with_sizes(qn.compile(lengths, fullgraph=True), lengths, range(2, 14))
