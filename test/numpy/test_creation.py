"""Functions that make arrays, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, check, sample

import quernel as qn

CASES = {
    "zeros": lambda x: (np.zeros(3), np.zeros((2, 3), int), np.zeros((), bool), np.zeros(x.shape)),
    "ones": lambda x: (np.ones(3), np.ones((2, 0)), np.ones(2, dtype="float32")),
    "full": lambda x: (np.full(3, 7), np.full((2, 2), 1.5), np.full(2, x[0]), np.full(2, 3, "f4")),
    "empty": lambda x: np.empty(4).shape,
    "likes": lambda x: (
        np.zeros_like(x),
        np.ones_like(x, dtype=int),
        np.full_like(x, 2),
        np.empty_like(x).shape,
        np.full_like(x, 2, shape=(2, 2)),
    ),
    "arange": lambda x: (
        np.arange(5),
        np.arange(2, 9, 3),
        np.arange(0, 1, 0.1),
        np.arange(5, 0, -2),
        np.arange(3.0),
        np.arange(1, 2, 0.3, dtype=np.float32),
        np.arange(3, dtype=np.int32),
        np.arange(5, 2),
    ),
    "linspace": lambda x: (
        np.linspace(0, 1, 11),
        np.linspace(-3.3, 2.7, 50),
        np.linspace(0, 1, 5, endpoint=False),
        np.linspace(5, 5, 3),
        np.linspace(0, 10, 4, dtype=int),
        np.linspace(1, 2, 1),
        np.linspace(1, 2, 0),
        np.linspace(x[0], x[1], 7),
        np.linspace(0, 1, 5, dtype=np.float32),
    ),
    "eye": lambda x: (np.eye(3), np.eye(2, 4, 1), np.eye(3, k=-1, dtype=int), np.identity(2)),
    "triangles": lambda x: (
        np.tri(3),
        np.tri(2, 4, 1, dtype=int),
        np.tril(np.ones((3, 3))),
        np.triu(np.ones((3, 4)), 1),
    ),
    "array": lambda x: (
        np.array([1, 2, 3]),
        np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32),
        np.array([x[0], 1.0, x[1]]),
        np.asarray(x),
        np.array(x, ndmin=2),
        np.array(2.5),
        np.copy(x),
        x.copy(),
    ),
    "meshgrid": lambda x: (
        *np.meshgrid(x, x[:2]),
        *np.meshgrid(x, x[:2], indexing="ij"),
        *np.meshgrid(x, x[:3], sparse=True),
    ),
    "constants": lambda x: (x * np.pi, x + np.e, np.where(x > 0, np.inf, -np.inf), x + np.nan),
    "limits": lambda x: (
        x * np.finfo(x.dtype).eps,
        x + np.finfo(np.float32).max,
        np.iinfo(int).max,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_creation(name: str) -> None:
    check(CASES[name], sample("float64", (4,)))


def test_default_float() -> None:
    @qn.compile(default_float="float32", fullgraph=True)
    def compute(n):
        return np.zeros(3), np.arange(3.0), np.linspace(0, 1, 4), n * 0.5, np.array([1.5]), n / 2

    got = compute(np.arange(3))
    assert [a.dtype.name for a in got] == ["float32"] * 5 + ["float64"]
    assert_same(got[3], np.array([0, 0.5, 1.0], np.float32))


def test_constants_are_not_shared_between_calls() -> None:
    compiled = qn.compile(lambda: np.array([1, 2, 3]), fullgraph=True)
    first = compiled()
    first[0] = 9
    assert compiled().tolist() == [1, 2, 3]


def test_names_imported_from_numpy() -> None:
    from numpy import linalg, where, zeros
    from numpy import sin as sine

    def compute(x):
        return where(x > 0, sine(x), zeros(4)) + linalg.norm(x)

    check(compute, sample("float64", (4,)), ulp=4, scale=1e-15)


def test_sizes_in_an_array() -> None:
    def placed(indices):
        return np.ravel_multi_index(indices, np.max(indices, axis=1).astype(int) + 1)

    def known(x):
        return np.zeros(np.array([2, 3])) + x

    indices = np.array([[0, 1, 2], [1, 1, 0]])
    for function, argument in ((placed, indices), (known, 1.5)):
        found = qn.compile(function, fullgraph=True)(argument)
        np.testing.assert_array_equal(found, function(argument))

    def grown(sizes):
        return np.zeros(sizes)

    found = qn.compile(grown, fullgraph=True)(np.array([2, 3]))
    np.testing.assert_array_equal(found, grown(np.array([2, 3])), strict=True)
