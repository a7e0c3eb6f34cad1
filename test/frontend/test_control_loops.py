"""Loops: what they run over, how they end, what their turns hand to each other."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 4.0])
I = np.array([2, 0, 1, 5, 3, 4])  # noqa: E741
A = np.arange(30.0).reshape(5, 6)
case = Cases()


@case(X)
def returns_several_from_an_endless_loop(x):
    turns = 0
    while True:
        new = x * 0.5
        turns += 1
        change = np.abs(new - x).max()
        x = new
        if change < 0.25:
            return x, change, turns


@case(np.array([0.0, 1.0, 2.0]))
@case(np.array([3.0, 1.0, 2.0]))
def bound_by_turns_only(x):
    r = None
    for i in range(int(x[0])):
        r = x * i
    return r


@case(X)
def descending_and_steps(x):
    y = np.zeros(6)
    for i in range(4, -1, -1):
        y[i] = x[i] + y[i + 1]
    for i in range(0, 6, 2):
        y[i] *= 2
    for i in range(5, 0, -2):
        y[i] -= 1
    return y


@case(X)
def a_deque_that_grows(x):
    last = deque([0], maxlen=3)
    for i in range(x.shape[0]):
        last.append(i)
    return x * len(last) + last[0]


@case(X, 3)
def a_deque_of_a_length(x, most):
    last = deque(maxlen=most)
    total = 0.0
    for i in range(x.shape[0]):
        last.append(x[i])
        total += sum(last)
    return total


@case(np.full((3, 3), 0.5), 30)
@case(np.full((3, 3), 0.5), 3)
def left_with_an_array_of_the_turn(x, n):
    v = x
    for _ in range(n):
        w = x * v
        if w[0, 0] < 1e-6:
            break
        v = w
    return w


@case(A)
def triangles(a):
    b = a.copy()
    for i in range(a.shape[0]):
        b[i, :i] = a[i, :i].sum()
        for j in range(i, a.shape[0]):
            b[i, j] -= a[i, :i] @ a[:i, j]
    return b


@case(A)
def over_arrays(a):
    s = np.zeros(6)
    for r in a:
        s += r
    for r, q in zip(a, a[::-1], strict=False):
        s += r * q
    for k, r in enumerate(reversed(a)):
        s[k] += r[k]
    return s


@case(X)
def over_lists(x):
    total = 0
    for part in [x, x * 2, x + 1]:
        total = total + part
    return total


@case(A)
def over_positions(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        if a[i, j] % 3 == 0:
            s += a[i, j]
    return s


@case(5, X)
def over_a_parameter(n, x):
    y = x.copy()
    for _ in range(n):
        y += 1
    return y


@case(X, I)
def over_data(x, i):
    s = 0.0
    for k in range(5):
        for j in range(i[k], i[k + 1]):
            s += x[j]
    return s


@case(X)
def while_on_data(x):
    s, n = 0.0, 0
    while s < 8 and n < len(x):
        s += x[n]
        n += 1
    return s, n


@case(X)
def until_it_stands_still(x):
    error, y, turns = 1.0, x.copy(), 0
    while error > 1e-3:
        z = 0.5 * (y + np.roll(y, 1))
        error = np.abs(z - y).max()
        y = z
        turns += 1
        if turns > 200:
            break
    return y, turns


@case(X)
def without_end(x):
    i = 0
    while True:
        if x[i] < 1:
            return i
        i += 1


@case(X)
def breaks(x):
    k = -1
    for i in range(len(x)):
        if x[i] > 3:
            k = i
            break
    else:
        k = 99
    return k


@case(-X)
def breaks_never(x):
    k = -1
    for i in range(len(x)):
        if x[i] > 3:
            break
    else:
        k = 99
    return k


@case(X)
def breaks_inside(x):
    n = 0
    for i in range(6):
        for j in range(6):
            if x[j] > x[i]:
                break
            n += j
        if n > 20:
            break
    return n


@case(X)
def continues(x):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s += v
    return s


@case(X)
def returns_early(x):
    for i, v in enumerate(x):
        if v > 2.5:  # noqa: SIM102
            if v > 4:
                return i, v
    return -1, 0.0


@case(X)
def becomes_float(x):
    s = 0
    for v in x:
        s = s + v
    return s


@case(I)
def stays_integer(x):
    s = 0
    for v in x:
        s += v
    return s


@case(X)
def rebinds(x):
    y = x
    for _ in range(4):
        y = y * 0.5 + 1
    return y


@case(X)
def swaps(x):
    a, b = x * 1, x + 1
    for _ in range(5):
        a, b = b, a + b
    return a, b


@case(X)
def swaps_and_writes(x):
    a, b = x * 1, np.zeros_like(x)
    for _ in range(5):
        b[1:-1] = a[:-2] + a[2:]
        a, b = b, a
    return a, b


@case(X)
def is_read_after(x):
    for i in range(6):
        last = x[i] * 2
    return last, i


@case(X)
def is_bound_in_some_turns(x):
    for i in range(6):
        if x[i] > 2:
            big = x[i]
    return big


@case(np.zeros(30), np.random.default_rng(0).normal(size=30))
def shortens_arrays_together(z, c):
    n, k = np.zeros(z.shape[0], dtype=np.int64), np.arange(z.shape[0])
    for i in range(20):
        if not len(z):
            break
        z = z * z + c
        m = np.abs(z) > 2
        n[k[m]] = i + 1
        z, c, k = z[~m], c[~m], k[~m]
    return n, z


@case(X)
def shortens_while_it_is_long(x):
    while len(x) > 2:
        x = x[x > x.mean()]
    return x


@case(np.arange(12.0))
def sets_shapes(x):
    y = x + 1
    y.shape = 3, -1
    y[0] = 0
    return y


@case(X)
def unrolls_shapes(x):
    parts = []
    for i in range(4):
        parts.append(x[: i + 1].sum())
    y = x
    for _ in range(3):
        y = np.stack([y, y])
    return parts, y


@case(X)
def unrolls_tuples(x):
    t, s = (1, 2, 3), 0
    for i in range(3):
        s = s + t[i] * x[i]
    return s


@case(X)
def calls_a_helper_that_writes(x):
    def increase(y, k):
        y[k] += 1
        return y[k]

    z, s = x.copy(), 0.0
    for i in range(6):
        s += increase(z, i)
    return z, s


@case(X)
def calls_a_helper_that_counts(x):
    n = 0

    def count(v):
        nonlocal n
        if v > 1:
            n += 1

    for v in x:
        count(v)
    return n


@case(X)
def computes_with_the_counter(x):
    y = np.zeros(6)
    for i in range(6):
        y[i] = i / 6 + i * 0.5 + i**2 + (1 if i % 2 == 0 else -1) + (i - 3) // 2
    return y


@case(np.arange(12, dtype=np.uint8))
def shifts_bits(x):
    c = 0xFFFF
    for b in x:
        d = 0xFF & b
        for _ in range(8):
            c = (c >> 1) ^ 0x8408 if (c & 1) ^ (d & 1) else c >> 1
            d >>= 1
    return c & 0xFFFF


@case(np.arange(10, dtype=np.int32))
def keeps_narrow_integers(x):
    m = x[0]
    for i in range(1, 10):
        m = max(m, x[i] * 2)
        x[i] = min(x[i], 5)
    return m, x


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_loops_are_pythons(function, args) -> None:
    check_program(function, args)


SUMS = np.zeros(3)


def writes_a_global(x):
    for k in range(3):
        if x[k] > 0:
            SUMS[k] += x[k]
    return SUMS.sum()


def test_a_global_that_a_loop_is_the_first_to_read() -> None:
    compiled = qn.compile(writes_a_global, fullgraph=True)
    assert compiled(X) == 5.0
    np.testing.assert_array_equal(SUMS, [3.0, 0.0, 2.0])
    assert compiled(X) == 10.0
    SUMS[...] = 0


def test_a_loop_stays_a_loop() -> None:
    compiled = qn.compile(triangles, fullgraph=True)
    for size in (20, 300):
        text = compiled.lower(np.ones((size, size))).text("quernel")
        assert text.count("scf.for") == 2


def test_explain_names_unrolled_loops() -> None:
    report = qn.compile(unrolls_tuples, fullgraph=True).explain(X)
    assert len(report.notes) == 1
    assert "test_control_loops.py" in report.notes[0]
    assert "unrolled" in report.notes[0]
    assert report.notes[0] in str(report)
    assert not qn.compile(becomes_float, fullgraph=True).explain(X).notes


def test_a_number_of_turns_doesn_t_compile_again() -> None:
    compiled = qn.compile(over_a_parameter, fullgraph=True)
    for turns in (3, 0, -2, 7):
        np.testing.assert_array_equal(compiled(turns, X), over_a_parameter(turns, X))
    assert compiled.stats()["compiles"] == 1


def test_a_name_without_a_value_raises() -> None:
    compiled = qn.compile(is_bound_in_some_turns, fullgraph=True)
    assert compiled(X) == 4.0
    with pytest.raises(UnboundLocalError, match="big"):
        compiled(-X - 10)


def test_too_many_turns_one_by_one() -> None:
    def f(x):
        parts = []
        for i in range(5000):
            parts += [x + i]
        return parts[-1]

    with pytest.raises(qn.errors.UnsupportedError, match="more than 1000 turns") as caught:
        qn.compile(f, fullgraph=True)(X)
    assert "for i in range(5000)" in str(caught.value)


def doubles(n):
    return 1 if n == 0 else doubles(n - 1) + doubles(n - 1)


@pytest.mark.parametrize(
    "function",
    [lambda x: x + doubles(20), lambda x: x * sum([k % 3 for k in range(10**9)])],
    ids=["calls", "turns"],
)
def test_capturing_ends(function) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match="captured one by one"):
        qn.compile(function, fullgraph=True)(X)
