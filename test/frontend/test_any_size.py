"""Sizes of 0 and 1 where others have been: one program takes them all, beside the general one."""

import itertools

import numpy as np
import pytest

import quernel as qn
from quernel.cache.recording import _argument

SIZES = [4, 7, 1, 0, 5, 1, 0]


def differences(x):
    return x[1:] - x[:-1], x.sum(), (x > 1).any()


def scaled(x, y):
    return x * y[:, None] + x.mean(axis=0)


def greatest(x):
    return x.max(axis=0)


def met(x, y):
    return x + y


def turns(x):
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k].sum() * k
    return total


def changed(x):
    x[::2] += 1
    return x.reshape(-1), np.concatenate([x, x])


def outcome(function, args):
    """What a call gives, and what it raises."""
    try:
        return function(*args), None
    except ValueError as error:
        return None, str(error)


def agree(function, *args):
    given, expected = [np.copy(a) for a in args], [np.copy(a) for a in args]
    want, refusal = outcome(function.__wrapped__, expected)
    got, said = outcome(function, given)
    assert said == refusal
    assert type(got) is type(want)
    pairs = zip(got, want, strict=True) if type(want) is tuple else [(got, want)]
    for a, b in [*pairs, *zip(given, expected, strict=True)]:
        assert type(a) is type(b)
        assert np.shape(a) == np.shape(b)
        np.testing.assert_array_equal(a, b)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("plain", [differences, greatest, turns, changed])
def test_one_axis(plain):
    function = qn.compile(plain)
    for size in SIZES:
        agree(
            function,
            np.arange(size * 3.0).reshape(size, 3) if plain is turns else np.arange(float(size)),
        )
    assert function.stats()["compiles"] == 3
    assert function.stats()["fallbacks"] == 0


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_two_axes():
    function = qn.compile(scaled)
    agree(function, np.ones((4, 5)), np.arange(4.0))
    agree(function, np.ones((7, 6)), np.arange(7.0))
    for rows, columns in itertools.product([0, 1, 3], repeat=2):
        agree(
            function, np.arange(rows * columns * 1.0).reshape(rows, columns), np.arange(float(rows))
        )
    # For the first sizes, for 6 columns, for 3, and for those with a 0 or a 1.
    assert function.stats()["compiles"] == 4


def test_axes_that_are_repeated():
    function = qn.compile(met)
    agree(function, np.arange(4.0), np.arange(4.0))
    agree(function, np.arange(6.0), np.arange(6.0))
    for first, second in itertools.product([0, 1, 5, 3], repeat=2):
        agree(function, np.arange(float(first)), np.arange(float(second)))


def test_a_size_that_has_to_be_known():
    """Where no program takes any size, 0 and 1 are parts of programs."""
    function = qn.compile(lambda x: x if x.shape[0] == 1 else x[0])
    for size in SIZES[:3]:
        agree(function, np.arange(2.0 * size).reshape(size, 2))
    assert function.stats()["fallbacks"] == 0


def test_exact_shapes():
    function = qn.compile(met, dynamic=False)
    for size in SIZES[:4]:
        agree(function, np.arange(float(size)), np.arange(float(size)))
    assert function.stats()["compiles"] == 4


def test_programs_for_any_size_are_found_on_disk(own_cache):
    for _ in range(2):
        function = qn.compile(met)
        for size in SIZES:
            agree(function, np.arange(float(size)), np.arange(float(size)))
    assert function.stats()["compiles"] == 0


def test_signatures_that_are_recorded_have_names_of_sizes():
    assert _argument(["array", 0, "float64", ["n0?", 2, "n1?"], "C", False]) == "float64[n0,2,n1]"
