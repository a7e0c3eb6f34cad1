"""Many updates of few places: what is added up by pieces, and by loops that siblings share."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same

import quernel as qn

FUNCTIONS = ("add", "subtract", "multiply", "maximum", "minimum")
LOGICAL = ("logical_or", "logical_and", "bitwise_or", "add", "minimum")


def at(name):
    ufunc = getattr(np, name)

    def compute(table, places, values):
        ufunc.at(table, places, values)

    return compute


def same_bits(function, *args):
    """What three numbers of threads give: results and written arguments, all with the same bits."""
    found = []
    for threads in (1, 2, 5):
        own = [arg.copy() for arg in args]
        result = qn.compile(function, fullgraph=True, threads=threads)(*own)
        parts = result if isinstance(result, tuple) else () if result is None else (result,)
        found.append([*parts, *own])
    for other in found[1:]:
        for x, y in zip(found[0], other, strict=True):
            assert x.tobytes() == y.tobytes()
    return found[0]


def with_numpy(function, *args):
    own = [arg.copy() for arg in args]
    result = function(*own)
    parts = result if isinstance(result, tuple) else () if result is None else (result,)
    return [*parts, *own]


def values_of(rng, dtype, name, count):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, count).astype(dtype)
    scale, shift = (1e-3, 1) if name == "multiply" else (1, 0)
    return (shift + scale * rng.normal(size=count)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int16", "uint8", "int64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_pieces(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for count, places in ((40000, 70), (17000, 1000), (3000, 70)):
        table = values_of(rng, dtype, name, places)
        where = rng.integers(-places, places, count)
        values = values_of(rng, dtype, name, count)
        got = same_bits(at(name), table, where, values)
        want = with_numpy(at(name), table, where, values)
        exact = np.dtype(dtype).kind in "iu" or name in ("maximum", "minimum")
        assert_same(got, want, scale=0 if exact else 1e-4 if dtype == "float32" else 1e-11)


@pytest.mark.parametrize("name", LOGICAL)
def test_pieces_of_booleans(name: str) -> None:
    rng = np.random.default_rng(0)
    for rare in (True, False):
        args = (
            rng.random(300) < 0.5,
            rng.integers(0, 300, 30000),
            (rng.random(30000) < 0.01) == rare,
        )
        assert_same(same_bits(at(name), *args), with_numpy(at(name), *args))


@settings(max_examples=25, deadline=None)
@given(
    count=st.integers(0, 40000),
    places=st.integers(1, 5000),
    seed=st.integers(0, 9),
    rows=st.booleans(),
)
def test_sizes_of_the_call(count: int, places: int, seed: int, rows: bool) -> None:
    rng = np.random.default_rng(seed)
    rest = (3,) if rows else ()
    where = np.sort(rng.integers(0, places, count)) if seed % 2 else rng.integers(0, places, count)
    args = rng.normal(size=(places, *rest)), where, rng.normal(size=(count, *rest))
    compiled = _compiled_of_any_size()
    own = [arg.copy() for arg in args]
    compiled(*own)
    assert_same(own, with_numpy(at("add"), *args), scale=1e-11)


_ANY_SIZE = []


def _compiled_of_any_size():
    if not _ANY_SIZE:
        _ANY_SIZE.append(qn.compile(at("add"), fullgraph=True, dynamic=True))
    return _ANY_SIZE[0]


def test_untouched_zeros_keep_their_signs() -> None:
    table = np.array([-0.0, 0.0, -0.0, 0.0])
    where, values = np.full(50000, 3), np.full(50000, 0.5)
    for dtype in (float, complex):
        (got, *_) = same_bits(at("add"), -table.astype(dtype) * -1, where, values.astype(dtype))
        (want, *_) = with_numpy(at("add"), -table.astype(dtype) * -1, where, values.astype(dtype))
        assert got.tobytes() == want.tobytes()


def test_infinities_and_nan() -> None:
    values = np.zeros(50000)
    values[[7, 20000, 30000, 44444]] = np.inf, np.nan, -np.inf, np.inf
    where = np.arange(50000) % 13
    for name in ("add", "maximum"):
        with np.errstate(invalid="ignore"):
            assert_same(
                same_bits(at(name), np.zeros(13), where, values),
                with_numpy(at(name), np.zeros(13), where, values),
            )


def test_axes() -> None:
    def compute(table, i, j, values):
        np.add.at(table, (i, j), values)
        np.maximum.at(table, (slice(None), j[:100]), 2.5)
        np.add.at(table[::2], i // 2, values[:, None])

    rng = np.random.default_rng(3)
    i, j = rng.integers(0, 8, 30000), rng.integers(0, 20, 30000)
    args = rng.normal(size=(8, 20)), i, j, rng.normal(size=30000)
    assert_same(same_bits(compute, *args), with_numpy(compute, *args), scale=1e-12)


def test_positions_of_two_axes() -> None:
    rng = np.random.default_rng(3)
    args = rng.normal(size=50), rng.integers(0, 50, (150, 200)), rng.normal(size=(150, 200))
    assert_same(same_bits(at("add"), *args), with_numpy(at("add"), *args), scale=1e-12)


def siblings(i, w, x):
    counts = np.bincount(i, minlength=9)
    sums = np.bincount(i, weights=w, minlength=9)
    squares = np.bincount(i, weights=w * w)
    extremes = np.full(500, -np.inf)
    np.maximum.at(extremes, i, x)
    mean = sums / np.maximum(counts, 1)
    return counts, sums, squares, extremes, mean


def histograms(i, w, x):
    number, edges = np.histogram(w, 40)
    return number, edges, np.histogram(w, 40, weights=x)[0] / number, np.histogram(w, 41)[0]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", [siblings, histograms])
def test_siblings(function, dynamic) -> None:
    rng = np.random.default_rng(4)
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for count in (50, 60000):
        args = rng.integers(0, 500, count), rng.normal(size=count), rng.random(count)
        with np.errstate(invalid="ignore"):
            want = function(*args)
            assert_same(compiled(*args), want, scale=1e-12)
            if not dynamic:
                assert_same(tuple(same_bits(function, *args)[: len(want)]), want, scale=1e-12)


def test_one_needs_the_other() -> None:
    def compute(i, w):
        a = np.zeros(30)
        np.add.at(a, i, w)
        b = a.copy()
        np.add.at(b, i, a[i])
        np.add.at(a, i, 1.0)
        return a, b

    rng = np.random.default_rng(5)
    args = rng.integers(0, 30, 20000), rng.normal(size=20000)
    assert_same(same_bits(compute, *args), with_numpy(compute, *args), scale=1e-12)


def test_a_mistake_between_siblings() -> None:
    def compute(a, b, i, j, w):
        np.add.at(a, i, w)
        w[0] = 7
        np.add.at(b, i, w)
        np.add.at(a, j, w)
        np.add.at(b, i, w)

    rng = np.random.default_rng(6)
    args = np.zeros(9), np.zeros(9), rng.integers(0, 9, 20000), np.full(20000, 3), np.ones(20000)
    args[3][17] = 9
    own, plain = ([arg.copy() for arg in args] for _ in range(2))
    for function, arrays in ((qn.compile(compute, fullgraph=True), own), (compute, plain)):
        with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 9"):
            function(*arrays)
    assert_same(own, plain, scale=1e-15)


@pytest.mark.parametrize("weights", [np.array([]), np.array([], np.complex64)])
def test_counts_of_nothing_have_no_weights(weights: np.ndarray) -> None:
    """Their dtype is that of counts."""
    args = np.array([], int), weights
    for least in (0, 5):
        compute = functools.partial(np.bincount, minlength=least)
        compiled = qn.compile(lambda i, w, least=least: np.bincount(i, w, least), fullgraph=True)
        assert_same(compiled(*args), compute(*args))


def test_negative_counts() -> None:
    compiled = qn.compile(lambda i: (np.bincount(i), np.bincount(i, weights=i)), fullgraph=True)
    with pytest.raises(ValueError, match="'list' argument must have no negative elements"):
        compiled(np.array([3, -1, 2]))


def test_in_a_loop() -> None:
    def compute(i, w):
        total = np.zeros(40)
        for k in range(4):
            np.add.at(total, i, w * k)
            total *= 0.5
        return total

    rng = np.random.default_rng(7)
    args = rng.integers(0, 40, 20000), rng.normal(size=20000)
    want = compute(*args)
    for dynamic in (None, True):
        compiled = qn.compile(compute, fullgraph=True, dynamic=dynamic)
        assert_same(compiled(*args), want, scale=1e-12)


def test_a_mask_that_keeps_choosing() -> None:
    def compute(z, c):
        for _ in range(30):
            if not len(z):
                break
            z = z * z + c
            left = np.abs(z) < 2
            z = z[left]
            c = c[left]
        return z.copy(), c.copy()

    rng = np.random.default_rng(8)
    for count in (10, 70000):
        args = np.zeros(count), rng.uniform(-2.5, 1, count)
        assert_same(same_bits(compute, *args), with_numpy(compute, *args))
