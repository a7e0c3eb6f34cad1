"""A compile that would take too long is given up: the statement at fault runs in NumPy."""

from __future__ import annotations

import io
import math
import sys
import time
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.call import progress
from quernel.traced.effort import Effort, Unrolling

X = np.arange(6.0) + 1


def unrolled(x):
    total = x * 2
    for k in range(900):
        parts = total.reshape(k % 2 + 1, -1)
        total = np.cos(parts * 0.5).ravel() + np.sin(parts + k).ravel() * np.exp(-parts).ravel()
    return total


def around(x):
    before = np.sqrt(x).sum()
    between = unrolled(x)
    return before * between + np.sin(x)


def test_a_loop_that_is_captured_one_by_one_is_foreseen():
    start = time.process_time()
    with pytest.raises(qn.errors.UnsupportedError) as caught:
        qn.compile(unrolled, fullgraph=True, compile_limit=0.5)(X)
    assert time.process_time() - start < 5
    text = str(caught.value)
    assert "a loop of 900 iterations that are captured one by one" in text
    assert "compiling it would take more than 0.5 s" in text
    assert "compile_limit=" in text
    assert caught.value.line in range(20, 25)


def test_the_statement_runs_in_numpy_with_one_warning_and_what_is_around_is_compiled():
    compiled = qn.compile(around, compile_limit=0.5)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        answers = [compiled(X), compiled(X)]
    np.testing.assert_allclose(answers, [around(X)] * 2)
    texts = [str(one.message) for one in seen if one.category is qn.FallbackWarning]
    assert len(texts) == 1
    assert "is compiled except for a statement" in texts[0]
    assert compiled.stats()["compiles"] >= 1


def test_many_operations_are_too_long():
    def many(x):
        return [[x * k + j for k in range(40)] for j in range(40)]

    with pytest.raises(qn.errors.UnsupportedError, match=r"more than 400 operations: compiling"):
        qn.compile(many, fullgraph=True, compile_limit=0.4)(X)


def test_without_a_limit_nothing_is_too_long():
    def some(x):
        for k in range(120):
            x = np.sin(x) * len(str(k))
        return x

    compiled = qn.compile(some, fullgraph=True, compile_limit=None)
    np.testing.assert_allclose(compiled(X), some(X))


class Refusing:
    """A tracer of which nothing but the limit is asked."""

    def __init__(self, limit):
        class Choices:
            effort = Effort(limit)

        self.choices, self.operations = Choices, 0.0

    def fail(self, reason, hint):
        raise qn.errors.UnsupportedError(reason, hint)


def use_up(effort, tracer):
    while True:
        effort.check(tracer)


def test_what_was_refused_stays_refused():
    tracer = Refusing(0.02)
    effort = tracer.choices.effort
    with pytest.raises(qn.errors.UnsupportedError, match="what is captured here takes too long"):
        use_up(effort, tracer)
    with pytest.raises(qn.errors.UnsupportedError) as caught:
        effort.check(tracer)
    assert caught.value is effort.error


def test_iterations_that_are_left_count():
    tracer = Refusing(math.inf)
    Unrolling(10**9).check(tracer, 1)
    tracer = Refusing(1.0)
    loop = Unrolling(10**9)
    loop.check(tracer, 0)
    while time.thread_time() - loop._begun == 0:
        pass
    with pytest.raises(qn.errors.UnsupportedError, match="a loop of 1000000000 iterations"):
        loop.check(tracer, 1)


@pytest.mark.parametrize(
    ("limit", "error", "text"),
    [
        ("5", TypeError, "compile_limit must be a number or None, not str"),
        (True, TypeError, "compile_limit must be a number or None, not bool"),
        (0, ValueError, "compile_limit must be more than 0, not 0"),
        (-1.5, ValueError, "compile_limit must be more than 0, not -1.5"),
        (math.nan, ValueError, "compile_limit must be more than 0, not nan"),
    ],
)
def test_other_limits_are_refused(limit, error, text):
    with pytest.raises(error, match=text):
        qn.compile(unrolled, compile_limit=limit)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compiled_slowly(monkeypatch):
    monkeypatch.setattr(progress, "_SILENT", 0.0)
    with progress.announced(around):
        time.sleep(0.2)


def test_a_long_compile_says_so_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    compiled_slowly(monkeypatch)
    line = around.__code__.co_firstlineno
    assert sys.stderr.getvalue() == f"quernel: compiling around ({__file__}:{line}) ...\n"


def test_a_long_compile_says_so_in_the_log_where_there_is_no_terminal(monkeypatch, caplog):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with caplog.at_level("INFO", logger="quernel"):
        compiled_slowly(monkeypatch)
    assert sys.stderr.getvalue() == ""
    assert [record.name for record in caplog.records] == ["quernel"]
    assert "compiling around" in caplog.text


def test_a_quick_compile_says_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress.announced(around):
        pass
    time.sleep(0.05)
    assert sys.stderr.getvalue() == ""
