"""Programs with control flow, compared with NumPy in results and in what they write."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError


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


class Refused:
    """Collects functions that are refused, with their arguments and a text of the refusal."""

    def __init__(self) -> None:
        self.rows: list[tuple[Callable[..., Any], tuple, str]] = []

    def __call__(self, text: str, *args: Any) -> Callable[[Any], Any]:
        """Add the decorated function, which is refused with this text."""

        def add(function: Any) -> Any:
            self.rows.append((function, args, text))
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


def check_memory(function: Callable[..., Any], compiled: Any, args: tuple) -> None:
    """Compare which results and arguments are one object, and which share memory."""
    relations = []
    for call in (function, compiled):
        own = copy.deepcopy(args)
        arrays = [*_arrays(call(*own)), *_arrays(own)]
        relations.append([(x is y, np.shares_memory(x, y)) for x in arrays for y in arrays])
    assert relations[1] == relations[0]


def _arrays(obj: Any) -> list[np.ndarray]:
    if isinstance(obj, tuple):
        return [array for item in obj for array in _arrays(item)]
    return [obj] if isinstance(obj, np.ndarray) else []


def check_refused(function: Callable[..., Any], args: tuple, text: str) -> None:
    """See that a function isn't compiled, with a text and a line of the function."""
    with pytest.raises(UnsupportedError, match=re.escape(text)) as caught:
        qn.compile(function, fullgraph=True)(*copy.deepcopy(args))
    code = function.__code__
    lines, first = inspect.getsourcelines(function)
    assert caught.value.file == code.co_filename
    assert first <= caught.value.line < first + len(lines)
