"""Programs with generators of the user's: methods, recursion, pipelines, state that both change."""

from __future__ import annotations

# ruff: noqa: B007, C416, PLW2901, SIM113, UP028  (as programs are)
import itertools

import numpy as np
import pytest
from control import Cases, check_program, name_of

case = Cases()
R = np.random.default_rng(0)
X = R.normal(size=57)
M = R.normal(size=(9, 4))


def rows(m):
    for r in m:
        yield r


def blocks(m, n):
    h, w = m.shape
    for i in range(0, h, n):
        for j in range(0, w, n):
            yield (i, j, m[i : i + n, j : j + n])


@case(M, 2)
@case(M, 3)
@case(M, 100)
def means_of_blocks(m, n):
    out = np.zeros_like(m)
    for i, j, b in blocks(m, n):
        out[i : i + n, j : j + n] = b.mean()
    return out


@case(M, 3)
def sums_of_blocks(m, n):
    return [b.sum() for _, _, b in blocks(m, n)]


def diag(m):
    for k in range(min(m.shape)):
        yield m[k, k]


@case(M)
def sum_of_diagonal(m):
    return sum(diag(m))


@case(M)
def product_of_diagonal(m):
    p = 1.0
    for v in diag(m):
        p *= v
    return p


def steps(f, y, t0, t1, h):
    t = t0
    while t < t1:
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        y = y + h * k2
        t += h
        yield (t, y)


@case(np.array([1.0, 0.5]), 0.1)
@case(np.array([1.0]), 0.01)
def ode_until(y0, h):
    for t, y in steps(lambda t, y: -y * t, y0, 0.0, 1.0, h):
        if abs(y).max() < 0.7:
            break
    return (t, y)


@case(np.array([1.0, 0.5]), 0.1)
def ode_last(y0, h):
    *_, last = steps(lambda t, y: -y * t, y0, 0.0, 1.0, h)
    return last


@case(np.array([1.0, 0.5]), 0.1)
def ode_all(y0, h):
    ts, ys = ([], [])
    for t, y in steps(lambda t, y: -y * t, y0, 0.0, 1.0, h):
        ts.append(t)
        ys.append(y)
    return (np.array(ts), np.array(ys))


@case(np.array([1.0, 0.5]), 0.1)
def ode_zip(y0, h):
    ts, ys = zip(*steps(lambda t, y: -y * t, y0, 0.0, 1.0, h), strict=False)
    return (np.array(ts), np.array(ys))


def primes_upto(n):
    found = []
    for k in range(2, n):
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
            yield k


@case(60)
def primes(n):
    return sum(primes_upto(n))


def gen_log(x, log):
    for v in x:
        log.append(v)
        yield (v * 2)


@case(X)
def list_that_both_fill(x):
    log = []
    t = 0.0
    for v in gen_log(x, log):
        t += v
        log.append(-v)
    return (t, log)


@case(X)
def pipelines(x):

    def keep(it, lo):
        for v in it:
            if v >= lo:
                yield v

    def sq(it):
        for v in it:
            yield (v * v)

    def cap(it, n):
        k = 0
        for v in it:
            if k == n:
                return
            yield v
            k += 1

    return (list(cap(sq(keep(x, 0.0)), 5)), sum(sq(sq(keep(x, -1)))), max(cap(x, 3)))


@case(X, 0.5)
@case(X, 50.0)
def first_index(x, lim):

    def cand():
        for i in range(len(x)):
            if x[i] > lim:
                yield i

    for i in cand():
        return i
    return -1


@case(X)
def handlers_of_the_consumer(x):

    def g():
        for v in x:
            yield (1 / v)

    t = 0.0
    for v in g():
        try:
            if v > 5:
                raise ValueError("a")
            t += v
        except ValueError:
            t -= 1
    return t


@case(X)
def handlers_of_the_generator(x):

    def g():
        for v in x:
            try:
                if v > 1:
                    raise ValueError("a")
            except ValueError:
                v = 0.25
            yield v

    return sum(g())


class Grid:
    def __init__(self, n, m):
        self.n, self.m, self.seen = (n, m, 0)

    def cells(self):
        for i in range(self.n):
            for j in range(self.m):
                self.seen += 1
                yield (i, j)

    def near(self, i, j):
        for a, b in self.cells():
            if abs(a - i) + abs(b - j) == 1:
                yield (a, b)

    def __iter__(self):
        yield from self.cells()


class Sub(Grid):
    def cells(self):
        for i, j in super().cells():
            if (i + j) % 2:
                yield (i, j)


@case(M)
def super_in_generators(m):
    g = Sub(4, 3)
    t = 0.0
    for i, j in g.cells():
        t += m[i, j] * i
    return (t, g.seen)


class Ctr:
    @staticmethod
    def up(n):
        for i in range(n):
            yield i

    @classmethod
    def down(cls, n):
        for i in cls.up(n):
            yield (n - i)

    @property
    def few(self):
        yield 1
        yield 2


@case(5)
@case(0)
def static_class_and_property(n):
    return (sum(Ctr.up(n)), sum(Ctr.down(n)), sum(Ctr().few))


def perms(a, k):
    if k == len(a):
        yield a
    else:
        for i in range(k, len(a)):
            a[k], a[i] = (a[i], a[k])
            yield from perms(a, k + 1)
            a[k], a[i] = (a[i], a[k])


