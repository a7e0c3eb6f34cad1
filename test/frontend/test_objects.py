"""Views that turns and sides make: NumPy's objects, as `is` and results tell them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

cases = Cases()
A = np.array([1.0, 2, 3, 4])
TURNS = [np.array(x) for x in ([1.0, -1, 1, 1], [-1.0, 1, 1, -1], [-1.0, -1, -1], [1.0], [])]


def each_way(function):
    """Add a function of an array and of what its turns decide by."""
    for signs in TURNS:
        cases(A, signs)(function)
    return function


@each_way
def kept_from_a_turn(a, c):
    x = y = a
    for sign in c:
        x = x[::-1]
        if sign > 0:
            y = x
    return x, y


@each_way
def compared_behind(a, c):
    x = y = a
    same = 0
    for sign in c:
        x = x[::-1]
        if x is y:
            same += 1
        if sign > 0:
            y = x
        if x is y:
            same += 10
    return same, x is y, x is a, y is not a


@each_way
def of_no_turn(a, c):
    x = a
    z = None
    for _ in c:
        x = x[:]
        z = x
    return x, z


@each_way
def swapped(a, c):
    x, y = a[1:], a[1:]
    z = x
    for sign in c:
        if sign > 0:
            x, y = y, x
        else:
            x = a[1:]
    return x, y, z, x is z, y is z


@each_way
def loops_in_loops(a, c):
    x = y = z = a
    for sign in c:
        for k in range(3):
            x = a[1:]
            if sign > k:
                y = x
        if x is y:
            z = x
        else:
            y = a[1:]
    return x, y, z


@each_way
def places_of_turns(a, c):
    x = y = a[:1]
    for k in range(len(c)):
        x = a[k : k + 1]
        if c[k] > 0:
            y = x
    return x, y, x is y


@each_way
def sides(a, c):
    x = a[1:]
    if len(c) and c.sum() > 0:
        x = a[1:]
        y = x
    else:
        x = a[1:]
        y = a[1:]
    return x, y, x is y


@each_way
def sides_in_turns(a, c):
    x = y = a
    for sign in c:
        old = x
        if sign > 0:
            x = a[::2]
            y = x
        else:
            y = a[::2]
            x = old
    return x, y, x is y


@each_way
def views_of_a_choice(a, c):
    b = a * 2
    x = a if len(c) and c[0] > 0 else b
    v = x[1:]
    w = v
    for sign in c:
        if sign > 0:
            w = x[1:]
    return v, w, v is w


@each_way
def while_it_lasts(a, c):
    x, y, k = a, a[1:], 0
    while k < len(c):
        x = a[1:]
        if c[k] > 0:
            y = x
        elif y is x:
            k += 10
        k += 1
    return x, y, k


@each_way
def left_by_a_jump(a, c):
    x = y = a[::-1]
    for sign in c:
        x = a[::-1]
        if sign < 0:
            break
        y = x
    return x, y, [y, x]


@each_way
def in_tuples(a, c):
    pair = (a, a[:])
    for sign in c:
        v = a[:]
        pair = (v, pair[0]) if sign > 0 else (pair[1], v)
    return pair, pair[0] is pair[1]


@each_way
def of_new_memory(a, c):
    x = a * 2
    y = x[1:]
    z = y
    for sign in c:
        y = x[1:]
        if sign > 0:
            z = y
    x[1] = 9
    return y, z, x


@each_way
def written_through(a, c):
    x = y = a
    for sign in c:
        x = a[::-1]
        x[0] += sign
        if sign > 0:
            y = x
        y[1] *= 2
    return x, y


@each_way
def three_names_of_one(a, c):
    y = a[:]
    x = y if c.sum() > 0 else y[:]
    z = a
    for _ in c:
        for _ in range(int(c[0]) + 1):
            z = x
            y = x
    return x, y, z, z is y, x is y


@each_way
def swapped_after_a_branch(a, c):
    y = a[:]
    z = a * 2
    if c.sum() > 0:
        for _ in c:
            y = a[::-1]
    for _ in c:
        z, y = y, z
        if y is a:
            z = y[:]
    return y, z, y is z


@each_way
def sides_within_turns(a, c):
    x = y = z = a[:]
    for _ in c:
        x = x[:]
    for k in range(len(c)):
        if c[k] > 0:
            z = x[::-1]
        else:
            for _ in range(2):
                z = x
                y = z
    return x, y, z, y is z, x is y


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_objects(function, args):
    check_program(function, args)
    own, plain = copy.deepcopy(args), copy.deepcopy(args)
    got, want = qn.compile(function)(*own), function(*plain)
    assert same_objects(got, own) == same_objects(want, plain)


def same_objects(result, args):
    """Which arrays of a result and of the arguments are one object."""
    arrays = [x for x in flat((result, *args)) if isinstance(x, np.ndarray)]
    return [[first is second for second in arrays] for first in arrays]


def flat(obj):
    """All that is in tuples and lists."""
    return [x for part in obj for x in flat(part)] if isinstance(obj, tuple | list) else [obj]
