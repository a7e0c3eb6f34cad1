"""Objects that change in loops and branches."""

# ruff: noqa: B006  (mutable defaults are used on purpose)

from __future__ import annotations

import functools
from collections import UserDict, UserList, deque, namedtuple

import numpy as np
import pytest
from control import Cases, Refused, check_program, check_refused, name_of

case = Cases()

refused = Refused()

X = np.array([1.0, -2.0, 3.5, 0.5, 4.0])


Pair = namedtuple("Pair", "x y")


@case(X)
def func_attr(x):
    def f(v):
        f.n += 1
        return v * f.n

    f.n = 0
    s = 0.0
    for i in range(5):
        s += f(x[i])
    return s, f.n


@case(X)
def mutable_default(x):
    def f(v, acc=[]):
        acc.append(v)
        return len(acc)

    s = 0.0
    for i in range(5):
        s += f(i) * x[i]
    return s


@case(X)
def mutable_kwdefault(x):
    def f(*, acc={"n": 0}):
        acc["n"] += 1
        return acc["n"]

    s = 0.0
    for i in range(5):
        s += f() * x[i]
    return s


@case(X)
def bound_hidden(x):
    q = deque([1, 2, 3, 4])
    take = q.popleft
    del q
    s = 0.0
    for i in range(3):
        s += take() * x[i]
    return s


@case(X)
def partial_state(x):
    def f(acc, v):
        acc.append(v)
        return len(acc)

    g = functools.partial(f, [])
    s = 0.0
    for i in range(4):
        s += g(i) * x[i]
    return s


@case(X)
def lambda_default(x):
    def g(acc=[]):
        return acc.append(1) or len(acc)

    s = 0.0
    for i in range(4):
        s += g() * x[i]
    return s


@case(X)
def cached(x):

    @functools.lru_cache(None)
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(10) * x[0]


@case(X)
def cached_traced(x):

    @functools.lru_cache(None)
    def at(i):
        return x[i] * 2

    s = 0.0
    for i in range(5):
        s += at(i) + at(0)
    return s


@case(X)
def cached_once(x):
    c = []

    @functools.cache
    def once(n):
        c.append(n)
        return len(c)

    s = 0
    for _i in range(3):
        s += once(1)
    return s, len(c)


@case(X)
def lru_max(x):
    calls = []

    @functools.lru_cache(maxsize=2)
    def f(n):
        calls.append(n)
        return n

    for i in [1, 2, 3, 1, 1, 3]:
        f(i)
    return calls, x[0]


@case(X)
def userlist(x):
    d = UserList([0])
    for i in range(4):
        d.append(i)
    return len(d) + x[0]


@case(X)
def bytearr(x):
    b = bytearray(3)
    s = 0.0
    for i in range(3):
        b[0] += 1
        s += b[0] * x[i]
    return s


@case(X)
def alias_in_default(x):
    a = x + 0

    def f(z=a):
        return z[0]

    for _i in range(3):
        a = a + 1
        a[0] = 7
    return f(), a[0]


@case(X)
def alias_in_attr(x):
    a = x + 0

    def f():
        return f.z[0]

    f.z = a
    for _i in range(3):
        a = a + 1
        a[0] = 7
    return f(), a[0]


@case(X)
def alias_flat(x):
    a = x + 0
    fl = a.flat
    for _i in range(3):
        a = a + 1
        a[0] = 7
    return fl[0], a[0]


@case(X)
@case(X + 9)
def func_attr_branch(x):
    def f():
        pass

    f.n = 0
    if x[0] > 5:
        f.n = 1
    return f.n


@case(X)
@case(X + 9)
def mutable_default_branch(x):
    def f(acc=[0]):
        acc[0] += 1
        return acc[0]

    s = 0
    if x[0] > 5:
        s = f()
    return s + f()


@refused("changing a list, a dict or an object", X)
def bound_hidden_branch(x):
    q = [1, 2, 3, 4]
    take = q.pop
    q = None
    s = 0.0
    if x[0] > 5:
        s += take()
    return s + take()


@refused("changing a list, a dict or an object", X)
def cached_branch(x):
    k = 1.0

    @functools.cache
    def c(n):
        return k * n

    s = 0.0
    if x[0] > 5:
        s += c(2)
    k = 3.0
    return s + c(2)


@case(X)
@case(X + 9)
def userdict(x):
    d = UserDict()
    d["n"] = 0
    for _i in range(4):
        d["n"] += 1
    if x[0] > 5:
        d["n"] = 100
    return d["n"]


@refused("changing a list, a dict or an object", X)
def bytearr_branch(x):
    b = bytearray(3)
    if x[0] > 5:
        b[0] = 7
    return b[0]


@case(X)
@case(X + 9)
def exc_attr(x):
    e = ValueError("a")
    e.n = 0
    for _i in range(3):
        e.n += 1
    if x[0] > 5:
        e.n = 50
    return e.n


@refused("changing a list, a dict or an object", X)
def exc_new_attr(x):
    e = ValueError("a")
    if x[0] > 5:
        e.n = 1
    return hasattr(e, "n")


@refused("changing a list, a dict or an object", X)
def poly(x):
    q = np.poly1d([1.0, 2.0])
    if x[0] > 5:
        q[0] = 7.0
    return q(2.0)


@case(X)
@case(X + 9)
def list_in_nt(x):
    q = Pair([0], 1)
    for _i in range(3):
        q.x[0] += 1
    if x[0] > 5:
        q.x[0] = 9
    return q.x[0]


@refused("changing `.args` of a ValueError", X)
def exc_args(x):
    e = ValueError("a")
    if x[0] > 0:
        e.args = ("b",)
    return len(e.args[0]), e.args[0] == "a"


@refused("a class made inside of the function", X)
def type_made(x):
    C = type("C", (), {})
    o = C()
    o.n = 0
    for _i in range(3):
        o.n += 1
    if x[0] > 5:
        o.n = 50
    return o.n


@refused("changing `.writeable`", X)
def attr_on_array_flags(x):
    y = x + 1
    y.flags.writeable = False
    return y


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_objects_are_pythons(function, args) -> None:
    check_program(function, args)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_objects_are_refused_aloud(function, args, text) -> None:
    check_refused(function, args, text)
