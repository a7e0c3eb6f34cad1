"""Loops over generators of the user's are loops of the program."""

from __future__ import annotations

# ruff: noqa: B007, E731, PLW2901, UP028  (as programs are)
import numpy as np
import pytest
from control import Cases, check_program, name_of
from own_generators import batches, both, collatz, fib, nested, pos, rows, running, three, windows

import quernel as qn

case = Cases()
R = np.random.default_rng(0)
X = R.normal(size=57)
M = R.normal(size=(9, 4))
NUMBERS = R.integers(-5, 9, 40)


@case(X, 7)
@case(X, 100)
def sums_of_batches(x, n):
    return [b.sum() for b in batches(x, n)]


@case(X, 7)
def means_of_batches(x, n):
    out = np.zeros(len(x))
    for k, b in enumerate(batches(x, n)):
        out[k] = b.mean()
    return out


@case(X)
def run(x):
    out = np.empty_like(x)
    for i, v in enumerate(running(x)):
        out[i] = v
    return out


@case(X, 3.0)
@case(X, 0.5)
@case(X, 100.0)
def run_break(x, lim):
    n = 0
    for v in running(x):
        if v > lim:
            break
        n += 1
    else:
        n = -n
    return n


@case(X, 3.0)
@case(X, 0.5)
@case(X, 100.0)
def run_return(x, lim):
    k = 0
    for v in running(x):
        if v > lim:
            return (k, v)
        if v < 0:
            continue
        k += 1
    return (k, None)


@case(X, 3.0)
@case(X, 0.5)
@case(X, 100.0)
def run_both(x, lim):
    k = 0
    for v in running(x):
        if v > lim:
            return k
        if v < -lim:
            break
        k += 1
    return -k


@case(2.0)
@case(3)
def three_yields(a):
    t = 0
    for v in three(a):
        t += v * v
    return t


@case(M)
def sum_of_rows(m):
    t = np.zeros(m.shape[1])
    for r in rows(m):
        t += r
    return t


@case(M)
def rows_are_written(m):
    for r in rows(m):
        r *= 2
        if r[0] > 0:
            r[1] = 7
    return m.sum()


@case(X, 4)
def best_window(x, k):
    best, at = (-np.inf, -1)
    for i, w in windows(x, k):
        if w.mean() > best:
            best, at = (w.mean(), i)
    return (best, at)


@case(X, NUMBERS)
def one_after_the_other(x, y):
    t = 0.0
    for v in both(x, y):
        t = t * 0.5 + v
    return t


@case(M, 3.0)
@case(M, 0.5)
def nest_break(m, lim):
    t = 0.0
    for v in nested(m):
        t += v
        if t > lim:
            break
    return t


@case(100)
@case(5)
def endless_until_break(n):
    t = 0
    for v in fib():
        if v > n:
            break
        t += v
    return t


@case(27)
@case(1)
@case(6)
def collatz_lengths(n):
    k, m = (0, 0)
    for v in collatz(n):
        k += 1
        m = max(m, v)
    return (k, m)


@case(X)
def generators_of_generators(x):

    def scaled(it, k):
        for v in it:
            yield (v * k)

    t = 0.0
    for v in scaled(pos(x), 3):
        t += v
    return t


@case(X)
def closure(x):
    n = len(x)

    def idx():
        for i in range(n):
            if x[i] > 0:
                yield i

    t = 0
    for i in idx():
        t += i
    return t


@case(X)
def nonlocal_counter(x):
    n = 0

    def idx():
        nonlocal n
        for v in x:
            if v > 0:
                n += 1
                yield v

    t = 0.0
    for v in idx():
        t += v * n
    return (t, n)


class Box:
    def __init__(self, a):
        self.a = a
        self.k = 0

    def __iter__(self):
        for v in self.a:
            yield v

    def items(self):
        for i in range(len(self.a)):
            self.k += 1
            yield (i, self.a[i])


@case(X)
def methods_that_generate(x):
    b = Box(x)
    t = 0.0
    for i, v in b.items():
        t += v * i
        if t > 20:
            break
    return (t, b.k)


@case(X)
def methods_of_new_objects(x):
    b = Box(x)
    t = 0.0
    for i, v in b.items():
        t += v * i
    return t


@case(X)
def objects_that_generate(x):
    b = Box(x)
    t = 0.0
    for v in b:
        t += v
    return t


def tree(t):
    if isinstance(t, tuple):
        for c in t:
            yield from tree(c)
    else:
        yield t


@case(((1.0, 2.0), (3.0, (4.0, 5.0)), 6.0))
def leaves_of_a_tree(t):
    s = 0.0
    for k, v in enumerate(tree(t)):
        s += k * v
    return s


