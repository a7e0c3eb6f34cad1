"""Complex numbers against NumPy: arithmetic, functions, special values, reductions, products."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from support import COMPLEX, assert_same, check, sample

import quernel as qn

PARTS = (0.0, -0.0, 1.0, -1.0, 2.5, 1e300, -1e-300, np.inf, -np.inf, np.nan)
FUNCTIONS = (
    "exp sqrt log sin cos tan sinh cosh tanh exp2 log2 log10 log1p expm1 "
    "arcsin arccos arctan arcsinh arccosh arctanh"
).split()


def special(dtype: str) -> np.ndarray:
    """Every pair of special parts."""
    with np.errstate(over="ignore"):
        pairs = np.array(list(itertools.product(PARTS, PARTS))).astype(
            dtype.replace("complex", "float")[:5] + str(np.dtype(dtype).itemsize * 4)
        )
    return pairs.view(dtype).reshape(-1)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_arithmetic(dtype: str) -> None:
    def compute(z, w):
        return z + w, z - w, -z, z.conj(), z / w, 1 / w, np.reciprocal(z), np.sign(z)

    check(compute, sample(dtype), sample(dtype, seed=1))
    check(
        lambda z, w: (z * w, np.square(z), z**2, z * 2.5, 1j - z, abs(z)),
        sample(dtype),
        sample(dtype, seed=1),
        ulp=2,
    )


@pytest.mark.parametrize("dtype", COMPLEX)
def test_special_values(dtype: str) -> None:
    z = special(dtype)

    def compute(z):
        a, b = z[:, None], z
        return (
            a + b,
            a / b,
            a == b,
            a != b,
            a < b,
            a >= b,
            np.maximum(a, b),
            np.minimum(a, b),
            np.fmax(a, b),
            np.fmin(a, b),
            np.isnan(z),
            np.isinf(z),
            np.isfinite(z),
            np.logical_not(z),
            np.sign(z),
            np.rint(z),
        )

    check(compute, z)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_functions(name: str, dtype: str) -> None:
    function = getattr(np, name)
    z = sample(dtype, (500,))
    z = np.concatenate([z, z * 20, z / 50, z.real + 0j, 1j * z.imag])

    def compute(z):
        return function(z)

    check(compute, z, ulp=8)


# What C leaves open, or where NumPy's formula has no answer.
OPEN = {"exp2", "log1p", "expm1"}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OPEN])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_functions_of_special_values(name: str, dtype: str) -> None:
    function = getattr(np, name)
    z = special(dtype)

    def compute(z):
        return function(z)

    got = qn.compile(compute, fullgraph=True)(z)
    with np.errstate(all="ignore"):
        want = function(z)
    for part in ("real", "imag"):
        ours, theirs = getattr(got, part), getattr(want, part)
        same = np.isclose(ours, theirs, rtol=1e-5, atol=0, equal_nan=True)
        assert same.all(), (part, z[~same], ours[~same], theirs[~same])


def test_logarithm_near_one() -> None:
    angles = np.linspace(0, 6, 200)
    z = np.exp(1j * angles) * (1 + np.array([0, 1e-16, 1e-12, -1e-9, 1e-4])[:, None])
    got = qn.compile(lambda z: np.log(z).real.copy(), fullgraph=True)(z)
    want = np.log(z.astype(np.clongdouble)).real.astype(np.float64)
    np.testing.assert_allclose(got, want, rtol=1e-15, atol=1e-32)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_powers(dtype: str) -> None:
    z, w = sample(dtype), sample(dtype, seed=2)
    exponents = np.tile(np.arange(-6, 7), 3)[:37].astype(dtype)
    check(lambda z, w: (z**w, z**0.3), z, w, ulp=40)
    check(lambda z, n: (z**3, z**-2, z**7, z**0, z**n), z, exponents, ulp=16)
    zeros = np.zeros(5, dtype)
    check(lambda z, w: z**w, zeros, np.array([0, 1, -1, 2j, 1 - 1j], dtype))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_and_angles(dtype: str) -> None:
    z = special(dtype)
    check(lambda z: (z.real + 1, z.imag * 2, np.conj(z), np.real(z) - np.imag(z)), z)
    check(lambda z: (np.angle(z), np.abs(z)), sample(dtype), ulp=4)
    check(lambda z: np.abs(z) + 0, z, ulp=2)
    check(lambda x: (x.real, x.imag, x.conj(), np.abs(x)), sample("float64"))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_reductions(dtype: str) -> None:
    z = sample(dtype, (7, 45))

    def compute(z):
        return (
            [
                (z.min(axis=k), z.max(axis=k), z.argmin(axis=k), z.argmax(axis=k))
                for k in (None, 0, 1)
            ],
            z.any(),
            z.all(axis=0),
        )

    check(compute, z)
    scale = 1e-5 if dtype == "complex64" else 1e-13
    check(
        lambda z: [(z.sum(axis=k), z.mean(axis=k), z.var(axis=k)) for k in (None, 0, 1)],
        z,
        scale=scale,
    )
    check(lambda z: (z.prod(axis=0), z[0, :9].prod()), z, ulp=64)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_long_sums(dtype: str) -> None:
    z = sample(dtype, (100_003,))
    exact = z.astype(np.complex128).sum()
    got = qn.compile(lambda z: z.sum(), fullgraph=True)(z)
    assert abs(got - exact) <= np.finfo(dtype).eps * np.abs(z).sum()


def test_order_is_lexicographic() -> None:
    z = np.array([1 + 1j, 1 - 1j, 1 + 5j, 0.5 + 9j, 1 + 5j])
    check(lambda z: (z.max(), z.argmax(), z.min(), z.argmin()), z)
    z[2] = complex(np.nan, 0)
    check(lambda z: (z.max(), z.argmax(), z.min(), z.argmin()), z)
    z[1] = complex(0, np.nan)
    check(lambda z: (z.argmax(), z.argmin()), z)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 5)), ((40, 30), (30, 50)), ((2, 20, 9), (9, 17)), ((33,), (33,))]
)
def test_products_of_matrices(shapes: tuple, dtype: str) -> None:
    a, b = sample(dtype, shapes[0]), sample(dtype, shapes[1], 1)
    scale = 1e-5 if dtype == "complex64" else 1e-13
    check(lambda a, b: a @ b, a, b, scale=scale)
    check(lambda a, b: (a.conj() @ (b * 2), a @ b + 1j), a, b, scale=scale)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_views_selection_and_joining(dtype: str) -> None:
    z, w = sample(dtype, (6, 8)), sample(dtype, (6, 8), 1)

    def compute(z, w):
        return (
            z[::-1, ::2] + w[:, ::-2],
            z.T + 1,
            np.where(z.real > 0, z, w),
            np.concatenate([z, w], axis=1),
            z.reshape(-1)[5:] - 2j,
            np.full((2, 3), 1 + 2j, dtype),
            np.array([1j, 2, 3 - 1j]) * 2,
            np.arange(4).astype(dtype),
        )

    check(compute, z, w)
    check(compute, z[:, ::-1], np.asfortranarray(w))


def test_conversions() -> None:
    x = np.array([0, 1, 5, -3])

    def compute(x):
        z = x + 0.5j
        kinds = ("complex64", "complex128")
        return (
            [
                x.astype(a).astype(b)
                for a in ("bool", "int8", "uint16", "float32", *kinds)
                for b in kinds
            ],
            z.astype(bool),
            z.astype("complex64"),
        )

    check(compute, x)
    with pytest.warns(np.exceptions.ComplexWarning):
        want = np.array([1.5 + 2j, -3 + 1j]).astype("int32")
    got = qn.compile(lambda z: z.real.astype("int32"), fullgraph=True)(
        np.array([1.5 + 2j, -3 + 1j])
    )
    assert_same(got, want)


def test_python_and_numpy_numbers_as_arguments() -> None:
    z, x = sample("complex64"), sample("float32")

    def compute(z, x, c):
        return z * c, x + c, c * 2, c - 1j, abs(c), c * z

    compiled = qn.compile(compute, fullgraph=True)
    for number in (1.5 - 2j, 3j):
        assert_same(compiled(z, x, number), compute(z, x, number), ulp=2)
    for number in (np.complex64(1 + 2j), np.complex128(3 - 1j)):
        assert_same(compiled(z, x, number), compute(z, x, number), ulp=2)


def test_updates_in_place() -> None:
    def update(z, w):
        z[1:] *= w[1:]
        z[0] = 2 - 1j
        z += 1

    z, w = sample("complex128"), sample("complex128", seed=1)
    want = z.copy()
    update(want, w)
    qn.compile(update, fullgraph=True)(z, w)
    assert_same(z, want, ulp=2)


def test_signature() -> None:
    compiled = qn.compile(
        lambda z, c: z * c, signatures=["complex128[n], complex", "uint8[n], complex64"]
    )
    z = sample("complex128")
    assert_same(compiled(z, 2j), z * 2j, ulp=2)


def test_verification_compares_complex_numbers() -> None:
    compiled = qn.compile(lambda z: np.exp(z).sum(), verify=True)
    assert_same(compiled(z := sample("complex128")), np.exp(z).sum(), ulp=16)


def _all(x, z):
    x[:] = z
    return x


def _one(x, z):
    x[1] = z[2]
    return x


def _chosen(x, z):
    x[x > 1] = z[3]
    return x


def _known(x, z):
    x[1] = np.complex64(2j)
    return x


def _in_a_loop(x, z):
    for k in range(len(x)):
        x[k] = z[k]
    return x


def _at_zero(x, z):
    if z[0] == 0:
        x[0] = 1j
    return x


LOSSES = {
    "all": _all,
    "one": _one,
    "chosen": _chosen,
    "known": _known,
    "in a loop": _in_a_loop,
    "product": lambda x, z: _all(x, x * 1j),
    "astype": lambda x, z: z.astype("float32").sum(),
    "integers": lambda x, z: z.astype(int),
    "array": lambda x, z: np.array([z[0], z[1]], dtype=float),
    "float": lambda x, z: float(z[1]),
    "unsafe": lambda x, z: np.add(z, z, dtype=float, casting="unsafe"),
    "full": lambda x, z: np.full(3, z[1], dtype=float),
}


def _warned(function, *args):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", qn.FallbackWarning)
        answer = function(*(np.copy(arg) for arg in args))
    return answer, [(w.category, str(w.message), w.filename, w.lineno) for w in heard]


@pytest.mark.parametrize("name", LOSSES)
def test_lost_imaginary_parts_are_told(name: str) -> None:
    function, args = LOSSES[name], (np.arange(5.0), np.arange(5) * (1 + 2j))
    compiled = qn.compile(function)
    want, told = _warned(function, *args)
    assert {category for category, *_ in told} == {np.exceptions.ComplexWarning}
    for _ in range(2):
        got, heard = _warned(compiled, *args)
        assert_same(got, want)
        assert heard == told
    with pytest.raises(
        qn.errors.UnsupportedError, match="real numbers of complex ones, of which NumPy warns"
    ):
        qn.compile(function, fullgraph=True)(*args)


def test_pythons_complex_numbers_are_no_elements() -> None:
    compiled = qn.compile(_at_zero, fullgraph=True)
    for function in (_at_zero, compiled):
        with pytest.raises(TypeError, match=r"^float\(\) argument must be .*, not 'complex'$"):
            function(np.zeros(3), np.zeros(3, complex))
    assert_same(compiled(np.zeros(3), np.ones(3, complex)), np.zeros(3))


def test_truth_of_complex_numbers_loses_nothing() -> None:
    check(lambda z: z.astype(bool), np.array([0, 1j, 2]))
