"""What is compiled depends on the source, never on how often a loop turns."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn


def time_loop(a, steps):
    for _ in range(steps):
        a[1:-1] = 0.5 * (a[2:] + a[:-2])


def nest(a, steps):
    for i in range(steps):
        for j in range(i):
            a[i % 5] += a[j % 5] * 0.5


def recurrence(a, steps):
    state = 1.0
    for i in range(steps):
        state = state * 0.5 + a[i % 8]
    return state


def converging(a, steps):
    k = 0
    while k < steps and a[0] < 1e9:
        a *= 1.001
        k += 1
    return k


def early_exit(a, steps):
    for i in range(steps):
        if a[i % 8] > 1e9:
            return i
    return -1


FUNCTIONS = [time_loop, nest, recurrence, converging, early_exit]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_trip_counts_of_arguments(function) -> None:
    sizes = set()
    for steps in (10, 1000):
        compiled = qn.compile(function, fullgraph=True)
        lowered = compiled.lower(np.arange(8.0), steps)
        sizes.add((len(lowered.text("quernel").splitlines()), lowered.text("cpp").count(";")))
    assert len(sizes) == 1


def constant_trips(count: int):
    def function(a):
        for _ in range(count):
            a[1:] += a[:-1]

    return function


def rows(a):
    total = 0.0
    for row in a:
        for value in row:
            total = total * 0.5 + value
    return total


def triangle(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]


def test_constant_trip_counts() -> None:
    sizes = set()
    for count in (10, 1000):
        lowered = qn.compile(constant_trips(count), fullgraph=True).lower(np.arange(8.0))
        sizes.add((len(lowered.text("quernel").splitlines()), lowered.text("cpp").count(";")))
    assert len(sizes) == 1


@pytest.mark.parametrize("function", [rows, triangle])
def test_trip_counts_of_shapes(function) -> None:
    sizes = set()
    for n in (1500, 3000):  # shorter loops needn't ask whether to stop
        lowered = qn.compile(function, fullgraph=True).lower(np.ones((n, n)))
        sizes.add((len(lowered.text("quernel").splitlines()), lowered.text("cpp").count(";")))
    assert len(sizes) == 1


def recurrence_of(x, coefficients):
    before, last = 0 * x, 0 * x + 1.0
    for c in coefficients:
        before, last = last, x * last - before + c
    return last


def stored_where_selected(x, coefficients):
    mask = x > 0.5
    y = np.zeros_like(x)
    y[mask] = recurrence_of(x[mask], coefficients)
    return y


def summed_where_selected(x, coefficients):
    return recurrence_of(x[x > 0.5], coefficients).sum()


@pytest.mark.parametrize("function", [recurrence_of, stored_where_selected, summed_where_selected])
def test_what_is_used_twice_is_written_once(function) -> None:
    lines = []
    for count in (10, 20, 30):
        coefficients = [0.1 * k for k in range(count)]
        lowered = qn.compile(function, fullgraph=True).lower(np.ones(50), coefficients)
        lines.append(len(lowered.text("quernel").splitlines()))
    assert lines[2] - lines[1] == lines[1] - lines[0]
