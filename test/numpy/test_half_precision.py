"""float16: stored so, computed in float32 and rounded where NumPy rounds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError
from quernel.numpy.half_tables import FUNCTIONS

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
SHUFFLED = EVERY[np.random.default_rng(1).permutation(EVERY.size)]
FINITE = EVERY[np.isfinite(EVERY)]
NARROW = np.arange(-128, 128).astype(np.int8)
_BINARY = "add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin"
_UNARY = "sqrt square negative absolute sign floor ceil trunc rint reciprocal isnan signbit"


def same(compiled, function, *arguments) -> None:
    """The same values, bits of zeros included, dtypes and warnings."""
    with warnings.catch_warnings(record=True) as theirs:
        warnings.simplefilter("always")
        want = function(*arguments)
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        got = compiled(*arguments)
    assert_same(got, want, scale=0)
    if np.asarray(want).dtype.kind == "f":
        numbers = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(want)[numbers], np.signbit(got)[numbers])
    assert {str(x.message) for x in ours} == {str(x.message) for x in theirs}


def of(function):
    return qn.compile(function, fullgraph=True)


@pytest.mark.parametrize("name", _BINARY.split())
def test_two_operands(name) -> None:
    ufunc = getattr(np, name)

    def function(x, y):
        return ufunc(x, y)

    same(of(function), function, EVERY, SHUFFLED)


@pytest.mark.parametrize("name", [*_UNARY.split(), *FUNCTIONS])
def test_every_number(name) -> None:
    ufunc = getattr(np, name)

    def function(x):
        return ufunc(x)

    same(of(function), function, EVERY)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_warning_by_itself(name) -> None:
    ufunc = getattr(np, name)

    def function(x):
        return ufunc(x)

    compiled = of(function)
    for number in (0, -0.0, 1, -1, -2, 12, 20, -65504, 65504, np.inf, -np.inf, np.nan, 6e-8):
        same(compiled, function, np.full(33, number, np.float16))


def test_a_chain_rounds_at_each_step() -> None:
    def function(x, y):
        return (x * np.float16(1.1) + y) / 3 - 0.1

    same(of(function), function, EVERY, SHUFFLED)


@pytest.mark.parametrize("name", ["sqrt", "sin", "exp", "arctan"])
def test_functions_of_integers_of_eight_bits(name) -> None:
    ufunc = getattr(np, name)

    def function(x):
        return ufunc(x)

    same(of(function), function, NARROW)
    same(of(function), function, NARROW > 0)


def doubles() -> np.ndarray:
    """Numbers around the middles between neighbours, where rounding twice would show."""
    with np.errstate(over="ignore"):
        wide = FINITE.astype(np.float64)
        middles = (wide[:-1] + wide[1:]) / 2
    around = [middles * (1 + sign * 2.0**-power) for sign in (-1, 1) for power in (30, 50)]
    ends = [65519.99999999999, 65520.0, 1e-60, -1e-60, 1e300, -1e300, np.inf, np.nan, -0.0]
    return np.concatenate([middles, *around, ends])


SINGLES = np.random.default_rng(2).integers(0, 1 << 32, 100_000, dtype=np.uint32)


@pytest.mark.parametrize(
    "x",
    [
        doubles(),
        SINGLES.view(np.float32),
        np.arange(-70000, 70000),
        np.arange(256).astype(np.uint8),
        np.array([1 << 63, 1, 65504], np.uint64),
        NARROW > 0,
    ],
    ids=lambda x: x.dtype.name,
)
def test_casts_to_it(x) -> None:
    def function(x):
        return x.astype(np.float16)

    same(of(function), function, x)


@pytest.mark.parametrize("dtype", "bool int32 int64 float32 float64 complex64 complex128".split())
def test_casts_of_it(dtype) -> None:
    def function(x):
        return x.astype(dtype)

    same(of(function), function, FINITE)


def test_constants_and_numbers() -> None:
    def function(x, n):
        made = np.array([0.1, np.inf, -np.inf, np.nan, 65504, 6e-8], np.float16)
        return x[:6] + made, np.full(3, 0.1, np.float16), x * n, np.float16(n) * x[0], x[1].item()

    compiled = of(function)
    for n in (0.1, 3, 2.5):
        assert_same(compiled(FINITE, n), function(FINITE, n), scale=0)


def test_scalars_as_arguments() -> None:
    def function(x, a):
        return x * a, a + 1, a

    compiled = of(function)
    for a in (np.float16(0.1), np.float16(-3)):
        assert_same(compiled(FINITE, a), function(FINITE, a), scale=0)


def test_a_python_number_that_is_too_large() -> None:
    def function(x):
        return x + 100000

    same(of(function), function, FINITE)


NUMBERS = (np.random.default_rng(3).random((40, 30, 20)) * 2 - 0.5).astype(np.float16)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (0, 2), (1, 2), (0, 1, 2), -1])
def test_sums_are_rounded_where_numpy_rounds_them(axis) -> None:
    def function(x):
        return x.sum(axis), x.mean(axis), np.add.reduce(x, axis=axis, keepdims=True), x.max(axis)

    compiled = of(function)
    ones = np.ones((40, 30, 20), np.float16)
    for x in (ones, np.asfortranarray(ones), np.ones((4096, 3, 2), np.float16)):
        assert_same(compiled(x), function(x), scale=0)
    parts = [] if axis in (None, (1, 2), (0, 1, 2)) else [NUMBERS[:, ::2]]
    for x in (NUMBERS, NUMBERS.transpose(1, 2, 0), NUMBERS[:, :, ::-2], *parts):
        assert_same(compiled(x), function(x), scale=0)  # float32's error isn't seen


def test_long_sums_stand_still_only_along_other_axes() -> None:
    def function(x):
        return x.sum(0), x.sum(1), x.cumsum(0)[-1], x.sum(initial=3), x.sum(dtype=np.float32)

    ones = np.ones((4096, 3), np.float16)
    assert_same(of(function)(ones), function(ones), scale=0)
    assert of(function)(ones)[0].tolist() == [2048.0] * 3


@pytest.mark.parametrize(
    "function",
    [
        np.sort,
        np.argsort,
        lambda x: np.argsort(x, kind="stable"),
        lambda x: np.partition(x, 60)[60],
        np.unique,
        np.median,
        np.argmax,
        lambda x: np.searchsorted(np.sort(x), x),
        lambda x: x[x > 0],
        lambda x: np.where(x > 0, x, -x),
        lambda x: np.clip(x, -1, 1),
        lambda x: np.concatenate([x, x[::-1]]),
        lambda x: x.view(np.int16) & 0x7FFF,
        lambda x: np.round(x, 1),
        np.cumsum,
        lambda x: np.nan_to_num(x / 0),
        lambda x: np.dot(x[:50], x[50:100]),
        lambda x: x[:90].reshape(9, 10) @ x[:90].reshape(10, 9),
        lambda x: np.convolve(x[:40], x[:7]),
        np.frexp,
        np.var,
        lambda x: np.maximum.accumulate(x) + 0,
        lambda x: np.linspace(0, 1, 7, dtype=x.dtype) * x[0],
    ],
)
def test_other_functions(function) -> None:
    def call(x):
        return function(x)

    compiled = of(call)
    x = NUMBERS.ravel()[:9000]
    for part in (x, x[:200], x[:200:2]):
        assert_same(compiled(part), function(part), scale=0)


def test_long_rows_are_sorted_in_pieces() -> None:
    def function(x):
        return np.sort(x), np.argsort(x, kind="stable")

    x = np.tile(SHUFFLED, 9)
    got, want = of(function)(x), function(x)
    np.testing.assert_array_equal(got[0], want[0])
    numbers = x.size - np.isnan(x).sum()
    np.testing.assert_array_equal(got[1][:numbers], want[1][:numbers])


def test_writes_in_place() -> None:
    def function(x, y):
        x += y
        x[x > 1] *= 0.5
        x[2:4] = 7.1
        np.add.at(x, [1, 1, 2], y[:3])
        return x

    ours, theirs = NUMBERS.ravel().copy(), NUMBERS.ravel().copy()
    of(function)(ours, ours[::-1].copy())
    function(theirs, theirs[::-1].copy())
    np.testing.assert_array_equal(ours, theirs)


def test_a_loop_carries_it() -> None:
    def function(x, n):
        for k in range(n):
            x = x * 0.9 + k
        return x

    assert_same(of(function)(NUMBERS[0], 40), function(NUMBERS[0], 40), scale=0)


def either_way(x):
    y = x if x[0, 0] > 0 else x.T
    return y.sum(0)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: scipy.linalg.expm(x) + 1, "float16 in scipy.linalg"),
        (either_way, "a sum of float16 whose steps in memory nobody knows"),
        (lambda x: np.nextafter(x, 1), "np.nextafter of float16"),
        (lambda x: np.einsum("ij,j", x, x[0]), "np.einsum of float16"),
        (lambda x: x.sum(where=x > 0), "a sum of float16 with where="),
        (lambda x: x[:, :7].sum(), "a sum of float16 over several axes with gaps between them"),
    ],
)
def test_what_is_left_to_numpy(function, text) -> None:
    with pytest.raises(UnsupportedError, match=text):
        of(function)(NUMBERS[0, :20])


def test_cuda_kernels_convert() -> None:
    text = qn.compile(lambda x: x + 1).lower(NUMBERS).text("cuda")
    assert "const Float16 *__restrict__ x" in text
    assert "(float)x[" in text
