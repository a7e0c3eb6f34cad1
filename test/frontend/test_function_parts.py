"""Functions of which a statement runs in Python, and what stands around it compiled."""

import contextlib
import io
import re
from collections import deque
from typing import Any

import numpy as np
import pytest

import quernel as qn


class Odd(Exception):
    """What programs raise."""


CASES: list[tuple[Any, tuple]] = []


def case(*args: Any) -> Any:
    """A function and its arguments."""

    def add(function: Any) -> Any:
        CASES.append((function, args))
        return function

    return add


def vector() -> np.ndarray:
    return np.random.default_rng(0).normal(size=200)


def matrix() -> np.ndarray:
    return np.random.default_rng(1).random((30, 20))


@case(vector(), 4)
def in_a_loop(u, n):
    total = 0.0
    for i in range(n):
        u = u * 0.5 + np.sin(u)
        v = u - u.mean()
        print("step", i, v.shape)
        u = u + v * v
        total += np.abs(v).sum()
    return u - 1, total


@case(vector(), 6)
def breaks_and_continues(u, n):
    for i in range(n):
        u = u * 1.5 + np.cos(u)
        s = np.abs(u).max()
        if s > 5:
            print("stop", i)
            break
        if i == 1:
            continue
        u = u - u.min()
    else:
        u = u * 0
    return u, s


@case(vector())
def while_it_is_large(x):
    i = 0
    while np.abs(x).max() > 0.5:
        x = x * 0.5 + 0.01 * np.sin(x)
        i += 1
        if i % 2:
            print(i, end=";")
    return i, x * x


@case(vector(), 3)
def returns_from_a_loop(x, n):
    for i in range(n):
        x = x * 1.5 + np.sin(x)
        if i == 1:
            print("returning")
            y = x - x.mean()
            return y * y + 1, i
    return None


@case(matrix(), 0)
def in_nested_loops(m, flag):
    acc = np.zeros(m.shape[1])
    for row in m:
        r = row * 2 + np.sin(row)
        for k in range(2):
            r = r + np.cos(r) * k
            if flag == 1:
                print(r.sum())
            elif k:
                acc = acc + r / 2
            else:
                print(".", end="")
        acc = acc * 0.5
    return acc


@case(vector())
def bound_in_a_turn_before(x):
    for i in range(3):
        if i:
            t = x * 2 + np.sin(x)
        print(i)
        if i == 2:
            x = x + t
    return x, t


@case(vector())
def never_bound(x):
    y = x * 2 + np.sin(x)
    if y.sum() > 1e30:
        z = y + 1
    print("here")
    return z + y * 2


@case(vector())
def bound_by_a_part_that_returns(x):
    y = x * 2 + np.sin(x)
    if y.sum() > 1e30:
        t = y + 1
        return t * t
    print("here")
    return t


@case(vector())
def written_in_place(x):
    x *= 2
    for i in range(3):
        x += np.cos(x)
        print(i)
        x[i] = x.sum()
        v = x[1:5]
        v -= 1
    return v, x


@case(vector())
def with_a_list(x):
    history = []
    y = np.zeros_like(x)
    for i in range(5):
        y = y * 0.9 + np.sin(x + i)
        history.append((i, y.max(), {"a": y.min()}))
        print(end="")
    return history, y


@case(vector())
def with_comprehensions(x):
    parts = [x[i::3] * 2 for i in range(3)]
    print("parts", len(parts))
    k = 3.0
    return sum([p.sum() * k for p in parts]), np.concatenate([p + k for p in parts])


@case(matrix())
def within_errstate(m):
    with np.errstate(all="ignore"):
        y = np.log(m - 0.5)
        print("in")
        z = np.nan_to_num(y) + 1
    return z * 2 + y.shape[0]


@case(matrix())
def where_exceptions_end(m):
    y = m * 2
    with contextlib.suppress(IndexError):
        y = y + np.sin(m)
        z = y[100] + y
        y = z
    print(y.shape)
    return y * y + 1


@case(matrix())
def with_a_last_word(m):
    y = m
    try:
        y = m * 2 + np.sin(m)
        w = y * 3
        return w + 1
    finally:
        print("w", w.shape, y.shape)


@case(vector())
def names_of_what_was_done_before_an_exception(x):
    y, n = x + 1, 0
    for k in range(3):
        try:
            print(k)
            y = x * k + np.sin(x)
            n = n + 1
            z = y[199 + k] + y
            y = z
            n = n + 10
        except IndexError:
            y = y * 2
    return y, z, n


