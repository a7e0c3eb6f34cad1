"""Programs with control flow, compared with NumPy in results and in what they write."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from support import assert_same

import quernel as qn


class Cases:
    """Collects functions with their arguments; parametrize a test with `rows` and `names`."""

    def __init__(self) -> None:
        self.rows: list[tuple[Callable[..., Any], tuple]] = []

    def __call__(self, *args: Any) -> Callable[[Any], Any]:
        """Add the decorated function with these arguments."""

        def add(function: Any) -> Any:
            self.rows.append((function, args))
            return function

        return add


def name_of(part: Any) -> str:
    """The id of a test's parameter."""
    return getattr(part, "__name__", "")


def check_program(function: Callable[..., Any], args: tuple) -> Any:
    """Compile a function whole and compare a call with Python's: results and arguments."""
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(2):
        own, plain = copy.deepcopy(args), copy.deepcopy(args)
        want = function(*plain)
        assert_same(compiled(*own), want, ulp=8)
        assert_same(own, plain, ulp=8)
    assert compiled.stats()["fallbacks"] == 0
    return compiled
