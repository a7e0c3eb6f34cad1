"""Writes through a reshape of an array, in loops too."""

import numpy as np
import pytest
from support import assert_same

import quernel as qn


def of_flat(m, k):
    m.flat[k] = 2.0
    m.flat[-1] = 3.0
    return m.ravel()[k]


def in_a_loop(m, k):
    line = m.ravel()
    for i in range(12):
        line[i * 3] = i + line[i]
    return line.max()


def scattered(m, k):
    line = m.reshape(-1)
    line[[1, 5, 1]] = [7.0, 8.0, 9.0]
    line[np.arange(4) * k % line.size] += 1
    return line[:10] * 1


def places_of_numbers(m, k):
    line = m.reshape(-1)
    for i in range(30):
        line[(i * k) % line.size] += 1.5
    line[3:9] = 0
    return m * 1


def counted(m, k):
    counts = np.zeros(m.shape, int)
    np.add.at(counts.ravel(), [1, 2, 2, 3, k], 1)
    counts.put([0, -1], [5, 6])
    return counts


def of_three_axes(m, k):
    made = np.zeros((3, 4, 5))
    made.flat[k] = 1
    made.ravel()[k + 1] = m[0, 0]
    return made


FUNCTIONS = [of_flat, in_a_loop, scattered, places_of_numbers, counted, of_three_axes]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_writes_through_a_reshape(function, dynamic):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for shape, k in [((6, 7), 5), ((9, 4), 11), ((1, 40), 9)]:
        ours = np.random.default_rng(0).random(shape)
        numpys = ours.copy()
        assert_same(compiled(ours, k), function(numpys, k))
        np.testing.assert_array_equal(ours, numpys)


def test_nothing_is_copied():
    m = np.zeros((100, 100))
    assert "copy" not in qn.compile(in_a_loop, fullgraph=True).lower(m, 1).text("cpp")
