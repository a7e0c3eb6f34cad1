"""Long loops of the user's whose turns check places that the data name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from places import by_place

import quernel as qn

COUNT = by_place(5000, 2100)


def gathers(y, x, k):
    for i in range(k.shape[0]):
        y[i] = x[k[i]]
    return y


def counts(y, x, k):
    n = np.zeros(x.shape[0], np.int64)
    for i in range(k.shape[0]):
        n[k[i]] += 1
    return n


def sums(y, x, k):
    total = 0.0
    for i in range(k.shape[0]):
        total += x[k[i]]
    return total


def two_places(y, x, k):
    for i in range(2, k.shape[0] - 1):
        y[i] = x[k[i]] - x[k[i + 1] + 1]
    return y


def conditions(y, x, k):
    for i in range(k.shape[0]):
        if k[i] == 13:
            raise ValueError("thirteen")
        y[i] = x[k[i]]
    return y


def stores_before_it_checks(y, x, k):
    for i in range(k.shape[0]):
        y[i] = 7.0
        y[i] = x[k[i]]
    return y


def follows_what_it_stores(y, x, k):
    for i in range(k.shape[0] - 1):
        k[i + 1] = k[i] + k[i + 1]
        y[i] = x[k[i] % 50]
    return y


def turns_in_turns(y, x, k):
    for step in range(3):
        for i in range(k.shape[0]):
            y[i] += x[k[i] + step]
    return y


FUNCTIONS = [
    gathers,
    counts,
    sums,
    two_places,
    conditions,
    stores_before_it_checks,
    follows_what_it_stores,
    turns_in_turns,
]


def outcome(function: Callable, arrays: list[np.ndarray]) -> tuple:
    arrays = [array.copy() for array in arrays]
    try:
        result = function(*arrays)
    except (IndexError, ValueError) as error:
        result = type(error), str(error)
    return result, arrays


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_checked_loops(function: Callable, dynamic: bool) -> None:
    """The turns before the first one that fails are carried out, and its error is the one."""
    rng = np.random.default_rng(0)
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for wrong in [], [(1300, 99)], [(1800, -71), (1700, 70), (1701, -500)], [(0, 60)], [(-1, 60)]:
        places = rng.integers(-40, 40, COUNT)
        places[places == 13] = 12
        for at, place in wrong:
            places[at] = place
        places[50] = 13 if wrong and function is conditions else 12
        arrays = [rng.normal(size=COUNT), rng.normal(size=60), places]
        result, after = outcome(compiled, arrays)
        expected, expected_after = outcome(function, arrays)
        if isinstance(expected, tuple):
            assert result == expected
        else:
            assert np.result_type(result) == np.result_type(expected)
            np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
        for one, other in zip(after, expected_after, strict=True):
            np.testing.assert_array_equal(one, other)


def test_devices_check_ahead() -> None:
    """Loops that check places have threads for their turns, not one."""
    lowered = qn.compile(gathers, fullgraph=True).lower(
        np.zeros(10**6), np.zeros(60), np.zeros(10**6, np.int64)
    )
    text = lowered.text("cuda")
    gather = text[: text.index("#else")].split("__global__")[-1]
    assert "__launch_bounds__(256)" in gather and "Failure" not in text
