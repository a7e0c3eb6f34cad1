"""Functions of two arrays whose sizes the data make: equal, of one element, or an error."""

from __future__ import annotations

import numpy as np
import pytest
from control import check_refused, name_of
from support import assert_same

import quernel as qn

# The sizes of what is greater than 0: other ones, equal ones, one element, none.
PAIRS = [
    ([1, 2, -1, 3], [4, -1, 5, -6]),
    ([1, 2, 3, 3], [1, 2, 3, 3]),
    ([0, 0, 1], [1, 2, 1]),
    ([0, 0, 0], [0, 0, 0]),
    ([0, 1, 2, 3, 5], [1, 2, 0]),
]


def equal(u, v, x):
    return np.array_equal(u, v), np.array_equal(u, x), np.array_equal(u, u[:, None])


def equal_with_nan(u, v, x):
    return np.array_equal(u / u[0], v / v[0], equal_nan=True)


def equal_or_not(u, v, x):
    if np.array_equal(u, v):
        x[0] = 9
    return x


def inner_sum(u, v, x):
    return np.einsum("i,i", u, v)


def three_operands(u, v, x):
    return np.einsum("i,i,j->j", u, v, x)


def matrix_and_vector(u, v, x):
    return np.einsum("ij,j->i", np.ones((2, len(x))), u)


def two_matrices(u, v, x):
    return np.einsum("ij,kj->ik", np.outer(x, v), np.outer(x, u))


def ellipsis(u, v, x):
    return np.einsum("...i,i->...", np.ones((2, len(x))), v)


def trace(u, v, x):
    return np.einsum("ii", np.outer(u, v))


def repeated(u, v, x):
    return np.broadcast_to(u, (len(x),)), np.broadcast_to(v, (3, len(v)))


def repeated_and_used(u, v, x):
    y = np.broadcast_to(u, (2, len(x)))
    return (y * x).sum(), y[1].max(initial=0)


def interpolated(u, v, x):
    return np.interp(0.5, x, u)


def written_through_a_mask(u, v, x):
    x[x > 1] = v
    return x


def written_at_positions(u, v, x):
    x[np.nonzero(x > 1)] = v


def item_of_all(u, v, x):
    return x.flat[len(u) * len(v)]


FUNCTIONS = [
    equal, equal_with_nan, equal_or_not, inner_sum, three_operands, matrix_and_vector,
    two_matrices, ellipsis, trace, repeated, repeated_and_used, interpolated,
    written_through_a_mask, written_at_positions, item_of_all,
]  # fmt: skip


def outcome(function, args):
    try:
        return function(*args), args
    except (IndexError, ValueError) as error:
        return f"{type(error).__name__}: {error}", args


def of_positive(function):
    def compute(x, y):
        return function(x[x > 0], y[y > 0], x)

    return compute


@pytest.mark.parametrize("function", FUNCTIONS, ids=name_of)
@pytest.mark.parametrize("dynamic", [None, True])
def test_sizes_that_meet(function, dynamic):
    compiled = qn.compile(of_positive(function), fullgraph=True, dynamic=dynamic)
    for pair in PAIRS:
        own, plain = ([np.array(x, float) for x in pair] for _ in range(2))
        want, after = outcome(of_positive(function), plain)
        got, ours = outcome(compiled, own)
        if isinstance(want, str):
            assert got == want
        else:
            assert_same(got, want, ulp=8)
        assert_same(ours, after, ulp=0)


def test_a_repeated_array_is_read_only():
    compiled = qn.compile(of_positive(repeated), fullgraph=True)
    for x in compiled(np.array([0.0, 0, 1]), np.ones(2)):
        assert not x.flags.writeable
        assert x.strides[0] == 0


def equivalent(x, y):
    return np.array_equiv(x[x > 0], y[y > 0])


def diagonal_of_data(x, y):
    return np.einsum("ii->i", np.outer(x[x > 0], y[y > 0]))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (equivalent, "np.array_equiv of arrays whose sizes may differ"),
        (diagonal_of_data, "a diagonal of an array whose sizes may differ, as np.einsum's view of"),
    ],
    ids=name_of,
)
def test_refused(function, text):
    check_refused(function, (np.arange(3.0), np.arange(4.0)), text)


@pytest.mark.parametrize("size", [3, 5])
def test_points_without_values(size):
    def interp(x, y):
        return np.interp(0.5, x, y)

    compiled = qn.compile(interp, fullgraph=True)
    with pytest.raises(ValueError, match=r"^fp and xp are not of the same length\.$"):
        compiled(np.arange(4.0), np.ones(size))


@pytest.mark.parametrize("dtype", ["uint8", "uint32", "int32", "int64"])
def test_a_size_from_an_integer_of_any_width(dtype):
    """What the integer may be at most is no memory where that is more than any."""

    def filled(groups, first):
        made = np.full(int(np.max(groups)) + 1, first[0], dtype=np.int64)
        if first[0] != 0:
            made = made * 0
        np.add.at(made, groups, 1)
        return made

    groups = np.array([1, 1, 2, 2, 2, 4], dtype)
    compiled = qn.compile(filled)
    for first in ([0], [3]):
        want = filled(groups, np.array(first))
        np.testing.assert_array_equal(compiled(groups, np.array(first)), want)


def test_truth_of_an_array_whose_size_the_data_say() -> None:
    def chosen(x, t):
        near = x[x > t]
        if near < 4:
            return near[0]
        return np.where(x == t)[0] or 7

    compiled = qn.compile(chosen, fullgraph=True)
    for x, t in ((np.arange(5.0), 3), (np.arange(6.0), 4), (np.arange(9.0), 7)):
        assert_same(compiled(x, t), chosen(x, t))
    for x, text in ((np.ones(3), "array with more than"), (-np.ones(3), "empty array is")):
        for call in (chosen, compiled):
            with pytest.raises(ValueError, match=rf"^The truth value of an {text}"):
                call(x, 0)


PARTS = [
    lambda x, t: np.array([x[x > t], x[x <= t]]),
    lambda x, t: np.array([[x[x > t], x[x <= t]], [x[x > t], x[x <= t]]]),
    lambda x, t: np.array([np.outer(x, x)[:, x > t], np.outer(x, x)[:, x <= t]]),
    lambda x, t: np.array([x, x[int(t) :]]),
]


@pytest.mark.parametrize("function", PARTS)
def test_arrays_of_parts_whose_sizes_the_data_say(function) -> None:
    compiled, x = qn.compile(function, fullgraph=True), np.arange(4.0)
    texts = []
    for call in (function, compiled):
        with pytest.raises(ValueError, match="inhomogeneous shape after") as caught:
            call(x, 2.0)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    if function is not PARTS[3]:
        assert_same(compiled(x, 1.0), function(x, 1.0))
