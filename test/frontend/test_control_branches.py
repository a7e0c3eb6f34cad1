"""Branches on data: both sides are in the program, and what they bind is joined."""

from __future__ import annotations

import math
from collections import defaultdict, deque, namedtuple

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 4.0])
I = np.array([2, 0, 1, 5, 3, 4])  # noqa: E741
Pair = namedtuple("Pair", "array number")
case = Cases()


@case(X)
@case(-X)
def returns_on_both_sides(x):
    if x.sum() > 0:
        return x * 2
    return -x


@case(X)
@case(-X)
def joins_numbers_and_arrays(x):
    if x[0] > 1:
        y, z = x * 2, 1
    else:
        y, z = x - 1, 2.5
    return y * z


@case(X)
@case(-X)
def a_named_tuple_refers_to_what_is_rebound_on_one_side(x):
    y = x * 2
    pair = Pair(y, 1)
    if x[0] > 1:
        y = y + 1
    y += 1
    return pair.array + pair.number, y


@case(X)
@case(-X)
def rebinds_on_one_side_and_writes_on_the_other(x):
    y = x.copy()
    if x[0] > 1:
        y[0] = 7
        y = x * 0.5 + y
    else:
        y[5] = 2.5
    return y.max(), y


@case(X)
@case(-X)
def joins_tuples(x):
    t = (x, 1) if x.sum() > 1 else (-x, 2)
    return t[0] * t[1]


@case(X)
@case(-X)
def writes_on_one_side(x):
    y = np.zeros(6)
    if x[1] > 0:
        y[1:3] = x[1:3]
    elif x[2] > 0:
        x[0] = 9
    return y


@case(X)
def chooses_types(x):
    return x * (1 if x[0] > 0 else 2.0)


@case(X)
@case(-X)
def connects(x):
    return (
        (1 if 0 < x[0] < 10 else 0),
        bool(x[0] > 0 and x[1] > 0),
        bool(x[1] > 0 or x[0] > 1),
        not x[0] > 1,
    )


@case(X)
def evaluates_what_it_has_to(x):
    i = 5
    while i >= 0 and x[i] > 0.1:
        i -= 1
    return i


@case(X)
def binds_in_conditions(x):
    s = 0.0
    if (n := x[0] * 2) > 3:
        s = n
    return s


@case(X)
def asserts(x):
    assert x[0] > 0, "positive"
    if x[1] > 100:
        raise ValueError("too big")
    return x + 1


@case(X)
def computes_with_python_numbers(x):
    a, b = float(x[0]), int(x[3])
    return (
        max(a, 2.0),
        min(b, 2),
        abs(-a),
        round(a),
        b // 2,
        b % 3,
        -b // 2,
        b**2,
        divmod(b, 3),
        math.sqrt(a),
        math.floor(a + 0.5),
        bool(a),
        sum([a, b]),
        complex(a, b),
    )


@case(I)
def computes_with_bits(i):
    n = int(i[0])
    return n << 3, n >> 1, n & 6, n | 9, n ^ 3, ~n


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_branches_are_pythons(function, args) -> None:
    check_program(function, args)


def test_both_sides_are_in_one_program() -> None:
    compiled = qn.compile(returns_on_both_sides, fullgraph=True)
    for x in (X, -X):
        np.testing.assert_array_equal(compiled(x), returns_on_both_sides(x))
    assert compiled.stats()["compiles"] == 1


def divides(x):
    return 1 / int(x[0])


def roots(x):
    return math.sqrt(x[1])


def multiplies(x):
    f = 1
    for i in range(1, 6 + int(x[3]) * 10):
        f = f * i
    return f


def adds(x):
    a, b = 0, int(x[0])
    for _ in range(99):
        a, b = b, a + b
    return a


def shifts(x):
    n = int(x[0])
    for _ in range(70):
        n <<= 1
    return n


@pytest.mark.parametrize("function", [multiplies, adds, shifts], ids=name_of)
def test_integers_beyond_64_bits_are_left_to_python(function) -> None:
    with pytest.raises(UnsupportedError, match="a Python integer of more than 64 bits"):
        qn.compile(function, fullgraph=True)(X)
    with pytest.warns(FallbackWarning, match="a Python integer of more than 64 bits"):
        assert qn.compile(function)(X) == function(X)
    assert qn.compile(function, fullgraph=True)(X * 0) == function(X * 0)


def refuses(x):
    if x[0] < 5:
        raise ValueError("less than {5}")
    return x


def insists(x):
    assert x[0] > 5, "more than 5"
    return x


@pytest.mark.parametrize(
    ("function", "x"),
    [(divides, X * 0), (roots, X), (refuses, X), (insists, X)],
    ids=name_of,
)
def test_exceptions_of_the_program(function, x) -> None:
    with pytest.raises(Exception) as want:  # noqa: PT011  (it is the same one below)
        function(x)
    with pytest.raises(type(want.value)) as got:
        qn.compile(function, fullgraph=True)(x)
    assert str(got.value) == str(want.value).split("\n")[0]  # pytest adds to what assert says


def changes_a_list(x):
    parts = [x]
    if x.sum() > 0:
        parts.insert(0, x)
    return parts[-1]


def changes_a_deque(x):
    parts = deque([x])
    if x.sum() > 0:
        parts.append(x)
    return parts[-1]


def changes_a_default(x):
    counts = defaultdict(int)
    if x.sum() > 0:
        counts["found"] += 1
    return x + counts["found"]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (changes_a_list, "changing a list"),
        (changes_a_deque, "changing a list"),
        (changes_a_default, "changing a list"),
    ],
    ids=name_of,
)
def test_what_can_t_be_joined_falls_back(function, text: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match=text) as caught:
        qn.compile(function, fullgraph=True)(X.copy())
    assert caught.value.file == __file__


def sides_that_are_never_taken(f, n):
    least = max(n[0], 1)
    for k in range(3):
        if n[k] > 1:
            least = min(least, 1.5)
    for k in range(2):
        f = f * k + f - 0
    return f[0] * least


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_kernels_of_sides_that_are_never_taken(dtype: str) -> None:
    check_program(sides_that_are_never_taken, (np.ones(4, "f4"), np.array([3, 1, 2, 0], dtype)))
