"""Several results that are computed of the rows of one array, in one sweep over them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import examples, thread_counts
from support import assert_same

import quernel as qn


def exponentials(x):
    e = np.exp(x)
    return e.sum(0), e.sum(1), e + 1, e.max()


def every_other_row(x):
    e = np.exp(x)
    return e.sum(0), e.sum(1), e[::2] + 1, e.min()


def columns_and_rows(x):
    return x.sum(0), x.sum(1)


def all_kinds(x):
    return x.max(0), x.min(1), x.sum(), np.abs(x).max(), (x > 0).sum(0), (x > 0).all(1), x * 2


def centred(x):
    d = np.tanh(x - x.mean(0))
    return d, (d * d).sum(0), (d * d).sum(1), d.argmax(1)


def by_row_sums(x):
    e = np.exp(x)
    s = e.sum(axis=1, keepdims=True)
    return e / s, (e / s).sum(0), s


def into_the_argument(x):
    e = np.exp(x)
    x += 1
    return e.sum(0), e.sum(1), x.sum(0)


def in_a_loop(x):
    rows = np.zeros(x.shape[0])
    columns = np.zeros(x.shape[1])
    for k in range(3):
        e = np.exp(x * k)
        rows += e.sum(1)
        columns += e.sum(0)
    return rows, columns


def of_three_axes(x):
    y = x.reshape(x.shape[0], -1, 4)
    e = np.sin(y)
    return e.sum(0), e.sum(2), e.sum((1, 2)), e.max(1)


def of_turned_rows(x):
    e = np.cos(x.T)
    return e.sum(0), e.sum(1), e


FUNCTIONS = [
    exponentials,
    every_other_row,
    columns_and_rows,
    all_kinds,
    centred,
    by_row_sums,
    into_the_argument,
    in_a_loop,
    of_three_axes,
    of_turned_rows,
]


def matrix(rows, columns, dtype="float64", order="C"):
    values = np.random.default_rng(rows * columns).standard_normal((rows, columns))
    return np.asarray(values, dtype=dtype, order=order)


def scale_of(x):
    return 1e-5 if x.dtype == np.float32 else 1e-13


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(1100, 64), (2049, 100), (1024, 68)], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sweeps_give_numpys_results(function, shape, dtype):
    x = matrix(*shape, dtype)
    ours, numpys = x.copy(), x.copy()
    got = qn.compile(function, fullgraph=True)(ours)
    assert_same(got, function(numpys), scale=scale_of(x))
    assert_same(ours, numpys, scale=scale_of(x))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", ["C", "F"])
def test_sizes_that_differ_from_call_to_call(function, order):
    compiled = qn.compile(function, fullgraph=True)
    for shape in [(1100, 72), (1500, 64), (64, 1200), (2, 4), (1027, 100)]:
        x = matrix(*shape, order=order)
        assert_same(compiled(x.copy()), function(x.copy()), scale=1e-13)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_bits_are_the_same_for_any_number_of_threads(function):
    x = matrix(1500, 96)
    results = [
        qn.compile(function, threads=threads)(x.copy()) for threads in thread_counts(1, 2, 5)
    ]
    for other in results[1:]:
        for one, same in zip(results[0], other, strict=True):
            assert np.asarray(one).tobytes() == np.asarray(same).tobytes()


def test_one_kernel_computes_what_rows_share():
    report = str(qn.compile(exponentials).explain(matrix(2000, 100)))
    assert report.count("exp,") == 1, report


PARTS = {
    "value": lambda e: e * 2,
    "columns": lambda e: e.sum(0),
    "rows": lambda e: e.sum(1),
    "greatest of columns": lambda e: e.max(0),
    "least": lambda e: e.min(),
    "total": lambda e: e.sum(),
    "some rows": lambda e: e[3:-2],
    "from behind": lambda e: e[::-1] + 1,
    "some columns": lambda e: e[:, 1:].sum(0),
    "turned": lambda e: e.T + 1,
    "by rows": lambda e: e / e.sum(1, keepdims=True),
    "by columns": lambda e: (e - e.mean(0)).sum(1),
    "products": lambda e: (e * e).sum(0),
    "first of rows": lambda e: e[:, 0],
    "place": lambda e: e.argmin(1),
}
BASES = {
    "exp": np.exp,
    "itself": lambda x: x,
    "tanh of a shift": lambda x: np.tanh(x + 1),
    "centred": lambda x: np.exp(x - x.max(1, keepdims=True)),
}


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    base=st.sampled_from(sorted(BASES)),
    parts=st.lists(st.sampled_from(sorted(PARTS)), min_size=2, max_size=5, unique=True),
    shape=st.sampled_from([(1024, 64), (1100, 65), (600, 128), (2000, 33)]),
)
def test_any_parts_of_one_array(base, parts, shape):
    chosen = [PARTS[part] for part in parts]
    made = BASES[base]

    def function(x):
        e = made(x)
        return tuple(part(e) for part in chosen)

    x = matrix(*shape)
    assert_same(qn.compile(function)(x), function(x), scale=1e-12)


def test_a_search_in_pieces_has_no_rows_of_its_own() -> None:
    def found(x, y):
        return x[1:].argmax(), x[::2].argmin(), (x[1:] * 2).sum(), x + y

    x, y = np.random.default_rng(0).random((2, 600_001))
    assert_same(qn.compile(found, fullgraph=True)(x, y), found(x, y), scale=1e-12)
