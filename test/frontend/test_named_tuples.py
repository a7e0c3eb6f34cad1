"""Named tuples: as results, on one of two paths, and from turn to turn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

X = np.linspace(-1, 4, 12)
Fit = namedtuple("Fit", "slope intercept residuals")
cases = Cases()


class Step(NamedTuple):
    point: Any
    size: float = 1.0

    def halved(self):
        return self._replace(size=self.size / 2)


@cases(X, X**2)
def line(x, y):
    centre = x - x.mean()
    slope = (centre * y).sum() / (centre * centre).sum()
    intercept = y.mean() - slope * x.mean()
    return {"fit": Fit(slope, intercept, y - slope * x - intercept)}


@cases(X)
@cases(-X)
def on_paths(x):
    if x.sum() > 0:
        x = x * 2
        found = Step(x, 3.0)
    else:
        found = Step(x + 1)
    return found, found.size


@cases(X, 7)
def in_turns(x, n):
    step = Step(x)
    for _ in range(n):
        step = step.halved()
        step = Step(step.point + step.size, step.size)
    return step


@cases(X)
def twice_in_a_result(x):
    fit = Fit(x, 1, None)
    return fit, [fit]


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_named_tuples(function: Any, args: tuple) -> None:
    check_program(function, args)


def test_one_object() -> None:
    first, (second,) = qn.compile(twice_in_a_result, fullgraph=True)(X)
    assert first is second


def test_a_class_that_isn_t_found() -> None:
    local = namedtuple("Local", "a b")
    with pytest.raises(qn.errors.UnsupportedError, match="returning an object of type Local"):
        qn.compile(lambda x: local(x, x + 1), fullgraph=True)(X)


PROGRAM = """
import numpy as np, quernel as qn
from test_named_tuples import line
compiled = qn.compile(line, fullgraph=True)
print(type(compiled(np.arange(5.0), np.ones(5))["fit"]).__name__, compiled.stats()["disk_hits"])
"""


def test_a_class_of_a_program_on_disk(tmp_path) -> None:
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.join(here, "..", "numpy"), *sys.path])
    env = os.environ | {"QUERNEL_CACHE_DIR": str(tmp_path), "PYTHONPATH": path}
    for hits in (0, 1):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
        )
        assert run.stdout.split() == ["Fit", str(hits)]
