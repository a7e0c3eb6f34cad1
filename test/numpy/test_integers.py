"""Integers of every width at the ends of their ranges, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import INTEGERS, assert_same, check

import quernel as qn

ARITHMETIC = [np.add, np.subtract, np.multiply, np.floor_divide, np.remainder, np.fmod]
BITS = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]
ORDERED = [np.maximum, np.minimum, np.less, np.less_equal, np.greater, np.greater_equal]


def edges(dtype: str, count: int = 97, seed: int = 0) -> np.ndarray:
    """Numbers from the whole range, its ends and those next to 0 among them."""
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(seed)
    numbers = rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    special = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1, limits.max // 2]
    numbers[: len(special)] = special
    if limits.min < 0:
        numbers[len(special)] = -1
    return rng.permutation(numbers)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_arithmetic_wraps_around(dtype: str) -> None:
    def compute(x, y):
        binary = [f(x, y) for f in (*ARITHMETIC, *BITS, *ORDERED)]
        unary = [-x, ~x, +x, np.absolute(x), np.sign(x), np.square(x), np.logical_not(x)]
        return binary, unary, np.divmod(x, y), x == y, x != y

    check(compute, edges(dtype), edges(dtype, seed=1))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_floor_division_by_constants(dtype: str) -> None:
    limit = np.iinfo(dtype).max

    def compute(x):
        return [x // d for d in (1, 2, 3, 7, 10, 64, 127, limit)], x[3] // 7, np.divmod(x, 7)

    check(compute, edges(dtype))
    if np.iinfo(dtype).min < 0:
        check(lambda x: [x // d for d in (-1, -2, -7, -128, -limit - 1)], edges(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_take_any_count(dtype: str) -> None:
    limits = np.iinfo(dtype)
    counts = np.array([0, 1, limits.bits - 1, limits.bits, 100, limits.min, limits.max], dtype)
    x = edges(dtype, 7 * 13).reshape(13, 7)

    def compute(x, counts):
        return x << counts, x >> counts, x << 3, x >> 1

    check(compute, x, counts)


@pytest.mark.parametrize("source", INTEGERS)
def test_conversions(source: str) -> None:
    x = edges(source)

    def compute(x):
        return [x.astype(kind) for kind in ("bool", *INTEGERS, "float32", "float64")]

    check(compute, x)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_conversions_of_floats_truncate(source: str, target: str) -> None:
    limits = np.iinfo(target)
    x = np.array([0.0, 0.9, 1.5, 100.7, -0.9, limits.max // 2, limits.max / 1.001], source)
    if limits.min < 0:
        x = np.concatenate([x, -x])
    check(lambda x: x.astype(target), x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_reductions(dtype: str) -> None:
    x = edges(dtype, 3 * 59).reshape(3, 59)

    def compute(x):
        along = [
            (x.sum(axis=k), x.prod(axis=k), x.min(axis=k), x.max(axis=k), x.argmin(axis=k))
            for k in (None, 0, 1)
        ]
        return along, x.argmax(), x.any(), x.all(axis=0), x.sum(dtype=dtype), np.ptp(x, axis=1)

    check(compute, x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_long_reductions(dtype: str) -> None:
    x = edges(dtype, 40_001)
    check(lambda x: (x.sum(), x.min(), x.max(), x.argmin(), x.argmax()), x)
    check(lambda x: (x.mean(), x.var()), x, scale=1e-12)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_products_of_matrices(dtype: str) -> None:
    a, b = edges(dtype, 9 * 21).reshape(9, 21), edges(dtype, 21 * 10, 1).reshape(21, 10)
    check(lambda a, b: (a @ b, a @ b[:, 0], a[0] @ b, a[1] @ b[:, 1]), a, b)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_selection_and_joining(dtype: str) -> None:
    x, y = edges(dtype), edges(dtype, seed=3)

    def compute(x, y):
        joined = np.concatenate([x, y[::-2]])
        ramp = np.arange(len(x), dtype=dtype)
        return np.where(x < y, x, y), joined, ramp, np.full(3, 7, dtype), x[::-1], np.cumsum(x)

    check(compute, x, y)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numpy_scalars_as_arguments(dtype: str) -> None:
    x = edges(dtype)
    limits = np.iinfo(dtype)
    for number in (np.dtype(dtype).type(limits.max), np.dtype(dtype).type(limits.min)):
        check(lambda x, n: (x + n, x * n, n - x, n, n // 3, n > x), x, number)


def test_int64_and_uint64_compare_exactly() -> None:
    signed = np.array([-1, -(2**63), 2**63 - 1, 0, 5, 2**62])
    unsigned = np.array([2**64 - 1, 2**63, 2**63 - 1, 0, 5, 2**63 + 2**62], np.uint64)

    def compute(a, b):
        pairs = [(a[:, None], b), (b[:, None], a)]
        functions = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
        return [f(x, y) for f in functions for x, y in pairs]

    check(compute, signed, unsigned)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "uint64"])
def test_comparisons_with_integers_out_of_range(dtype: str) -> None:
    x = edges(dtype)
    big, small = 2**70, -(2**70)

    def compute(x):
        return x < big, x > big, big == x, x != small, small <= x, x >= -1, x == 300

    check(compute, x)


@pytest.mark.parametrize(("dtype", "number"), [("int8", 200), ("uint16", 70000), ("uint64", -1)])
def test_integers_out_of_range_are_refused(dtype: str, number: int) -> None:
    x = np.ones(3, dtype)

    def add(x):
        return x + number

    with pytest.raises(OverflowError, match="out of bounds"):
        add(x)
    with pytest.raises(OverflowError, match="out of bounds"):
        qn.compile(add)(x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_that_differ_from_call_to_call(dtype: str) -> None:
    def compute(x, n):
        return x + n, n * x, x // n, np.maximum(x, n), x << n

    def order(x, n):
        return x < n, n <= x, x == n, n != x, x > n, n >= x

    x = edges(dtype)
    compiled, ordered = qn.compile(compute, fullgraph=True), qn.compile(order, fullgraph=True)
    for n in (3, 5, 100):
        with np.errstate(all="ignore"):
            assert_same(compiled(x, n), compute(x, n))
    for n in (3, -1, 300, -(2**40), 2**62):
        assert_same(ordered(x, n), order(x, n))
    assert compiled.stats()["compiles"] == ordered.stats()["compiles"] == 1
    limits = np.iinfo(dtype)
    for n in (limits.max + 1, limits.min - 1):
        if not -(2**63) <= n < 2**63:
            continue
        with pytest.raises(OverflowError, match=f"Python integer {n} out of bounds for {dtype}"):
            compiled(x, n)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_powers_of_arrays(dtype: str) -> None:
    x = edges(dtype)
    exponents = np.arange(len(x)).astype(dtype) % 70

    def compute(x, n):
        return x**n, np.power(x, 3), x**0, np.power(n, n % 5)

    check(compute, x, exponents)


def test_negative_powers_raise() -> None:
    def raise_to(x, n):
        return x**n

    compiled = qn.compile(raise_to)
    x = np.array([1, 2, 3])
    assert_same(compiled(x, np.array([3, 2, 1])), raise_to(x, np.array([3, 2, 1])))
    for exponents in (np.array([1, -1, 2]), -1):
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            raise_to(x, exponents)
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            compiled(x, exponents)


def test_long_long_is_int64() -> None:
    x = np.arange(5, dtype="q")
    assert_same(qn.compile(lambda x: x * 2, fullgraph=True)(x), (x * 2).astype(np.int64))
