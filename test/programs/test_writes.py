"""Views and mutation exactly as NumPy has them, inside loops and around them."""

from __future__ import annotations

import numpy as np
import pytest
from whole import Program

PROGRAMS = []


def program(make, **how):
    """Register a function with what makes its arguments."""

    def add(function):
        PROGRAMS.append(Program(function, make, **how))
        return function

    return add


def vector(n, rng):
    return (rng.normal(size=n),)


def matrix(n, rng):
    return (rng.normal(size=(n, n)),)


@program(vector)
def view_sees_later_writes(x):
    y = x[1:]
    x[2] = 10
    z = y * 2
    x[:] = 0
    return z, y.sum()


@program(vector)
def view_in_a_loop_sees_writes(x):
    y = x[::2]
    total = 0.0
    for i in range(len(x)):
        x[i] += i
        total += y.sum()
    return total


@program(vector)
def read_before_the_store(x):
    x[1:] = x[:-1]
    x[:-1] += x[1:]
    x[:] = x[::-1]


@program(lambda n, rng: (rng.normal(size=n), 4))
def read_before_the_store_in_a_loop(x, steps):
    for _ in range(steps):
        x[1:] = x[:-1] - x[1:]
        x[::-1] += x


@program(matrix)
def overlapping_rows(a):
    for i in range(1, a.shape[0]):
        a[i, 1:] = a[i, :-1] + a[i - 1, 1:]
        a[: i + 1, 0] = a[i::-1, 0]


@program(matrix)
def transposed_update(a):
    a += a.T
    b = a.T
    b[0, 1:] = 5
    return a[1:, 0]


@program(matrix)
def returned_views(a):
    a *= 2
    return a[0], a.T, a[1:, ::2], a


@program(vector)
def returned_view_after_loop(x):
    for i in range(len(x)):
        x[i] = i
    return x[::2]


@program(vector)
def reshaped_view(x):
    y = x.reshape(-1, 1)
    y[0] = 3
    z = x[None, :]
    z += 1
    return y.sum()


@program(matrix)
def ravelled(a):
    flat = a.ravel()
    flat[::2] = 0
    other = a.T.ravel()
    other[:] = 9
    return a.sum(), other[0]


@program(vector)
def copy_is_apart(x):
    y = x.copy()
    x[0] = 100
    y[1] = 200
    return y, x[1]


@program(vector)
def rebound_to_fresh_array(x):
    y = x
    y = y + 1
    y[0] = -1
    return y


@program(vector)
def rebound_in_a_loop(x):
    y = x
    for _ in range(3):
        y = y + 1
        y[0] = -1
    return y


@program(vector)
def view_of_the_last_turn(x):
    part = x[:2]
    for i in range(len(x) - 1):
        part = x[i : i + 2]
        part *= 0.5
    return part


@program(lambda n, rng: (rng.normal(size=(3, n)),))
def rows_swapped(a):
    for i in range(a.shape[1] - 1):
        t = a[:, i].copy()
        a[:, i] = a[:, i + 1]
        a[:, i + 1] = t


@program(vector)
def elements_swapped(x):
    for i in range(len(x) // 2):
        x[i], x[-1 - i] = x[-1 - i], x[i]


@program(matrix)
def in_place_operators(a):
    a += 1
    a -= a.mean()
    a *= a
    a /= 3
    a[0] **= 2
    a[1] //= 0.25
    a[:, 0] %= 0.7
    np.negative(a, out=a)
    np.add(a, 1, a)


@program(lambda n, rng: (rng.integers(-9, 9, n),))
def integer_operators(x):
    x <<= 2
    x |= 1
    x ^= 5
    x &= 0x7F
    x >>= 1
    x //= 3
    x %= 7


@program(lambda n, rng: (rng.integers(-9, 9, n),))
def float_into_integer(x):
    x[1:3] = 2.9
    for i in range(len(x)):
        x[i] = x[i] * 0.5
    return x


@program(vector)
def filled(x):
    x.fill(3)
    x[...] = x + 1
    x[-1] = 0


@program(vector)
def chained_targets(x):
    y = np.zeros_like(x)
    x[0] = y[1] = x[2]
    x[1], y[0] = y[0], x[1]
    return y


@program(matrix)
def broadcast_into(a):
    a[:, 1:] = np.arange(a.shape[0])[:, None]
    a[0] = 4
    for i in range(1, a.shape[0]):
        a[i, :] = a[i, 0]


@program(matrix)
def diagonal_in_a_loop(a):
    for i in range(a.shape[0]):
        a[i, i] = 0
        a[i, -1 - i] += 1


@program(matrix)
def negative_positions(a):
    for j in range(1, a.shape[1] + 1):
        a[:, -j] += j
        a[-1, -j] = 0


@program(lambda n, rng: (rng.normal(size=(n, 2)),))
def scalar_of_a_row_is_a_copy(a):
    x = a[0, 0]
    a[0, 0] = 9
    return x + a[0, 0]


@program(vector)
def work_array_of_zeros(x):
    work = np.zeros((3, x.size))
    for i in range(3):
        work[i] = x * i
        work[i, 0] -= 1
    return work.sum(axis=0)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_writes(case: Program) -> None:
    case.check()


def same_array(x, y):
    for i in range(1, len(x)):
        x[i] += y[i - 1]


def overlapping(x, y):
    x += y
    return x.sum()


@pytest.mark.parametrize("function", [same_array, overlapping])
@pytest.mark.parametrize("shift", [0, 1, 3])
def test_arguments_that_share_memory(function, shift) -> None:
    import quernel as qn

    def call(f):
        base = np.arange(12.0)
        result = f(base[shift : 8 + shift], base[:8])
        return base, result

    want = call(function)
    compiled = qn.compile(function)
    for _ in range(2):
        got = call(compiled)
        np.testing.assert_array_equal(got[0], want[0])
        assert got[1] == want[1]
