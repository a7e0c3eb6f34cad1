"""`scipy.linalg.expm`, beside SciPy's own and beside sums in long integers."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import scipy.linalg
from support import DTYPES

import quernel as qn

RANDOM = np.random.default_rng(0)
FULL = RANDOM.standard_normal((5, 5))
TRIANGLE = np.triu(RANDOM.standard_normal((6, 6)))


def exponential(a):
    return scipy.linalg.expm(a)


def compiled():
    return qn.compile(exponential, fullgraph=True)


def assert_scipys(a, call=None):
    """The answer has SciPy's dtype, shape, order in memory, and its values but for roundings."""
    kept = a.copy(order="K")
    got, want = (call or compiled())(a), scipy.linalg.expm(a)
    assert (type(got), got.dtype, got.shape) == (type(want), want.dtype, want.shape)
    assert got.flags.c_contiguous == want.flags.c_contiguous
    tolerance = 1e-4 if want.dtype in ("f4", "c8") else 1e-10
    np.testing.assert_allclose(got, want, tolerance, tolerance * np.abs(want).max(initial=0))
    np.testing.assert_array_equal(a, kept)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (0, 0)])
def test_dtypes(dtype, shape):
    assert_scipys(RANDOM.integers(0, 3, shape).astype(dtype))


@pytest.mark.parametrize("dtype", [*DTYPES[3:5], *DTYPES[7:]])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1, 1), (1,), ()])
def test_single_numbers(dtype, shape):
    assert_scipys(np.full(shape, 2).astype(dtype))


@pytest.mark.parametrize(
    "a",
    [
        RANDOM.standard_normal((2, 3, 4, 4)),
        RANDOM.standard_normal((40, 2, 2)),
        np.asfortranarray(FULL),
        RANDOM.standard_normal((8, 8, 3)).T[:, ::2, ::2],
        np.asfortranarray(np.full((2, 1, 1), 0.5)),
        RANDOM.standard_normal((30, 30)),
        np.empty((0, 3, 3), np.float32),
        np.empty((3, 0, 0), bool),
        np.diag([1.0, -2, 700]),
        TRIANGLE,
        30 * TRIANGLE.T,
        np.stack([FULL, np.triu(FULL), np.tril(9 * FULL), np.diag(FULL[0]), FULL / 1e3]),
    ],
)
def test_shapes(a):
    assert_scipys(a)


@pytest.mark.parametrize("pick", [lambda a: a, np.triu, np.tril, lambda a: a * np.eye(len(a))])
def test_one_program_for_many_sizes(pick):
    call = compiled()
    for size in (3, 5, 6, 40, 2, 1, 0):
        assert_scipys(pick(RANDOM.standard_normal((size, size))), call)


def test_one_program_for_many_batches():
    call = compiled()
    for count, size in [(3, 4), (5, 6), (20, 3), (1, 2), (0, 3), (7, 1)]:
        assert_scipys(RANDOM.standard_normal((count, size, size)), call)


def test_a_list_of_lists():
    got = qn.compile(lambda: scipy.linalg.expm([[1, 2], [3, 4]]), fullgraph=True)()
    np.testing.assert_allclose(got, scipy.linalg.expm([[1, 2], [3, 4]]), 1e-12)


BITS = 600


def long_exponential(a):
    """The exponential of a real matrix, in integers of so many bits behind the point."""
    norm = np.abs(a).sum(0).max()
    halvings = max(0, math.ceil(math.log2(norm))) + 8
    scaled = np.array([[_long(x) >> halvings for x in row] for row in a.tolist()], object)
    term = total = np.eye(len(a), dtype=object) * (1 << BITS)
    for k in range(1, 200):
        term = (term @ scaled >> BITS) // k
        total = total + term
    for _ in range(halvings):
        total = total @ total >> BITS
    return np.array([[x / (1 << BITS) for x in row] for row in total.tolist()])


def _long(x: float) -> int:
    numerator, denominator = x.as_integer_ratio()
    return (numerator << BITS) // denominator


@pytest.mark.parametrize(
    "a",
    [
        FULL * 1e-9,
        FULL / 100,
        FULL / 9,
        FULL / 3,
        FULL,
        FULL * 20,
        FULL - FULL.T,
        TRIANGLE * 12,
        TRIANGLE.T * 12,
        np.triu(FULL, 1) * 1e6,  # a power of it is 0
        np.array([[1, 1e6], [0, -1]]),  # its norm would have it scaled by far too much
        np.array([[1, 1e6], [1e-7, -1]]),
        np.array([[10, 1, 2], [0, 10 + 1e-7, 3], [0, 0, 10 + 2e-7]]),
        np.array([[-90.0, 1, 2], [0, 30, 3], [0, 0, -40]]),
        np.array([[-49.0, 24], [-64, 31]]),
        -np.abs(FULL) * 10,
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_answers_are_as_exact_as_scipys(a, dtype):
    a = a.astype(dtype)
    want = long_exponential(a)
    scale = np.linalg.norm(want)
    error = np.linalg.norm(compiled()(a) - want) / scale
    scipys = np.linalg.norm(scipy.linalg.expm(a) - want) / scale
    assert error <= 10 * max(scipys, np.finfo(dtype).eps)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3), (2, 3, 4)])
def test_shapes_that_scipy_refuses(shape):
    a = np.zeros(shape)
    with pytest.raises(np.linalg.LinAlgError) as wanted:
        scipy.linalg.expm(a)
    with pytest.raises(np.linalg.LinAlgError) as raised:
        compiled()(a)
    assert str(raised.value) == str(wanted.value)


@pytest.mark.parametrize(
    "a",
    [
        [[1, np.nan], [1, 2]],
        [[np.nan, 0], [0, 1]],
        [[1, np.nan], [0, 2]],
        [[1, np.inf], [1, 2]],
        [[np.inf, 1], [0, 2]],
        [[-np.inf, 1], [1, 2]],
        [[np.inf, 0], [0, -np.inf]],
        [[1, 0, 0], [0, np.nan, 1], [0, 1, 1]],
        [[800, 1], [1, -3]],
        [[800, 1], [0, -3]],
        [[1e200, 1], [1, 1]],
        [[1e200, 1], [0, -1e200]],
        [[0, 1e300], [0, 0]],
        [[1e-320, 1e-310], [1e-320, 0]],
    ],
)
def test_what_isnt_finite(a):
    a = np.array(a, np.float64)
    answers, texts = [], []
    for call in (scipy.linalg.expm, compiled()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answers.append(call(a))
        texts.append({str(warning.message) for warning in caught})
    np.testing.assert_allclose(*answers, 1e-12)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("shape", [(1, 1), (1,)])
def test_what_is_left_to_scipy(shape):
    with pytest.raises(qn.errors.UnsupportedError, match=r"exponentials of 16 bits, in SciPy"):
        compiled()(np.ones(shape, bool))


def test_beside_other_statements():
    def steps(a, x, n):
        for _ in range(n):
            x = scipy.linalg.expm(0.1 * a) @ x
        return x

    want = steps(FULL, FULL[0], 20)
    got = qn.compile(steps, fullgraph=True)(FULL, FULL[0], 20)
    np.testing.assert_allclose(got, want, 1e-10)
