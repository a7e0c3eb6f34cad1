"""Reductions over every kind of axis, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, assert_same, check, sample

import quernel as qn

NAMES = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "ptp")
SUM = 1e-13


@pytest.mark.parametrize("name", NAMES)
def test_axes_and_dtypes(name: str) -> None:
    function = getattr(np, name)
    skip = ("bool",) if name == "ptp" else ()
    arrays = {d: sample(d, (3, 4, 5), k) for k, d in enumerate(DTYPES) if d not in skip}

    def compute(arrays: dict) -> list:
        answers = []
        for x in arrays.values():
            answers += [
                function(x),
                function(x, axis=0),
                function(x, axis=-1),
                function(x, axis=(0, 2)),
                function(x, axis=None, keepdims=True),
                function(x, axis=1, keepdims=True),
            ]
        return answers

    want = compute(arrays)
    assert_same(qn.compile(compute, fullgraph=True)(arrays), want, scale=4e-6)


@pytest.mark.parametrize("dtype", ["float64"])
def test_float64_is_accurate(dtype: str) -> None:
    x = sample(dtype, (50, 40))
    check(lambda x: (x.sum(), x.mean(0), x.var(1), x.std(), x.prod(0)), x, scale=SUM)


def same_kinds(function, *arguments) -> None:
    """The same numbers, and zeros, infinities and NaN where NumPy has them."""
    with np.errstate(all="ignore"):
        want = function(*arguments)
        got = qn.compile(function, fullgraph=True)(*arguments)
    assert_same(got, want, scale=1e-12)


LONG = np.r_[0, np.full(70_000, 1e200)]
HUGE = {"float64": 1e200, "float32": 1e30, "complex128": 1e200, "complex64": 1e30, "float16": 6e4}


@pytest.mark.parametrize("dtype", HUGE)
def test_products_are_multiplied_one_after_the_other(dtype: str) -> None:
    def compute(*arrays):
        return [(x.prod(), np.multiply.reduce(x)) for x in arrays]

    x = np.full(70_000, HUGE[dtype], dtype)
    x[0] = 0
    same_kinds(compute, x, x[:7000], x[::-1], x[:20])


@pytest.mark.parametrize("shape", [(40, 50), (3000, 70), (70, 3000), (5, 4, 300)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_along_axes_go_through_memory_in_numpys_order(shape: tuple, order: str) -> None:
    def compute(x):
        every = [np.prod(x, axis=axis) for axis in (None, 0, 1, (0, 1), -1)]
        return [*every, x.prod(0, keepdims=True), x[::-1].prod(), x.T.prod(), x[:, ::-1].prod(1)]

    x = np.full(shape, 1e200, order=order)
    x[(0,) * x.ndim] = 0
    same_kinds(compute, x)


def test_products_over_several_axes_of_views() -> None:
    def compute(x):
        views = (x, x.T, x[::-1], x.transpose(1, 0, 2), x[:, ::-1], x.transpose(2, 0, 1)[1:])
        return [v.prod(axis) for v in views for axis in (None, (0, 2), (1, 2), (0, 1))]

    rng = np.random.default_rng(3)
    for _ in range(6):
        same_kinds(compute, rng.choice([0, 1e150, 1e-150, 1e200, -1, 1], (4, 5, 6)))


def test_products_begin_with_what_is_initial() -> None:
    def compute(x, y, z):
        return (
            x.prod(initial=0.0),
            y.prod(0, initial=0.0),
            y.prod((0, 1), initial=-0.0, keepdims=True),
            z.prod(initial=0.0),
            z.prod((0, 2), initial=1e-300),
            z.prod(1, initial=1e-300, keepdims=True),
            z.prod((), initial=2.0),
            x.prod(initial=0.0, where=x > 1),
            np.prod(x[:0], initial=3.0),
        )

    same_kinds(compute, LONG[1:], np.full((30, 40), 1e200), np.full((3, 40, 5), 1e200))


def test_products_beside_sums_and_of_what_is_not_a_number() -> None:
    def compute(x, y):
        chosen = x[x > -1].prod(), x.prod(where=x < 9)
        return x.prod(), (x / 1e200).sum(), np.nanprod(y), np.cumprod(x)[-1], *chosen

    same_kinds(compute, LONG, np.r_[0, np.nan, LONG[1:]])


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_positions(name: str) -> None:
    function = getattr(np, name)
    ties = np.array([[3.0, 1.0, 1.0], [2.0, 1.0, np.nan], [5.0, 5.0, 5.0]])
    integers = sample("int64", (4, 5))

    def compute(x, n):
        return [
            f
            for a in (x, n)
            for f in (
                function(a),
                function(a, axis=0),
                function(a, axis=-1),
                function(a, axis=1, keepdims=True),
            )
        ]

    check(compute, ties, integers)


def test_nan_is_propagated_by_min_and_max() -> None:
    x = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]])
    check(lambda x: (x.min(1), x.max(1), np.fmin(x[0], x[1]), np.nansum(x), np.nanprod(x, 0)), x)


def test_dtype_out_and_ddof() -> None:
    x, n = sample("float32", (4, 6)), sample("int32", (4, 6))

    def compute(x, n):
        out = np.zeros(6)
        np.sum(x, axis=0, out=out)
        return (
            out,
            x.sum(dtype=np.float64),
            n.mean(dtype=np.float32),
            x.var(ddof=1),
            x.std(1, ddof=1),
            n.sum(dtype="int32"),
            n.prod(axis=1),
            np.var(n),
        )

    check(compute, x, n, scale=1e-5)


def test_methods_take_numpys_arguments() -> None:
    x = sample("float64", (3, 4))
    check(
        lambda x: (
            x.sum(1), x.mean(axis=0), x.max(), x.min(0), x.argmin(), x.any(), x.all(1),
            x.clip(-0.5, 0.5), x.round(2),
        ),
        x,
        scale=1e-15,
    )  # fmt: skip


def test_average_with_weights() -> None:
    x, w = sample("float64", (3, 4)), np.abs(sample("float64", (3, 4), 1))
    check(lambda x, w: (np.average(x), np.average(x, axis=1, weights=w)), x, w, scale=1e-14)


def test_zero_size() -> None:
    x = np.zeros((0, 3))
    check(lambda x: (x.sum(0), x.sum(1), x.prod(), x.any(), x.all(0), x + 1, x.T * 2), x)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_zero_size_without_identity(name: str) -> None:
    function = getattr(np, name)
    x = np.zeros((0, 3))
    with pytest.raises(ValueError, match=r"zero-size|empty sequence") as want:
        function(x)
    with pytest.raises(ValueError, match=r"zero-size|empty sequence") as got:
        qn.compile(lambda x: function(x, axis=None), fullgraph=True)(x)
    assert str(got.value) == str(want.value)
    if not name.startswith("arg"):
        check(lambda x: function(x, axis=1), x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_choices_among_many(name: str, dtype: str) -> None:
    """Ties, NaN and infinities in every lane, and behind the last whole vector."""
    function, rng = getattr(np, name), np.random.default_rng(3)
    compiled = qn.compile(lambda x: (function(x), function(x[:, :400], axis=1)), fullgraph=True)
    for _ in range(40):
        x = rng.integers(0, 90, (3, 517)).astype(dtype)
        if dtype.startswith("float"):
            specials = rng.choice([np.nan, np.inf, -np.inf], 3)
            x[rng.integers(0, 3, 3), rng.integers(0, 517, 3)] = specials
        assert_same(compiled(x), (function(x), function(x[:, :400], axis=1)))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_square_of_nothing(name: str) -> None:
    function = getattr(np, name)
    compiled = qn.compile(lambda x: function(x, axis=0), fullgraph=True)
    for n in (3, 2, 5):  # the sizes are symbols from the second call on
        assert_same(compiled(np.ones((n, n))), function(np.ones((n, n)), axis=0))
    for call in (compiled, qn.compile(lambda x: function(x, axis=0), fullgraph=True)):
        with pytest.raises(ValueError, match=r"zero-size|empty sequence"):
            call(np.zeros((0, 0)))


@pytest.mark.parametrize("initial", [-0.0, np.float32(-0.0), np.float64(-0.0), 0.0, 2.0])
@pytest.mark.parametrize("values", [[], [-0.0] * 3, [-0.0, 0.0], [1.0, -1.0], [-0.0, np.nan]])
def test_signs_of_zero_with_an_initial_number(values, initial):
    array = np.array(values)
    got = qn.compile(lambda x: np.sum(x, initial=initial), fullgraph=True)(array)
    want = np.sum(array, initial=initial)
    assert repr(got) == repr(want)
