"""Loops take over memory from before them when something first asks for its elements."""

import numpy as np
import pytest

import quernel as qn
from quernel.traced.storage import Taken


def same(function, *arguments) -> None:
    """The result of NumPy, and the arrays that it leaves."""
    mine = [np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]
    got = qn.compile(function, fullgraph=True)(*mine)
    want = function(*arguments)
    for a, b in zip([*mine, got], [*arguments, want], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_loop_takes_over_what_its_turns_touch(monkeypatch):
    taken, enter = [], Taken._enter
    monkeypatch.setattr(Taken, "_enter", lambda *parts: (taken.append(parts), enter(*parts)))

    def compute(x, n):
        kept = [x + k for k in range(40)]
        for k in range(n):
            kept[3][k % 4] += kept[5][0]
        return sum(kept)

    same(compute, np.arange(4.0), 30)
    assert 0 < len(taken) < 10


def test_memory_that_an_inner_loop_touches_first():
    def compute(x, y, n):
        for i in range(n):
            for j in range(n):
                if x[j] > i:
                    y[j] += x[i]
                else:
                    x[i] += 1
            y[i] = y[i] * 2 + x[-1]
        return x.sum() + y

    same(compute, np.arange(20.0) % 7, np.arange(20.0), 20)


def test_what_a_condition_and_a_body_touch():
    def compute(x, y, n):
        total, k = 0.0, 0
        while x[k] < n and k < 30:
            total += y[k]
            y[k + 1] += x[k]
            k += 1
        return total + y[:3]

    same(compute, np.arange(40.0), np.arange(40.0) % 3, 25.0)


def test_views_from_before_a_loop_see_what_turns_write():
    def compute(x, n):
        part, total = x[2:6], 0.0
        before = part.sum()
        for k in range(n):
            total += part[k % 4]
            x[k % 8] += total
        return before + total + part.sum()

    same(compute, np.arange(8.0), 25)


def test_a_branch_that_touches_memory_on_one_side():
    def compute(x, y, z, n):
        for k in range(n):
            if z[k] > 0:
                x[k] = y[k]
            elif z[k] < -1:
                y[k] = x[k] - z[k]
            x[0] += 1
        return x + y

    rng = np.random.default_rng(5)
    same(compute, rng.random(30), rng.random(30), rng.normal(size=30) * 2, 30)


@pytest.mark.parametrize("n", [0, 1, 20])
def test_an_inner_loop_that_is_captured_again(n):
    def compute(x, n):
        kind, total = 0, x[:1].copy()
        for _ in range(n):
            a, b = total, x[1:2].copy()
            for j in range(n):
                a, b = b, a
                kind = j if j % 3 else 0.5
                a[0] += x[j] * kind
            total = total + b
        return total, kind

    function = qn.compile(compute, fullgraph=True)
    for a, b in zip(function(np.arange(20.0), n), compute(np.arange(20.0), n), strict=True):
        np.testing.assert_array_equal(a, b)


def test_elements_that_the_program_spells_out_and_a_turn_changes():
    def compute(x, n):
        places = np.array([2, 0, 1])
        for k in range(n):
            x[places] += k
            places[k % 3] = (places[k % 3] + 1) % 4
        return x[places] + places

    same(compute, np.zeros(4), 20)


def test_memory_after_a_loop_that_took_it_over():
    def compute(x, y, n):
        for k in range(n):
            x[k] += y[k]
        z = x * 2
        for k in range(n):
            y[k] += z[k] + x[k]
        x += 1
        return z + x + y

    same(compute, np.arange(20.0), np.ones(20), 20)
