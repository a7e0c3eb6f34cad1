"""Items of lists and dicts are variables: branches join them, and loops hand them on."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn

M = np.random.default_rng(3).random((3, 3))


def angles(m):
    a = [0.0, 0.0, 0.0]
    a[1] = np.abs(m[0, 2])
    if m[1, 1] > a[1]:
        a[0] = np.maximum(m[1, 2], m[2, 2])
        a[2] = np.maximum(m[0, 1], m[0, 0])
    else:
        a[0] = np.maximum(-m[2, 1], m[1, 1])
    return a


def counts(m):
    c = [0, 0, 0]
    for v in m.ravel():
        if v > 0.6:
            c[0] += 1
        elif v > 0.3:
            c[1] += 1
        else:
            c[2] += 1
    return c


def best(m):
    d = {"best": -1.0, "at": -1}
    for i in range(m.shape[0]):
        s = m[i, 0] + m[i, 1]
        if s > d["best"]:
            d["best"] = s
            d["at"] = i
    return d


def buffers(m):
    b = [m.copy(), np.zeros_like(m)]
    for _ in range(9):
        b[1][1:-1] = (b[0][:-2] + b[0][2:]) * 0.5
        b[0], b[1] = b[1], b[0]
    return b[0]


def nested(m):
    s = {"x": [0.0, 0.0], "n": 0}
    i = 0
    while s["x"][0] < 2 and i < 50:
        s["x"][0] += m[i % 3, 0]
        s["x"][1] = s["x"][0] * 2
        s["n"] += 1
        i += 1
    return s


def by_helper(m):
    state = [0.0, 0]

    def push(v):
        state[0] = state[0] * 0.5 + v
        state[1] += 1

    for v in m.ravel():
        push(v)
    return state


def of_two_names(m):
    a = [0.0, 1.0]
    b, c = a, (a, 5)
    if m[0, 0] > 0.5:
        a[0] = m[0, 0]
    else:
        b[1] = m[1, 1]
    c[0][1] = c[0][0] + c[0][1]
    return a, b is a, b


def in_place(m):
    p = {"w": np.ones(3), "b": 0.0}
    for _ in range(20):
        p["w"] -= 0.1 * m[0]
        p["b"] = p["b"] + p["w"][0]
    return p["w"], p["b"]


def none_at_first(m):
    state = {"last": None, "n": 0}
    for v in m.ravel():
        if state["last"] is not None and v > state["last"]:
            state["n"] += 1
        state["last"] = v
    return state["n"]


def swapped(m):
    a = [m[0, 0], m[1, 1], 0.3]
    if a[0] > a[1]:
        a[0], a[1] = a[1], a[0]
    if a[1] > a[2]:
        a[1], a[2] = a[2], a[1]
    return a


def sorted_by_bubbles(m):
    a = [m[i // 3, i % 3] for i in range(9)]
    for i in range(9):
        for j in range(8 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def left_early(m):
    d = {"sum": 0.0, "n": 0}
    for v in m.ravel():
        d["sum"] += v
        if d["sum"] > 2.0:
            break
        d["n"] += 1
    return d


def of_another_type(m):
    a = [0, 0.5]
    for v in m.ravel():
        a[0] = a[0] + v
        if v > 0.5:
            a[1] = v
    return a[0] * np.float32(2), a


FUNCTIONS = [
    angles, counts, best, buffers, nested, by_helper, of_two_names, in_place, none_at_first,
    swapped, sorted_by_bubbles, left_early, of_another_type,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("sign", [1.0, -1.0, 0.4])
def test_results(function, sign):
    m = M * sign
    compiled = qn.compile(function, fullgraph=True)
    assert repr(compiled(m.copy())) == repr(function(m.copy()))


def test_a_key_that_only_one_side_adds_is_refused():
    def adds(m):
        d = {"a": 1.0}
        if m[0, 0] > 0:
            d["b"] = m[0, 0]
        return d

    with pytest.raises(qn.errors.UnsupportedError, match="where a condition on data holds"):
        qn.compile(adds, fullgraph=True)(M)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "bool", "int64"])
def test_none_as_an_item(dtype) -> None:
    def filled(a, first):
        a[0] = first
        a[1:] = first
        if first is None:
            a[-1] = 1
        return a

    compiled, a = qn.compile(filled, fullgraph=True), np.ones(4, dtype)
    if dtype == "int64":
        with pytest.raises(TypeError, match=r"^int\(\) argument must be a string, a bytes-like"):
            compiled(a, None)
    else:
        np.testing.assert_array_equal(compiled(a.copy(), None), filled(a, None))
