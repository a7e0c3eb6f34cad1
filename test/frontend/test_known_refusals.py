"""Refusals that another process has noted: told without a capture, as long as they may hold."""

import importlib
import os
import sys
import types

import numpy as np
import pytest

import quernel as qn
from quernel.cache import store
from quernel.capture import trace
from quernel.errors import UnsupportedError

CODE = """
import numpy as np

factor = 3.0
table = {"a": np.ma.array([2.0, 3.0])}

def helper(x):
    return np.from_dlpack(x)

def by_helper(x):
    return helper(x)[0] * factor

def by_table(x):
    return x * sum(table.values())

def with_cell():
    made = lambda x: np.from_dlpack(x)
    def inner(x):
        return made(x)
    return inner
"""

HELPING = """
import numpy as np

scale = 2.0

def scaled(x):
    return x * scale

def halves(x):
    return np.from_dlpack(x)
"""

IMPORTING = """
def imports(x):
    from helping import scaled
    return scaled(x) + 1

def imports_what_is_refused(x):
    import helping
    return helping.halves(x)

def by_module(x, tools):
    return tools.scaled(x)
"""

pytestmark = pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module whose functions are refused, and an empty cache."""
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "refusing.py").write_text(CODE)
    importlib.invalidate_caches()
    yield importlib.import_module("refusing")
    del sys.modules["refusing"]


@pytest.fixture
def attempts(monkeypatch):
    """The functions that were captured."""
    seen, attempt = [], trace._attempt

    def noted(function, *args):
        seen.append(function.__name__)
        return attempt(function, *args)

    monkeypatch.setattr(trace, "_attempt", noted)
    return seen


def told(function, *args):
    """Why a function that was compiled anew, as in another process, isn't compiled."""
    compiled = qn.compile(function)
    np.testing.assert_array_equal(compiled(*args), function(*args))
    return [str(item) for item in compiled.stats.__self__.fallbacks]


X = np.array([3.0, 1.0])


@pytest.mark.parametrize("name", ["by_helper", "by_table"])
def test_a_refusal_is_noted(module, attempts, name):
    function = getattr(module, name)
    first = told(function, X)
    assert first and name in attempts
    attempts.clear()
    assert told(function, X) == first
    assert name not in attempts


def test_it_is_told_as_where_it_was_found(module, attempts):
    texts = []
    for _ in range(2):
        compiled = qn.compile(module.by_helper, fullgraph=True)
        with pytest.raises(UnsupportedError) as caught:
            compiled(X)
        texts.append(str(caught.value))
    assert texts[0] == texts[1] and "refusing.py:8, in helper" in texts[0]
    assert attempts == ["by_helper"]


def test_it_holds_for_such_calls_alone(module, attempts):
    told(module.by_helper, X)
    attempts.clear()
    told(module.by_helper, np.arange(3))
    assert "by_helper" in attempts


@pytest.mark.parametrize("name", ["factor", "helper"])
def test_it_holds_as_long_as_what_the_function_reads_is_the_same(module, attempts, name):
    told(module.by_helper, X)
    attempts.clear()
    setattr(module, name, 4.0 if name == "factor" else lambda x: x + 1)
    refusals = told(module.by_helper, X)
    read = name == "helper"  # the capture ended before it read the factor
    assert ("by_helper" in attempts) == read and (refusals == []) == read


def test_it_ends_with_another_type_of_what_can_not_be_described(module, attempts):
    assert told(module.by_table, X)
    attempts.clear()
    module.table = types.SimpleNamespace(values=lambda: [7.0])
    assert told(module.by_table, X) == [] and "by_table" in attempts


def test_it_ends_with_another_dict_of_a_changed_file(module, attempts):
    assert told(module.by_table, X)
    attempts.clear()
    module.table = {(1, 2): 2.0}
    os.utime(module.__file__, ns=(1, 1))
    assert told(module.by_table, X) == [] and "by_table" in attempts


def test_it_ends_with_another_file(module, attempts):
    told(module.by_helper, X)
    attempts.clear()
    os.utime(module.__file__, ns=(1, 1))
    told(module.by_helper, X)
    assert "by_helper" in attempts


def test_it_ends_with_another_front_end(module, attempts, monkeypatch):
    told(module.by_helper, X)
    attempts.clear()
    monkeypatch.setattr(store, "BUILD", "another")
    told(module.by_helper, X)
    assert "by_helper" in attempts


def test_a_broken_file_is_as_none(module, attempts):
    told(module.by_helper, X)
    attempts.clear()
    paths = [
        os.path.join(at, name) for at, _, names in os.walk(store.cache_path()) for name in names
    ]
    for path in paths:
        with open(path, "ab") as file:
            file.write(b"x")
    with pytest.warns(RuntimeWarning, match="the record is damaged"):
        assert told(module.by_helper, X)
    assert paths and "by_helper" in attempts


def test_a_function_without_a_file_is_captured_each_time(module, attempts):
    names = {"np": np}
    exec("def unread(x):\n    return np.from_dlpack(x)\n", names)
    for _ in range(2):
        told(names["unread"], X)
    assert attempts == ["unread", "unread"]


def test_refusals_by_a_bound_are_not_noted(module, attempts):
    def diagonal(x, k):
        return np.diag(x, k)

    compiled = qn.compile(diagonal)
    for k in range(10):
        compiled(X, k)
    assert compiled.stats()["fallbacks"] == 2
    assert qn.compile(diagonal, fullgraph=True)(X, 9).shape == (11, 11)


@pytest.fixture
def helping(tmp_path, monkeypatch):
    """A module that functions import, and the one of those functions."""
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "helping.py").write_text(HELPING)
    (tmp_path / "importing.py").write_text(IMPORTING)
    importlib.invalidate_caches()
    yield importlib.import_module("helping"), importlib.import_module("importing")
    for name in ("helping", "importing"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["imports", "by_module"])
def test_programs_find_what_modules_inside_have(helping, monkeypatch, name):
    helper, importing = helping
    function, rest = getattr(importing, name), [helper] * (name == "by_module")

    def compiled():
        made = qn.compile(function, fullgraph=True)
        np.testing.assert_array_equal(made(X, *rest), function(X, *rest))
        return made.stats()["compiles"], made.stats()["disk_hits"]

    assert [compiled(), compiled()] == [(1, 0), (0, 1)]
    if not rest:  # as in a process where nobody has imported it
        sys.modules.pop("helping")
        assert compiled() == (0, 1)
    monkeypatch.setattr(sys.modules["helping"], "scale", 5.0)
    assert compiled() == (1, 0)


def test_refusals_find_what_modules_inside_have(helping, attempts):
    _, importing = helping
    first = told(importing.imports_what_is_refused, X)
    assert "helping.py:10" in first[0]
    count = len(attempts)
    assert told(importing.imports_what_is_refused, X) == first
    assert len(attempts) == count


def test_a_module_that_is_gone_is_no_program(helping, tmp_path):
    _, importing = helping
    made = qn.compile(importing.imports)
    np.testing.assert_array_equal(made(X), importing.imports(X))
    sys.modules.pop("helping")
    (tmp_path / "helping.py").write_text("raise OSError(5)")
    importlib.invalidate_caches()
    with pytest.raises(OSError, match="5"):
        qn.compile(importing.imports)(X)
