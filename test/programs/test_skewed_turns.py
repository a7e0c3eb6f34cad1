"""Serial loops whose columns wait for each other: turns that run together, with NumPy's bits."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import examples
from support import assert_same

import quernel as qn


def gauss_seidel(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - b[i, j])


def row_and_chain(a, b):
    for i in range(1, a.shape[0] - 1):
        a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + b[i, 1:-1]
        for j in range(1, a.shape[1] - 1):
            a[i, j] += a[i, j - 1]
            a[i, j] /= 9.0


def warped(a, b):
    table = np.full((a.shape[0] + 1, a.shape[1] + 1), np.inf)
    table[0, 0] = 0
    for i in range(1, a.shape[0] + 1):
        for j in range(1, a.shape[1] + 1):
            cost = abs(a[i - 1, 0] - b[0, j - 1])
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table


def two_rows(a, b):
    before = np.arange(a.shape[1] + 1.0)
    row = np.zeros_like(before)
    for i in range(a.shape[0]):
        row[0] = i + 1.0
        for j in range(a.shape[1]):
            change = before[j] + (0.0 if a[i, 0] > b[0, j] else 1.0)
            row[j + 1] = min(change, row[j] + 1.5, before[j + 1] + 1.25)
        before[:] = row
    return before


def far_apart(a, b):
    for i in range(2, a.shape[0]):
        for j in range(3, a.shape[1] - 5):
            a[i, j] = a[i, j - 3] * 0.5 + a[i - 1, j + 5] * 0.25 + a[i - 2, j - 2] / 3 + b[i, j]


def row_behind_the_chain(a, b):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j] / 3
        b[i, :-2] = a[i, 2:] + b[i - 1, 2:]


def chosen(a, b):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            if b[i, j] > 0.5:
                a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j - 1]
            else:
                a[i, j] = (a[i - 1, j] - a[i, j - 1]) / 2


def in_time(a, b):
    for t in range(5):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j]) / 4 + t * b[i, j]


FUNCTIONS = [
    gauss_seidel,
    row_and_chain,
    warped,
    two_rows,
    far_apart,
    row_behind_the_chain,
    chosen,
    in_time,
]
SENTENCE = "4 turns of the loop around it go on together, 8 columns at a time"


def arrays(shape):
    random = np.random.default_rng(3)
    return random.random(shape), random.random(shape)


def agrees(compiled, function, given):
    ours, numpys = [x.copy() for x in given], [x.copy() for x in given]
    got, expected = compiled(*ours), function(*numpys)
    assert_same(got, expected)
    for mine, other in zip(ours, numpys, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("shape", [(25, 60), (8, 33), (41, 104)])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_bits_are_numpys(function, shape):
    compiled = qn.compile(function, fullgraph=True)
    agrees(compiled, function, arrays(shape))


@pytest.mark.cpu("rows that follow each other stay in a core's cache")
@pytest.mark.parametrize("shape", [(25, 60), (41, 104)])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_turns_are_skewed(function, shape):
    assert SENTENCE in str(qn.compile(function, fullgraph=True).explain(*arrays(shape)))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_sizes_that_only_the_call_knows(function):
    compiled = qn.compile(function, dynamic=True, fullgraph=True)
    for shape in [(3, 9), (2, 10), (9, 50), (30, 9), (18, 70)]:
        agrees(compiled, function, arrays(shape))


def test_short_waits_are_left_to_the_processor():
    def longest_common(a, b):
        table = np.zeros((a.shape[0] + 1, b.shape[0] + 1), dtype=np.int64)
        for i in range(a.shape[0]):
            for j in range(b.shape[0]):
                if a[i] == b[j]:
                    table[i + 1, j + 1] = table[i, j] + 1
                else:
                    table[i + 1, j + 1] = max(table[i + 1, j], table[i, j + 1])
        return table

    random = np.random.default_rng(4)
    given = random.integers(0, 4, 60), random.integers(0, 4, 50)
    compiled = qn.compile(longest_common, fullgraph=True)
    assert_same(compiled(*given), longest_common(*given))
    assert SENTENCE not in str(compiled.explain(*given))


names = st.sampled_from("abc")
offsets = st.integers(-3, 3)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.booleans(), names, names, offsets, offsets, names, offsets, offsets),
        min_size=1,
        max_size=4,
    ),
    st.integers(9, 22),
    st.integers(40, 75),
)
def test_statements_at_any_distance(statements, rows, columns):
    lines = ["def program(a, b, c):", f"    for i in range(3, {rows - 3}):"]
    part = lambda name, row, at: f"{name}[i + {row}, {3 + at}:{columns - 3 + at}]"  # noqa: E731
    element = lambda name, row, at: f"{name}[i + {row}, j + {at}]"  # noqa: E731
    for in_order, stored, first, row, at, second, other_row, other in statements:
        place = element if in_order else part
        value = f"{place(first, row, at)} / 3 + {place(second, other_row, other)} * 0.25"
        if in_order:
            lines.append(f"        for j in range(3, {columns - 3}):")
            value += f" + {element(stored, 0, -1)}"
            lines.append(f"            {element(stored, 0, 0)} = {value}")
        else:
            lines.append(f"        {part(stored, 0, 0)} = {value}")
    random = np.random.default_rng(5)
    given = [random.random((rows, columns)) for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text("\n".join(lines) + "\n")
        function = runpy.run_path(str(path))["program"]
        agrees(qn.compile(function, fullgraph=True), function, given)
