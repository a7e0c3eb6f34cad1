"""Every kind of parameter: arrays, numbers, containers, flags, defaults, keywords."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, check, sample

import quernel as qn

X = sample("float64", (5,))


def test_containers_flags_and_keywords() -> None:
    def step(params, xs, flag, *, mode="a", shift=None):
        y = xs[0] * params["w"] + params["more"]["b"]
        if flag:
            y = y + xs[1][0]
        if mode == "b":
            y = -y
        return {"y": y, "pair": (y if shift is None else y + shift, flag), "items": [1, None, "s"]}

    params = {"w": X, "more": {"b": 2.0}}
    compiled = qn.compile(step, fullgraph=True)
    for args, kwargs in (
        ((params, [X, (3,)], True), {}),
        ((params, [X, (3,)], False), {"mode": "b"}),
        ((params, [X, (4,)], True), {"shift": 1.5, "mode": "b"}),
    ):
        assert_same(compiled(*args, **kwargs), step(*args, **kwargs))
    assert compiled.stats()["fallbacks"] == 0


def test_keyword_order_and_defaults() -> None:
    def f(a, b=2.0, *rest, c=3, **more):
        return a * b + c + sum(rest) + sum(more.values())

    compiled = qn.compile(f, fullgraph=True)
    for args, kwargs in (
        ((X,), {}),
        ((X, 5.0), {}),
        ((X, 5.0, 1.0, X), {"c": 4}),
        ((X,), {"c": 1, "b": 7.0}),
        ((X,), {"b": 7.0, "c": 1}),
        ((), {"a": X, "d": 1.0, "e": X}),
    ):
        assert_same(compiled(*args, **kwargs), f(*args, **kwargs))


def test_wrong_arguments_are_pythons_error() -> None:
    def f(a, b):
        return a + b

    for args in ((X,), (X, X, X)):
        with pytest.raises(TypeError) as want:
            f(*args)
        with pytest.raises(TypeError) as got:
            qn.compile(f, fullgraph=True)(*args)
        assert str(got.value) == str(want.value)


def test_python_numbers_don_t_compile_again() -> None:
    @qn.compile(fullgraph=True)
    def axpy(a, x, n):
        return a * x + n * (2.0 * a - 1.5) / 3.0 + a**2 - abs(-a) + (-a)

    for a, n in ((2.0, 3), (-0.5, -7), (1e-300, 10**15)):
        assert_same(axpy(a, X, n), axpy.__wrapped__(a, X, n))
    assert axpy.stats()["compiles"] == 1


@pytest.mark.parametrize(
    "value", [np.float32(1.5), np.float64(2.5), np.int32(3), np.int64(4), np.True_]
)
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_numpy_scalars_are_strong(value: np.generic, dtype: str) -> None:
    x = sample(dtype)
    compiled = check(lambda x, s: (x + s, s, np.maximum(s, x[0])), x, value)
    assert_same(compiled(x, value), compiled.__wrapped__(x, value))
    assert compiled.stats()["compiles"] == 1


def test_numpy_scalar_values_don_t_compile_again() -> None:
    compiled = check(lambda x, s: x + s, X, np.float64(1.5))
    np.testing.assert_array_equal(compiled(X, np.float64(-3.0)), X - 3.0)
    assert compiled.stats()["compiles"] == 1


def test_a_branch_makes_a_number_a_guard() -> None:
    @qn.compile(fullgraph=True)
    def f(x, a, n):
        y = x * a
        for _ in range(n):
            y = y + 1
        return y if a > 1.0 else -y

    for a, n in ((2.0, 1), (0.5, 1), (2.0, 3), (2.0, 1)):
        assert_same(f(X, a, n), f.__wrapped__(X, a, n))
    assert f.stats()["compiles"] == 2  # the number of turns is no guard


def test_zero_divisors_raise_as_in_python() -> None:
    @qn.compile(fullgraph=True)
    def f(x, a):
        return x * (1.0 / a)

    with pytest.raises(ZeroDivisionError):
        f(X, 0.0)
    assert_same(f(X, 2.0), X * 0.5)


def test_a_divisor_that_becomes_zero_raises_as_in_python() -> None:
    @qn.compile(fullgraph=True, dynamic=True)
    def f(x, a, b):
        return x * (a / b) + 1 / (x.shape[0] - 2)

    assert_same(f(X, 1.0, 2.0), f.__wrapped__(X, 1.0, 2.0))
    for divisor in (0.0, -0.0, 0):
        with pytest.raises(ZeroDivisionError):
            f(X, 1.0, divisor)
    with pytest.raises(ZeroDivisionError):
        f(X[:2], 1.0, 2.0)


def test_numbers_are_returned_as_they_came() -> None:
    @qn.compile(fullgraph=True)
    def f(x, a, n):
        return a, n, a * 2, x + a

    assert_same(f(X, 1.5, 3), f.__wrapped__(X, 1.5, 3))


def test_integers_that_don_t_fit() -> None:
    x = np.arange(3, dtype=np.int32)

    @qn.compile
    def add(x, n):
        return x + n

    assert_same(add(x, 5), x + 5)
    with pytest.raises(OverflowError):
        add(x, 2**40)
    assert_same(qn.compile(lambda x: x < 2**40, fullgraph=True)(x), x < 2**40)


def test_negative_zero_and_nan_are_values() -> None:
    @qn.compile(fullgraph=True)
    def f(x, a):
        return np.copysign(x, a) if a == 0 else x * 2

    for a in (0.0, -0.0, float("nan"), float("nan")):
        assert_same(f(X, a), f.__wrapped__(X, a))


def test_functions_and_dtypes_as_arguments() -> None:
    def double(x):
        return x * 2

    def apply(f, x, dtype):
        return f(x).astype(dtype)

    compiled = qn.compile(apply, fullgraph=True)
    for f in (double, np.sin, lambda x: x + 1):
        for dtype in (np.float32, "float64", np.dtype("int64")):
            assert_same(compiled(f, X, dtype), apply(f, X, dtype), ulp=4)


def test_methods_of_classes() -> None:
    class Model:
        @staticmethod
        @qn.compile(fullgraph=True)
        def scale(x):
            return x * 2

        @qn.compile
        def shift(self, x):
            return x + 1

    assert_same(Model.scale(X), X * 2)
    assert_same(Model().shift(X), X + 1)


@pytest.mark.parametrize("value", [iter(()), np.matrix([[1.0]]), X.astype(np.longdouble)])
def test_other_objects_fall_back(value: object) -> None:
    @qn.compile
    def f(x, other):
        return x + 1

    with pytest.warns(qn.FallbackWarning):
        assert_same(f(X, value), X + 1)
    assert f.stats()["fallbacks"] == 1
    with pytest.raises(qn.errors.UnsupportedError, match="`other`"):
        qn.compile(f.__wrapped__, fullgraph=True)(X, value)


class Key:
    """Of which nobody has a text."""


@pytest.mark.parametrize("value", [[iter(())], {"a": iter(())}, {Key(): 2}])
def test_what_lists_and_dicts_hold_counts_where_it_is_looked_at(value: object) -> None:
    assert_same(qn.compile(lambda x, other: x + 1, fullgraph=True)(X, value), X + 1)
    with pytest.raises(qn.errors.UnsupportedError, match="`other"):
        qn.compile(lambda x, other: x + len(other), fullgraph=True)(X, value)
    compiled = qn.compile(lambda x, other: x + len(other))
    with pytest.warns(qn.FallbackWarning):
        assert_same(compiled(X, value), X + len(value))
    assert compiled.stats()["fallbacks"] == 1


def test_types_are_what_they_would_be() -> None:
    def f(x, a, n):
        assert type(x) is np.ndarray
        assert isinstance(x, np.ndarray)
        assert type(a) is float
        assert isinstance(n, (int, np.integer))
        assert isinstance(x[0], np.float64)
        assert np.isscalar(a)
        return x * a + n if type(x.sum()) is np.float64 else x

    check(f, X, 1.5, 3)


def test_least_of_a_parameter_and_a_numpy_number() -> None:
    compiled = check(lambda x, p: x * min(p, np.float64(1)) + max(x[0], p, 2), X, 3)
    check(lambda x, p: x * max(np.float32(0.5), p), X, 0.25)
    assert compiled.stats()["compiles"] == 1
