"""Loops in time around statements that read neighbouring rows, with NumPy's bits."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import by_place, examples, thread_counts
from support import assert_same

import quernel as qn


def two_arrays(turns, a, b):
    for _ in range(1, turns):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.3 * (b[:-2] + b[1:-1] + b[2:])


def inner_points(turns, a, b):
    for _ in range(turns):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )


def fields(turns, x, y):
    z = np.zeros_like(x)
    for t in range(turns):
        y[0, :] = t
        y[1:, :] -= 0.5 * (z[1:, :] - z[:-1, :])
        x[:, 1:] -= 0.5 * (z[:, 1:] - z[:, :-1])
        z[:-1, :-1] -= 0.7 * (x[:-1, 1:] - x[:-1, :-1] + y[1:, :-1] - y[:-1, :-1])
    return z


def swapped(turns, u, v):
    for _ in range(turns):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, v = v, u
    return u


def three_moments(turns, u, before):
    for _ in range(turns):
        after = np.zeros_like(u)
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.1 * (u[2:] + u[:-2] - 2 * u[1:-1])
        before = u
        u = after
    return u


def with_borders(turns, p, b):
    for _ in range(turns):
        q = p.copy()
        p[1:-1, 1:-1] = 0.25 * (
            q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1] - b[1:-1, 1:-1]
        )
        p[0, :] = p[1, :]
        p[-1, :] = 0
        p[:, 0] = 0
        p[:, -1] = p[:, -2]


def growing_number(turns, a, b):
    k = 1.0
    for t in range(turns):
        b[2:] = a[:-2] * k + t
        a[1:] = b[:-1] / (k + 1)
        k = k * 0.5 + 1
    return k


def one_way(turns, a, b):
    for _ in range(turns):
        a[3:] = b[:-3] + 1
        b[:-1] = b[1:] * 0.9 + a[1:] * 0.1


def by_turns(turns, a, b):
    for t in range(turns):
        if t % 3 == 0:
            a[1:-1] = (b[2:] + b[:-2]) * 0.5
        else:
            b[1:-1] = (a[2:] + a[:-2]) * 0.5


def around(turns, a, b):
    for _ in range(turns):
        b[...] = 0.5 * (a + np.roll(a, 1, 0))
        a[...] = 0.5 * (b + np.roll(b, -1, 0))


def ends(turns, a, b):
    for t in range(turns):
        a[0] = t * 0.5
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:])
        b[-1] = b[-2]
        a[1:] = b[1:] + b[:-1]


def other_rows(turns, a, b):
    for t in range(min(turns, a.shape[0])):
        b[t:] = a[t:] + 1
        a[: t + 1] = b[: t + 1] * 0.5


FUNCTIONS = [
    two_arrays,
    inner_points,
    fields,
    swapped,
    three_moments,
    with_borders,
    growing_number,
    one_way,
    by_turns,
    around,
    ends,
    other_rows,
]
WITH_TWO_AXES = {inner_points, fields, with_borders}
LARGE = by_place(
    [(700, 900), (40, 90, 80), (130, 31, 160)],
    [(70, 90), (8, 30, 20), (26, 11, 32)],
)


def arrays(function, shape):
    random = np.random.default_rng(3)
    return random.random(shape), random.random(shape)


def agrees(compiled, function, turns, given):
    ours, numpys = [x.copy() for x in given], [x.copy() for x in given]
    got, expected = compiled(turns, *ours), function(turns, *numpys)
    assert_same(got, expected)
    for mine, other in zip(ours, numpys, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("threads", thread_counts(1, 2, 5))
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_bits_are_numpys(function, threads):
    shape = (150, 70) if function in WITH_TWO_AXES else (20000,)
    compiled = qn.compile(function, threads=threads, fullgraph=True)
    agrees(compiled, function, 37, arrays(function, shape))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_sizes_that_only_the_call_knows(function):
    compiled = qn.compile(function, threads=3, dynamic=True, fullgraph=True)
    largest = by_place((1100, 11), (300, 11))
    for rows, turns in [(3, 4), (5, 0), (17, 9), (64, 1), by_place((257, 40), (257, 9)), largest]:
        agrees(
            compiled,
            function,
            turns,
            arrays(function, (rows, rows // 2 + 2) if function in WITH_TWO_AXES else (rows,)),
        )


@pytest.mark.parametrize("shape", LARGE)
def test_rows_that_no_cache_keeps(shape):
    def stencil(turns, a, b):
        for _ in range(turns):
            b[1:-1, 1:-1] = a[1:-1, 1:-1] + 0.1 * (
                a[2:, 1:-1] + a[:-2, 1:-1] - a[1:-1, 2:] - a[1:-1, :-2]
            )
            a[1:-1, 1:-1] = b[1:-1, 1:-1] + 0.1 * (
                b[2:, 1:-1] - b[:-2, 1:-1] + b[1:-1, 2:] - b[1:-1, :-2]
            )

    for threads in thread_counts(1, 2, 5):
        compiled = qn.compile(stencil, threads=threads)
        agrees(compiled, stencil, 11, arrays(stencil, shape))


@pytest.mark.cpu("tiles of several turns stay in a core's cache")
def test_explain_says_how_turns_are_cut():
    compiled = qn.compile(two_arrays)
    compiled(50, *arrays(two_arrays, (20000,)))
    report = str(compiled.explain(50, *arrays(two_arrays, (20000,))))
    assert "64 turns of the loop at a time, in tiles of 1250 rows" in report


offsets = st.integers(-3, 3)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from("abc"), offsets, st.sampled_from("abc"), offsets
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(400, 2000),
    st.integers(1, 30),
    st.integers(1, 5),
)
def test_statements_at_any_distance(statements, rows, turns, threads):
    lines = ["def program(turns, a, b, c):", "    for t in range(turns):"]
    part = lambda name, offset: f"{name}[{3 + offset}:{rows - 3 + offset}]"  # noqa: E731
    for stored, first, at, second, other in statements:
        value = f"{part(first, at)} * 0.5 + {part(second, other)} * 0.25 + t"
        lines.append(f"        {part(stored, 0)} = {value}")
    text = "\n".join(lines)
    random = np.random.default_rng(1)
    given_arrays = [random.random((rows, 8)) for _ in "abc"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(text)
        program = runpy.run_path(str(file))["program"]
        agrees(qn.compile(program, threads=threads, fullgraph=True), program, turns, given_arrays)


@pytest.mark.parametrize("dtype", ["complex128", "bool", "float32", "int8"])
def test_elements_of_all_kinds(dtype):
    def moved(turns, a, b):
        for _ in range(turns):
            b[1:] = a[:-1]
            a[:-1] = b[1:] + a[1:]

    given = [np.arange(20000).astype(dtype), np.ones(20000, dtype)]
    agrees(qn.compile(moved, threads=2, fullgraph=True), moved, 40, given)


def test_sizes_that_arguments_give():
    def part(turns, size, a, b):
        for _ in range(turns):
            b[:size] = a[:size] + 1
            a[1:size] = b[: size - 1] * 0.5

    compiled = qn.compile(part, threads=2, fullgraph=True)
    for size in 20000, 15000, 17, 1:
        ours, numpys = arrays(part, (20000,)), arrays(part, (20000,))
        compiled(30, size, *ours)
        part(30, size, *numpys)
        assert_same(ours, numpys)
