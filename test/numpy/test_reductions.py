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
