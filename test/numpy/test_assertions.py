"""Checks of `np.testing` in captured code: they hold, and fail, as NumPy's own do."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

NAN, INF = np.nan, np.inf


def close(x, y):
    np.testing.assert_allclose(x, y)
    return x * 2


def close_by(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-3, err_msg="apart")
    return x * 2


def close_without_nan(x, y):
    np.testing.assert_allclose(x, y, equal_nan=False)
    return x * 2


def strictly_equal(x, y):
    np.testing.assert_array_equal(x, y, strict=True)
    return x * 2


def arrays_equal(x, y):
    np.testing.assert_array_equal(x, y)
    return x * 2


def equal(x, y):
    np.testing.assert_equal(x, y)
    return x * 2


def almost(x, y):
    np.testing.assert_almost_equal(x, y, decimal=3)
    return x * 2


def arrays_almost(x, y):
    np.testing.assert_array_almost_equal(x, y)
    return x * 2


def less(x, y):
    np.testing.assert_array_less(x, y)
    return x * 2


CHECKS = [
    close, close_by, close_without_nan, strictly_equal, arrays_equal, equal, almost, arrays_almost,
    less,
]  # fmt: skip
OPERANDS = [
    np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0 + 1e-9]), np.array([1.0, 2.0005, 3.0]),
    np.array([NAN, 2.0, INF]), np.array([NAN, 2.0, -INF]), np.array([1.0, NAN, INF]),
    np.array([2.0, 3.0, 4.0]), np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0], np.float32),
    np.array([True, False, True]), np.array([1 + 2j, NAN, 3]), np.array([1.0, 2.0]),
    np.array([[1.0, 2.0, 3.0]]), np.array([]), np.array(2.0), np.array([NAN, NAN, NAN]),
]  # fmt: skip
NUMBERS = [
    2.0, 2, True, NAN, INF, -INF, 0.0, -0.0, 0, 2.0001, 2.1, 2 + 1j, np.float64(2), np.float32(0.1),
    np.int64(2), complex(NAN, 1),
]  # fmt: skip


def outcome(function, args):
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.filterwarnings("ignore")
def test_arrays(check):
    compiled = qn.compile(check, fullgraph=True)
    draw = random.Random(check.__name__)
    pairs = [(x, x) for x in OPERANDS[:5]]
    pairs += draw.sample(list(itertools.product(OPERANDS, OPERANDS)), 16)
    pairs += draw.sample(list(itertools.product(OPERANDS, NUMBERS)), 5)
    for args in pairs:
        assert outcome(compiled, args) == outcome(check, args), args


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.filterwarnings("ignore")
def test_numbers(check):
    compiled = qn.compile(check, fullgraph=True)
    draw = random.Random(check.__name__)
    for args in draw.sample(list(itertools.product(NUMBERS, NUMBERS)), 30):
        assert outcome(compiled, args) == outcome(check, args), args


def of_parts(x, y):
    np.testing.assert_equal(
        {"a": x, "b": [x.shape, "text", None]}, {"a": y, "b": [(3,), "text", None]}
    )
    return x + y


def test_parts():
    compiled = qn.compile(of_parts, fullgraph=True)
    for args in itertools.product([np.ones(3), np.zeros(3), np.ones(4)], repeat=2):
        assert outcome(compiled, args) == outcome(of_parts, args), args


def caught(x, y):
    try:
        np.testing.assert_allclose(x, y)
    except AssertionError:
        return -1.0
    return x.sum()


def test_what_is_caught_is_a_branch():
    compiled = qn.compile(caught, fullgraph=True)
    x = np.ones(3)
    for y in (x, x + 1, np.ones(4), np.ones(1)):
        assert compiled(x, y) == caught(x, y)


def told(x, y):
    try:
        np.testing.assert_allclose(x, y)
    except AssertionError as error:
        return str(error)
    return "close"


def test_the_text_is_numpys():
    x = np.ones(3)
    with pytest.raises(UnsupportedError, match="the text of an error of NumPy's"):
        qn.compile(told, fullgraph=True)(x, np.ones(4))


def written_before(x):
    x[0] = 5.0
    np.testing.assert_array_less(x, 4.0)
    x[1] = 6.0


def test_what_is_written_before():
    compiled = qn.compile(written_before, fullgraph=True)
    for start in (1.0, 7.0):
        got, want = np.full(3, start), np.full(3, start)
        assert outcome(compiled, (got,)) == outcome(written_before, (want,))
        np.testing.assert_array_equal(got, want)


def in_a_loop(rows):
    total = 0.0
    for row in rows:
        np.testing.assert_almost_equal(row.sum(), 1.0)
        total += row[0]
    return total


def test_in_a_loop():
    rows = np.full((1000, 4), 0.25)
    compiled = qn.compile(in_a_loop, fullgraph=True)
    assert compiled(rows) == in_a_loop(rows)
    rows[700, 2] = 0.5
    assert outcome(compiled, (rows,)) == outcome(in_a_loop, (rows,))


def by_arrays(x, y):
    np.testing.assert_allclose(x, y, rtol=np.array([0.1, 0.2]))


def of_texts(x, y):
    np.testing.assert_almost_equal(y, "text")
    return x


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (by_arrays, "np.testing.assert_allclose with arrays of tolerances"),
        (of_texts, "np.testing.assert_almost_equal of other objects than arrays and numbers"),
    ],
)
def test_refused(function, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(np.ones(2), "text")
