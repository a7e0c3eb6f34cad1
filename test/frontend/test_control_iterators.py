"""Iterators in loops and branches: what they give next is Python's, or they are refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from control import Cases, Refused, check_program, check_refused, name_of

case = Cases()

refused = Refused()

X = np.array([1.0, -2.0, 3.5, 0.5, 4.0])

A = np.arange(12.0).reshape(4, 3) - 4

T = (1, 2, 3, 4, 5)


@case()
def it_next():
    it = iter([1, 2, 3])
    s = 0
    for _i in range(3):
        s = s + next(it)
    return s


@case(X)
def enum_twice(x):
    e = enumerate(x)
    s = 0.0
    for i, v in e:
        s += i * v
    for i, v in e:
        s += i * v
    return s


@case(X)
def zip_next(x):
    e = zip(x, x * 2, strict=False)
    a, b = next(e)
    s = a + b
    for u, v in e:
        s += u * v
    return s


@case(X)
def rev_next(x):
    e = reversed(x)
    a = next(e)
    s = a * 10
    for u in e:
        s += u
    return s


@case(X)
def pairs_of_one_iter(x):
    e = iter(x[:4])
    s = 0.0
    for a in e:
        b = next(e)
        s += a * b
    return s


@case(X)
def zip_same_iter(x):
    e = iter(x[:4])
    s = 0.0
    for a, b in zip(e, e, strict=False):
        s += a * b
    return s


@case(X)
def enumerate_zip(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, x[::-1], strict=False)):
        s += i * a * b
    return s


@case(X)
def count_next(x):
    c = itertools.count()
    s = 0.0
    for i in range(5):
        s += x[i] * next(c)
    return s


@case(X)
def cycle_loop(x):
    c = itertools.cycle([1, -1])
    s = 0.0
    for v in x:
        s += v * next(c)
    return s


@case(X)
def map_loop(x):
    m = (v * 2 for v in [1, 2, 3, 4, 5])
    s = 0.0
    for i in range(5):
        s += x[i] * next(m)
    return s


@case(X)
def filter_loop(x):
    m = filter(lambda v: v % 2, [1, 2, 3, 4, 5])
    s = 0.0
    for i in range(3):
        s += x[i] * next(m)
    return s


@case(X)
def genexpr_loop(x):
    g = (v * v for v in [1, 2, 3, 4, 5])
    s = 0.0
    for i in range(5):
        s += x[i] * next(g)
    return s


@case(X)
def genexpr_lazy(x):
    k = 1
    g = (v * k for v in [1, 2, 3])
    k = 10
    return sum(g) + x[0]


@case(X)
def genexpr_side(x):
    done = []
    g = (done.append(v) or v for v in [1, 2, 3])
    a = next(g)
    return a + len(done) + x[0]


@case(X)
def tee_(x):
    a, b = itertools.tee([1, 2, 3])
    s = 0.0
    for i in range(3):
        s += next(a) * x[i]
    return s + sum(b)


@case(X)
def groupby_(x):
    s = 0.0
    for k, g in itertools.groupby([1, 1, 2, 3, 3], key=lambda v: v):
        for v in g:
            s += k * v * x[0]
    return s


@case(X)
def islice_(x):
    it = iter([1, 2, 3, 4, 5])
    s = 0.0
    for i in range(2):
        s += sum(itertools.islice(it, 2)) * x[i]
    return s


@case(X)
def iter_in(x):
    it = iter([1, 2, 3, 4])
    s = 0.0
    for i in range(2):
        if 2 in it:
            s += x[i]
    return s


@case(X)
def iter_callable(x):
    c = [0]

    def f():
        c[0] += 1
        return c[0]

    s = 0.0
    for v in iter(f, 4):
        s += v * x[0]
    return s


@case(X)
def unpack_iter(x):
    it = iter([1, 2, 3, 4, 5, 6])
    s = 0.0
    for i in range(2):
        a, b, c = itertools.islice(it, 3)
        s += a * x[i] + b + c
    return s


@case(X)
def ndenum_twice(x):
    e = np.ndenumerate(x)
    s = 0.0
    for _i, v in e:
        s += v
    for _i, v in e:
        s += v
    return s


@case(X)
def ndindex_next(x):
    e = np.ndindex(5)
    s = 0.0
    next(e)
    for i in e:
        s += x[i]
    return s


@case(X)
def ndindex_twice(x):
    e = np.ndindex(5)
    s = 0.0
    for i in e:
        s += x[i]
    for i in e:
        s += x[i]
    return s


@case(A, 2)
def product_of_ranges(a, k):
    out = np.zeros((a.shape[0] - k + 1, a.shape[1] - k + 1))
    for i, j in itertools.product(range(out.shape[0]), range(out.shape[1])):
        out[i, j] = a[i : i + k, j : j + k].sum()
    return out


@case(A, 2)
def product_numbered(a, k):
    height, width = a.shape[0] - k + 1, a.shape[1] - k + 1
    out = np.zeros((height * width, k * k))
    for row, (i, j) in enumerate(itertools.product(range(height), range(width))):
        out[row, :] = np.ravel(a[i : i + k, j : j + k])
    return out


@case(X, 3)
def product_repeated(x, n):
    s = 0.0
    for i, j, k in itertools.product(range(1, n), repeat=3):
        if i == j:
            continue
        s += x[i] * x[j] - x[k]
    return s


@case(X, 0)
def product_of_nothing(x, n):
    s = 0
    for i, j in itertools.product(range(n - 3), range(4, 9, 2)):
        s += i * j + 1
    return x * s


@case(X, A)
def product_of_arrays(x, a):
    return np.array([u - v.sum() for u, v in itertools.product(x, a)])


@case(X)
def product_from_the_second_on(x):
    pairs = itertools.product(range(3), range(2))
    next(pairs)
    s = x[0]
    for i, j in pairs:
        s += i * j + x[i]
    return s


@case(X)
def product_of_texts(x):
    s = x[0]
    for k, (name, j) in enumerate(itertools.product("ab", range(2)), 5):
        s += k * j + len(name)
    return s, len(list(itertools.product([1, 2], zip(range(2), range(2), strict=True))))


@case(A)
def product_left(a):
    best = (0, 0)
    for i, j in itertools.product(range(a.shape[0]), range(a.shape[1])):
        if a[i, j] > 3:
            best = (i, j)
            break
    return best


@case(A)
def ndindex_numbered(a):
    s = 0.0
    for k, (i, j) in enumerate(np.ndindex(a.shape), start=2):
        s += k * a[i, j]
    for k, (place, value) in enumerate(np.ndenumerate(a)):
        s += k * value + place[0]
    return s


@case(X)
def list_of_iters(x):
    its = list(map(iter, [[1, 2, 3], [4, 5, 6]]))
    s = 0.0
    for i in range(3):
        for t in its:
            s += next(t) * x[i]
    return s


@case(X)
def while_it(x):
    it = iter(range(10))
    s = 0.0
    i = 0
    while i < 5:
        s += x[i] * next(it)
        i += 1
    return s


@case(X)
def alias_in_iter(x):
    a = x + 0
    b = x * 2
    it = iter([a, b])
    for _i in range(3):
        a = a + 1
        a[0] = 7
    return next(it)[0], a[0]


@case(X)
def nested_iters(x):
    s = 0.0
    for i in range(3):
        for j, v in enumerate(x):
            s += i * j * v
        for a, b in zip(x, range(5), strict=False):
            s += a * b
    return s


@case(A)
def rows_iter(a):
    it = iter(a)
    first = next(it)
    s = first * 2
    for r in it:
        s = s + r
    return s


@case(X)
def leave_written2(x):
    y = x + 0
    s = 0.0
    for i, v in enumerate(y):
        s += v * T[i]
        if v > 3.9:
            break
        if i < 4:
            y[i + 1] = v * T[i] + 0.5
    return y, s


@case(X)
def iter_break_unrolled(x):
    s = 0.0
    for v in iter([1.0, 2.0, 3.0]):
        if v > x[2]:
            break
        s += v
    return s


@case(X)
def it_class(x):
    e = enumerate(x)
    it = iter([1])
    (i for i in [1])
    return isinstance(e, enumerate), isinstance(it, enumerate), iter(e) is e


@refused("going on with an iterator where a condition on data holds", X)
def it_next_branch(x):
    it = iter([1, 2, 3, 4, 5])
    s = 0.0
    for i in range(5):
        if x[i] > 0:
            s = s + next(it)
    return s


@refused("going on with an iterator where a condition on data holds", X)
def genexpr_branch(x):
    g = (v * v for v in [1, 2, 3])
    s = 0
    if x[0] > 0:
        s = next(g)
    return s + next(g)


@refused("going on with an iterator where a condition on data holds", X)
def iter_in_ifexp(x):
    it = iter([1, 2, 3, 4])
    a = 2 in it if x[0] > 0 else False
    return 3 in it, 1 in it, a


@refused("going on with an iterator after a loop that data may have left", X)
def enum_break_rest(x):
    e = enumerate(x)
    s = 0.0
    for _i, v in e:
        if v > 3:
            break
    for _i, v in e:
        s += v
    return s


@refused("going on with an iterator after a loop that data may have left", X)
def iter_break_rest(x):
    e = iter([1.0, 2.0, 3.0, 4.0, 5.0])
    s = 0.0
    for v in e:
        if v * x[0] > 2:
            break
    for v in e:
        s += v
    return s


@refused("going on with an iterator after a loop that data may have left", X)
def zip_reuse_inner(x):
    z = zip(x, x, strict=False)
    s = 0.0
    for _i, (a, _b) in enumerate(z):
        s += a
    for a, _b in z:
        s += a * 100
    return s


@refused("going on with an iterator after a loop that data may have left", A)
def ndindex_break_rest(a):
    e = np.ndindex(4, 3)
    s = 0.0
    for i, j in e:
        if a[i, j] > 0:
            break
        s += a[i, j]
    for i, j in e:
        s += a[i, j]
    return s


@refused("going on with an iterator after a loop that data may have left", A)
def product_left_rest(a):
    e = itertools.product(range(4), range(3))
    s = 0.0
    for i, j in e:
        if a[i, j] > 0:
            break
        s += a[i, j]
    for i, j in e:
        s += a[i, j]
    return s


@refused("an iterator from inside of a loop or a branch is used after it", X)
def iter_made_in_turn(x):
    s = 0.0
    for i in range(5):
        it = iter([1, 2])
        s += next(it) * x[i]
    return s + next(it)


@refused("an iterator that reads arrays or calls functions", X)
def break_map(x):
    k = 1
    s = 0.0
    for v in (v * k for v in [1.0, 2.0, 3.0]):
        if v > x[2]:
            break
        k += 1
        s += v
    return s


@refused("whose end depends on data", X)
def while_data_it(x):
    it = iter(range(10))
    s = 0.0
    while s < 3:
        s += abs(x[0]) * next(it)
    return s


@refused("going on with an iterator", A)
def ndindex_in_body(a):
    e = np.ndindex(4, 3)
    s = 0.0
    for i, j in e:
        k, items = next(e)
        s += a[i, j] * a[k, items]
    return s


@case(X)
def begins_after_a_fork(x):
    def pick(c):
        if c > 5:
            return x[:2]
        return x[:3]

    e = enumerate(x)
    s = pick(x[0]).sum()
    for i, v in e:
        s += i * v
    return s


@case(X)
def begins_on_each_side(x):
    e, s = enumerate(x), 0.0
    if x[0] > 5:
        for i, v in e:
            s += i * v
    else:
        for _, v in e:
            s += v
    return s


@refused("changing a list, a dict or an object", X)
def begins_on_one_side(x):
    e, s = enumerate(x), 0.0
    if x[0] > 5:
        for i, v in e:
            s += i * v
    for _, v in e:
        s += v
    return s


@case(X)
def begins_in_a_turn(x):
    e, s = enumerate(x), 0.0
    for _ in range(3):
        s += next(e)[1]
    return s


@case(X)
def reads_late(x):
    k = 1
    g = (v * k for v in [1, 2, 3])
    for v in x:
        if v > 0:
            k = k + 1
    return sum(g)


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_iterators_are_pythons(function, args) -> None:
    check_program(function, args)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_iterators_are_refused_aloud(function, args, text) -> None:
    check_refused(function, args, text)
