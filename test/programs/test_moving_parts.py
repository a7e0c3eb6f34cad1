"""Parts of arrays of which the turns of a loop, or the sides of a branch, choose the place."""

from __future__ import annotations

import numpy as np
import pytest
from whole import same_call

import quernel as qn


def last_row_that_is_large(b):
    z = b[0]
    for x in b:
        if x[0] > 1:
            z = x
    return z


def writes_to_the_row_afterwards(b):
    z = b[0]
    for x in b:
        if x[0] > 1:
            z = x
    z[1] = 7
    b[0] += 1
    return z, b


def writes_to_the_row_in_turns(b):
    z = b[0]
    for i in range(len(b)):
        z[0] += i
        if b[i, 1] > 1:
            z = b[i]
    return z


def writes_to_the_matrix_in_turns(b):
    z, s = b[0], 0.0
    for x in b:
        s += z[0]
        if x[0] > 1:
            z = x
        b[:, 0] += 1
    return z, s


def hands_the_row_on(b):
    y = z = b[0]
    for x in b[1:]:
        y = z
        if x[0] > z[0]:
            z = x
    y[2] = 0
    return y, z


def goes_on_while_there_is_more(b):
    z, i = b[0], 0
    while i < len(b) and z[0] < 2:
        if b[i, 0] > 0:
            z = b[i]
        z[1] = i
        i += 1
    return z, i


def one_of_two_places(b):
    z = b[0]
    for i in range(len(b)):
        if b[i, 0] > 1:
            z = b[i] if b[i, 1] > 0 else b[:, i]
    z += 1
    return z


def row_of_a_local_matrix(b):
    c = b * 2
    z = c[0]
    for x in c:
        if x[0] > 1:
            z = x
    z[0] = 5
    return c, z


def rest_of_new_memory(b):
    if b[0, 0] > 0:
        w = np.zeros(len(b))
        for i in range(len(b)):
            w[i] = i
            if b[i, 0] > 1:
                return w, w[i:]
    return b, b


def row_of_either_loop(b):
    for i in range(2):
        for x in b:
            if x[i] > 1:
                return x
            for y in b[1:]:
                if y[i] < -1:
                    return y
    return b[0]


PROGRAMS = [
    last_row_that_is_large, writes_to_the_row_afterwards, writes_to_the_row_in_turns,
    writes_to_the_matrix_in_turns, hands_the_row_on, goes_on_while_there_is_more,
    one_of_two_places, row_of_a_local_matrix, rest_of_new_memory, row_of_either_loop,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_moving_parts(function) -> None:
    compiled = qn.compile(function, fullgraph=True)
    for n in (4, 4, 6):
        for seed in range(6):
            same_call(compiled, function, (np.random.default_rng(seed).normal(size=(n, n)) * 2,))
    assert compiled.stats()["fallbacks"] == 0


def part_of_an_array_of_unknown_size(b):
    x = b[0]
    if x[0] > 0:
        y = x[x > 1]
        x = y[::2]
    return x


def test_part_of_an_array_of_unknown_size_is_refused() -> None:
    text = "returning what has one shape on one path and another on the other"
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(part_of_an_array_of_unknown_size, fullgraph=True)(np.ones((4, 4)))


def writes_to_what_gets_shorter(b):
    x = b[0]
    y = x
    while len(y) > 2:
        x[0] = 1
        y = y[y > y[0]]
    return y


def test_write_to_an_array_that_gets_shorter_is_refused() -> None:
    text = "writing to an array that several names share in some turns of a loop only"
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(writes_to_what_gets_shorter, fullgraph=True)(np.arange(16.0).reshape(4, 4))