def inorder(n):
    if n is None:
        return
    left, v, right = n
    yield from inorder(left)
    yield v
    yield from inorder(right)


@case(((None, 1.0, None), 2.0, ((None, 3.0, None), 4.0, None)))
def nodes_in_order(n):
    return list(inorder(n))


def inplace(x):
    for i in range(len(x)):
        x[i] += 1
        yield i
        x[i] *= 2


@case(X)
@case(X * 30)
def both_write(x):
    for i in inplace(x):
        x[i] = x[i] ** 2
        if x[i] > 500:
            break
    return x.sum()


def raises(x):
    for i, v in enumerate(x):
        if v > 2:
            raise ValueError("big")
        yield v


@case(X)
def ret_early(x):

    def g(n):
        if n < 3:
            return
        yield 1

    t = 0
    for v in g(2):
        t += v
    for v in g(len(x)):
        t += v
    return t


def ret_val(x):
    s = 0.0
    for v in x:
        s += v
        yield v
    return s


def deleg(x):
    r = yield from ret_val(x)
    yield (r * 100)


@case(X)
def value_of_yield_from(x):
    return sum(deleg(x))


@case(X)
def twice(x):
    t = 0.0
    for i in range(3):
        for v in pos(x):
            t += v * i
    return t


@case(X)
def crossed(x):
    t = 0.0
    for v in pos(x):
        for w in pos(x):
            if w > v:
                break
            t += w
    return t


@case(np.arange(10.0))
def perm(x):

    def pairs(n):
        for i in range(n):
            for j in range(i + 1, n):
                yield (i, j)

    t = 0.0
    for i, j in pairs(len(x)):
        if (i + j) % 3 == 0:
            continue
        t += x[i] * x[j]
    return t


def sieve(n):
    flags = np.ones(n + 1, dtype=bool)
    for p in range(2, n + 1):
        if flags[p]:
            yield p
            flags[p * p :: p] = False


@case(100)
@case(2)
def primes(n):
    t = 0
    for p in sieve(n):
        t += p
    return t


def newton(f, x):
    while True:
        x = x - (x * x - f) / (2 * x)
        yield x


@case(2.0)
@case(9.0)
def sqrt(a):
    old = a
    for k, x in enumerate(newton(a, a)):
        if abs(x - old) < 1e-12:
            break
        old = x
    return (x, k)


@case(X)
def assigned_yield(x):

    def g():
        for v in x:
            got = yield v
            if got is not None:
                yield 100.0

    return sum(g())


@case(X)
@case(X + 5)
def while_in_body(x):
    t = 0
    for v in pos(x):
        k = 0
        while k < v:
            k += 1
            if k == 3:
                break
        else:
            t += 10
        t += k
    return t


@case(X)
def append_body(x):
    out = []
    for v in running(x):
        if v > 0:
            out.append(v)
    return np.array(out)


@case(X)
def two_yields(x):

    def g():
        for v in x:
            if v > 0:
                yield v
            else:
                yield (-v)
                yield (v / 2)

    out = []
    for v in g():
        if v > 1:
            continue
        out.append(v * 2)
    return out


def noyield(x):
    return
    yield


@case(X)
def last(x):
    for v in pos(x):
        pass
    return v


@case(X)
def cond(x):
    t = 0.0
    if x[0] > 0:
        for v in pos(x):
            t += v
    else:
        for v in running(x):
            t -= v
    return t


@case(X, True)
@case(X, False)
def choice(x, flag):
    g = pos(x) if flag else running(x)
    t = 0.0
    for v in g:
        t += v
    return t


@case(X)
def inner_functions(x):

    def g(k):
        f = lambda v: v * k
        for v in x:
            yield f(v)
        k = 5
        h = [i * k for i in range(3)]
        yield h[2]

    t = 0.0
    k = 100
    for v in g(2):
        t += v * k
    return t


@case(R.integers(0, 2, (6, 6)))
def neigh(a):
    n, m = a.shape

    def around(i, j):
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di == 0 and dj == 0:
                    continue
                if 0 <= i + di < n and 0 <= j + dj < m:
                    yield (i + di, j + dj)

    out = np.zeros_like(a)
    for i in range(n):
        for j in range(m):
            for p, q in around(i, j):
                out[i, j] += a[p, q]
    return out


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_generators_give_what_pythons_do(function, args) -> None:
    check_program(function, args)


def test_objects_that_are_arguments_generate() -> None:
    def total(b):
        t = 0.0
        for i, v in b.items():
            t += v * i
        for v in b:
            t -= v
        return t

    own, plain = Box(X), Box(X)
    assert np.isclose(qn.compile(total, fullgraph=True)(own), total(plain), rtol=1e-12)
    assert own.k == plain.k == len(X)
