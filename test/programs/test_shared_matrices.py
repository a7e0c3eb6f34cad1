"""Several products of one large matrix, or of one that is computed, with vectors."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn

ROWS, COLUMNS = 1603, 1405  # large enough, and no multiples of anything


def both_sides(a, x, y):
    return y @ a, a @ x


def one_of_the_other(a, x, y):
    return (a @ x) @ a


def of_its_elements(a, x, y):
    t = np.tanh(a @ x) - y
    return t @ a, a.T @ (t * y), t


def of_its_mean(a, x, y):
    t = a @ x
    return a.T @ (t - t.mean()), a.T @ y


def one_after_the_other(a, x, y):
    return a @ (y @ a)


def twice_the_same_side(a, x, y):
    return a @ x, a @ np.cos(x), x @ a.T, a.T @ y


def updates(a, x, y):
    y += a @ x
    x += y @ a
    return x


def written(a, x, y):
    a += np.outer(y, x)
    x += 1.5 * y @ a
    return a @ x


def in_a_loop(a, x, y):
    for _ in range(3):
        x = x - 1e-4 * (a.T @ (a @ x - y))
    return x


def computed(a, x, y):
    return 2.5 * a @ x + y, y @ (a * a), np.exp(-a) @ x


def computed_for_both(a, x, y):
    b = np.exp(-a)
    return b @ x, y @ b, b.sum(0)


PROGRAMS = [
    both_sides,
    one_of_the_other,
    of_its_elements,
    of_its_mean,
    one_after_the_other,
    twice_the_same_side,
    updates,
    written,
    in_a_loop,
    computed,
    computed_for_both,
]


def arguments(dtype: str, order: str, rows: int = ROWS, columns: int = COLUMNS) -> list:
    rng = np.random.default_rng(0)
    shapes = (rows, columns), (columns,), (rows,)
    a, x, y = (rng.uniform(0.1, 1, shape).astype(dtype) for shape in shapes)
    return [np.asarray(a, order=order), x, y]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program, dtype: str, order: str) -> None:
    compiled = qn.compile(program, fullgraph=True)
    rows = ROWS * 2 if dtype == "float32" else ROWS
    for few in (0, 1, 2):
        theirs = arguments(dtype, order, rows - few, COLUMNS + few)
        ours = [array.copy(order="K") for array in theirs]
        expected = program(*theirs)
        scale = 1e-12 if dtype == "float64" else 2e-4
        assert_same(compiled(*ours), expected, scale=scale)
        assert_same(ours, theirs, scale=scale)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_who_computes_the_products(program) -> None:
    text = qn.compile(program).lower(*arguments("float64", "C")).text("cpp")
    assert text.count("/* matmul */") == (2 if program is one_after_the_other else 0)


@pytest.mark.parametrize(
    "program", [both_sides, one_of_the_other, computed_for_both], ids=lambda f: f.__name__
)
def test_bits_are_the_same_for_any_number_of_threads(program) -> None:
    results = []
    for threads in (1, 2, 5):
        compiled = qn.compile(program, threads=threads)
        results.append([np.asarray(r).tobytes() for r in compiled(*arguments("float64", "C"))])
    assert results[0] == results[1] == results[2]


def test_small_matrices_are_the_librarys() -> None:
    text = qn.compile(both_sides).lower(*arguments("float64", "C", 900, 200)).text("cpp")
    assert text.count("/* matmul */") == 2
