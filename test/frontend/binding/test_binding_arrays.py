"""Guards of arrays."""

import numpy as np
import pytest
from binding_support import array, function, sym

# Array guards


def test_small_and_large_calls(fused):
    compiled = function(fused)
    for n in (2, 16, 1000, 1 << 17, 1 << 20):
        a, b, c = np.random.default_rng(n).random((3, n))
        np.testing.assert_array_equal(compiled(a, b, c), a * b + c)
    assert compiled.counters() == {"calls": 5, "memory_hits": 5, "detoured": 0}


@pytest.mark.parametrize("n", [0, 1])
def test_symbols_are_at_least_two(fused, n):
    a = np.zeros(n)
    assert function(fused)(a, a, a)[0] == "miss"


def test_symbols_are_equal(fused):
    assert function(fused)(np.zeros(4), np.zeros(4), np.zeros(5))[0] == "miss"


def test_a_symbol_in_a_second_place(fits):
    guard = array(0, (sym(0), sym(0)))
    assert fits(guard, np.zeros((3, 3)), symbols=1)
    assert not fits(guard, np.zeros((3, 4)), symbols=1)
    assert not fits(guard, np.zeros((1, 1)), symbols=1)


def test_symbols_of_any_size_take_calls_with_a_0_or_a_1(fits):
    guard = array(0, (sym(0, 0), sym(1, 0), sym(0, 0)))
    assert fits(guard, np.zeros((0, 3, 0)), symbols=2)
    assert fits(guard, np.zeros((3, 1, 3)), symbols=2)
    assert not fits(guard, np.zeros((0, 1, 3)), symbols=2)
    assert not fits(guard, np.zeros((3, 3, 3)), symbols=2)


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "obj",
    [
        np.zeros((2, 3), "float32"),
        np.zeros((2, 3), "int64"),
        np.zeros((2, 3), ">f8"),
        np.zeros((2, 4)),
        np.zeros((2, 3, 1)),
        np.zeros(6),
        np.zeros((3, 2)).T,
        np.zeros((2, 6))[:, ::2],
        np.zeros((2, 3))[::-1],
        np.zeros(49, "u1")[1:].view("f8").reshape(2, 3),
        np.zeros((2, 3)).view(Subclass),
        np.ma.masked_array(np.zeros((2, 3))),
        [[0.0] * 3] * 2,
        None,
    ],
    ids=lambda obj: type(obj).__name__,
)
def test_other_arrays_dont_fit(fits, obj):
    assert not fits(array(0, (2, 3)), obj)


@pytest.mark.parametrize(
    ("shape", "obj"),
    [
        ((2, 3), np.zeros((2, 3))),
        ((), np.array(1.0)),
        ((0, 3), np.zeros((0, 3))),
        ((1, 3), np.zeros((5, 3))[::5]),
        ((3, 1), np.zeros((1, 3)).T),
        ((2, 0), np.zeros((4, 0))[::2]),
    ],
)
def test_contiguous_arrays_fit(fits, shape, obj):
    assert fits(array(0, shape), obj)


@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float32 float64 complex64 complex128".split(),
)
def test_dtypes(make, fits, dtype):
    obj = np.zeros(3, dtype)
    assert fits(array(0, (3,), dtype), obj)
    assert not fits(array(0, (3,), dtype), np.zeros(3, "float16"))
    made = function(make("nothing", [], outputs=[(dtype, (3,))], result=("output", 0)))()
    assert made.dtype == obj.dtype
    assert made.shape == (3,)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1, ::-2],
        lambda x: x[2:, 1::3],
        lambda x: np.broadcast_to(x[3], (5, 9)),
        lambda x: np.lib.stride_tricks.sliding_window_view(x[0], 4),
    ],
)
def test_strided_arrays(make, view):
    compiled = function(
        make(
            "gather",
            [array(0, (sym(0), sym(1)), layout="strided")],
            "gather_shapes",
            symbols=2,
            outputs=[("float64", (None, None))],
            result=("output", 0),
        )
    )
    obj = view(np.arange(63.0).reshape(7, 9))
    np.testing.assert_array_equal(compiled(obj), obj)


def test_strides_follow_the_symbols_in_the_order_of_inputs(make):
    parameters = [
        array(1, (2, 3), "float32", "strided"),
        array(0, (sym(0),), "float64", "strided"),
    ]
    compiled = function(
        make("sizes_of", parameters, symbols=1, outputs=[("int64", (4,))], result=("output", 0))
    )
    answer = compiled(np.zeros((2, 7), "f4")[:, 2::2], np.zeros(16)[::-4])
    assert answer.tolist() == [4, -4, 7, 2]


def test_flags_that_are_a_part_of_the_program(fits):
    own, part = np.zeros(3), np.zeros(4)[1:]
    guard = array(0, (3,))
    assert fits((*guard, (4, 4)), own) and not fits((*guard, (4, 4)), part)
    assert fits((*guard, (4, 0)), part) and not fits((*guard, (1028, 0)), part)
    part.flags.writeable = False
    assert fits((*guard, (1028, 0)), part) and fits(guard, part)


def test_strides_that_are_a_part_of_the_program(fits):
    whole = np.zeros((6, 8))
    guard = array(0, (3, 4), layout=("strides", (0, 1), (16, 2)))
    assert fits(guard, whole[::2, ::2])
    assert not fits(guard, whole[:3, ::2])
    assert fits(array(0, (1, 4), layout=("strides", (0, 1), (0, 2))), whole[3:4, ::2])
    with pytest.raises(ValueError, match="one stride for each dimension"):
        fits(array(0, (3, 4), layout=("strides", (0, 1), (16,))), whole)


