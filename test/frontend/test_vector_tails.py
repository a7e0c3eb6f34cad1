"""Ends of loops that are shorter than a vector, where functions of math are computed."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn

RNG = np.random.default_rng(7)
LENGTHS = (1, 3, 7, 8, 9, 10, 15, 17, 31, 33)


def elementwise(x):
    return np.exp(x) + np.log(x + 2) * np.tanh(x)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalized(x):
    return x / np.sum(np.exp(x), axis=1, keepdims=True)


def in_place(x):
    x += np.exp(-x)
    x[:, ::2] *= np.cos(x[:, ::2])


def with_booleans(x):
    return np.exp(x) > 1.5


def complex_powers(x):
    return np.exp(x + 1j * x)


FUNCTIONS = [elementwise, softmax, normalized, in_place, with_booleans, complex_powers]


def check(compiled, function, x):
    mine, numpys = x.copy(order="A"), x.copy(order="A")
    got, want = compiled(mine), function(numpys)
    for a, b in ((mine, numpys), (got, want)):
        if b is None:
            assert a is None
        elif b.dtype.kind in "fc":
            bound = 64 * np.finfo(b.dtype).eps
            np.testing.assert_allclose(a, b, rtol=bound, atol=bound, strict=True)
        else:
            np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_of_all_lengths(function, dtype):
    compiled = qn.compile(function, fullgraph=True)
    for columns in range(1, 40):
        check(compiled, function, RNG.random((columns % 11 + 1, columns)).astype(dtype))


@pytest.mark.parametrize("function", [softmax, in_place])
@pytest.mark.parametrize("columns", LENGTHS)
def test_rows_of_known_length(function, columns):
    compiled = qn.compile(function, fullgraph=True, dynamic=False)
    for dtype, rows in (("f8", 13), ("f4", 21), ("f8", 2)):
        check(compiled, function, RNG.random((rows, columns)).astype(dtype))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_an_element_has_the_same_bits_wherever_it_stands(dtype):
    compiled = qn.compile(elementwise, fullgraph=True)
    x = RNG.random(64).astype(dtype)
    whole = compiled(x)
    for size in range(1, 64):
        np.testing.assert_array_equal(compiled(x[-size:].copy()), whole[-size:], strict=True)


def test_lanes_without_an_element_touch_nothing():
    """The memory behind an array's end stays as it is, and sets no flag of the processor."""
    compiled = qn.compile(lambda x, out: np.log(x, out=out), fullgraph=True)
    for size in range(2, 20):
        room = np.zeros(40)
        room[:size] = RNG.random(size) + 0.5
        result = np.full(40, 5.0)
        with np.errstate(all="raise"):
            compiled(room[:size], result[:size])
        np.testing.assert_allclose(result[:size], np.log(room[:size]), rtol=1e-15)
        np.testing.assert_array_equal(result[size:], 5.0)
