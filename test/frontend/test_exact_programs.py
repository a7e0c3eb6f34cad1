"""A program for exact sizes answers calls of these sizes, whatever other sizes come."""

from __future__ import annotations

import itertools
import types

import numpy as np
import pytest

import quernel as qn


def nearest(x, m):
    return np.argmin(np.linalg.norm(x - m[:, None], axis=2), axis=0)


def of_object(o):
    return (o.x * o.scale).sum(axis=1)


def of_list(values):
    return values[0] * 2 + values[1]


def of_dict(d):
    return d["x"].sum(axis=0)


def square(a):
    return a @ a + a.T


def changed(x):
    x *= 2
    return x.sum()


def by_number(x, k):
    return x[k] * 2 + x[: k + 1].sum()


def points(rows, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def k_means(rows, columns):
    return points(rows, columns), np.arange(4.0 * columns).reshape(4, columns)


KINDS = [
    (nearest, k_means),
    (of_object, lambda n, k: (types.SimpleNamespace(x=points(n, k), scale=2.0),)),
    (of_list, lambda n, k: ([points(n, k), points(n, k, 1)],)),
    (of_dict, lambda n, k: ({"x": points(n, k)},)),
    (changed, lambda n, k: (points(n, k),)),
]


def call(compiled, arguments, *sizes):
    function = compiled.__wrapped__
    got, want = compiled(*arguments(*sizes)), function(*arguments(*sizes))
    np.testing.assert_allclose(got, want, rtol=1e-9, strict=True)


def hits(compiled):
    """How many calls each program has answered, by its order."""
    return {row["order"]: row["hits"] for row in compiled.stats()["programs"]}


@pytest.fixture(params=KINDS, ids=lambda kind: kind[0].__name__)
def kind(request, own_cache):
    return request.param


def test_the_exact_program_is_asked_first(kind):
    function, arguments = kind
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        call(compiled, arguments, 2000, 2)
        call(compiled, arguments, 10, 3)
    for _ in range(5):
        call(compiled, arguments, 2000, 2)
    for rows in (20, 30, 2000):
        call(compiled, arguments, rows, 2)
    assert compiled.stats()["compiles"] == 3  # exact, with 3 columns, with 2
    call(compiled, arguments, 2000, 2)
    assert hits(compiled) == {0: 8, 1: 2} and compiled.stats()["memory_hits"] == 10


@pytest.mark.parametrize("order", ["big small big", "small big", "other big", "wide other big"])
def test_in_later_processes_too(kind, order):
    function, arguments = kind
    sizes = {"big": (2000, 2), "small": (10, 3), "other": (1000, 2), "wide": (30, 40)}
    for _ in sizes:
        first = qn.compile(function, fullgraph=True)
        for pair in sizes.values():
            call(first, arguments, *pair)
    later = qn.compile(function, fullgraph=True)
    for name in order.split():
        call(later, arguments, *sizes[name])
    assert later.stats()["compiles"] == 0
    before = hits(later)
    call(later, arguments, *sizes["big"])
    after = hits(later)
    assert after[0] == before[0] + 1
    assert "2000" in later.stats()["programs"][0]["for"]


def test_small_inner_sizes_have_exact_programs_first(kind):
    function, arguments = kind
    compiled = qn.compile(function, fullgraph=True)
    call(compiled, arguments, 2000, 20)
    call(compiled, arguments, 100, 30)  # one for all large ones
    for columns in range(2, 14):
        for rows in (11, 30):
            call(compiled, arguments, rows, columns)
    call(compiled, arguments, 50, 60)
    texts = [row["for"] for row in compiled.stats()["programs"]]
    exact = [text for text in texts if any(f", {k}]" in text for k in range(2, 17))]
    assert len(exact) == 8 and compiled.stats()["compiles"] == 11
    assert sum("n1>16" in text for text in texts) == 1
    assert sum("n1" in text for text in texts) == 2


def test_a_matrix_that_is_small_both_ways(own_cache):
    compiled = qn.compile(square, fullgraph=True)
    for n in (40, 3, 4, 50, 3, 7):
        call(compiled, lambda n: (points(n, n),), n)
    texts = [row["for"] for row in compiled.stats()["programs"]]
    assert texts[:4] == [f"a: float64[{n}, {n}]" for n in (40, 3, 4, 7)]
    assert texts[4:] == ["a: float64[n0>16, n0>16]"]


def test_one_axis_has_a_program_for_all_sizes(own_cache):
    compiled = qn.compile(lambda x: x * 2 + x.sum(), fullgraph=True)
    for n in (3, 4, 5, 6, 3):
        call(compiled, lambda n: (np.arange(float(n)),), n)
    assert compiled.stats()["compiles"] == 2


@pytest.mark.parametrize("sizes", list(itertools.permutations([0, 1, 5], 2)))
def test_sizes_of_0_and_1_change_nothing_for_others(own_cache, sizes):
    compiled = qn.compile(of_dict, fullgraph=True)
    for n in (*sizes, 5, *sizes, 5):
        call(compiled, lambda n: ({"x": points(n, 2)},), n)
    last = [row["for"] for row in compiled.stats()["programs"] if "5" in row["for"]]
    assert last == ["d[str:'x']: float64[5, 2]"]
    later = qn.compile(of_dict, fullgraph=True)
    call(later, lambda n: ({"x": points(n, 2)},), 7)
    assert "float64[7, 2]" in later.stats()["programs"][0]["for"]


def test_sizes_of_0_and_1_count_for_no_bound(own_cache):
    compiled = qn.compile(lambda x: [x * k for k in range(len(x))])
    for n in (0, 1, *range(2, 10), 0, 1):
        got, want = compiled(np.arange(float(n))), compiled.__wrapped__(np.arange(float(n)))
        np.testing.assert_equal(got, want)
    assert compiled.stats()["fallbacks"] == 0


def test_with_dynamic_all_sizes_are_symbols(own_cache):
    compiled = qn.compile(of_dict, fullgraph=True, dynamic=True)
    for n, k in ((5, 2), (6, 3), (7, 20)):
        call(compiled, lambda n, k: ({"x": points(n, k)},), n, k)
    assert compiled.stats()["compiles"] == 1


def test_a_program_for_a_number_is_asked_first(own_cache):
    compiled = qn.compile(by_number, fullgraph=True)
    x = np.arange(9.0)
    for k in (3, 4, 5, 3, 3):
        assert compiled(x, k) == by_number(x, k)
    first, second = compiled.stats()["programs"]
    assert (first["for"], first["hits"]) == ("x: float64[9]; k == int:3", 2)
    assert (second["for"], second["hits"]) == ("x: float64[9]; k: any int", 1)


def test_calls_of_many_kinds_find_their_programs(own_cache):
    """Each kind has its way from the exact programs to those for any size."""
    compiled = qn.compile(lambda x, y=1.0: (x * 2).sum() + y, fullgraph=True)
    dtypes = ["float64", "float32", "int64", "int32", "complex128"]
    for _, dtype, n in itertools.product(range(2), dtypes, (5, 6, 7)):
        x = np.ones(n, dtype)
        for args, kwargs in (((x,), {}), ((x, 2.0), {}), ((x,), {"y": 3.0}), ((x[::-1],), {})):
            assert compiled(*args, **kwargs) == compiled.__wrapped__(*args, **kwargs)
    stats = compiled.stats()
    assert stats["fallbacks"] == 0 and stats["compiles"] == 40
    assert stats["memory_hits"] == stats["calls"] - 40


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_refusals_are_found_behind_programs(own_cache):
    def partly(x):
        return np.from_dlpack(x) if x.ndim == 2 else x * 2

    compiled = qn.compile(partly)
    for n in (4, 5, 6, 4):
        compiled(np.ones(n))
        compiled(np.ones((n, n)))
        compiled(np.ones((n, n)))
    stats = compiled.stats()
    assert (stats["compiles"], stats["fallbacks"], stats["memory_hits"]) == (2, 8, 2)


def test_other_code_forgets_all_programs(own_cache):
    def first(x):
        return x + 1

    def second(x):
        return x + 2

    compiled = qn.compile(first)
    for n in (4, 5, 6):
        compiled(np.ones(n))
    first.__code__ = second.__code__
    for n in (4, 5, 6, 4):
        assert compiled(np.ones(n))[0] == 3
    assert len(compiled.stats()["programs"]) == 2


def test_a_report_says_which_program_answers(own_cache):
    compiled = qn.compile(nearest)
    report = str(compiled.explain(*k_means(200, 2)))
    assert "  answered by\n    one that the call will compile" in report
    for sizes in ((200, 2), (10, 3), (200, 2)):
        compiled(*k_means(*sizes))
    report = str(compiled.explain(*k_means(200, 2)))
    text = "  answered by\n    the program for x: float64[200, 2]; m: float64[4, 2]\n"
    assert text + "    made for: the first call" in report
    assert "    x: float64[200, 2]\n" in report
    report = str(compiled.explain(*k_means(12, 3)))
    text = "the program for x: float64[n0, 3]; m: float64[4, 3]\n    made for: m was "
    assert (
        text + "float64[4, 2], is float64[4, 3]; x was float64[200, 2], is float64[10, 3]" in report
    )
    later = qn.compile(nearest)
    for _ in range(2):
        later(*k_means(12, 3))
    exact, other = later.stats()["programs"]
    assert exact["why"] == "the first call" and "is float64[10, 3]" in other["why"]
    assert (exact["hits"], other["hits"]) == (0, 1)
