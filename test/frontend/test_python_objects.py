"""Arguments that stand in themselves, and functions that change: as in Python."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError

x = np.arange(3.0)


def long(x, items):
    return x * 2 + len(items)


def nested(depth):
    items = [1.0]
    for _ in range(depth):
        items = [items]
    return items


def endless(kind):
    items: list = [1.0]
    items.append({"again": items} if kind is dict else (items,) if kind is tuple else items)
    return items


@pytest.mark.parametrize("given", [nested(500), endless(list), endless(tuple), endless(dict)])
def test_containers_that_never_end_run_in_numpy(given):
    compiled = qn.compile(long)
    with pytest.warns(qn.FallbackWarning, match="`items` is nested more than 32 deep"):
        np.testing.assert_array_equal(compiled(x, given), long(x, given))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(compiled(x, given), long(x, given))
    assert "nested more than 32 deep" in str(compiled.explain(x, given))
    np.testing.assert_array_equal(compiled(x, [1.0, 2.0]), long(x, [1.0, 2.0]))
    assert compiled.stats()["compiles"] == 1


@pytest.mark.parametrize(
    "given", [[1.0, 2] * 1000, [(1.0, 2.0)] * 700, [{"a": 1.0, "b": 2.0}] * 700]
)
def test_containers_of_many_items_run_in_numpy(given):
    def length(items):
        return len(items) * np.ones(2)

    compiled = qn.compile(length)
    with pytest.warns(qn.FallbackWarning, match="`items` has more than 256 items"):
        np.testing.assert_array_equal(compiled(given), length(given))
    np.testing.assert_array_equal(compiled(given), length(given))
    assert compiled.stats()["fallbacks"] == 2
    np.testing.assert_array_equal(compiled(given[:9]), length(given[:9]))
    assert compiled.stats()["compiles"] == 1


def plus(x, y=1.0):
    return x + y


def minus(x, y=1.0):
    return x - y


def test_replaced_code_is_run():
    def function(x, y=1.0):
        return x + y

    compiled = qn.compile(function, fullgraph=True)
    np.testing.assert_array_equal(compiled(x), x + 1)
    function.__code__ = minus.__code__
    np.testing.assert_array_equal(compiled(x), x - 1)
    compiled.__code__ = plus.__code__
    assert function.__code__ is plus.__code__
    np.testing.assert_array_equal(compiled(x), x + 1)
    function.__defaults__ = (5.0,)
    np.testing.assert_array_equal(compiled(x), x + 5)
    assert compiled.stats()["fallbacks"] == 0


def test_replaced_code_of_a_helper_is_run():
    def helper(x):
        return x + 1

    compiled = qn.compile(lambda x: helper(x) * 2, fullgraph=True)
    np.testing.assert_array_equal(compiled(x), (x + 1) * 2)
    helper.__code__ = (lambda x: x - 1).__code__
    np.testing.assert_array_equal(compiled(x), (x - 1) * 2)
    np.testing.assert_array_equal(compiled(x), (x - 1) * 2)


def with_defaults(x, k=4, *, q=2):
    return x * k * q


def test_defaults_of_functions():
    def function(x, n=3):
        return (
            x * n,
            function.__defaults__,
            with_defaults.__kwdefaults__,
            with_defaults.__defaults__,
        )

    assert qn.compile(function, fullgraph=True)(x)[1:] == function(x)[1:]


def test_what_only_the_users_functions_have():
    def function(x):
        return x * 2, with_defaults.__code__.co_argcount

    with pytest.raises(UnsupportedError, match=r"`\.__code__` of a function"):
        qn.compile(function, fullgraph=True)(x)
    with pytest.warns(FallbackWarning, match=r"`\.__code__` of a function"):
        assert qn.compile(function)(x)[1] == 2


def types_of(x, kind):
    return (
        isinstance(kind, type),
        isinstance(x, type | np.ndarray),
        isinstance(x, (type, list)),
        type(kind) is type,
        type(kind) == type,  # noqa: E721
        type(x) is not type,
        {type: 1, int: 2}[type(kind)],
        type(x) in (type, np.ndarray),
        issubclass(kind, object),
        type(x[0]).__name__,
        [item.__name__ for item in map(type, (1, 2.0))],
    )


def test_type_is_a_class():
    compiled = qn.compile(types_of, fullgraph=True)
    for kind in (int, float):
        assert compiled(x, kind) == types_of(x, kind)


def by_default(x, xp=np):
    return xp.sum(xp.zeros(3) + x) if xp is np else None


def by_argument(x, xp):
    return xp.exp(x), xp == np, xp.linalg.norm(x), xp is math


def test_modules_are_arguments():
    np.testing.assert_equal(qn.compile(by_default, fullgraph=True)(x[:3]), by_default(x[:3]))
    compiled = qn.compile(by_argument, fullgraph=True)
    np.testing.assert_equal(compiled(x, np), by_argument(x, np))
    np.testing.assert_equal(qn.compile(by_default)(x[:3], math), by_default(x[:3], math))


@qn.compile
def summed_to(x, limit=2.0):
    total = 0.0
    for v in x:
        if total > limit:
            break
        total += v
    return total


def applied(function, x, **named):
    return function(x) + named["other"](x, 9.0)


def test_compiled_functions_are_arguments(recwarn):
    plain = summed_to.__wrapped__
    compiled = qn.compile(applied, fullgraph=True)
    before = summed_to.stats()["calls"]
    for given in (summed_to, plain):
        found = compiled(given, x, other=summed_to)
        assert found == applied(plain, x, other=plain)
    assert summed_to.stats()["calls"] == before
    assert compiled.stats()["compiles"] == 2 and not recwarn.list


def above_the_least(x):
    info = sys.float_info
    return x[x > info.epsilon] / info.max, info.dig, sys.maxsize


def test_limits_of_floats():
    compiled = qn.compile(above_the_least, fullgraph=True)
    np.testing.assert_equal(compiled(x), above_the_least(x))
