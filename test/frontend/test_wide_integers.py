"""Python integers beyond 64 bits: the program stops, and the call runs in NumPy as if from new."""

import gc
import math
import warnings
import weakref

import numpy as np
import pytest

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError

WHY = r"runs in NumPy: .*a Python integer of more than 64 bits"


def writes_before(x, n):
    x[0] = 5
    x += 1
    m = int(n[0]) * 8
    x[1] = 7
    return m + 1


def writes_in_turns(x, n):
    m = int(n[0])
    for i in range(len(x)):
        x[i] = x[i - 1] + i
        m = m * 3
    return m, x.sum()


def writes_between(x, n):
    m = int(n[0])
    for _ in range(3):
        x[:] = x[::-1] * 2
        if m > 5:
            m = m * m
    return m


def writes_two(x, n):
    y = x.copy()
    n[1] = 4
    x[:2] += 1
    return int(n[0]) << 3, y


def reads_alone(x, n):
    return x * 2, int(n[0]) ** 3


FUNCTIONS = [writes_before, writes_in_turns, writes_between, writes_two, reads_alone]


def outcome(function, wide):
    x, n = np.arange(6), np.array([2**61 + 5 if wide else 3, 0])
    return function(x, n), x, n


def same(got, want):
    if type(want) is tuple:
        assert type(got) is tuple and len(got) == len(want)
        return all(same(*pair) for pair in zip(got, want, strict=True))
    return type(got) is type(want) and np.array_equal(got, want)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_call_runs_in_numpy(function):
    compiled = qn.compile(function)
    assert same(outcome(compiled, wide=False), outcome(function, wide=False))
    with pytest.warns(FallbackWarning, match=WHY) as told:
        assert same(outcome(compiled, wide=True), outcome(function, wide=True))
    assert len(told) == 1 and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told once
        assert same(outcome(compiled, wide=True), outcome(function, wide=True))
        assert same(outcome(compiled, wide=False), outcome(function, wide=False))
    assert (compiled.stats()["compiles"], compiled.stats()["fallbacks"]) == (1, 2)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_is_written_before_it_is_refused(function):
    x, n = np.arange(6), np.array([2**61 + 5, 0])
    with pytest.raises(UnsupportedError, match="a Python integer of more than 64 bits") as caught:
        qn.compile(function, fullgraph=True)(x, n)
    assert np.array_equal(x, np.arange(6)) and np.array_equal(n, [2**61 + 5, 0])
    assert "Instead: use a float, or np.int64" in str(caught.value)
    assert f"test_wide_integers.py:{caught.value.line}, in {function.__name__}" in str(caught.value)


def raises_there(x, n):
    return x[int(n[0]) * 4]


def test_errors_of_the_call_in_numpy_are_numpys():
    with pytest.raises(OverflowError) as want:
        outcome(raises_there, wide=True)
    with pytest.warns(FallbackWarning, match=WHY), pytest.raises(OverflowError) as caught:
        outcome(qn.compile(raises_there), wide=True)
    assert str(caught.value) == str(want.value)
    assert caught.traceback[-1].name == "raises_there"


def warns_before(x, n):
    return np.log(x - 1.0)[0], int(n[0]) * 4


def test_warnings_come_once():
    compiled = qn.compile(warns_before)
    outcome(compiled, wide=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert same(outcome(compiled, wide=True)[0][1], 2**63 + 20)
    texts = [str(item.message) for item in told if item.category is RuntimeWarning]
    assert texts == ["divide by zero encountered in log", "invalid value encountered in log"]


def by_overlap(x, n):
    x[1:] = x[:-1] * 2
    return int(n[0]) * 8


def test_arguments_that_overlap():
    compiled = qn.compile(by_overlap)
    for base, function in ((made := np.full(6, 2**61), compiled), (np.full(6, 2**61), by_overlap)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            assert function(base, base[::-1][:2]) in (2**64, 2**65)
    assert np.array_equal(made, base)


def test_a_function_that_nobody_uses_is_gone():
    compiled = qn.compile(reads_alone)
    outcome(compiled, wide=False)
    gone = weakref.ref(compiled.stats.__self__)
    del compiled
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("number", [1e30, -1e30, 2.0**63, -(2.0**63), -(2.0**63) * 1.5])
@pytest.mark.parametrize("convert", [int, round, math.floor, math.ceil, math.trunc])
def test_large_floats_as_integers(convert, number):
    def function(x):
        x[1] = 5.0
        return convert(x[0])

    got, want = np.array([number, 0.0]), np.array([number, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert same(qn.compile(function)(got), function(want))
    assert np.array_equal(got, want)


def test_a_constant_beside_numbers_of_the_program() -> None:
    with pytest.raises(UnsupportedError, match="a Python integer of more than 64 bits"):
        qn.compile(lambda x: x * (int(x[0]) < 1 << 70), fullgraph=True)(np.ones(2))


def counted(x):
    total = 0
    for v in range(x[0], x[1]):
        total += v & 3
    return total


def counted_backwards(x):
    total = 0
    for k, v in enumerate(range(x[1], x[0], -2)):
        total += (v & 3) * k
    return total


def listed(x):
    return [v * 2 for v in range(x[0], x[1])]


@pytest.mark.parametrize("function", [counted, counted_backwards, listed], ids=lambda f: f.__name__)
def test_ranges_beyond_64_bits(function):
    compiled = qn.compile(function)
    small, large = (np.array([start + 2, start + 6], "uint64") for start in (0, 2**63))
    assert same(compiled(small), function(small))
    with pytest.warns(FallbackWarning, match=WHY):
        assert same(compiled(large), function(large))
