"""Short loops whose counters choose: captured one by one, with Python's numbers as counters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of
from support import assert_same

import quernel as qn

X = np.linspace(-1.0, 2.0, 24)
M = np.sin(np.arange(60.0)).reshape(5, 12)
ENDS = 2
case = Cases()
rolled = Cases()


@case(X)
def ends_or_none(x):
    out = np.zeros(x.size - 1)
    for k in range(2):
        out += x[k : -1 + k or None] * (k + 1)
    return out


@case(X)
def ends_by_a_name(x):
    out = np.zeros(x.size - 1)
    for k in range(2):
        first = 0 if k == 0 else 1
        stop = -1 + first
        stop = stop or None
        out += x[first:stop]
    return out


@case(X)
def ends_in_a_helper(x):
    def cut(values, k):
        return values[k : -1 + k or None]

    out = np.zeros(x.size - 1)
    for k in range(2):
        out += cut(x, k)
    return out


@case(X)
def as_many_as_a_global_says(x):
    out = np.zeros(x.size - 1)
    for k in range(ENDS):
        out += x[k : -1 + k or None]
    return out


@case(X)
def as_many_as_a_variable_says(x):
    count = 2
    out = np.zeros(x.size - 1)
    for k in range(count):
        out += x[k : -1 + k or None]
    return out


@case(X, np.array([0.5, 2.0]))
def as_many_as_an_argument_has(x, weights):
    out = np.zeros(x.size - 1)
    for k in range(len(weights)):
        out += x[k : -1 + k or None] * weights[k]
    return out


@case(X, np.array([0.5, 2.0]))
def weights_with_their_numbers(x, weights):
    out = np.zeros(x.size - 1)
    for k, weight in enumerate(weights):
        out += x[k : -1 + k or None] * weight
    return out


@case(M)
def four_loops_in_each_other(a):
    out = np.zeros((a.shape[0] - 1, a.shape[1] - 3))
    for i in range(2):
        for j in range(2):
            for k in range(2):
                for m in range(2):
                    last = j + k + m
                    out += a[i : -1 + i or None, last : -3 + last or None]
    return out


@case(M)
def grid_of_shifts(a):
    out = np.zeros((a.shape[0] - 1, a.shape[1] - 1))
    for i, j in np.ndindex(2, 2):
        out += a[i : -1 + i or None, j : -1 + j or None]
    return out


@case(M)
def each_axis(a):
    out = []
    for axis in range(a.ndim):
        ends = [slice(None)] * a.ndim
        ends[axis] = slice(1, None)
        out.append(a[tuple(ends)].sum(axis=1 - axis))
    return out[0], out[1]


@case(X)
def backwards(x):
    out = np.zeros(x.size - 2)
    for k in reversed(range(3)):
        out = out * 0.5 + x[k : k - 2 or None]
    return out


@case(X)
def of_another_size_in_each(x):
    out = np.zeros(x.size)
    for k in range(3):
        part = x[1:] * 2 if k == 0 else x[k:] - 1
        out[: part.size] += part
    return out


@case(X)
def left_by_data(x):
    out = np.zeros(x.size - 1)
    for k in range(2):
        out += x[k : -1 + k or None]
        if out[3] < -1e9:
            break
    return out


@case(X)
def passed_over(x):
    out = np.zeros(x.size - 1)
    for k in range(4):
        if k > 1:
            continue
        out += x[k : -1 + k or None]
    return out


@case(X)
def an_array_or_none(x):
    out = x * 1.0
    kept = None
    for k in range(2):
        out = out if kept is None else out + kept
        kept = x * 2 if k == 0 else None
    return out, kept is None


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_counters_choose(function: Any, args: tuple) -> None:
    check_program(function, args)
    compiled = qn.compile(function, fullgraph=True)
    text = compiled.lower(*args).text("quernel")
    assert "scf.for" not in text and "scf.while" not in text
    assert any("the loop is unrolled" in note for note in compiled.explain(*args).notes)


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_other_sizes(function: Any, args: tuple) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for more in (0, 3, 8):
        own = (np.concatenate((args[0], args[0][:more])), *args[1:])
        assert_same(compiled(*own), function(*own), ulp=8)
    assert compiled.stats()["fallbacks"] == 0


@rolled(X)
def chooses_nothing(x):
    for k in range(3):
        x = x * 0.5 + k
    return x


@rolled(M)
def is_an_index_alone(a):
    out = np.zeros(a.shape[1])
    for k in range(4):
        out += a[k] * k
    return out


@rolled(X)
def is_long(x):
    out = np.zeros(x.size)
    for k in range(20):
        out[k:] += x[k:]
    return out


@rolled(X)
def asks_data(x):
    out = np.zeros(x.size)
    for k in range(4):
        if x[k] > 0:
            out[k] = x[k]
    return out


@rolled(X)
def is_dear(x):
    out = np.zeros(x.size)
    for k in range(8):
        for j in range(8):
            for i in range(8):
                out[k:] += x[k:] * (i + j)
    return out


@rolled(M)
def is_a_dear_grid(a):
    out = np.zeros(a.shape[1])
    for i, j, k in np.ndindex(8, 8, 8):
        out[k:] += a[i % 5, k:] * j
    return out


@pytest.mark.parametrize(("function", "args"), rolled.rows, ids=name_of)
def test_loops_that_stay(function: Any, args: tuple) -> None:
    compiled = check_program(function, args)
    assert "scf.for" in compiled.lower(*args).text("quernel")
    assert not compiled.explain(*args).notes


def slopes(density, flux, out, total):
    """As models of the ocean have them: corners of cells in loops of two iterations."""
    for kr in range(2):
        ki = 0 if kr == 1 else 1
        for ip in range(2):
            along = density[1 + ip : -2 + ip, ki:] * flux[1:-2, ki:]
            down = density[1 + ip : -2 + ip, ki:] * flux[1 + ip : -2 + ip, : -1 + kr or None]
            slope = -along / (np.minimum(0.0, down) - 1e-20)
            total[:, ki:] += np.maximum(50.0, slope)
            out[1:-2, ki:, ip, kr] = slope


def test_nested_corners_are_few_operations() -> None:
    rng = np.random.default_rng(0)
    density, flux = rng.normal(size=(2, 9, 7))
    args = (density, flux, np.zeros((9, 7, 2, 2)), np.zeros((6, 7)))
    compiled = check_program(slopes, args)
    text = compiled.lower(*args).text("quernel")
    assert text.count(" = quernel.") < 120 and "scf." not in text
