"""`np.nditer` over one array, in captured code."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

ARRAYS = [np.arange(6.0).reshape(2, 3), np.array(3.0), np.arange(24.0).reshape(2, 3, 4), np.ones(1)]


def outcome(function, x):
    x = x.copy()
    try:
        return repr((function(x), x))
    except Exception as error:
        return type(error), str(error)


def squares(x):
    made = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        place = it.multi_index
        made[place] = x[place] ** 2
        it.iternext()
    return made


def loss(x):
    return (x**2).sum()


def gradient(x):
    made = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        place = it.multi_index
        kept = x[place]
        x[place] = float(kept) + 0.5
        above = loss(x)
        x[place] = kept - 0.5
        made[place] = above - loss(x)
        x[place] = kept
        it.iternext()
    return made


def by_value(x):
    it, total = np.nditer(x, flags=["multi_index"]), 0.0
    while True:
        total += it.value * 2 + it[0]
        if not it.iternext():
            return total, it.itersize, it.ndim, len(it)


def by_index(x):
    it = np.nditer(x, flags=["c_index"])
    made = np.zeros(x.size)
    while not it.finished:
        made[it.index] = it[0] * it.iterindex
        it.iternext()
    it.reset()
    return made, it.finished


def in_place(x):
    with np.nditer(x, flags=["multi_index"], op_flags=[["readwrite"]]) as it:
        while not it.finished:
            it[0] = it[0] * 2
            it[0][...] += 1
            it.iternext()


def of_elements(x):
    total = 0.0
    for element in np.nditer(x):
        total = total * 0.5 + element
    return total


def written_elements(x):
    with np.nditer(x, op_flags=["readwrite"]) as it:
        for element in it:
            element[...] = element * 3


def read_only(x):
    it = np.nditer(x)
    it[0][...] = 3.0


def read_only_item(x):
    it = np.nditer(x)
    it[0] = 3.0


def past_the_end(x):
    it = np.nditer(x, flags=["multi_index"])
    while not it.finished:
        it.iternext()
    return it.multi_index


def without_places(x):
    return np.nditer(x).multi_index


def without_index(x):
    return np.nditer(x).index


def of_nothing(x):
    return np.nditer(x.ravel()[:0]).finished


@pytest.mark.parametrize(
    "function",
    [
        squares, gradient, by_value, by_index, in_place, of_elements, written_elements, read_only,
        read_only_item, past_the_end, without_places, without_index, of_nothing,
    ],
)  # fmt: skip
def test_nditer(function):
    compiled = qn.compile(function, fullgraph=True)
    for x in ARRAYS:
        assert outcome(compiled, x) == outcome(function, x)


def several(x):
    return np.nditer([x, x]).finished


def second(x):
    return np.nditer(x)[1]


def chunks(x):
    return np.nditer(x, flags=["external_loop"]).finished


def buffers(x):
    return np.nditer(x, op_flags=["readwrite", "copy"]).finished


def turned(x):
    return np.nditer(x.T).finished


def shut(x):
    return np.nditer(np.broadcast_to(x, (2, 2, 3)), op_flags=["readwrite"], order="C").finished


def places_in_a_for(x):
    it = np.nditer(x, flags=["multi_index"])
    return [it.multi_index for _ in it]


def returned(x):
    return np.nditer(x)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (several, "np.nditer of several arrays, or of what is none"),
        (second, "np.nditer of several arrays, or of what is none"),
        (chunks, "np.nditer with other flags than positions"),
        (buffers, "np.nditer with other modes than reading and writing"),
        (turned, "np.nditer in another order than C's"),
        (shut, "np.nditer that writes to what can't be written"),
        (places_in_a_for, "a for loop over np.nditer with positions"),
        (returned, "returning an object of the class ElementIterator"),
    ],
)
def test_refused(function, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(np.ones((2, 3)))
