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


def returned(x, y):
    y *= 2
    x[:1] -= 1
    return x, [y, x], x is y


LAYOUTS = {
    "same": lambda a: (a, a, a),
    "another object": lambda a: (a, a, a[:]),
    "reversed": lambda a: (a, a, a[::-1]),
    "shifted": lambda a: (a, a[1:], a[:-1]),
    "shifted by three": lambda a: (a, a[3:], a[:-3]),
    "every second": lambda a: (a, a[::2], a[1::2]),
    "interleaved": lambda a: (a, a[1::3], a[2::3]),
    "one row": lambda a: (a, a.reshape(2, -1)[1], a.reshape(2, -1)[1]),
    "a matrix and a row": lambda a: (a, a.reshape(2, -1), a.reshape(2, -1)[0]),
    "rows": lambda a: (a, a.reshape(4, -1)[1:], a.reshape(4, -1)[:-1]),
    "columns": lambda a: (a, a.reshape(4, -1)[:, 1:], a.reshape(4, -1)[::-1, :-1]),
    "inner columns": lambda a: (a, a.reshape(-1, 4)[:, 1], a.reshape(-1, 4)[:, 2]),
    "transposed": lambda a: (a, a[:9].reshape(3, 3), a[:9].reshape(3, 3).T),
}


@pytest.mark.parametrize("function", [same_array, overlapping, returned])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_that_share_memory(function, layout) -> None:
    import quernel as qn

    compiled = qn.compile(function, fullgraph=True)
    for size in (12, 12, 24):
        want = LAYOUTS[layout](np.arange(float(size)))
        got = LAYOUTS[layout](np.arange(float(size)))
        assert _seen(compiled(*got[1:]), got) == _seen(function(*want[1:]), want)
        np.testing.assert_array_equal(got[0], want[0])
    assert compiled.stats()["fallbacks"] == 0


def _seen(result, arguments):
    """What a program sees of a result: its values, and which arguments it is or lies in."""
    if isinstance(result, (tuple, list)):
        return type(result), [_seen(item, arguments) for item in result]
    if isinstance(result, np.ndarray):
        which = [(result is array, np.shares_memory(result, array)) for array in arguments]
        return which, result.tolist()
    return type(result), result


def test_overlapping_arguments_among_others() -> None:
    import quernel as qn

    def function(scale, x, *others, y=None):
        x[1:] *= y * scale
        if scale > 3:
            raise ValueError("too much")
        return others[0], x, [x[::2]]

    compiled = qn.compile(function, fullgraph=True)
    for scale in (1, 2.0, 2.5):
        a, b = np.arange(1.0, 7), np.arange(1.0, 7)
        got = compiled(scale, a, a[1:], y=a[:5])
        want = function(scale, b, b[1:], y=b[:5])
        assert _seen(got, [a]) == _seen(want, [b])
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="too much"):
        compiled(5.0, a, a[1:], y=a[:5])
    np.testing.assert_array_equal(a[1:], b[1:] * b[:5] * 5)


@pytest.mark.parametrize("how", ["bytes", "container", "read-only"])
def test_overlapping_arguments_that_fall_back(how) -> None:
    import quernel as qn

    def function(x, y):
        x[1:] = 2
        return y[0][1]

    def call(f):
        x = np.arange(8.0).reshape(2, 4)
        y = {"bytes": x.view(np.int32), "container": [x[0]], "read-only": x[:]}[how]
        if how == "read-only":
            y.flags.writeable = False
        return f(x, y), x

    compiled = qn.compile(function)
    with pytest.warns(qn.FallbackWarning, match="share memory"):
        got = call(compiled)
    want = call(function)
    assert got[0] == want[0]
    np.testing.assert_array_equal(got[1], want[1])


def test_arguments_half_an_element_apart() -> None:
    import quernel as qn

    def call(f):
        memory = np.arange(16.0)
        return f(memory[:8].view(complex), memory[1:9].view(complex)), memory

    with pytest.warns(qn.FallbackWarning, match="aren't slices of one array"):
        got = call(qn.compile(overlapping))
    want = call(overlapping)
    assert got[0] == want[0]
    np.testing.assert_array_equal(got[1], want[1])


def test_many_patterns_of_overlap() -> None:
    import quernel as qn
    from quernel.call.overlaps import _MOST_PATTERNS

    def check(start):
        a, b = np.arange(50.0), np.arange(50.0)
        assert compiled(a, a[start : start + 1]) == overlapping(b, b[start : start + 1])
        np.testing.assert_array_equal(a, b)

    compiled = qn.compile(overlapping)
    for start in range(_MOST_PATTERNS):
        check(start)
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match="too many ways"):
        check(_MOST_PATTERNS)
