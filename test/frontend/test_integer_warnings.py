"""Warnings for which the processor sets no flag by itself: of integers, and of vector functions."""

from __future__ import annotations

import numpy as np
import pytest
from test_float_warnings import MODES, check

import quernel as qn

FUNCTIONS = {
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "fmod": lambda a, b: np.fmod(a, b),  # noqa: PLW0108  (its line is the warning's)
    "sum": lambda a, b: (a // b).sum(),
    "choice": lambda a, b: np.where(b != 0, a // b, 0),
    "by zero": lambda a, b: a // 0 + b,
    "by -1": lambda a, b: a // np.int8(-1) + b,
}


def operands(dtype, size, zero=False, least=False):
    """Numbers that give no warning, unless a divisor is zero, or a quotient overflows."""
    numbers = np.random.default_rng(size)
    a, b = numbers.integers(1, 100, size), numbers.integers(1, 10, size)
    a, b = a.astype(dtype), b.astype(dtype)
    if zero:
        b[size // 2] = 0
    if least:
        a[size // 3], b[size // 3] = np.iinfo(dtype).min, -1
    return a, b


@pytest.mark.parametrize("size", [1, 37, 100])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "sum"])
def test_zero_divisors(name, dtype, size):
    function = FUNCTIONS[name]
    assert not check(function, *operands(dtype, size)).warned
    assert check(function, *operands(dtype, size, zero=True)).warned
    if dtype.startswith("i"):
        want = check(function, *operands(dtype, size, least=True))
        assert bool(want.warned) == (name in ("floor_divide", "sum"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_state_outside(name, mode):
    check(FUNCTIONS[name], *operands("i8", 40, zero=True, least=True), divide=mode, over=mode)


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_numbers(name):
    check(FUNCTIONS[name], np.int64(5), np.int64(0))
    check(FUNCTIONS[name], np.int64(-(2**63)), np.int64(-1))


def test_a_loop_of_the_users():
    def total(a, b):
        found = 0
        for k in range(a.size):
            found += a[k] // b[k]
        return found

    assert check(total, *operands("i8", 40, zero=True)).warned


def test_errors_leave_arguments_as_numpy_does():
    def divide(a, b):
        a += 1
        a //= b
        return a

    check(divide, *operands("i8", 40, zero=True), divide="raise")


OVERFLOWS = {
    "exp": (np.exp, 1e3),
    "exp2": (np.exp2, 1e4),
    "expm1": (np.expm1, 1e3),
    "sinh": (np.sinh, -1e3),
    "cosh": (np.cosh, 1e3),
    "log1p": (np.log1p, -2.0),
    "arctanh": (np.arctanh, 2.0),
    "power": (lambda x: np.power(x, 30.0), 1e30),
}


# In single precision exponentials leave no flag.
CASES = [(n, t) for n in OVERFLOWS for t in ("f4", "f8") if t == "f8" or n not in ("exp", "exp2")]


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_functions_of_the_vector_library(name, dtype, size):
    function, number = OVERFLOWS[name]
    x = np.full(size, 0.5, dtype)
    assert not check(lambda x: function(x) + x, x).warned
    x[size // 2] = number
    assert check(lambda x: function(x) + x, x).warned


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["by zero", "root"])
def test_powers_outside_of_their_domain(name, dtype):
    x, y = np.full(40, 2, dtype), np.full(40, 3, dtype)
    x[7], y[7] = {"by zero": (0, -1), "root": (-2, 0.5)}[name]
    assert check(lambda x, y: np.power(x, y) + x, x, y).warned


def test_a_divisor_in_the_program_itself():
    def put(b, s):
        b[s % b.shape[0]] = 1
        return b

    check(put, np.zeros((5, 7)), np.int64(2))
    compiled = qn.compile(put, fullgraph=True, dynamic=True)
    assert np.array_equal(compiled(np.zeros((5, 7)), 12), put(np.zeros((5, 7)), 12))
