"""Products with one vector a turn, which a loop may have from one product of matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import examples
from whole import Program, same_call

import quernel as qn

SIZES = (20, 37, 50)
HOISTED = True


def numbers(rng, *shape, dtype="float64"):
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if dtype[0] == "c" else values).astype(dtype)


def squares(n, rng):
    return numbers(rng, n, n), numbers(rng, n, n)


def triangle_of_columns(x, y):
    out = np.zeros((x.shape[1], y.shape[1]))
    for i in range(x.shape[1]):
        out[i:, i] = x[:, i] @ y[:, i:]
        out[i, i:] = out[i:, i]
    return out


def triangle_beside_the_diagonal(x, y):
    out = np.eye(x.shape[1])
    for i in range(x.shape[1] - 1):
        out[i + 1 :, i] = x[:, i + 1 :].T @ x[:, i]
        out[i, i + 1 :] = out[i + 1 :, i]
    return out


def lower_triangle(x, y):
    out = np.zeros((x.shape[0], y.shape[0]))
    for i in range(1, x.shape[0]):
        out[i, :i] = y[:i] @ x[i]
    return out


def rows(x, y):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] @ y
    return out


def backwards(x, y):
    out = np.empty_like(x)
    for i in range(len(x) - 1, -1, -1):
        out[i] = y.T @ x[i] + i
    return out


def sums_of_rows(x, y):
    total = np.zeros(len(x))
    for i in range(len(x)):
        total += np.dot(x, y[i]) * i
    return total


def one_number_a_turn(x, y):
    out = np.zeros(len(x))
    v = y[3] * 2
    for i in range(len(x)):
        out[i] = x[i] @ v
    return out


def of_what_was_computed(x, y):
    z = np.tanh(x) + y
    out = np.empty_like(x)
    for i in range(len(x)):
        out[:, i] = (z @ x)[i] + z[i] @ y
    return out


def of_another_product(x, y):
    out = np.empty_like(x)
    for i in range(len(x)):
        p = x[i] @ y
        out[i] = p @ (x @ y)
    return out


def in_two_loops(x, y):
    out = np.zeros((2, *x.shape))
    for j in range(2):
        for i in range(len(x)):
            out[j, i] = x[i] @ y + j
    return out


def left_early(x, y):
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i, 0] > 1.5:
            break
        out[i] = x[i] @ y
    return out


def on_one_side(x, y):
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i, 0] > 0:
            out[i] = x[i] @ y
    return out


# Each turn reads what the one before has written.
def of_what_the_loop_writes(x, y):
    for i in range(1, len(x)):
        x[i] = x[i - 1] @ y * 0.1
    return x


def the_matrix_is_written(x, y):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = x[i] @ y
        y[i] *= 0.5
    return out


# One turn reads a few columns, all of them many.
def bands(x, y):
    out = np.zeros((len(x), 4))
    for i in range(len(x) - 3):
        out[i] = x[:, i] @ y[:, i : i + 4]
    return out


PROGRAMS = {
    "triangle_of_columns": (triangle_of_columns, HOISTED),
    "triangle_beside_the_diagonal": (triangle_beside_the_diagonal, HOISTED),
    "lower_triangle": (lower_triangle, HOISTED),
    "rows": (rows, HOISTED),
    "backwards": (backwards, HOISTED),
    "sums_of_rows": (sums_of_rows, HOISTED),
    "one_number_a_turn": (one_number_a_turn, HOISTED),
    "of_what_was_computed": (of_what_was_computed, HOISTED),
    "of_another_product": (of_another_product, HOISTED),
    "in_two_loops": (in_two_loops, HOISTED),
    "left_early": (left_early, False),
    "on_one_side": (on_one_side, False),
    "of_what_the_loop_writes": (of_what_the_loop_writes, False),
    "the_matrix_is_written": (the_matrix_is_written, False),
    "bands": (bands, False),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    function, _ = PROGRAMS[name]
    Program(function, squares, sizes=SIZES, scale=1e-12).check()


@pytest.mark.parametrize("name", PROGRAMS)
def test_products_stand_before_the_loop(name: str) -> None:
    function, is_hoisted = PROGRAMS[name]
    text = qn.compile(function).lower(*squares(60, np.random.default_rng(0))).text("quernel")
    loop = text.index("scf.while" if function is left_early else "scf.for")
    assert ("quernel.matmul" not in text[loop:]) == is_hoisted


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_dtypes_and_layouts(dtype: str, order: str) -> None:
    def make(n, rng):
        x, y = numbers(rng, n, n, dtype=dtype), numbers(rng, n, n, dtype=dtype)
        if order == "strided":
            return numbers(rng, 2 * n, 2 * n, dtype=dtype)[::2, ::2], y
        return np.asarray(x, order=order), np.asarray(y, order=order)

    scale = 1e-4 if dtype in ("float32", "complex64") else 1e-12
    Program(rows, make, sizes=(24, 40), scale=scale).check()


@pytest.mark.parametrize("shape", [(0, 30), (1, 30), (30, 1), (17, 40), (40, 17)])
def test_sizes_at_the_edge(shape: tuple[int, int]) -> None:
    def make(n, rng):
        return numbers(rng, *shape), numbers(rng, shape[1], 23)

    def every_row(x, y):
        out = np.ones((len(x), y.shape[1]))
        for i in range(len(x)):
            out[i] = x[i] @ y
        return out

    Program(every_row, make, sizes=(0,), scale=1e-12).check()


def test_a_turn_outside_of_the_array_raises_where_numpy_does() -> None:
    def too_far(x, y, n):
        out = np.zeros_like(x)
        for i in range(n):
            out[i] = x[i] @ y
        return out

    compiled = qn.compile(too_far, fullgraph=True)
    for n in (20, 31, 20, 5):
        same_call(compiled, too_far, (*squares(30, np.random.default_rng(1)), n))


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    begin=st.integers(0, 6),
    end=st.integers(0, 6),
    low=st.integers(0, 3),
    up=st.booleans(),
    data=st.integers(0, 1000),
)
def test_any_range_of_turns(begin, end, low, up, data) -> None:
    def turns(x, y):
        n = len(x)
        out = np.zeros((n, n))
        for i in range(begin, n - end):
            if up:
                out[i, i:] = x[i] @ y[:, i:]
            else:
                out[i, low : i + 1] = y[low : i + 1] @ x[i]
        return out

    rng = np.random.default_rng(data)
    same_call(qn.compile(turns, fullgraph=True), turns, squares(int(rng.integers(17, 40)), rng))
