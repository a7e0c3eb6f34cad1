"""Arrays of which only one side of a branch, or a turn of a loop, knows the size or the place."""

import numpy as np
import pytest
from control import check_program

import quernel as qn


def row_of_last_turn(b):
    s = 0.0
    for x in b:
        s += x[0]
    b *= 2
    return x, s


def row_of_break(b):
    for x in b:
        if x[0] > 2:
            break
    b[1] = 7
    x[1] = 5
    return x, b


def row_of_counter(b):
    y = b[0]
    if b[0, 0] > 0:
        for i in range(len(b)):
            y = b[i]
    y[1] = 3
    return b, y


def row_of_data(b):
    i = 0
    while i < 2 and b[i, 0] < 5:
        i += 1
    w = b[i] if b[0, 0] >= 0 else b[1]
    w[0] = 9
    return w


def flipped_row(b):
    for k in range(len(b) - 1):
        r = b[k][::-1]
    r[0] = 3
    b[0] += r
    return r


def compressed_or_row(b):
    if b[0, 0] >= 0:
        u = b[b > 3]
        s = u.size
    else:
        u = b[0]
        s = 2
    return u, s


def nothing_or_compressed(b):
    if b[0, 0] < 0:
        return None
    u = b[b > 3]
    return u, u.sum()


def written_where_compressed(b):
    u = np.zeros(2)
    if b[0, 0] >= 0:
        u = b[b > -3]
    u[0] = 3.0
    return u + 1


def rest_of_rows(b):
    for i in range(3):
        if b[i, 0] > 2:
            return b[i:, 1:]
    return b


def flipped_rest(b):
    a = b[0]
    n = len(a)
    for i in range(n // 2):
        if a[i] > 0:
            return a[n - 1 - i :: -1], a
    return a[1:], a


def cut_or_stepped(b):
    a = b[1]
    r = a
    if a[0] >= 0:
        for i in range(2):
            r = a[i : 4 - i]
    else:
        r = a[::2]
    return r, a


def one_of_two_rests(b):
    a, i = b[0], 0
    while i < 4 and a[i] < 3:
        i += 1
    return a[i:] if a[0] >= 0 else a[:i]


FUNCTIONS = [
    row_of_last_turn, row_of_break, row_of_counter, row_of_data, flipped_row, compressed_or_row,
    nothing_or_compressed, written_where_compressed, rest_of_rows, flipped_rest, cut_or_stepped,
    one_of_two_rests,
]  # fmt: skip


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_arrays_of_one_side(function, sign):
    compiled = qn.compile(function, fullgraph=True)
    for start in (1, 0):
        ours, theirs = (sign * np.arange(start, start + 12.0).reshape(3, 4) for _ in "ab")
        got, expected = compiled(ours), function(theirs)
        got, expected = ((x if isinstance(x, tuple) else (x,)) for x in (got, expected))
        seen, wanted = [*got, ours], [*expected, theirs]
        assert repr(seen) == repr(wanted)
        for k, a in enumerate(seen):
            for m, b in enumerate(seen):
                if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
                    assert np.shares_memory(a, b) == np.shares_memory(wanted[k], wanted[m])


def sizes_from_data(x):
    y = np.ones(int(x[1])) if x[0] > 1 else np.zeros(int(x[2]))
    if x[1] > 2:
        y = np.full(int(x[0]), 2.5)
    z = y * 2
    return z.sum(), z.max(initial=-1)


def sizes_in_a_container(x):
    y = np.zeros(int(x[2]))
    if x[0] > 1:
        y = np.ones(int(x[1]))
    pair = (y, 2)
    for k in range(3):
        x[k] += pair[0].sum()
    return x


def sizes_in_each_turn(x):
    for k in range(3):
        y = np.zeros(int(x[2]))
        if x[k] > 1:
            y = np.ones(int(x[1]))
        x[k] += y.sum()
    return x


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize("first", [3, 0])
@pytest.mark.parametrize("function", [sizes_from_data, sizes_in_a_container, sizes_in_each_turn])
def test_sizes_that_integers_say(function, first: int, dtype: str) -> None:
    args = (np.array([first, 1, 2], dtype),)
    check_program(function, args)


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint32"])
def test_no_memory_is_made_for_all_that_an_integer_may_say(dtype: str) -> None:
    compiled = qn.compile(lambda x: np.zeros(int(x[0])), fullgraph=True)
    np.testing.assert_array_equal(compiled(np.array([3], dtype)), np.zeros(3), strict=True)