@case(vector())
def text_of_a_result(x):
    y = np.exp(-x * x)
    s = np.abs(y).max()
    return f"{len(y)} {s:.4g}"


@case(vector())
def raises_with_a_text(x):
    for k in range(5):
        x = x * 2 + np.sin(x)
        if np.abs(x).max() > 20:
            raise Odd(f"too large: {np.abs(x).max():.3f} after {k}")
        print(end="")
    return x


@case(vector(), np.array(["a", "bb", "a"]))
def texts(x, names):
    y = x * 2 + np.cos(x)
    k = len(names)
    z = y + np.sin(y) * k
    hits = names == "a"
    return z.sum(), y * hits.sum()


@case(vector(), np.array(["2020-01-01", "2020-03-01"], dtype="M8[D]"))
def dates(x, d):
    y = np.sqrt(np.abs(x)) + x
    days = (d[1] - d[0]).astype(int)
    return (y * y + np.sin(y)) / days


@case(vector(), vector().astype(np.longdouble))
def wide(x, w):
    y = np.sqrt(np.abs(x)) + x
    s = float((w * w).sum())
    return (y * y + np.sin(y)) / s


def outcome(function: Any, args: tuple) -> tuple:
    """What a call gives or raises, what it prints, and its arguments afterwards."""
    given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result: Any = function(*given)
        except Exception as error:
            result = (type(error), str(error))
    return result, printed.getvalue(), given


def assert_close(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_close(a, b)
    elif isinstance(expected, dict):
        assert_close(list(found.items()), list(expected.items()))
    elif np.asarray(expected).dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize(("function", "args"), CASES)
def test_parts(function: Any, args: tuple) -> None:
    compiled, expected = qn.compile(function), outcome(function, args)
    for _ in range(2):
        assert_close(outcome(compiled, args), expected)
    assert compiled.stats()["compiles"] > 0


def of_numbers(x, n):
    t = 0.0
    for i in range(n):
        t = t * 0.5 + x[i]
        if i % 100 == 50:
            print(end="")
        t = t + 1
    return t


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_parts_of_a_few_numbers_are_given_up() -> None:
    compiled, x = qn.compile(of_numbers), vector()
    assert compiled(x, 200) == of_numbers(x, 200)
    compiles = compiled.stats()["compiles"]
    assert compiles > 0
    for n in (150, 160, 170):
        assert compiled(x, n) == of_numbers(x, n)
    assert compiled.stats()["compiles"] == compiles


def reached(n):
    waiting, seen, order = deque([0]), np.zeros(n, bool), []
    while waiting:
        k = waiting.popleft()
        if seen[k]:
            continue
        seen[k] = True
        order.append(k)
        for j in (2 * k + 1, 2 * k + 2):
            if j < n:
                waiting.append(j)
    return np.array(order) * 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_parts_of_loops_that_are_refused_are_given_up() -> None:
    compiled = qn.compile(reached)
    for _ in range(3):
        assert_close(compiled(60), reached(60))
    splits = compiled.stats.__self__._splits.values()
    assert [split.repeated for split in splits if split is not None] == [{}]


def test_it_says_so() -> None:
    with pytest.warns(qn.FallbackWarning, match=re.escape("in_a_loop is compiled except for a")):
        outcome(qn.compile(in_a_loop), (vector(), 2))


def helper(x):
    y = x * 2 + np.sin(x)
    print("helper", y.shape)
    return y * y + np.cos(y)


def calls_a_helper(x):
    z = x + np.exp(-x * x)
    w = helper(z)
    return w * 2 + z


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_helpers_are_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = qn.compile(calls_a_helper)
    for _ in range(2):
        assert_close(outcome(compiled, (vector(),)), outcome(calls_a_helper, (vector(),)))
    assert compiled.stats()["compiles"] == 4
    monkeypatch.setitem(globals(), "helper", lambda x: x * 3)
    assert_close(outcome(compiled, (vector(),)), outcome(calls_a_helper, (vector(),)))


def recursive(x, n):
    y = x * 2 + np.sin(x)
    print(n)
    return y if n == 0 else recursive(y, n - 1) + other(x, n - 1)


def other(x, n):
    y = x * 3 + np.cos(x)
    print("other", n)
    return y if n == 0 else recursive(y, n - 1) * 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_recursion_ends() -> None:
    compiled = qn.compile(recursive)
    for _ in range(2):
        assert_close(outcome(compiled, (vector(), 4)), outcome(recursive, (vector(), 4)))
