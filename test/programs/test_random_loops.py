"""Random programs of loops, branches, views and carried names, against NumPy."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_loops
from whole import same_call

import quernel as qn

SIZES = (4, 7, 3, 33)
SEEDS = range(24)


def arguments(n: int) -> tuple[np.ndarray, ...]:
    """Quarters, so that sums are exact, and small integers."""
    rng = np.random.default_rng(n)
    a, b, d = (rng.integers(-8, 9, shape) / 4 for shape in (n, (n, n), n))
    return a, b, rng.integers(-5, 9, n), d


def function_of(text: str, path: Path) -> Any:
    """The function that a text defines; its file is there to be read."""
    path.write_text(text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"np": np}
    exec(compile(text, str(path), "exec"), names)
    return names["compute"]


def is_valid(function: Any) -> bool:
    """Whether NumPy runs the program: names may be unbound, positions too far."""
    try:
        with np.errstate(all="ignore"):
            for n in SIZES:
                function(*arguments(n))
    except (ArithmeticError, LookupError, NameError, TypeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops(seed: int, tmp_path: Path) -> None:
    text = random_loops.text(random_loops.program(seed))
    function = function_of(text, tmp_path / "program.py")
    if not is_valid(function):
        pytest.skip("NumPy refuses the program")
    compiled = qn.compile(function)
    with warnings.catch_warnings():
        # What the compiler refuses runs in NumPy; here answers count.
        warnings.simplefilter("ignore", qn.errors.FallbackWarning)
        for n in SIZES:
            same_call(compiled, function, arguments(n), 1e-9, either=True)


def test_most_are_compiled(tmp_path: Path) -> None:
    valid = whole = 0
    for seed in range(8):
        text = random_loops.text(random_loops.program(seed))
        function = function_of(text, tmp_path / f"program{seed}.py")
        if is_valid(function):
            valid += 1
            try:
                qn.compile(function, fullgraph=True)(*arguments(4))
                whole += 1
            except qn.errors.UnsupportedError:
                pass
    assert valid >= 6 and whole > valid / 2