def test_dense_arrays_with_their_axes_in_another_order(fits):
    whole = np.zeros((4, 2, 3))
    guard = array(0, (3, 4, 2), layout=("dense", (1, 2, 0)))
    assert fits(guard, whole.transpose(2, 0, 1))
    assert not fits(guard, np.zeros((3, 4, 2)))
    assert not fits(guard, np.zeros((3, 4, 2), order="F"))
    assert not fits(guard, np.zeros((8, 2, 3))[::2].transpose(2, 0, 1))
    assert fits(array(0, (3, 1, 2), layout=("dense", (2, 1, 0))), whole[0].T[:, None])
    symbols = (sym(0), sym(1), sym(2))
    assert fits(array(0, symbols, layout=("dense", (1, 2, 0))), whole.transpose(2, 0, 1), symbols=3)


def test_nested_arrays(fits):
    whole = np.zeros((6, 8))
    guard = array(0, (4, 3), layout=("nested", (1, 0)))
    assert fits(guard, whole[::2, ::2].T)
    assert fits(guard, whole[::-2, 7:3:-1].T)
    assert not fits(guard, whole[:4, :3])
    assert not fits(guard, np.zeros((3, 4)).T)  # dense
    assert not fits(guard, np.broadcast_to(whole[0, :4, None], (4, 3)))
    assert not fits(guard, np.lib.stride_tricks.as_strided(whole, (4, 3), (8, 24)))


def test_strides_are_in_the_order_of_memory(make):
    nested, strided = ("nested", (1, 0)), ("strides", (1, 0), (2, 12))
    parameters = [array(0, (4, 3), layout=nested), array(1, (3, 2), "float32", layout=strided)]
    compiled = function(
        make("sizes_of", parameters, outputs=[("int64", (4,))], result=("output", 0))
    )
    second = np.zeros((2, 12), "f4")[:, :6:2].T
    assert compiled(np.zeros((6, 8))[::2, ::2].T, second).tolist() == [16, 2, 12, 2]


def test_strides_between_elements_dont_fit(fits):
    pairs = np.zeros((3, 12), "u1").view([("a", "f4"), ("b", "f8")])["a"].reshape(3)
    assert pairs.strides == (12,)
    assert fits(array(0, (3,), "float32", "strided"), pairs)
    parts = np.zeros((3, 3), "i2").view([("a", "i2"), ("b", "i4")])["b"].reshape(3)
    assert not fits(array(0, (3,), "int32", "strided"), parts)
    # Complex numbers are aligned by halves, so only their strides tell.
    halves = np.lib.stride_tricks.as_strided(np.zeros(5, "c16"), (3,), (24,))
    assert halves.flags.aligned
    assert not fits(array(0, (3,), "complex128", "strided"), halves)
    assert fits(array(0, (1,), "complex128", "strided"), halves[:1])


def test_more_elements_than_an_int32_counts(fits):
    many = np.broadcast_to(np.zeros(1), (2**31 + 7,))
    assert fits(array(0, (2**31 + 7,), layout="strided"), many)
    assert not fits(array(0, (7,), layout="strided"), many)
    assert fits(array(0, (sym(0),), layout="strided"), many, symbols=1)


# Written arrays


@pytest.fixture
def increment(make):
    return make("increment", [array(0, (sym(0),), written=True)], symbols=1, result=("input", 0))


def test_written_argument(increment):
    x = np.zeros(5)
    assert function(increment)(x) is x
    assert x.tolist() == [1] * 5


def test_written_argument_must_be_writeable(increment):
    x = np.zeros(5)
    x.flags.writeable = False
    assert function(increment)(x)[0] == "miss"
    assert x.tolist() == [0] * 5


def test_written_argument_overlaps_no_other(make):
    parameters = [array(0, (4,), written=True), array(1, (4,))]
    compiled = function(make("nothing", parameters))
    x = np.zeros(8)
    assert compiled(x[:4], x[4:]) is None
    assert compiled(x[4:], x[:4]) is None
    assert compiled(x[:4], x[3:7])[0] == "miss"
    assert compiled(x[3:7], x[:4])[0] == "miss"
    assert compiled(x[:4], x[:4])[0] == "miss"


def test_reversed_views_overlap_too(make):
    parameters = [array(0, (4,), layout="strided", written=True), array(1, (4,))]
    compiled = function(make("nothing", parameters))
    x = np.zeros(8)
    assert compiled(x[7:3:-1], x[:4]) is None
    assert compiled(x[6:2:-1], x[:4])[0] == "miss"


def test_empty_arrays_overlap_nothing(make):
    parameters = [array(0, (0,), written=True), array(1, (4,))]
    x = np.zeros(4)
    assert function(make("nothing", parameters))(x[2:2], x) is None


def test_written_argument_that_overlaps_itself(fits):
    x = np.zeros(8)
    guard = array(0, (4, 3), layout="strided", written=True)
    apart = np.lib.stride_tricks.as_strided(x, (4, 3), (8, 0))
    windows = np.lib.stride_tricks.as_strided(x, (4, 3), (8, 8))
    assert not fits(guard, apart)
    assert not fits(guard, windows)
    assert fits(guard, np.zeros((3, 4)).T)
    assert fits(array(0, (4, 3), layout="strided"), windows)
