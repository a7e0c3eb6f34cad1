"""Powers of Python's numbers: floats, complex numbers and errors, as often as they are called."""

import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError


def root(x, p):
    return float(x) ** 0.5


def squared(x, p):
    return float(x) ** 2


def power(x, p):
    return float(x) ** p


def reflected(x, p):
    return 3.0 ** float(x), (-2) ** float(x)


def called(x, p):
    return pow(float(x), p)


def in_a_loop(x, p):
    total = 0.0
    for k in range(4):
        total = total + float(x - k) ** p
    return total


def after_a_write(x, p, y):
    y[0] = 7.0
    return float(x) ** p


VALUES = [4.0, -4.0, 0.0, -0.0, 1e200, -1e200, np.inf, -np.inf, np.nan]
POWERS = [0.5, 2.0, -1.0, 3.5, 0.0, 400.0]


def asked(function, *args):
    try:
        answer = function(*args)
    except Exception as error:
        return type(error), error.args
    return type(answer), repr(answer)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", [root, squared, power, reflected, called, in_a_loop])
def test_powers_of_floats(function):
    compiled = qn.compile(function)
    for p in POWERS:
        for value in VALUES:
            args = np.float64(value), p
            want = asked(function, *args)
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always", RuntimeWarning)
                assert [asked(compiled, *args) for _ in range(12)] == [want] * 12, args
            assert not [w for w in heard if w.category is RuntimeWarning]
    assert compiled.stats()["compiles"] > 0


def complex_square(x, y):
    return complex(x, y) ** 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_squares_of_complex_numbers():
    compiled = qn.compile(complex_square)
    for x in VALUES:
        for y in VALUES:
            args = np.float64(x), np.float64(y)
            assert asked(compiled, *args) == asked(complex_square, *args), args
    assert compiled.stats()["compiles"] > 0
    with pytest.raises(UnsupportedError, match="a power that isn't a finite number"):
        qn.compile(complex_square, fullgraph=True)(np.float64(np.inf), np.float64(1))


def complex_of_parts(z, w):
    return [
        complex(first, second)
        for first in (z[0], z[1], float(z[2]), w[0], 2.0)
        for second in (z[0], z[1], float(z[2]), w[0], 2.0)
    ], complex(w[1])


def test_complex_numbers_of_parts():
    compiled = qn.compile(complex_of_parts, fullgraph=True)
    for value in VALUES:
        z, w = np.array([value, 4.0, -0.0]), np.array([complex(value, 3.0), complex(-0.0, value)])
        assert asked(compiled, z, w) == asked(complex_of_parts, z, w), value


def test_what_was_written_before_is_taken_back():
    compiled = qn.compile(after_a_write)
    y, z = np.zeros(2), np.zeros(2)
    with pytest.warns(qn.FallbackWarning, match="a power that isn't a finite float"):
        assert compiled(np.float64(-4), 0.5, y) == after_a_write(np.float64(-4), 0.5, z)
    np.testing.assert_array_equal(y, z)
    with pytest.raises(UnsupportedError, match="a power that isn't a finite float"):
        qn.compile(after_a_write, fullgraph=True)(np.float64(0), -1.0, y)
