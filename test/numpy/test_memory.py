"""How arrays lie in memory, strided views and what is written through them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from support import assert_same, check, sample

import quernel as qn


def same(function: Any, *args: Any) -> None:
    """Compare results, errors and arguments afterwards."""
    found = []
    for f in (function, qn.compile(function, fullgraph=True)):
        own = [a.copy(order="K") for a in args]
        try:
            answer = f(*own)
        except ValueError as error:
            answer = str(error)
        found.append([answer, *own])
    assert_same(found[1], found[0])


def strides(x):
    parts = x, x.T, x[::2, 1:], x[:, None], x[0], x[:, ::-1]
    shown = np.broadcast_to(x, (2, *x.shape)), sliding_window_view(x, 2, axis=1)
    return tuple(p.strides for p in (*parts, *shown)), (x + 1).T.strides


def flags(x):
    y = x * 2
    names = "C", "F_CONTIGUOUS", "CONTIGUOUS", "FORTRAN", "FORC", "FNC", "ALIGNED", "X"
    orders = [p.flags[name] for p in (x, x.T, x[::2], x[:, 1], x[0], x[:1]) for name in names]
    new = y.flags
    own = new.owndata, new["OWNDATA"], y[1:].flags.owndata, new.writeable, new["W"], new.carray
    shown = np.broadcast_to(y, (2, *y.shape)).flags.writeable, y.T.flags.farray, new.behaved
    return orders, own, shown, x[1:].flags.owndata, new.contiguous, new.fortran, new.farray


def owners(x):
    y = x + 1
    v = y[1:]
    return v.base is y, y.base is None, v[1:].base is y, v.T.base is v, x.sum().base is None


def shares(x):
    y, z = x.reshape(-1), x.copy()
    return (
        np.shares_memory(x, y),
        np.shares_memory(x, z),
        np.may_share_memory(x[0], x[-1]),
        np.may_share_memory(x[:, ::2], x[:, 1::2]),
        np.shares_memory(x[:, ::2], x[:, 1::2]),
        np.shares_memory(x.T, y[3:]),
        np.shares_memory(y.view(np.uint8)[9:17], y[2:]),
    )


@pytest.mark.parametrize("function", [strides, flags, owners, shares])
@pytest.mark.parametrize("shape", [(4, 6), (3, 3), (1, 5)])
def test_what_arrays_say_of_their_memory(function: Any, shape: tuple) -> None:
    check(function, sample("float64", shape))


def test_sizes_that_differ_between_calls() -> None:
    for function in (strides, flags, owners, shares):
        compiled = qn.compile(function, fullgraph=True)
        for rows in range(3, 7):
            x = sample("float64", (rows, 6))
            assert_same(compiled(x), function(x))


def test_unknown_flags() -> None:
    for f in (lambda x: x.flags["Y"], lambda x: x.flags["c"]):
        with pytest.raises(KeyError, match="Unknown flag"):
            qn.compile(f, fullgraph=True)(np.ones(3))


def of_arguments(x):
    found = x.flags.owndata, x.flags["W"], x[1:].flags.owndata, x.T.flags.writeable
    return (x * 2 if found[1] else x + 1), found


def test_flags_of_arguments_are_parts_of_programs() -> None:
    compiled = qn.compile(of_arguments, fullgraph=True)
    own, part = sample("float64", (4, 3)), sample("float64", (5, 3))[1:]
    shut = own.copy()
    shut.flags.writeable = False
    for x in (own, part, shut, part[:2], own, shut):
        assert_same(compiled(x), of_arguments(x))
    guards = str(compiled.explain(own))
    assert ".flags.owndata True, .flags.writeable True" in guards


def test_bases_of_arguments() -> None:
    def compute(x):
        y = x[1:]
        return x.base is None, y.base is x, y[1:].base is y.base, x.T.base is y

    check(compute, sample("float64", (4, 3)))


GLOBAL = np.arange(6.0)


def test_flags_of_what_is_read_from_outside() -> None:
    def compute(x):
        return x + (1 if GLOBAL.flags.writeable else 2)

    compiled, x = qn.compile(compute, fullgraph=True), sample("float64", (3,))
    assert_same(compiled(x), x + 1)
    GLOBAL.flags.writeable = False
    try:
        assert_same(compiled(x), x + 2)
    finally:
        GLOBAL.flags.writeable = True


def resized(x):
    y, z = x * 2, np.arange(6)
    y.resize(3, 2)
    z.resize((2, 5))
    z[1, 4] = 7
    w = x + 1
    w.resize(x.shape)
    v = np.ones(3, np.float32)
    v.resize(5, refcheck=False)
    return y, z, w, v, y.flags.owndata, z.base is None


def resized_while_seen(x):
    y = x + 1
    z = y[1:]
    y.resize(3)
    return y, z


def resized_view(x):
    y = (x + 1)[1:]
    y.resize(2)
    return y


def resized_to_nothing_allowed(x):
    y = x + 1
    y.resize(-3)
    return y


@pytest.mark.parametrize(
    "function", [resized, resized_while_seen, resized_view, resized_to_nothing_allowed]
)
@pytest.mark.parametrize("size", [1, 4, 9])
def test_resize(function: Any, size: int) -> None:
    same(function, sample("float64", (size,)))


def strided_results(x):
    y = x + 1
    a = as_strided(y, (3, 4), (16, 8))
    b = as_strided(y[4:], (2, 3), (-8, 24), writeable=False)
    y[3] = 7
    return a, y, b, as_strided(x, (4,), (40,)), as_strided(y, (0, 3), (8, 8)), a[1:, ::2]


def strided_alone(x):
    return as_strided(x * 2, (5, 3), (8, 16))


@pytest.mark.parametrize("function", [strided_results, strided_alone])
def test_strided_results_share_memory(function: Any) -> None:
    found = []
    for f in (function, qn.compile(function, fullgraph=True)):
        x = np.arange(20.0)
        answer = f(x)
        parts = answer if type(answer) is tuple else (answer,)
        if len(parts) > 1:
            parts[1][2] = 99
            parts[3][1] = 98
        with np.errstate(all="ignore"):
            found.append([answer, x, [(p.strides, p.flags.writeable) for p in parts]])
    assert_same(found[1], found[0])


def windows(x):
    step = x.strides[0]
    w = as_strided(x, shape=(9, 4), strides=(2 * step, step))
    return w.max(axis=1), w[::2].copy(), as_strided(x, (16, 5), (8, 8)).mean(axis=1)


def patches(x):
    a = x.reshape(4, 5)
    s0, s1 = a.strides
    blocks = as_strided(a, (2, 2, 2, 2), (2 * s0, 2 * s1, s0, s1))
    return blocks.mean(axis=(2, 3)), as_strided(x[9:], (10, 10), (-8, 8)) * 1


def repeats(x):
    rows = as_strided(x, (3, 20), (0, 8), writeable=False)
    return (
        rows.sum(axis=0),
        as_strided(x)[::2] + 1,
        as_strided(x, [10], [16]) * 2,
        rows.flags.c_contiguous,
    )


def writes_blocks(x):
    b = as_strided(x, (4, 5), (40, 8))
    b[1] = b[0]
    b += 1
    as_strided(x, (3,), (56,))[...] = 0
    return b * 1


def writes_windows(x):
    w = as_strided(x, (16, 5), (8, 8))
    w[3] = 0
    w[7, 1:3] = [8, 9]
    w.T[4][0] = 7
    w[:, None, 1] *= 2
    v = sliding_window_view(x, 5, writeable=True)
    v[-1] = 3
    return w[5:9] * 1


def other_orders(x):
    y = np.asfortranarray(x.reshape(4, 5) + 1)
    a = as_strided(y, (2, 5), (8, 32))
    a[1] = 4
    y[0] = 2
    return a * 1, y


def read_only(x):
    as_strided(x, (3, 3), (24, 8), writeable=False)[0] = 1


def empty(x):
    y = as_strided(x, (0, 3), (800, 8))
    y[...] = 3
    return y + 1


@pytest.mark.parametrize(
    "function",
    [windows, patches, repeats, writes_blocks, writes_windows, other_orders, read_only, empty],
)
def test_strided_views(function: Any) -> None:
    same(function, sample("float64", (20,)))


def test_strided_views_of_other_sizes() -> None:
    def compute(x, n):
        s = x.strides[0]
        return as_strided(x, (len(x) - n + 1, n), (s, s)).sum(axis=1)

    compiled = qn.compile(compute, fullgraph=True)
    for n in (20, 30, 40):
        x = sample("float64", (n,))
        assert_same(compiled(x, 4), compute(x, 4))


def test_windows_in_several_axes() -> None:
    def compute(x):
        w = sliding_window_view(x, (2, 3), writeable=True)
        w[0, 1] = 7
        w[2, 2, 1] += 1
        return w.sum(), sliding_window_view(x, (2, 2), axis=(0, 0)).max(axis=-1)

    same(compute, sample("float64", (4, 8)))
    for f in (lambda x: sliding_window_view(x, 2), lambda x: sliding_window_view(x, (2, 3), 0)):
        same(f, sample("float64", (4, 8)))


DIAGONALS = {
    "number": ((5, 5), lambda x: np.fill_diagonal(x, 4)),
    "values": ((5, 5), lambda x: np.fill_diagonal(x[:, ::-1], [1, 2, 3, 4, 5])),
    "tall": ((9, 3), lambda x: np.fill_diagonal(x, 4)),
    "tall, wrapped": ((9, 3), lambda x: np.fill_diagonal(x, 4, wrap=True)),
    "wrapped values": ((9, 3), lambda x: np.fill_diagonal(x, [1.5, 2.5], wrap=True)),
    "wide": ((3, 9), lambda x: np.fill_diagonal(x, [4, 5], wrap=True)),
    "part": ((4, 4), lambda x: np.fill_diagonal(x.T[1:], np.array([[1, 2], [3, 4]]))),
    "many": ((4, 4), lambda x: np.fill_diagonal(x, np.arange(10.0))),
    "none": ((4, 4), lambda x: np.fill_diagonal(x, [])),
    "cube": ((4, 4, 4), lambda x: np.fill_diagonal(x, [1, 2, 3])),
    "part of a cube": ((4, 8, 4), lambda x: np.fill_diagonal(x[:, ::2], -1)),
    "no cube": ((4, 4, 5), lambda x: np.fill_diagonal(x, 1)),
    "vector": ((4,), lambda x: np.fill_diagonal(x, 1)),
}


@pytest.mark.parametrize("name", DIAGONALS)
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64"])
def test_filled_diagonals(name: str, dtype: str) -> None:
    shape, function = DIAGONALS[name]
    same(function, sample(dtype, shape))


@pytest.mark.parametrize("wrap", [False, True])
def test_filled_diagonals_of_other_sizes(wrap: bool) -> None:
    def compute(x, v):
        np.fill_diagonal(x, 2, wrap=wrap)
        np.fill_diagonal(x[1:], v, wrap=wrap)
        np.fill_diagonal(x[:, :, None] * np.ones(1), 1) if x.shape == (1, 1) else None
        return x

    compiled = qn.compile(compute, fullgraph=True)
    for shape in ((7, 3), (8, 4), (3, 9), (4, 4), (12, 5), (6, 6)):
        x, y = (sample("float64", shape) for _ in range(2))
        assert_same(compiled(x, np.arange(3.0)), compute(y, np.arange(3.0)))


def test_what_is_assigned_to_flat() -> None:
    def compute(x):
        x.flat[::2] = [7, 8]
        x.flat[[0, 1, 5]] = [1, 2]
        x.flat[x > 3] = [3.5, 4.5, 5.5]
        x.flat[1:3] = np.arange(9.0)
        x.flat[1] = [4]
        x.flat[::3] = []
        x.flat[3] = 5

    def wrong(x):
        x.flat[1] = [4, 5]

    same(compute, sample("float64", (6,)))
    same(wrong, sample("float64", (6,)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.put([1, 2], []),
        lambda x: x.put([], [1]),
        lambda x: np.put(x.T, [[0, 3]], [[1, 2, 3]]),
        lambda x: np.putmask(x, x > 0, []),
        lambda x: np.putmask(x[::2], x[::2] > 0, [1, 2]),
        lambda x: np.place(x, x > 9, []),
        lambda x: np.place(x, x < 9, []),
        lambda x: np.place(x.T, x.T > 0, [1, 2, 3]),
        lambda x: x.take([]) * 1,
        lambda x: x.T[1:].sort(axis=0),
        lambda x: x.reshape(-1)[::2].sort(),
        lambda x: x[:, 1].fill(3),
        lambda x: np.put_along_axis(x, np.argmax(x, axis=1)[:, None], 99, axis=1),
        lambda x: np.put_along_axis(x.view(np.int64), np.array([[1], [2], [0]]), [[5]], 1),
        lambda x: np.put_along_axis(x, np.array([1]), 1, axis=1),
    ],
)
def test_methods_in_place(function: Any) -> None:
    same(function, sample("float64", (3, 4)))


def test_values_of_which_data_say_whether_there_are_any() -> None:
    def compute(x, y):
        np.put(x, [1, 2], y[y > 0])

    compiled = qn.compile(compute)
    x, z, y = sample("float64", (5,)), sample("float64", (5,)), np.array([1.0, 2, 3])
    assert_same(compiled(x, y), compute(z, y))
    assert_same(x, z)
    with pytest.warns(qn.FallbackWarning, match=r"np\.put of no values"):
        compiled(x, -y)
    compute(z, -y)
    assert_same(x, z)

    def masked(x, y):
        np.putmask(x, x < 0.5, y[y > 0])

    compiled = qn.compile(masked, fullgraph=True)
    for values in (y, -y, np.array([1, -2, 3, 4, 5, 6, 7.0])):
        x, z = np.arange(5.0) % 2, np.arange(5.0) % 2
        assert_same((compiled(x, values), x), (masked(z, values), z))

    def places(x, y):
        np.place(x, x > 0.5, y[y > 0])

    compiled = qn.compile(places, fullgraph=True)
    for values in (y, -y):
        x, z = np.zeros(5), np.zeros(5)
        assert_same((compiled(x, values), x), (places(z, values), z))
    with pytest.raises(ValueError, match="Cannot insert from an empty array!"):
        compiled(np.ones(5), -y)
