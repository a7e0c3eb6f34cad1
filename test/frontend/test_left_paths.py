"""Paths that can't be captured: a call that comes to one runs in NumPy, the others don't."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import quernel as qn

LOG = logging.getLogger("left_paths")
GOOD, BAD = np.arange(1.0, 6.0), -1e5 * np.arange(1.0, 6.0)


class Holder:
    def __init__(self):
        self.count = 0


HOLDER = Holder()


def prints(x):
    s = x.sum()
    if s < -1e3:
        print("too small:", s)
    return x / s


def logs_after_writing(x):
    x *= 2
    s = x.sum()
    if s < -1e3:
        x[0] = 3
        LOG.warning("too small: %s", x.tolist())
    x += 1
    return x / s


def prints_in_a_loop(x):
    s = x.sum()
    for k in range(50):
        s = s * 0.5
        x[k % 5] += s
        if s < -1e3:
            print(f"iteration {k}: {s:.3f}")
    return x


def prints_each_of_none(x):
    for k in np.flatnonzero(x < -1e3):
        print("too small:", k)
    return x + 1


def helper(v):
    if v[0] < -1e3:
        print("helper", v[0])
        return v[::-1]
    return v * 2


def in_a_helper(x):
    x[1] = 7
    return helper(x) + 1


def in_an_expression(x):
    return x + (print("low") or 1 if x[0] < -1e3 else 2)


def in_a_comparison(x):
    return x if x[0] > -1e3 or print(x[0]) else x + 1


def in_a_try(x):
    try:
        y = 1 / int(x[0] > -1e3)
    except ZeroDivisionError:
        print("zero")
        y = 0.0
    else:
        if x[1] < -1e3:
            print("one")
    finally:
        x[2] = 4
    return y


def counts_on_an_object(x):
    HOLDER.count += 1
    if x[0] < -1e3:
        print("count", HOLDER.count)
        HOLDER.count += 10
    return x * HOLDER.count


def does_what_nobody_captures(x):
    y = x * 2
    if y[0] < -1e3:
        y = np.array(sorted(str(y[0])), dtype="U1")
    return y


def keeps_a_list(x, found):
    if x[0] < -1e3:
        found.append(x.sum())
    return x + len(found)


FUNCTIONS = [
    prints, logs_after_writing, prints_in_a_loop, prints_each_of_none, in_a_helper,
    in_an_expression, in_a_comparison, in_a_try, counts_on_an_object, does_what_nobody_captures,
]  # fmt: skip


def outcome(function, x):
    """What a call gives, prints and logs, and what it leaves behind."""
    x, printed, HOLDER.count = x.copy(), io.StringIO(), 0
    handler = logging.StreamHandler(printed)
    LOG.addHandler(handler)
    try:
        with contextlib.redirect_stdout(printed):
            return repr(function(x)), printed.getvalue(), x.tolist(), HOLDER.count
    finally:
        LOG.removeHandler(handler)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_path_that_is_not_taken_costs_nothing(function, capsys) -> None:
    compiled = qn.compile(function)
    for _ in range(3):
        assert outcome(compiled, GOOD) == outcome(function, GOOD)
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] == 1
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match="runs in NumPy"):
        assert outcome(compiled, BAD) == outcome(function, BAD)
    assert outcome(compiled, BAD) == outcome(function, BAD)  # without another warning
    assert compiled.stats()["fallbacks"] == 2
    assert outcome(compiled, GOOD) == outcome(function, GOOD)
    assert compiled.stats()["fallbacks"] == 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_path_that_most_calls_take_is_refused(function) -> None:
    compiled = qn.compile(function)
    for x in (BAD, GOOD, BAD, BAD, GOOD):
        assert outcome(compiled, x) == outcome(function, x)
    assert compiled.stats()["fallbacks"] == 5


def test_a_whole_function_tells_the_path_that_it_lacks() -> None:
    compiled = qn.compile(prints, fullgraph=True)
    for x in (BAD, GOOD, BAD):
        if x is GOOD:
            np.testing.assert_array_equal(compiled(x), prints(x))
            continue
        with pytest.raises(qn.errors.UnsupportedError, match=r"print\(\) has an effect") as caught:
            compiled(x)
        assert caught.value.line == prints.__code__.co_firstlineno + 3
    assert "calls that come here run in NumPy: print() has" in str(compiled.explain(GOOD))


def test_sizes_that_vary_stay_symbols() -> None:
    compiled = qn.compile(prints_in_a_loop, fullgraph=True)
    for n in range(5, 25):
        x = np.arange(float(n))
        assert outcome(compiled, x) == outcome(prints_in_a_loop, x)
    assert compiled.stats()["compiles"] + compiled.stats()["disk_hits"] <= 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_an_argument_that_is_changed_on_a_path() -> None:
    compiled = qn.compile(keeps_a_list)
    for x in (GOOD, GOOD, BAD, GOOD):
        results = []
        for function in (compiled, keeps_a_list):
            found: list = []
            results.append((function(x, found).tolist(), found))
        assert results[0] == results[1]


SCRIPT = """
import json, sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("ignore")
import numpy as np
import quernel as qn
from test_left_paths import BAD, GOOD, outcome, prints
compiled = qn.compile(prints)
answers = [outcome(compiled, x) == outcome(prints, x) for x in ({order})]
stats = compiled.stats()
print(json.dumps([answers, stats["compiles"], stats["disk_hits"], stats["fallbacks"]]))
"""


def test_programs_from_disk_leave_paths_too(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    for order, counts in (("GOOD, BAD, GOOD", [1, 0, 1]), ("GOOD, GOOD, BAD", [0, 1, 1])):
        script = SCRIPT.format(folder=os.path.dirname(__file__), order=order)
        ran = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True
        )
        answers, *found = json.loads(ran.stdout)
        assert all(answers)
        assert found == counts
