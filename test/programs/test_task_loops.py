"""Loops whose turns call libraries, or keep arrays of their own: threads share the turns."""

from __future__ import annotations

import numpy as np
import pytest
from places import thread_counts
from support import assert_same

import quernel as qn


def matrices(turns: int, size: int) -> np.ndarray:
    rng = np.random.default_rng(turns + size)
    return rng.random((turns, size, size)) + size * np.eye(size)


def solve(a, b):
    out = np.empty_like(b)
    for i in range(a.shape[0]):
        out[i] = np.linalg.solve(a[i], b[i])
    return out


def two_results(a, b):
    values = np.zeros((a.shape[0], a.shape[1]))
    traces = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        inverse = np.linalg.inv(a[i])
        values[i] = np.linalg.eigvalsh(inverse + inverse.T)
        if b[i, 0] > 0.5:
            traces[i] = np.trace(inverse)
    return values, traces


def every_second_backwards(a, b):
    out = np.zeros_like(a)
    for i in range(a.shape[0] - 1, -1, -2):
        out[i] = np.exp(-(a[i] @ a[i].T)) @ a[0]
    return out


def own_arrays(a, b):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        t = np.sort(np.sin(a[i]).ravel())
        out[i] = np.cumsum(t)[::7].max()
    return out


def transforms(a, b):
    out = np.zeros((a.shape[0], a.shape[1]), dtype=complex)
    for i in range(a.shape[0]):
        out[i] = np.fft.fft(a[i], axis=0).sum(axis=1)
    return out


def nested(a, b):
    out = np.zeros((a.shape[0], 3, a.shape[1]))
    for i in range(a.shape[0]):
        for j in range(3):
            out[i, j] = np.linalg.solve(a[i] + j, b[i]) - j
    return out


@pytest.mark.parametrize(
    "function", [solve, two_results, every_second_backwards, own_arrays, transforms, nested]
)
@pytest.mark.parametrize("threads", thread_counts(1, 4))
def test_turns_are_tasks(function, threads):
    a = matrices(37, 64)
    b = np.random.default_rng(1).random((37, 64))
    compiled = qn.compile(function, fullgraph=True, threads=threads)
    assert_same(compiled(a, b), function(a, b), scale=1e-12)
    assert "code = parallel_tasks(" in compiled.lower(a, b).text("cpp")


def total(a, b):
    out = np.zeros((a.shape[1], 50))
    for i in range(a.shape[0]):
        out += np.linalg.solve(a[i], np.outer(b[i], b[i, :50]))
    return out


def weighted(a, b):
    first, second, last = np.zeros(a.shape[1]), np.zeros(a.shape[1]), 0.0
    for i in range(0, a.shape[0], 3):
        x = np.linalg.solve(a[i], b[i])
        w = b[i, 1] * 2 + i
        if w < 20:
            x = -x
        norm = np.sqrt((x * x).sum())
        first += x * norm
        second = second * 0.5 + x * w
        last = last * 0.5 + norm
    return first, second, last


def newest(a, b):
    state = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        step = np.linalg.inv(a[i]) @ b[i]
        step[0] = i
        state = np.tanh(state + step)
    return state


@pytest.mark.parametrize("function", [total, weighted, newest])
@pytest.mark.parametrize("turns", [16, 37, 203])
def test_what_waits_for_earlier_turns_follows_in_strips(function, turns):
    a = matrices(turns, 64)
    b = np.random.default_rng(1).random((turns, 64))
    compiled = qn.compile(function, fullgraph=True, threads=4)
    assert_same(compiled(a, b), function(a, b), scale=1e-12)
    if turns > 48:
        assert "code = parallel_tasks(" in compiled.lower(a, b).text("cpp")


def chain(a, b):
    for i in range(a.shape[0] - 1):
        a[i + 1] = a[i] @ a[i + 1] / 64
    return a


def pushes(a, b):
    state = b[0].copy()
    for i in range(a.shape[0]):
        state = np.linalg.solve(a[i], state)
    return state


@pytest.mark.parametrize("function", [chain, pushes])
def test_turns_that_wait_for_each_other_stay_in_order(function):
    a = matrices(37, 64)
    b = np.random.default_rng(1).random((37, 64))
    compiled = qn.compile(function, fullgraph=True)
    mine, theirs = a.copy(), a.copy()
    assert_same(compiled(mine, b), function(theirs, b), scale=1e-12)
    assert_same(mine, theirs, scale=1e-12)
    assert "code = parallel_tasks(" not in compiled.lower(a, b).text("cpp")


def two_ways_to_fail(a, b):
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        out[i] = np.linalg.inv(a[i]) + np.linalg.cholesky(a[i] + a[i].T)
    return out


@pytest.mark.parametrize(("singular", "negative"), [(30, 5), (5, 30), (20, 21), (0, 36)])
def test_the_first_turn_that_fails_counts(singular, negative):
    a = matrices(37, 64)
    a[singular] = 0
    a[negative] *= -1
    compiled = qn.compile(two_ways_to_fail, fullgraph=True, threads=4)
    messages = []
    for call in (two_ways_to_fail, compiled) * 5:
        with pytest.raises(np.linalg.LinAlgError) as caught:
            call(a, a[0])
        messages.append(str(caught.value))
    assert len(set(messages)) == 1
    assert "code = parallel_tasks(" in compiled.lower(a, a[0]).text("cpp")


def into_the_argument(a, b):
    for i in range(a.shape[0]):
        b[i] = np.linalg.solve(a[i], b[i])


@pytest.mark.parametrize("function", [solve, total, into_the_argument])
def test_a_turn_that_fails_ends_all(function):
    a = matrices(37, 64)
    a[[11, 30]] = 0
    b = np.random.default_rng(1).random((37, 64))
    compiled = qn.compile(function, fullgraph=True)
    mine, theirs = b.copy(), b.copy()
    for call, argument in ((function, theirs), (compiled, mine)):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            call(a, argument)
    assert_same(mine, theirs, scale=1e-12)
    a[[11, 30]] = np.eye(64)
    assert_same(compiled(a, mine), function(a, theirs), scale=1e-12)
