"""Arrays that parameters are where no argument is given: read at each call, as globals are."""

from __future__ import annotations

import numpy as np

import quernel as qn

WEIGHTS, SEEN, ONES = np.array([1.0, 2.0, 3.0]), np.zeros(3), np.ones(2)


def scaled(x, weights=WEIGHTS):
    return x * weights


def helped(x):
    return scaled(x) + scaled(x, 2.0)


def counted(x, *, seen=SEEN, n=3):
    seen[0] += 1
    return x * seen * n


def same(compiled, function) -> None:
    for added in (0, 5):
        WEIGHTS[1] += added
        np.testing.assert_array_equal(compiled(np.ones(3)), function(np.ones(3)))


def test_of_the_function_itself() -> None:
    compiled = qn.compile(scaled, fullgraph=True)
    same(compiled, scaled)
    assert compiled.stats()["compiles"] <= 1
    np.testing.assert_array_equal(compiled(np.ones(3), 4.0), [4.0] * 3)


def test_of_a_helper() -> None:
    same(qn.compile(helped, fullgraph=True), helped)


def test_one_that_is_written_keeps_what_is_written() -> None:
    compiled = qn.compile(counted, fullgraph=True)
    answers = [compiled(np.ones(3))[0] for _ in range(3)]
    assert answers == [3.0, 6.0, 9.0]
    assert SEEN[0] == 3
    np.testing.assert_array_equal(compiled(np.ones(3), n=1), [4.0, 0.0, 0.0])


def test_another_array_in_its_place() -> None:
    def doubled(x, by=ONES):
        return x * by

    compiled = qn.compile(doubled, fullgraph=True)
    assert compiled(np.ones(2)).tolist() == [1.0, 1.0]
    doubled.__defaults__ = (np.full(2, 7.0),)
    assert compiled(np.ones(2)).tolist() == [7.0, 7.0]
