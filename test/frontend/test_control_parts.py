"""Containers that hold what data choose, and conditions that change what they use."""

from __future__ import annotations

import functools
from collections import deque, namedtuple

import numpy as np
import pytest
from control import Cases, Refused, check_program, check_refused, name_of

case = Cases()

refused = Refused()

X = np.array([1.0, -2.0, 3.5, 0.5, 4.0])


Pair = namedtuple("Pair", "x y")


@case(X)
def either_eq(x):
    def pick(c):
        return None if c > 5 else (1, 2)

    items = [pick(x[0])]
    return items == [(1, 2)], (1, 2) in items, items.index((1, 2)), items.count(None)


@case(X)
def either_dict(x):
    def pick(c):
        return "a" if c > 5 else None

    d = {"k": pick(x[0])}
    return d == {"k": None}, None in d.values(), str(d), f"{d}", "{}".format(d["k"])


@case(X)
def either_nt(x):
    def pick(c):
        return 1 if c > 5 else "s"

    q = Pair(pick(x[0]), 1)
    return q == Pair("s", 1), sorted([str(q.x), "a"])


@case(X)
def either_attr(x):
    def pick(c):
        return 1 if c > 5 else "s"

    def f():
        pass

    f.v = pick(x[0])
    return str(f.v) + "t"


@case(X)
def either_partial(x):
    def pick(c):
        return 1 if c > 5 else "s"

    g = functools.partial(str, pick(x[0]))
    return g()


@case(X)
def dict_native_either(x):
    def pick(c):
        if c > 5:
            return x[:2]
        return x[:3]

    d = {"a": pick(x[0])}
    return np.concatenate(list(d.values()))


@case(X)
def values_native(x):
    def pick(c):
        if c > 5:
            return 1
        return 1, 2

    d = {"a": pick(x[0])}
    v = list(d.values())
    return str(v)


@case(X)
def deque_stack(x):
    return np.stack(deque([x, x * 2]))


@case(X)
def nt_stack(x):
    return np.stack(Pair(x, x * 2))


@case(X)
def nt_array(x):
    return np.array(Pair(x[0], x[1]))


@case(X)
def deque_array(x):
    return np.array(deque([x[0], x[1]]))


@case(X)
def dq_sum(x):
    return np.sum(deque([x[0], x[1]])), np.max(Pair(x[0], x[1])), np.mean(deque([x[0], 2.0]))


@case(X)
def walrus_while(x):
    i = 0
    s = 0.0
    while (v := x[i]) < 4 and i < 4:
        s += v
        i += 1
    return s, v


@case(X)
def walrus_break(x):
    i = 0
    while (v := x[i]) < 4:
        i += 1
        if v < 0:
            break
    return i, v


@case(X)
def walrus_continue(x):
    i = 0
    s = 0.0
    while (v := x[i]) < 4:
        i += 1
        if v < 0:
            continue
        s += v
    return i, v, s


@case(X)
def while_tick(x):
    n = 0
    s = 0.0

    def tick():
        nonlocal n
        n += 1
        return n

    while tick() < 5:
        s += x[0]
    return s, n


@case(X)
def while_list(x):
    items = []
    s = 0.0

    def more():
        items.append(1)
        return len(items)

    while more() < 5:
        s += x[0]
    return s, len(items)


@refused("more than 10000 lists", X)
def many_objects(x):
    items = [[i] for i in range(10050)]
    if x[0] > 5:
        items[0][0] = 8
    return items[0][0]


@refused("more than 10000 lists", X)
def many_objects2(x):
    items = [[i] for i in range(10050)]
    for _i in range(3):
        items[5][0] += 1
    return items[5][0]


@refused("whose end depends on data", X)
def while_tick_data(x):
    n = 0
    s = 0.0

    def tick():
        nonlocal n
        n += 1
        return n

    while tick() < x[4]:
        s += x[0]
    return s, n


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_parts_are_pythons(function, args) -> None:
    check_program(function, args)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_parts_are_refused_aloud(function, args, text) -> None:
    check_refused(function, args, text)
