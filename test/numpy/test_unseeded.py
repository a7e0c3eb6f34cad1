"""Generators that a compiled function makes without a seed: other numbers at each call."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import quernel as qn

KINDS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


def of_generator(n: int) -> np.ndarray:
    return np.random.default_rng().random(n)


def of_state(n: int) -> np.ndarray:
    return np.random.RandomState().random_sample(n)


def of_all(n: int) -> np.ndarray:
    np.random.seed()
    return np.random.rand(n)


def of_each_iteration(n: int) -> np.ndarray:
    out = np.zeros(n)
    for k in range(n):
        rng = np.random.default_rng()
        out[k] = rng.random()
    return out


def of_bits(n: int) -> np.ndarray:
    return np.random.Generator(np.random.Philox()).random(n)


@pytest.mark.parametrize("function", [of_generator, of_state, of_all, of_each_iteration, of_bits])
def test_numbers_are_others(function: Any) -> None:
    compiled = qn.compile(function, fullgraph=True)
    rows = [compiled(400) for _ in range(4)]
    drawn = np.array(rows)
    assert drawn.shape == (4, 400)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert len(np.unique(drawn)) == drawn.size
    assert abs(drawn.mean() - 0.5) < 0.06
    assert compiled.stats()["compiles"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_bits_of_each_kind(kind: str) -> None:
    make = getattr(np.random, kind)
    compiled = qn.compile(lambda n: np.random.Generator(make()).integers(0, 2**60, n))
    drawn = np.array([compiled(50), compiled(50)])
    assert len(np.unique(drawn)) == 100
    assert compiled.stats()["fallbacks"] == 0


def test_seeded_streams_are_numpys() -> None:
    def both(n: int) -> Any:
        fresh = np.random.default_rng().random(n)
        return fresh, np.random.rand(n), np.random.default_rng(3).random(n)

    compiled = qn.compile(both, fullgraph=True)
    np.random.seed(5)
    expected = [both(3)[1:], both(3)[1:], np.random.rand()]
    np.random.seed(5)
    found = [compiled(3)[1:], compiled(3)[1:], np.random.rand()]
    np.testing.assert_equal(found, expected)


def test_global_state_after_a_seed_of_its_own() -> None:
    def again() -> float:
        np.random.seed()
        return np.random.rand()

    qn.compile(again, fullgraph=True)()
    name, keys, position, has_gauss, _ = np.random.get_state()
    assert (name, position, has_gauss) == ("MT19937", 2, 0)
    assert len(np.unique(keys)) > 600


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_draw_others() -> None:
    compiled = qn.compile(of_generator, fullgraph=True)
    compiled(2)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, compiled(2).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 16) != compiled(2).tobytes()


def test_answers_can_not_be_verified() -> None:
    assert qn.compile(of_generator, verify=True)(3).shape == (3,)
