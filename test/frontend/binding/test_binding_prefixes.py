"""Outputs whose size only the program finds out."""

import sys

import numpy as np
import pytest
from binding_support import array, function, sym

from quernel import _runtime


@pytest.fixture
def positives(make):
    """``x[x > 0]`` of float64."""
    return function(
        make(
            "positives",
            [array(0, (sym(0),))],
            "fused_shapes",
            symbols=1,
            outputs=[("float64", (None,)), ("int64", ())],
            result=("prefix", 0, 1),
        )
    )


def rows(make, tree):
    """The first of the rows of two float64."""
    return function(
        make(
            "rows",
            [array(0, (sym(0), 2)), ("scalar", 1, "int")],
            "pair_shapes",
            symbols=1,
            outputs=[("float64", (None, 2)), ("int64", ())],
            result=tree,
        )
    )


@pytest.mark.parametrize("size", [2, 10, 1000, 131_072, 131_073, 500_000])
@pytest.mark.parametrize("share", [0, 0.01, 0.4, 0.6, 0.999, 1])
def test_prefix_is_as_numpys_result(positives, size, share):
    x = np.random.default_rng(size).random(size) + 0.001
    x[int(share * size) :] *= -1
    used = _runtime.pool_info()["used_bytes"]
    got, expected = positives(x), x[x > 0]
    assert got.tobytes() == expected.tobytes()
    assert (got.shape, got.strides, got.dtype) == (expected.shape, expected.strides, expected.dtype)
    assert str(got.flags) == str(expected.flags)
    assert got.base is None
    assert sys.getrefcount(got) == 2
    got[:] = 0
    if got.size:
        got.resize(3 * size, refcheck=False)
        assert not got.any()
    del got
    assert _runtime.pool_info()["used_bytes"] == used


def test_much_smaller_prefix_gives_its_memory_back(positives):
    x = np.full(1_000_000, -1.0)
    x[:150_000] = 1
    used = _runtime.pool_info()["used_bytes"]
    got = positives(x)
    assert _runtime.pool_info()["used_bytes"] - used < 2 * got.nbytes


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_prefix_of_rows(make, count):
    x = np.arange(10.0).reshape(5, 2)
    got = rows(make, ("prefix", 0, 1))(x, count)
    np.testing.assert_array_equal(got, x[:count])
    assert got.shape == (count, 2)
    assert str(got.flags) == str(x[:count].copy().flags)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_numbers_of_a_prefix(positives, make, count):
    outputs = [("float64", (None,)), ("int64", ())]
    x = np.arange(-3.0, count)
    for whose, kind in (("python", float), ("numpy", np.float64)):
        tree = ("numbers", ("prefix", 0, 1), whose)
        made = make(
            "positives",
            [array(0, (sym(0),))],
            "fused_shapes",
            symbols=1,
            outputs=outputs,
            result=tree,
        )
        got = function(made)(x)
        assert got == list(x[x > 0])
        assert {type(item) for item in got} <= {kind}


def test_prefix_twice_in_a_result(make):
    got = rows(make, ("tuple", [("prefix", 0, 1), ("prefix", 0, 1)]))(np.zeros((5, 2)), 2)
    assert got[0] is got[1]
    assert got[0].shape == (2, 2)


@pytest.mark.parametrize("count", [-1, 6])
def test_impossible_count(make, count):
    with pytest.raises(SystemError, match=f"put {count} entries into an array of 5"):
        rows(make, ("prefix", 0, 1))(np.zeros((5, 2)), count)


def room(make, tree):
    """What a tree makes of ``x[x > 0]`` and its size."""
    outputs = [("float64", (None,)), ("int64", ())]
    inputs = [array(0, (sym(0),))]
    made = make("positives", inputs, "fused_shapes", symbols=1, outputs=outputs, result=tree)
    return function(made)


@pytest.mark.parametrize("axes", [[0, 1], [1, 0]])
@pytest.mark.parametrize("x", [[1.0, -2, 3, 4], [-1.0, -1], [5.0, -1]])
def test_room_has_the_sizes_that_outputs_say(make, x, axes):
    x = np.array(x)
    got = room(make, ("room", 0, [["output", 1], 1], axes))(x)
    expected = x[x > 0].reshape(-1, 1).copy()
    expected = expected if axes == [0, 1] else expected.T.copy("F")
    np.testing.assert_array_equal(got, expected)
    assert (got.shape, str(got.flags)) == (expected.shape, str(expected.flags))


def test_room_in_another_order_steps_along_memory(make):
    x = np.arange(1.0, 7)
    got = room(make, ("room", 0, [3, 2], [1, 0]))(x)
    np.testing.assert_array_equal(got, x.reshape(3, 2).T)
    assert got.strides == (8, 16) and got.flags.owndata and got.flags.f_contiguous


def test_room_twice_and_seen_through_a_view(make):
    one = ("room", 0, [["output", 1], 1], [0, 1])
    got = room(make, ("tuple", [one, one, ("view", one, [], {})]))(np.array([1.0, -2, 3]))
    assert got[0] is got[1] and got[2].base is got[0]


def test_room_that_is_too_small(make):
    with pytest.raises(SystemError, match="put too large an array into one of 3"):
        room(make, ("room", 0, [["output", 1], 2], [0, 1]))(np.array([1.0, 2, 3]))


@pytest.mark.parametrize(
    ("form", "error", "text"),
    [
        ((1, [2, 2], [0, 1]), ValueError, "output 1 must have one dimension"),
        ((0, (2, 2), [0, 1]), TypeError, "the sizes of an array, and its axes, must be lists"),
        ((0, [2], [0]), ValueError, "such an array has 2 to"),
        ((0, [2, ["input", 0]], [0, 1]), ValueError, "sizes are integers and outputs"),
        ((0, [2, 2], [0, 0]), ValueError, "each axis must be named once"),
        ((0, [2, -1], [0, 1]), ValueError, "a size"),
    ],
)
def test_wrong_forms_of_rooms(make, form, error, text):
    with pytest.raises(error, match=text):
        room(make, ("room", *form))
