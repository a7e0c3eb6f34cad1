"""Arrays that turns of a loop make and that several names have: NumPy's memory, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest
from control import Cases, Refused, check_memory, check_program, check_refused, name_of

cases, refused = Cases(), Refused()
A = np.array([1.0, 2, 3, 4])
TURNS = [np.array(signs) for signs in ([1.0, -1, 1, 1], [-1.0, 1, 1, -1], [-1.0, -1, -1], [])]
M = np.arange(12.0).reshape(6, 2)


def each_way(function):
    """Add a function of an array and of what its turns decide by."""
    for signs in TURNS:
        cases(A, signs)(function)
    return function


@each_way
def kept_in_some_turns(a, c):
    x, y = a, a.copy()
    for sign in c:
        y[0] += 1
        if sign > 0:
            y = x
        else:
            x = x + 1
    return x, y


@each_way
def three_names(a, c):
    x = y = z = a
    for sign in c:
        x[0] += 1
        y[1] += 2
        z[2] += 3
        if sign > 0:
            x = y + z
            y = x
        else:
            z = y
    x[3] = 9
    return z, y, x


@each_way
def left_with_a_view(a, c):
    for sign in c:
        a = a * 2
        if sign > 0:
            return a, a[:]
    return a, c


@each_way
def swapped_and_shared(a, c):
    x, y = a.copy(), a * 2
    for sign in c:
        t = x + y
        if sign > 0:
            x, y = y, t
        else:
            x = y = t
        x[1] -= 1
    return y, x, a


@each_way
def in_a_tuple(a, c):
    x = a
    both = None
    for sign in c:
        x = x + sign
        both = (x, x)
    x[0] = 7
    return x, both


@each_way
def loops_in_loops(a, c):
    x = a * 2
    y = z = a.copy()
    for sign in c:
        z[2] += x[1]
        for _ in range(2):
            z = x + 1
            x = z
            if sign > 0:
                y = x
        y[0] += 2
    return x, y, z


@each_way
def until_it_is_left(a, c):
    x, y, k = a, a * 3, 0
    while k < len(c):
        x = x + 1
        if c[k] > 0:
            y = x
            if x[0] > 3:
                break
        y[k] *= 2
        k += 1
    return k, y, x


@each_way
def counted_objects(a, c):
    x = np.zeros(4)
    y, same = x, 0
    for sign in c:
        if x is y:
            same += 1
        x = x + 1
        if sign > 0:
            y = x
    return same


@each_way
def joined_by_a_branch(a, c):
    x = y = a
    for sign in c:
        x = x + 1
        if sign > 0:
            y = x
    if len(c) > 3 and c[0] > 0:
        x = x * 2
    x[0] = 5
    return y[0]


@each_way
def both_have_what_a_third_had(a, c):
    y = z = a + 1
    x = z
    for _ in c:
        x = y
        y, z = z, y
        y = z + x
    return x, z, y


@each_way
def both_have_what_an_argument_became(a, c):
    x, w = a.copy(), np.zeros(4)
    y, z = a, x
    for k in range(len(c)):
        w = y
        w[:] = y * 0.5
        z[k] += 1
        y = x.copy()
        z = w
    z[1] += 1
    return w, x, z, y


@cases(M, 0)
@cases(M, 1)
@cases(M, 4)
def row_of_what_turns_swap(a, k):
    b, d = a.copy(), a[0]
    for _ in range(k):
        t = b.copy()
        for _ in range(2):
            t[1:-1] = (b[:-2] + b[2:]) * 0.5
            t, b = b, t
        d = b[len(b) // 2, :]
        d[0] -= 1
    b[0] = 3
    d[1] = 9
    return b, d


@cases(M, 0)
@cases(M, 5)
def row_in_some_turns(a, k):
    b, d = a, a[0]
    for _ in range(k):
        d[0] += 1
        b = b * 2
        if b[0, 0] > 9:
            d = b[0]
    d[1] = 5
    return b, d


@cases(M, 3)
def two_rows(a, k):
    b, d, e = a, a[0], a[1]
    for _ in range(k):
        d[0] += 1
        b = b * 2
        d, e = b[0], b[1]
        e[0] += 3
    return e, b, d


@refused("writing to an array that several names share in some turns of a loop only", A)
def part_of_which_turns_choose_the_place(x):
    y = x[:1]
    for k in range(len(x)):
        x = x + 1
        if x[k] > 4:
            y = x[k : k + 1]
        y[0] = 7
    return x


@refused("writing to an array that several names share in some turns of a loop only", M)
def two_rows_of_what_may_be_gone(b):
    d, e = b[0], b[1]
    for k in range(len(b)):
        d[1] += 1
        b = b * 2
        d, e = b[0], b[1]
        if b[k, 0] > 9:
            b = b + 1
    return d, e


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_same_answer(function, args):
    check_memory(function, check_program(function, args), args)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_refused(function, args, text):
    check_refused(function, args, text)
