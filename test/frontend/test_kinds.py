"""Numbers that differ between calls: symbols of a program, or part of a few programs."""

import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.arange(16.0)


def by_math(x, a):
    return x * math.cos(a)


def by_branch(x, a):
    if a > 0.5:
        return x * 2
    return x * a


def by_choice(x, a):
    return x if a > 1 else -x


def by_minimum(x, a):
    return x * min(a, 1.0)


def by_floor(x, a):
    return x * math.floor(a)


def by_exponential(x, a):
    return x * math.exp(-a)


def by_slice(x, k):
    return x[k:].sum(), x[:k], x[: k // 2]


def by_index(x, k):
    return x[k] + x[-k]


def by_turns(x, k):
    total = 0.0
    for i in range(k):
        total += x[i]
    return total


def by_remainder(x, k):
    return x * (k % 3)


def by_truth(x, k):
    return x * bool(k - 3)


def by_several(x, a, k):
    return x[k:].sum() * math.sqrt(a) if a > 1 else x[:k].sum()


SYMBOLS = [
    by_math, by_branch, by_choice, by_minimum, by_floor, by_exponential,
    by_slice, by_index, by_turns, by_remainder, by_truth,
]  # fmt: skip


def values(function):
    names = function.__code__.co_varnames
    return range(1, 14) if names[1] == "k" else [0.3 * k - 0.5 for k in range(13)]


@pytest.mark.parametrize("function", SYMBOLS, ids=lambda f: f.__name__)
def test_a_number_is_a_symbol_by_its_second_value(function):
    compiled = qn.compile(function, fullgraph=True)
    for value in values(function):
        got, expected = compiled(X, value), function(X, value)
        pairs = zip(got, expected, strict=True) if type(got) is tuple else [(got, expected)]
        for one, other in pairs:
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(one, other, rtol=1e-15)
    assert compiled.stats()["compiles"] <= 2


def test_errors_of_a_number_that_is_a_symbol():
    compiled = qn.compile(by_index, fullgraph=True)
    for k in (1, 2, 3):
        compiled(X, k)
    with pytest.raises(IndexError, match="index 20 is out of bounds for axis 0 with size 16"):
        compiled(X, 20)
    compiled = qn.compile(by_math, fullgraph=True)
    compiled(X, 1.0)
    compiled(X, 2.0)
    with pytest.raises(ValueError, match="math domain error"):
        compiled(X, math.inf)


def test_several_numbers():
    compiled = qn.compile(by_several, fullgraph=True)
    for k in range(1, 12):
        for a in (0.5, 2.0, k / 4):
            np.testing.assert_allclose(compiled(X, a, k), by_several(X, a, k), rtol=1e-15)
    assert compiled.stats()["compiles"] <= 4


def powers(x, k):
    return np.diag(x, k)


def test_a_number_that_types_or_shapes_depend_on_has_a_bound():
    compiled = qn.compile(powers)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(30):
            np.testing.assert_array_equal(compiled(X, k), powers(X, k))
    assert compiled.stats()["compiles"] == 8
    assert compiled.stats()["fallbacks"] == 22
    assert len(caught) == 1
    assert "the value of `k` has to be part of the program" in str(caught[0].message)


def flattened(x):
    y = x.reshape(-1)
    y[0] = 5.0
    return y


def call_with_strides(compiled):
    for n in range(20):
        compiled(np.ones((12, 40 + n))[:, :9])


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_strides_that_have_to_be_known_have_a_bound():
    compiled = qn.compile(flattened)
    for n in range(2, 40):  # the strides of a C-ordered array follow from its shape
        compiled(np.ones((n, 2 * n)))
    assert compiled.stats()["fallbacks"] == 0
    wide = np.ones((12, 40))
    for n in range(2, 40):
        view, other = wide.copy()[:, :n], wide.copy()[:, :n]
        np.testing.assert_array_equal(compiled(view), flattened(other))
        np.testing.assert_array_equal(view, other)
    for n in range(2, 40):
        view, other = np.ones((12, 40 + n))[:, :9], np.ones((12, 9))
        np.testing.assert_array_equal(compiled(view), flattened(other.copy()))
        np.testing.assert_array_equal(view, other)
    assert compiled.stats()["fallbacks"] > 0 and compiled.stats()["compiles"] <= 20
    full = qn.compile(flattened, fullgraph=True)
    with pytest.raises(UnsupportedError, match="the strides of `x` have to be part of the"):
        call_with_strides(full)


def test_static_programs_keep_their_numbers():
    compiled = qn.compile(by_turns, dynamic=False)
    for k in range(1, 5):
        assert compiled(X, k) == by_turns(X, k)
    assert compiled.stats()["compiles"] == 4


def test_the_reason_says_what_is_another_value():
    compiled = qn.compile(by_slice, fullgraph=True)
    compiled(X, 3)
    compiled(X, 4)
    assert compiled.stats()["recompile_reasons"] == ["k was 3, is 4"]
    compiled(X[::2], 4)
    assert compiled.stats()["recompile_reasons"][1:] == [
        "x was float64[16], is float64[8] with strides"
    ]


def test_numbers_that_programs_on_disk_were_made_for_count(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    compiles = []
    for value in (0.25, 1.5, 2.5, 0.75):  # each as in a process of its own
        compiled = qn.compile(by_several, fullgraph=True)
        np.testing.assert_allclose(compiled(X, value, 3), by_several(X, value, 3), rtol=1e-15)
        compiles.append(compiled.stats()["compiles"])
    assert compiles == [1, 1, 0, 0]


FACTOR = 2.0


def by_factor(x, k):
    return x[k] * FACTOR


def test_sizes_that_are_symbols_of_programs_on_disk_count(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    compiled = qn.compile(by_factor, fullgraph=True)
    for size in (5, 6):
        compiled(np.arange(size), 2)
    assert compiled.stats()["compiles"] == 2
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    compiled = qn.compile(by_factor, fullgraph=True)
    for size in (5, 6, 7):
        assert compiled(np.arange(size), 2) == by_factor(np.arange(size), 2)
    assert compiled.stats()["compiles"] == 1


def test_sizes_of_other_processes_have_programs_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    for size in (5, 6, 7):
        compiled = qn.compile(by_index, fullgraph=True)
        assert compiled(np.arange(size), 2) == by_index(np.arange(size), 2)
        assert compiled.stats()["compiles"] == 1


def in_containers(pair, named):
    return pair[0][named["k"] :].sum() * math.cos(pair[1])


def test_numbers_in_containers_count(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    compiles = []
    for n in range(4):
        compiled = qn.compile(in_containers, fullgraph=True)
        pair, named = (np.arange(5.0), 0.5 + n), {"k": 1 + n}
        np.testing.assert_allclose(compiled(pair, named), in_containers(pair, named), rtol=1e-15)
        compiles.append(compiled.stats()["compiles"])
    assert compiles == [1, 1, 0, 0]


def test_programs_on_disk_do_not_count_where_each_call_has_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    for n in (1, 2, 3, 1):
        compiled = qn.compile(by_turns, dynamic=False)
        assert compiled(X[: 5 + n], n) == by_turns(X, n)
    assert (compiled.stats()["compiles"], compiled.stats()["disk_hits"]) == (0, 1)


def test_values_on_disk_are_no_part_of_the_bound(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    for k in range(20):
        compiled = qn.compile(powers, fullgraph=True)
        np.testing.assert_array_equal(compiled(X, k), powers(X, k))


def applied(f, x):
    return f(x, 2.0)


def twice(x, y):
    return x * y + y


CODE = """
import sys
import numpy as np
import quernel as qn
from {module} import applied, twice
compiled = qn.compile(applied, fullgraph=True)
for f in (twice, np.subtract):
    assert np.array_equal(compiled(f, np.arange(4.0)), f(np.arange(4.0), 2.0))
print(compiled.stats()["compiles"], compiled.stats()["disk_hits"])
"""


def test_functions_as_arguments_are_found_on_disk(tmp_path):
    code = CODE.format(module=__name__)
    environment = {**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert told == [["2", "0"], ["0", "2"]]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_processes_add_few_programs_where_a_number_keeps_differing():
    def scaled(x, k):
        parts = []
        if k:
            parts.append(x * k)
        return parts[0] if parts else x

    x, compiles = np.ones(3), []
    for number in range(1, 8):  # each as a process of its own: it knows what is on disk alone
        compiled = qn.compile(scaled)
        for k in (number, number + 0.25, number + 0.5):
            np.testing.assert_array_equal(compiled(x, float(k)), scaled(x, k))
        compiles.append(compiled.stats()["compiles"])
    assert compiles == [3, 3, 3, 1, 1, 1, 1]
