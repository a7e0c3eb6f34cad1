"""What puts compiled functions into a package, and what compares the runs of its tests."""

from __future__ import annotations

import argparse
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

from .__main__ import Suite, compare, run, take_faster, too_slow
from .replace import Replaced

CODE = """
import numpy as np
from functools import wraps

def doubled(x):
    return 2 * x

TABLE = {"doubled": doubled}

class Tree:
    count = 3

    def __init__(self, x):
        self.x = x

    def grown(self, by):
        return self.x + by

    @staticmethod
    def halved(x):
        return x / 2

    @classmethod
    def made(cls, x):
        return cls(doubled(x))

    @property
    def height(self):
        return self.x.max()

    def text(self):
        return str(self.x)
"""

TEST = """
import numpy as np
from orchard import Tree, doubled, fruit
from orchard.fruit import ripe

def test_doubled():
    assert (doubled(np.ones(3)) == 2).all() and ripe(np.ones(3)) == 6

def test_which():
    assert type(doubled).__name__ == "function"
"""


@pytest.fixture
def orchard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "orchard"
    (folder / "tests").mkdir(parents=True)
    (folder / "__init__.py").write_text(CODE)
    (folder / "fruit.py").write_text(
        "from . import doubled\ndef ripe(x):\n    return doubled(x).sum()\n"
    )
    (folder / "broken.py").write_text("import a_package_that_is_not_there\n")
    (folder / "tests" / "__init__.py").write_text("")
    (folder / "tests" / "test_orchard.py").write_text(TEST)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "orchard"]:
        del sys.modules[name]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_every_function_is_replaced(orchard) -> None:
    replaced = Replaced("orchard")
    import orchard as package
    from orchard import fruit

    tree = package.Tree.made(np.arange(3.0))
    assert (tree.height, package.Tree.halved(4.0), package.Tree.count) == (4.0, 2.0, 3)
    np.testing.assert_array_equal(tree.grown(1), [1.0, 3.0, 5.0])
    assert fruit.ripe(np.ones(3)) == 6
    assert fruit.doubled is package.doubled is package.TABLE["doubled"]
    assert not inspect.isfunction(package.doubled)
    names = {function.__qualname__ for function in replaced.functions}
    assert names == {
        "doubled",
        "ripe",
        *(f"Tree.{name}" for name in ("__init__", "grown", "halved", "made", "height", "text")),
    }
    assert replaced.compiles() > 0 and not replaced.refusals()
    assert tree.text() == "[0. 2. 4.]"
    assert any("the text of an array" in reason for reason in replaced.refusals())


def test_a_run_notes_outcomes(orchard, tmp_path) -> None:
    options = argparse.Namespace(downloads=tmp_path, k="")
    plain = run(Suite("orchard"), options, str(tmp_path), compiled=False)
    warm = run(Suite("orchard"), options, str(tmp_path), compiled=True)
    outcomes = [[test["outcome"] for test in r["tests"].values()] for r in (plain, warm)]
    assert outcomes == [["passed", "passed"], ["passed", "failed"]]
    (fault,) = compare(plain["tests"], warm["tests"], plain["tests"])
    assert "test_which failed (cold cache)" in fault


def test_what_is_told() -> None:
    def outcomes(**tests: tuple) -> dict:
        return {name: {"outcome": how, "seconds": took} for name, (how, took) in tests.items()}

    plain = outcomes(a=("passed", 1.0), b=("failed", 1.0), c=("passed", 1.0), d=("passed", 1.0))
    same = outcomes(a=("passed", 3.0), b=("failed", 9.0), c=("passed", 1.0), d=("passed", 1.0))
    assert compare(plain, same, same) == []
    assert too_slow(plain, same) == []
    slow = {**same, **outcomes(a=("passed", 3.5))}
    assert too_slow(plain, slow) == ["a takes 3.50 s, 1.00 s in NumPy"]
    short = outcomes(e=("passed", 0.01)), outcomes(e=("passed", 0.19)), outcomes(e=("passed", 0.21))
    assert too_slow(short[0], short[1]) == []
    assert too_slow(short[0], short[2]) == ["e takes 0.21 s, 0.01 s in NumPy"]
    failing = {**same, **outcomes(c=("failed", 1.0))}
    assert compare(plain, failing, same) == ["c failed (cold cache): "]
    assert compare(plain, same, failing) == ["c failed (warm cache): "]
    missing = {name: test for name, test in same.items() if name != "d"}
    assert compare(plain, same, missing) == ["d missing (warm cache): "]


def test_the_faster_of_two_runs_counts() -> None:
    first = {name: {"outcome": "passed", "seconds": 2.0} for name in "abc"}
    second = {
        "a": {"outcome": "passed", "seconds": 1.0},
        "b": {"outcome": "failed", "seconds": 1.0},
    }
    take_faster(first, second)
    assert [test["seconds"] for test in first.values()] == [1.0, 2.0, 2.0]
