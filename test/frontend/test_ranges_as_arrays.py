"""Ranges that NumPy takes for arrays: indices, operands, arguments and what is assigned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

W = np.arange(36.0).reshape(6, 6) ** 1.5
X = np.array([0.5, 3.0, 1.25, 2.0])

case = Cases()


@case(W, X)
def indices(w, x):
    n = len(x)
    return (
        w[range(n)] + x[:, None],
        w[range(0), 1],
        w[1, range(3)],
        w[range(3)[::-1]],
        w[:, range(0, 6, 2)],
        w[range(-1, -3, -1)],
        w[range(2), range(3, 5)],
        w[np.ix_(range(2), range(3))],
    )


@case(W, X)
def places_to_write(w, x):
    w[range(len(x)), range(len(x))] = 9.0
    w[range(0, 6, 3)] += 1
    x[range(2)] *= range(1, 3)
    x[2:] = range(7, 9)
    return w, x


@case(W, X)
def operands(w, x):
    return (x + range(len(x))) / 2, range(4) * x, range(4) == x, -x - range(4), x @ range(4)


@case(W, X)
def arguments(w, x):
    return (
        np.take(x, range(3)), np.delete(x, range(2)), np.insert(x, range(2), 0.5),
        np.array(range(len(x))), np.asarray(range(3), "f4"), np.append(x, range(2)),
        np.concatenate([x, range(3)]), np.stack([range(4), x]), np.where(x > 1, x, range(4)),
        np.bincount(range(4), x), np.outer(range(3), x), np.repeat(x, range(4)),
        np.interp(range(3), range(4), x), x.take(range(2)), np.isin(x, range(3)),
    )  # fmt: skip


@case(W, X)
def axes_and_sizes(w, x):
    return (
        np.transpose(w, range(1, -1, -1)), w.transpose(range(2)), np.zeros(range(2, 4)) + x[0],
        np.split(x, range(1, 3)), np.full(range(1, 3), x[1]),
    )  # fmt: skip


@case(W, X)
def bounds_of_the_program(w, x):
    n = x.argmax()
    t = np.zeros(6)
    for r in range(3):
        t[range(r)] += w[r, range(r)]
    return w[range(n)].sum(), x[range(2, n + 3)] * 2, t


@case(W, X)
def chosen_at_random(w, x):
    old, new = np.random.RandomState(3), np.random.default_rng(3)
    return old.choice(range(len(x)), 3), new.choice(range(len(x)), 3), new.permutation(range(4))


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_program(function: Any, args: tuple) -> None:
    check_program(function, args)


@pytest.mark.parametrize(
    "function", [lambda x: x[range(7)], lambda x: x[range(4)] + range(5)], ids=["index", "sizes"]
)
def test_errors(function: Any) -> None:
    outcomes = []
    for call in (function, qn.compile(function, fullgraph=True)):
        with pytest.raises((IndexError, ValueError)) as caught:
            call(X)
        outcomes.append((caught.type, str(caught.value)))
    assert outcomes[0] == outcomes[1]


def test_sizes_that_differ() -> None:
    compiled = qn.compile(lambda w, x: w[range(len(x))] * x[:, None], fullgraph=True)
    for n in (2, 3, 4, 5):
        assert np.array_equal(compiled(W, W[0, :n]), W[:n] * W[0, :n, None])
    assert compiled.stats()["compiles"] == 2
