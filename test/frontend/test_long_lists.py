"""Long lists of numbers as arguments: one program takes lists of any length and content."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError

RANDOM = np.random.RandomState(0)


def places(size: int) -> list[int]:
    return RANDOM.randint(0, size, size).tolist()


def as_index(x, i):
    return x[i] * 2, x[i[2:9]], np.take(x, i)


def as_array(x, i):
    return x + i, np.array(i), np.sum(i), np.sort(i)[:3], np.cumsum(i)


def as_list(x, i):
    return len(i), i[3], i[-1], x[i[x.argmax() % 5]], isinstance(i, list), type(i) is list, bool(i)


def in_loops(x, i):
    t, u = 0.0, 0
    for k in i:
        u += k
    for k, v in enumerate(i):
        t += v * x[k]
    for p, q in zip(i, x):  # noqa: B905
        t += p * q
    return t, u, sum(i), max(i)


def written_beside(x, i):
    x[i] += 1
    x[0] = i[0]
    return x


FUNCTIONS = [as_index, as_array, as_list, in_loops, written_beside]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_any_length_and_content(function: Any) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for size in (300, 300, 500, 257, 1000, 400):
        x, i = RANDOM.rand(size), places(size)
        own = x.copy()
        assert_same(compiled(own, i), function(x, i), ulp=8)
        assert np.array_equal(own, x)
    assert compiled.stats()["compiles"] == 2


@pytest.mark.parametrize("kind", [bool, int, float, complex])
def test_types_of_numbers(kind: type) -> None:
    items = [kind(k % 3) for k in range(400)]

    def function(x, v):
        return x * v, v[1], np.array(v), x[np.array(v, bool)]

    x = RANDOM.rand(400)
    compiled = qn.compile(function, fullgraph=True)
    assert_same(compiled(x, items), function(x, items), ulp=8)
    assert_same(compiled(x=x, v=items), function(x, items), ulp=8)
    if kind is bool:
        mask = qn.compile(lambda x, v: x[v], fullgraph=True)
        assert np.array_equal(mask(x, items), x[items])


def test_an_array_is_no_list() -> None:
    def function(x, i):
        return x * 2, isinstance(i, list)

    compiled = qn.compile(function, fullgraph=True)
    x, i = RANDOM.rand(300), places(300)
    for given in (i, np.array(i), i, i[:9], np.array(i)):
        assert_same(compiled(x, given), function(x, given))


def repeated(x, i):
    return i * 2


def longer(x, i):
    i.append(3)
    return x[i]


def given_back(x, i):
    return i


def compared(x, i):
    return i == [1], 3 in i


@pytest.mark.parametrize(
    ("function", "items"),
    [
        (repeated, places(300)),
        (longer, places(300)),
        (given_back, places(300)),
        (compared, places(300)),
        (as_array, [*places(300), 0.5]),
        (in_loops, [2**70, *places(300)]),
    ],
)
def test_whatever_needs_the_list_runs_in_numpy(function: Any, items: list) -> None:
    x = RANDOM.rand(len(items))
    with pytest.raises(UnsupportedError, match="`i` has more than 256 items"):
        qn.compile(function, fullgraph=True)(x, list(items))
    compiled = qn.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qn.FallbackWarning)
        outcomes = []
        for call in (function, compiled):
            given = list(items)
            try:
                outcomes.append((str(call(x, given)), given))
            except TypeError as error:
                outcomes.append((str(error), given))
    assert outcomes[0] == outcomes[1]


def appending(x, i, is_counted):
    i.append(1.5)
    return x * len(i) if is_counted else x


def test_a_list_that_gets_long() -> None:
    x, plain, given = RANDOM.rand(3), [1.0] * 254, [1.0] * 254
    compiled = qn.compile(appending, fullgraph=True)
    for _ in range(6):  # what is only appended to is never an array
        assert_same(compiled(x, given, False), appending(x, plain, False))
    assert given == plain and compiled.stats()["compiles"] == 1
    with pytest.raises(UnsupportedError, match="`i` has more than 256 items"):
        compiled(x, given, True)
    with pytest.warns(qn.FallbackWarning):
        assert_same(qn.compile(appending)(x, given, True), appending(x, plain, True))
    assert given == plain


def test_a_list_beside_is_changed() -> None:
    def function(x, a, i):
        a.append(i[3])
        a[0] = x[i]
        return a, x * len(i)

    x, i = RANDOM.rand(300), places(300)
    plain, given = [1.0], [1.0]
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        answer = compiled(x, given, i)
        assert answer[0] is given
        assert_same(answer, function(x, plain, i))


def overflowing(x, i):
    n = (i[0] + 2**62) * 4
    return n, x[i[n % 7]], isinstance(i, list)


def overflowing_and_raising(x, i):
    n = (i[0] + 2**62) * 4
    return i[n]


def test_calls_that_are_left_to_numpy_get_the_list() -> None:
    x, i = RANDOM.rand(300), places(300)
    with pytest.warns(qn.FallbackWarning, match="more than 64 bits"):
        assert qn.compile(overflowing)(x, i) == overflowing(x, i)
    with pytest.warns(qn.FallbackWarning), pytest.raises(IndexError) as caught:
        qn.compile(overflowing_and_raising)(x, i)
    assert str(caught.value) == "cannot fit 'int' into an index-sized integer"


def test_numpys_warnings() -> None:
    def function(x, i):
        return np.log(x - 1)[i], i[0]

    x, i = RANDOM.rand(300), places(300)
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="invalid value encountered in log") as told:
            compiled(x, i)
        assert len(told) == 1 and told[0].filename == __file__
