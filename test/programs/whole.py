"""Compile a program whole, and hold everything that it does against NumPy."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from support import assert_same

import quernel as qn


class Program:
    """A program and what makes its arguments from a size and a random generator."""

    def __init__(
        self, function: Callable[..., Any], make: Callable[..., tuple], **how: Any
    ) -> None:
        self.function = function
        self.make = make
        self.sizes = how.pop("sizes", (5, 8, 13))
        self.scale = how.pop("scale", 1e-12)
        # Where the data decide whether a number is Python's or NumPy's, either is right.
        self.either = how.pop("either", False)
        assert not how

    @property
    def name(self) -> str:
        return self.function.__name__

    def check(self, **options: Any) -> Any:
        """Static sizes at first, then dynamic ones; the compiled function."""
        compiled = qn.compile(self.function, fullgraph=True, **options)
        for n in self.sizes:
            args = self.make(n, np.random.default_rng(n))
            same_call(compiled, self.function, args, self.scale, self.either)
        assert compiled.stats()["fallbacks"] == 0
        return compiled


def same_call(
    compiled: Any, function: Any, args: tuple, scale: float = 1e-12, either: bool = False
) -> None:
    """Result or exception, arguments afterwards, and what shares memory with what."""
    theirs, ours = copy.deepcopy(args), copy.deepcopy(args)
    want, got = outcome(function, theirs), outcome(compiled, ours)
    if either:
        assert_same(plain(got), plain(want), scale=scale)
    else:
        assert_same(got, want, scale=scale)
    assert_same(ours, theirs, scale=scale)
    assert shared(got, ours) == shared(want, theirs)


def outcome(function: Any, args: tuple) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return function(*args)
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            return type(error).__name__, str(error)


def plain(result: Any) -> Any:
    """A result with Python's numbers for NumPy's."""
    if isinstance(result, tuple):
        return tuple(map(plain, result))
    return result.item() if isinstance(result, np.generic) else result


def shared(result: Any, args: tuple) -> list[list[bool]]:
    """Which arrays of a result share memory with which arguments."""
    results = result if isinstance(result, tuple) else (result,)
    arrays = [x for x in results if isinstance(x, np.ndarray)]
    passed = [x for x in args if isinstance(x, np.ndarray)]
    return [[np.shares_memory(x, y) for y in passed] for x in arrays]
