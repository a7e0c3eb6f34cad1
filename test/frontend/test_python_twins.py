"""Functions of Python's that are in C, captured from the Python sources that there are of them."""

from __future__ import annotations

import bisect
import heapq
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


def heap_of_known_keys(x: np.ndarray) -> np.ndarray:
    heap: list = []
    for key in (3, 1, 2, 5, 4):
        heapq.heappush(heap, (key, x[key - 1]))
    return np.array([heapq.heappop(heap)[1] for _ in range(5)])


def heap_with_all(x: np.ndarray) -> Any:
    heap = [4, 2, 7, 1]
    heapq.heapify(heap)
    first = heapq.heapreplace(heap, 9)
    return heapq.heappushpop(heap, 0), first, heap, heapq.nlargest(2, heap), x * heap[0]


def heapify(x: np.ndarray) -> None:
    heapq.heapify(x)


def empty(x: np.ndarray) -> Any:
    return heapq.heappop([])


def inserted(x: np.ndarray) -> Any:
    items = [1, 3, 5]
    bisect.insort(items, 4)
    return items, x[bisect.bisect_left(items, 3)]


def weights(x: np.ndarray) -> list:
    edges = [1.5, 2.5, 3.5]
    return [bisect.bisect(edges, value) for value in x]


def interpolated(x: np.ndarray, at: float) -> float:
    order = np.sort(x)
    k = min(max(bisect.bisect_right(order, at), 1), len(order) - 1)
    return order[k - 1] + (at - order[k - 1]) * (order[k] - order[k - 1])


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (heap_of_known_keys, (X,)),
        (heap_with_all, (X,)),
        (inserted, (X,)),
        (weights, (X,)),
        (interpolated, (X, 2.25)),
        (interpolated, (X, -7.0)),
        (lambda x: heapq.nsmallest(2, [3, 1, 2]), (X,)),
        (lambda x: statistics._normal_dist_inv_cdf(0.3, 0.0, 1.0) * x, (X,)),
    ],
)
def test_as_pythons(function: Callable, args: tuple) -> None:
    compiled = qn.compile(function, fullgraph=True)
    expected, found = function(*args), compiled(*args)
    np.testing.assert_equal(found, expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize("function", [empty, lambda x: bisect.bisect_left(x, 2.0, lo=-1)])
def test_errors_are_pythons(function: Callable) -> None:
    texts = []
    for each in (function, qn.compile(function, fullgraph=True)):
        with pytest.raises((IndexError, ValueError)) as raised:
            each(X)
        texts.append((raised.type, str(raised.value)))
    assert texts[0] == texts[1]


def test_lookups_while_data_say() -> None:
    def place(x: float) -> int:
        edges, low, high = [1.0, 2.0, 4.0, 8.0, 9.0, 10.0], 0, 6
        while low < high:
            middle = (low + high) // 2
            if x < edges[middle]:
                high = middle
            else:
                low = middle + 1
        return low

    compiled = qn.compile(place, fullgraph=True)
    for number in (0.0, 3.0, 8.0, 11.0):
        assert compiled(number) == place(number)


def test_a_heap_that_is_no_list_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"heapq.heapify\(\) of what isn't a list"):
        qn.compile(heapify, fullgraph=True)(X)
