"""Names that change places among arrays from turn to turn, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from control import Cases, check_memory, check_program, name_of

import quernel as qn

cases = Cases()
A = np.arange(6.0)
B = A[::-1] * 2
COUNTS = (0, 1, 2, 3, 6)
SIGNS = [np.array(signs) for signs in ([1.0, -1, 1, 1], [-1.0, -1, 1], [-1.0, -1], [])]


def counted(function):
    """Add a function of two arrays and a number of turns."""
    for count in COUNTS:
        cases(A, B, count)(function)
    return function


def decided(function):
    """Add a function of two arrays and of what its turns decide by."""
    for signs in SIGNS:
        cases(A, B, signs)(function)
    return function


@counted
def arguments(a, b, n):
    for _ in range(n):
        b[1:-1] = a[:-2] + a[2:]
        a, b = b, a
    return a, b


@counted
def own_arrays(a, b, n):
    a, b = a.copy(), b.copy()
    for k in range(n):
        b[1:-1] = a[:-2] * k - a[2:]
        a, b = b, a
    return a


@counted
def an_argument_and_an_own_array(a, b, n):
    b = np.zeros_like(a)
    for _ in range(n):
        b[:] = a
        b[0] += 1
        a, b = b, a
    return b, a[1:]


@counted
def three_arrays(a, b, n):
    c = np.zeros_like(a)
    for _ in range(n):
        c[1:-1] = 2 * b[1:-1] - a[1:-1] + b[:-2] - b[2:]
        a, b, c = b, c, a
    return c, a, b


@counted
def six_arrays(a, b, n):
    c, d, e, f = a + 1, a + 2, a + 3, a + 4
    for _ in range(n):
        a[1:] += f[:-1]
        a, b, c, d, e, f = b, c, d, e, f, a
    return a, b, f


@counted
def changed_after_the_loop(a, b, n):
    for _ in range(n):
        b += a
        a, b = b, a
    b[0] = 7
    return a, b


@counted
def rows_of_an_array(a, b, n):
    both = np.stack((a, b))
    now, new = both[0], both[1]
    for _ in range(n):
        new[1:] = now[:-1] + 1
        now, new = new, now
    return both, now, now is both


@counted
def bound_behind_a_swap(a, b, n):
    last = a
    for _ in range(n):
        b[:-1] = a[1:]
        a, b = b, a
        last = a
    return last, last is a, a


@counted
def one_name_moves(a, b, n):
    now = a
    for k in range(n):
        now[k % 6] += 1
        now = b
    return now, a


@counted
def a_swap_in_a_swap(a, b, n):
    for _ in range(n):
        for _ in range(3):
            b[1:] = a[:-1] + 1
            a, b = b, a
        b[0] = a[-1]
        a, b = b, a
    return a, b


@counted
def loops_one_after_the_other(a, b, n):
    for _ in range(n):
        b[1:] = a[:-1] + 1
        a, b = b, a
    for _ in range(2 * n):
        a[0] -= b[1]
        a, b = b, a
    return a


@counted
def new_arrays_as_well(a, b, n):
    c = a + b
    for _ in range(n):
        b[:] = c
        c = a - 1
        a, b = b, a
    return a, b, c


@counted
def other_sizes(a, b, n):
    b = b[:4]
    for _ in range(n):
        b[0] += a[1]
        a, b = b, a
    return a, b


@counted
def other_dtypes(a, b, n):
    b = b.astype(int)
    for _ in range(n):
        b[0] += 1
        a, b = b, a
    return a, b


@counted
def a_number_with_two_types(a, b, n):
    s = 0
    for _ in range(n):
        b[1:] = a[:-1] + s
        s = s + a[0]
        a, b = b, a
    return a, s


@decided
def where_data_decide(a, b, signs):
    for sign in signs:
        b[1:] = a[:-1] * sign
        if sign > 0:
            a, b = b, a
    return a, b


@decided
def the_better_one(a, b, signs):
    for sign in signs:
        b[:] = b * sign + 1
        if b.sum() > a.sum():
            a, b = b, a
    return a


@decided
def a_new_array_instead(a, b, signs):
    for sign in signs:
        b[0] += sign
        if sign > 0:
            a, b = b, a
        else:
            a = a * 2
    return a, b


@decided
def left_before_the_swap(a, b, signs):
    for sign in signs:
        b[1:] = a[:-1] + 1
        if sign < 0:
            break
        a, b = b, a
    else:
        a[0] = 9
    return a, b


@decided
def left_behind_the_swap(a, b, signs):
    k = 0
    while k < len(signs):
        b[1:] = a[:-1] + 1
        a, b = b, a
        if signs[k] < 0:
            return a, k
        k += 1
    return b, k


@decided
def turns_that_are_skipped(a, b, signs):
    for sign in signs:
        if sign < 0:
            continue
        b[1:] = a[:-1] + 1
        a, b = b, a
    return a, b


@decided
def a_condition_that_reads_them(a, b, signs):
    k = 0
    while a[0] - b[0] < 9 and k < len(signs):
        b[1:] = a[:-1] + 1
        b[0] = a[1] + signs[k]
        a, b = b, a
        k += 1
    return a, b, k


@decided
def a_leading_test_that_reads_them(a, b, signs):
    for sign in signs:
        if a[0] > b[0] + 3:
            break
        b[0] = a[0] + sign + 3
        a, b = b, a
    return a, b


@decided
def in_a_function(a, b, signs):
    def turn(a, b):
        b[1:] = a[:-1] + 1
        return b, a

    for sign in signs:
        a, b = turn(a, b)
        a[0] += sign
    return a


@decided
def seen_by_a_function(a, b, signs):
    def mean():
        return a.mean()

    for sign in signs:
        b[1:] = a[:-1] + mean() * sign
        a, b = b, a
    return a, mean()


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_same_answer(function, args):
    check_memory(function, check_program(function, args), args)


def test_a_number_of_turns_that_varies():
    compiled = qn.compile(arguments, fullgraph=True)
    for count in (3, 4, 5, 0, 8):
        own, plain = (A.copy(), B.copy()), (A.copy(), B.copy())
        got, want = compiled(*own, count), arguments(*plain, count)
        for pair in zip((*got, *own), (*want, *plain), strict=True):
            np.testing.assert_array_equal(*pair)
        assert got[0] is own[count % 2]
    assert compiled.stats()["compiles"] <= 2


@pytest.mark.parametrize("function", [arguments, own_arrays, three_arrays, where_data_decide])
def test_no_array_is_copied_in_a_turn(function):
    last = SIGNS[0] if function is where_data_decide else 10
    report = qn.compile(function).explain(A, B, last)
    assert [copy for copy in report.copies if copy["turns"] != 1] == []
    assert not any("where" in kernel.ops for kernel in report.kernels)