@case(np.arange(4.0))
def permutations_of_array(a):
    t = 0.0
    w = np.array([1.0, 10, 100, 1000])
    for p in perms(a, 0):
        t = t * 0.5 + (p * w).sum()
    return t


@case([1, 2, 3])
def permutations_of_list(a):
    out = 0
    for p in perms(a, 0):
        out = out * 7 + p[0] + 2 * p[1]
    return out


def subsets(items):
    if not items:
        yield ()
    else:
        for s in subsets(items[1:]):
            yield s
            yield (items[0], *s)


@case((1, 2, 3))
def subsets_of_tuple(items):
    return list(subsets(items))


def bisect(lo, hi):
    while hi - lo > 1e-06:
        mid = (lo + hi) / 2
        yield mid
        if mid * mid > 2:
            hi = mid
        else:
            lo = mid


@case(0.0, 2.0)
def bisection(lo, hi):
    n = 0
    for m in bisect(lo, hi):
        n += 1
    return (m, n)


def ema(x, a):
    s = None
    for v in x:
        s = v if s is None else a * v + (1 - a) * s
        yield s


@case(X, 0.3)
def averages_in_array(x, a):
    out = np.empty(len(x))
    for i, s in enumerate(ema(x, a)):
        out[i] = s
    return out


@case(X, 0.3)
def ema_list(x, a):
    return np.array(list(ema(x, a)))


@case(X, 0.3)
def ema_from(x, a):
    return np.fromiter(ema(x, a), dtype=np.float64)


def chunks(seq, n):
    it = iter(seq)
    while True:
        c = list(itertools.islice(it, n))
        if not c:
            return
        yield c


def lcg(seed):
    s = seed
    while True:
        s = (s * 1103515245 + 12345) % 2147483648
        yield (s / 2147483648)


@case(42, 100)
def zip_with_a_range(seed, n):
    g = lcg(seed)
    xs = [u for u, _ in zip(g, range(n), strict=False)]
    return sum(xs)


@case(42, 100)
def endless_by_number(seed, n):
    inside = 0
    for k, u in enumerate(lcg(seed)):
        if k >= n:
            break
        inside += u * u < 0.5
    return inside


@case(42, 10)
def endless_sliced(seed, n):
    return list(itertools.islice(lcg(seed), n))


@case(M)
def write_rows(m):

    def bump():
        for i in range(m.shape[0]):
            m[i] += i
            yield m[i]
            m[i, 0] = -1

    t = 0.0
    for r in bump():
        r[1] *= 2
        t += r.sum()
    return t


@case(M)
@case(M * 0)
def swap_state(m):

    def it(a, b):
        for k in range(6):
            b[1:-1] = (a[:-2] + a[2:]) / 2
            a, b = (b, a)
            yield a

    for k, r in enumerate(it(m[0].copy(), m[1].copy())):
        if r.max() < 0.2:
            break
    return (k, r)


@case(X)
def two_gens(x):

    def a():
        for v in x:
            yield v

    def b():
        for v in x[::-1]:
            yield v

    t = 0.0
    for p in a():
        for q in b():
            if q > p:
                continue
            if q < -1:
                break
            t += q * p
        else:
            t += 1
    return t


@case(X)
def cons_while(x):
    t = 0.0
    k = 0
    while k < 3:
        for v in rows(x):
            t += v * k
            if t > 4:
                break
        k += 1
    return t


@case(X, 2)
@case(X, 0)
def default_args(x, n):

    def g(a, k=3, *rest, z=1.0, **kw):
        for i in range(k):
            yield (a[i] * z + len(rest) + kw.get("q", 0))

    return (list(g(x)), list(g(x, n, 5, 6, z=2.0, q=7)))


@case(X)
def conditional_items(x):

    def g():
        for v in x:
            yield (v if v > 0 else -v)

    return (sum(g()), sum(1 for _ in g()), any(v > 2 for v in g()))


@case(X)
def count_if(x):

    def g():
        for v in x:
            if v > 0:
                yield v

    n = 0
    for _ in g():
        n += 1
    return (n, len(list(g())), len([v for v in g()]))


@case(X)
def items_of_several_types(x):

    def g():
        yield 1
        yield 2.5
        yield True

    t = 0
    for v in g():
        t += v
    return (t, list(g()))


@case(X)
@case(X + 10)
def dynamic_len(x):
    n = 0
    for v in x:
        if v > 0:
            n += 1

    def g(k):
        for i in range(k):
            yield (i * 2)

    out = np.zeros(len(x))
    for i in g(n):
        if i < len(out):
            out[i] = 1
    return out


def countdown(n):
    while n > 0:
        yield n
        n -= 1


@case(10**6)
def many_iterations(n):
    t = 0
    for v in countdown(n):
        t += v
    return t


@case(X)
def with_stmt(x):

    def g():
        for v in x:
            with np.errstate(divide="ignore"):
                w = 1 / v
            yield w

    return sum(g())


@case(X)
def names_bound_in_tests(x):

    def g():
        k = 0
        while (v := x[k]) < 1.0:
            yield v
            k += 1

    return sum(g())


@case(X)
def cases(x):

    def g(kind):
        match kind:
            case 1:
                yield x[0]
            case other:
                yield x[other]

    return sum(g(1)) + sum(g(3))


@case(X)
def global_shadow(x):

    def g(max):
        for v in x:
            yield (max * v)

    t = 0
    for v in g(2):
        t = max(t, v)
    return t


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_programs_with_generators(function, args) -> None:
    check_program(function, args)
