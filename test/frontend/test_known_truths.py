"""What is known while capturing: truths of constants, modules, and what arrays have."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import quernel as qn

X = np.arange(6.0)
BY_FUNCTION = {scipy.linalg.solve: 2.0, np.sin: 3.0}
BY_MODULE = {np: 3.0, math: 4.0, np.linalg: 5.0, (scipy.linalg, 1): 6.0}


def truth_of_constants(x: np.ndarray, y: np.ndarray) -> Any:
    axes = np.array([each.ndim for each in (x, y)])
    if np.all(axes <= 1):
        return x + y
    return "other", x


def truth_of_one(x: np.ndarray, y: np.ndarray) -> Any:
    count = np.array([1, 2, 3])
    return (x, y) if (count.sum() > 5) & (count[0] == 1) else x


def in_a_loop(x: np.ndarray, y: np.ndarray) -> Any:
    found = np.array(0.0)
    for k in range(3):
        if found > 0:
            return found + k, y
        found = found + x.ravel()[k]
    return found


def integers(x: np.ndarray, y: np.ndarray) -> Any:
    size = math.prod(x.shape)
    return None if math.isnan(size) or math.isinf(len(y)) or not math.isfinite(size) else size * x


def by_module(x: np.ndarray, y: np.ndarray) -> Any:
    items = BY_MODULE.get(np, 0.0) + BY_MODULE[math] + BY_MODULE[np.linalg]
    return (items + BY_MODULE.get((scipy.linalg, 1), 0.0)) * x if np in BY_MODULE else y


def by_function(x: np.ndarray, y: np.ndarray) -> Any:
    items = {**BY_FUNCTION, math: 1.0}
    return (items.get(scipy.linalg.solve, 0.0) + items[np.sin]) * x


def attributes(x: np.ndarray, y: np.ndarray) -> Any:
    names = ("__array_namespace__", "to_device", "columns", "__len__", "item")
    return [hasattr(x, name) for name in names], [hasattr(x.sum(), name) for name in names], x


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "function",
    [truth_of_constants, truth_of_one, in_a_loop, integers, by_module, by_function, attributes],
)
def test_what_is_known(function: Any, dynamic: bool | None) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for x, y in ((X, X + 1), (X * 0, X[:1]), (X.reshape(2, 3), X[:3])):
        np.testing.assert_equal(compiled(x, y), function(x, y))


def test_modules_that_are_imported_meanwhile() -> None:
    def f(x: np.ndarray) -> Any:
        return x * 2 if "quernel_of_this_test" in sys.modules else x * sys.modules["math"].pi

    compiled = qn.compile(f, fullgraph=True)
    np.testing.assert_equal(compiled(X), f(X))
    sys.modules["quernel_of_this_test"] = math
    try:
        np.testing.assert_equal(compiled(X), f(X))
    finally:
        del sys.modules["quernel_of_this_test"]
    np.testing.assert_equal(compiled(X), f(X))
