"""Every ufunc that NumPy has, for every dtype, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import COMPLEX, DTYPES, assert_same, sample

import quernel as qn

# Bit-identical to NumPy: arithmetic, rounding, comparisons, everything on integers.
EXACT = set(
    "add subtract multiply divide floor_divide remainder fmod negative positive absolute sign sqrt "
    "square reciprocal floor ceil trunc rint maximum minimum fmax fmin equal not_equal less "
    "less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and "
    "bitwise_or bitwise_xor invert left_shift right_shift isnan isinf isfinite signbit copysign "
    "fabs conjugate divmod gcd lcm bitwise_count nextafter spacing frexp".split()
)
# Integer powers are in test_powers.
ELSEWHERE = {("power", "b"), ("power", "i"), ("power", "u"), ("reciprocal", "b")}
# Of complex numbers: NumPy may fuse a multiplication and an addition, depending on the processor.
ROUNDED = {"multiply", "square", "absolute", "sqrt"}
# Near log(1) the sum cancels, in NumPy's formula as in ours: bounded by the greatest result.
CANCELLING = {"logaddexp", "logaddexp2"}
# ULP between our result and NumPy's, each of which may be some ULP from the truth.
BOUNDS = {"float32": 8, "float64": 8}
UFUNCS = sorted(
    {
        u
        for u in vars(np).values()
        if isinstance(u, np.ufunc)
        and u.signature is None
        and u.nin <= 2
        and u.__name__
        in EXACT
        | set(
            "power cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
            "arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg degrees radians "
            "float_power heaviside logaddexp logaddexp2".split()
        )
    },
    key=lambda u: u.__name__,
)


def operands(ufunc: np.ufunc, dtype: str) -> list[np.ndarray]:
    items = [sample(dtype, seed=k) for k in range(ufunc.nin)]
    if dtype.startswith("float") and ufunc.__name__ != "power":
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], dtype)
        items[0][:7] = special
        items[-1][7:14] = special
    if ufunc.__name__ in ("left_shift", "right_shift"):
        items[1] = np.abs(items[1])
    return items


def expected(ufunc: np.ufunc, items: list[np.ndarray]) -> object:
    with np.errstate(all="ignore"):
        try:
            return ufunc(*items)
        except TypeError as error:
            return error


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_every_dtype(ufunc: np.ufunc) -> None:
    cases = {}
    for dtype in DTYPES:
        if (ufunc.__name__, np.dtype(dtype).kind) in ELSEWHERE:
            continue
        items = operands(ufunc, dtype)
        want = expected(ufunc, items)
        if isinstance(want, TypeError):
            with pytest.raises(TypeError, match=r"ufunc|numpy boolean"):
                qn.compile(lambda *x, f=ufunc: f(*x))(*items)
        elif not has_small_type(ufunc, items):
            cases[dtype] = (items, want)

    def compute(*groups: tuple) -> list:
        return [ufunc(*group) for group in groups]

    compiled = qn.compile(compute, fullgraph=True)
    got = compiled(*(tuple(items) for items, _ in cases.values()))
    for answer, (dtype, (_, want)) in zip(got, cases.items(), strict=True):
        exact = ufunc.__name__ in EXACT and not (dtype in COMPLEX and ufunc.__name__ in ROUNDED)
        ulp = 0 if exact else BOUNDS.get(dtype, 8)
        precision = np.finfo(dtype).eps if np.dtype(dtype).kind in "fc" else 2e-16
        assert_same(answer, want, ulp, precision if ufunc.__name__ in CANCELLING else 0)


def has_small_type(ufunc: np.ufunc, items: list[np.ndarray]) -> bool:
    loop = ufunc.resolve_dtypes((*(x.dtype for x in items), *(None,) * ufunc.nout))
    return any(part.name not in DTYPES for part in loop)


PAIRS = [(a, b) for a in DTYPES for b in DTYPES if a != b]


@pytest.mark.parametrize(
    "ufunc", [np.add, np.divide, np.maximum, np.less], ids=lambda u: u.__name__
)
def test_mixed_dtypes(ufunc: np.ufunc) -> None:
    arrays = {dtype: sample(dtype, (5,), k) for k, dtype in enumerate(DTYPES)}

    def compute(arrays: dict) -> list:
        return [ufunc(arrays[a], arrays[b]) for a, b in PAIRS]

    with np.errstate(all="ignore"):
        want = compute(arrays)
    assert_same(qn.compile(compute, fullgraph=True)(arrays), want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_numbers_are_weak(dtype: str) -> None:
    x = sample(dtype)

    def compute(x, f, n):
        return x * 2, x + 1.5, 3 - x, x / 2, x * f, x * n, x < 2, x > 0.5, x + True

    with np.errstate(all="ignore"):
        want = compute(x, 2.5, 7)
    assert_same(qn.compile(compute, fullgraph=True)(x, 2.5, 7), want)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_powers(dtype: str) -> None:
    x = sample(dtype)

    def compute(x):
        return x**0, x**1, x**2, x**3, x**5, np.power(x, 4), x**2.0

    want = compute(x)
    assert_same(qn.compile(compute, fullgraph=True)(x), want, ulp=4)


def test_integer_division_by_zero_gives_zero() -> None:
    a, b = np.array([5, -5, 0]), np.array([0, 0, 0])

    def compute(a, b):
        return a // b, a % b, np.fmod(a, b), np.divmod(a, b)

    with np.errstate(all="ignore"):
        want = compute(a, b)
    assert_same(qn.compile(compute, fullgraph=True)(a, b), want)


def test_methods_and_keywords() -> None:
    x, y = sample("float64", (4, 3)), sample("float64", (3,), 1)

    def compute(x, y):
        return (
            np.add.reduce(x),
            np.add.reduce(x, axis=1, keepdims=True),
            np.maximum.reduce(x, axis=None),
            np.multiply.outer(y, y),
            np.add(x, y, dtype=np.float32, casting="same_kind"),
            np.logical_or.reduce(x > 1, axis=1),
            np.minimum.reduce(x, axis=1, initial=-0.5),
            np.add.reduce(x, where=x > 0),
        )

    assert_same(qn.compile(compute, fullgraph=True)(x, y), compute(x, y), scale=1e-15)


def test_scalars_come_back_as_scalars() -> None:
    x = sample("float32", (6,))

    def compute(x, s):
        return x[0] + 1, np.sqrt(s), x.sum(), x.max(), np.sin(0.5), x[2], s * 2, x.astype("f8")[1]

    compiled = qn.compile(compute, fullgraph=True)
    assert_same(compiled(x, np.float64(2.0)), compute(x, np.float64(2.0)), scale=1e-6)
    assert_same(compiled(x, 2.0), compute(x, 2.0), scale=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [3, 4, -3, 2.5])
def test_small_powers_are_products(dtype, exponent):
    def f(x):
        return x**exponent

    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e30]
    x = np.concatenate([special, np.linspace(-50, 50, 1001)]).astype(dtype)
    compiled = qn.compile(f, fullgraph=True)
    with np.errstate(all="ignore"):
        got, want = compiled(x), f(x)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite])
    got, want = got[finite], want[finite]
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    np.testing.assert_array_less(np.abs(got - want), 3 * np.spacing(np.abs(want)))
    assert (" pow(" in compiled.lower(x).text("cpp")) == (exponent not in (3, 4))


def test_sequences_of_elements() -> None:
    def function(v, w):
        return (
            np.sqrt([v[0], 2.0]),
            np.add([v[0], 1], [v[1], 2]),
            np.maximum.reduce([v, w]),
            np.logical_or.reduce([v > 0.5, w > 0.5]),
            np.add.reduce((v, w), axis=1),
            np.multiply.outer([v[0], 2], w),
            np.hypot((1, v[0]), 2),
            np.maximum.accumulate([v[1], v[0], 3]),
        )

    args = np.random.default_rng(1).random((2, 3))
    assert_same(qn.compile(function, fullgraph=True)(*args), function(*args))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_two(dtype: str) -> None:
    x = np.concatenate([sample(dtype), np.array([0.0, -0.0, np.inf, np.nan, 1e-40, 1e30], dtype)])
    x = np.tile(x, 40)
    power = np.random.default_rng(1).integers(-2300, 2300, x.size)
    power[::3] //= 12
    compiled = qn.compile(lambda x, n: (np.ldexp(x, n), np.ldexp(x, 3)), fullgraph=True)
    with np.errstate(all="ignore"):
        assert_same(compiled(x, power), (np.ldexp(x, power), np.ldexp(x, 3)))


@pytest.mark.parametrize("x", [2, True, 2.5, np.int8(2), np.int16(3), np.float16(1.5), [2, 3]])
def test_a_number_times_powers_of_two(x: object) -> None:
    power = np.array([3, -5])
    expected = np.ldexp(x, power) + 1
    assert_same(qn.compile(lambda n: np.ldexp(x, n) + 1, fullgraph=True)(power), expected)
    given = qn.compile(lambda x, n: np.ldexp(x, n) + 1, fullgraph=True)
    assert_same(given(x, power), expected)
