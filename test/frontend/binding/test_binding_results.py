"""What calls give: outputs, result trees, errors."""

import sys

import numpy as np
import pytest
from binding_support import array, function, sym

from quernel import _runtime


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1, 2, 3)])
def test_shapes_of_outputs(make, shape):
    made = function(make("nothing", [], outputs=[("float32", shape)], result=("output", 0)))()
    assert type(made) is np.ndarray
    assert made.shape == shape
    assert made.flags.c_contiguous
    assert made.flags.writeable


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 300, 400)])
def test_outputs_with_their_axes_in_another_order(make, shape):
    outputs = [("float64", shape, (1, 2, 0))]
    made = function(make("nothing", [], outputs=outputs, result=("output", 0)))()
    expected = np.zeros(shape).transpose(2, 0, 1).copy("K")
    assert (made.shape, made.strides) == (expected.shape, expected.strides)
    assert str(made.flags) == str(expected.flags)


def test_large_outputs_come_from_the_pool(make):
    n = (1 << 17) + 1
    compiled = function(make("nothing", [], outputs=[("float64", (n,))], result=("output", 0)))
    _runtime.pool_trim()
    used, fresh, recycled = (
        _runtime.pool_info()[key] for key in ("used_bytes", "fresh", "recycled")
    )
    made = compiled()
    assert made.ctypes.data % 64 == 0
    assert np._core.multiarray.get_handler_name(made) == "quernel_pool"
    assert np._core.multiarray.get_handler_name() == "default_allocator"
    assert _runtime.pool_info()["used_bytes"] >= used + made.nbytes
    assert _runtime.pool_info()["fresh"] == fresh + 1
    del made
    assert _runtime.pool_info()["used_bytes"] == used
    compiled()
    assert _runtime.pool_info()["recycled"] == recycled + 1
    assert _runtime.pool_trim() >= n * 8
    assert _runtime.pool_info()["idle_bytes"] == 0


def test_small_outputs_dont_come_from_the_pool(make):
    compiled = function(make("nothing", [], outputs=[("float64", (1000,))], result=("output", 0)))
    assert np._core.multiarray.get_handler_name(compiled()) == "default_allocator"


def test_pooled_arrays_can_be_resized(make):
    compiled = function(
        make("nothing", [], outputs=[("float64", (1 << 17,))], result=("output", 0))
    )
    made = compiled()
    made[:] = np.arange(1 << 17)
    made.resize(1 << 18, refcheck=False)
    np.testing.assert_array_equal(made[: 1 << 17], np.arange(1 << 17))
    assert not made[1 << 17 :].any()
    made.resize(10, refcheck=False)
    assert made.tolist() == list(range(10))


def test_scalars_of_the_result(make):
    outputs = [("float64", ()), ("bool", ()), ("complex128", ())]
    tree = ("tuple", [("scalar", 0), ("scalar", 1), ("scalar", 2), ("scalar", 0)])
    answer = function(make("scalars", [], outputs=outputs, result=tree))()
    assert answer == (2.5, True, 3 - 4j, 2.5)
    assert [type(part) for part in answer[:3]] == [np.float64, np.bool_, np.complex128]
    assert answer[0] is answer[3]


def test_result_trees(make):
    x = np.arange(6.0).reshape(2, 3)
    marker = object()
    row = [("slice", [1, 0], [1, 3], [1, 1]), ("axes", [1])]
    tree = (
        "dict",
        ["a", 2],
        [
            ("list", [("output", 0), ("output", 0), ("const", marker)]),
            ("tuple", [("input", 0), ("view", ("input", 0), row, {}), ("tuple", [])]),
        ],
    )
    compiled = function(
        make("nothing", [array(0, (2, 3))], outputs=[("float64", (3,))], result=tree)
    )
    answer = compiled(x)
    assert list(answer) == ["a", 2]
    assert answer["a"][0] is answer["a"][1]
    assert answer["a"][2] is marker
    assert answer[2][0] is x
    assert np.shares_memory(answer[2][1], x[1])
    assert answer[2][2] == ()
    assert compiled(x)["a"][0] is not answer["a"][0]


@pytest.mark.parametrize(
    "views",
    [
        [("slice", [0], [4], [1])],
        [("slice", [1], [3], [1])],
        [("slice", [-1], [1], [1])],
        [("slice", [2], [4], [-1])],
        [("slice", [0], [-1], [1])],
        [("slice", [0], [2], [2**62])],
        [("slice", [0, 0], [1, 1], [1, 1])],
        [("slice", ["2 * 1 - 3"], [2], [1])],
        [("axes", [])],
        [("axes", [0, 0])],
        [("axes", [1])],
        [("axes", [-2, 0])],
        [("transpose", [])],
        [("reshape", [-1])],
    ],
)
def test_views_that_leave_their_array(make, views):
    tree = ("list", [("const", 1), ("dict", [0], [("view", ("input", 0), views, {})])])
    compiled = function(make("nothing", [array(0, (3,))], result=tree))
    with pytest.raises(SystemError, match="leaves its array"):
        compiled(np.zeros(3))


@pytest.mark.parametrize(
    "views", [[("reshape", [4])], [("broadcast_to", [4])], [("reshape", [1] * 70)]]
)
def test_errors_of_views_are_raised(make, views):
    compiled = function(make("nothing", [array(0, (3,))], result=("view", ("input", 0), views, {})))
    with pytest.raises((ValueError, SystemError)):
        compiled(np.zeros(3))


@pytest.mark.parametrize(
    ("views", "numpys"),
    [
        ([], lambda x: x[:]),
        ([("slice", [3, 0], [4, 2], [-1, 3])], lambda x: x[3::-1, :6:3]),
        ([("slice", [4, 1], [0, 2], [1, 1])], lambda x: x[4:, 1:3]),
        ([("axes", [-1, 1, 0, -1])], lambda x: x.T[None, ..., None]),
        ([("transpose", [1, 0]), ("slice", [1, 2], [2, 2], [1, 1])], lambda x: x.T[1:3, 2:]),
        ([("reshape", [3, 8])], lambda x: x.reshape(3, 8)),
        ([("slice", [1, 0], [1, 6], [1, 1]), ("axes", [1])], lambda x: x[1]),
        ([("slice", [0, 1], [4, 1], [1, 1]), ("reshape", [2, 2])], lambda x: x[:, 1].reshape(2, 2)),
        ([("broadcast_to", [3, 4, 6])], lambda x: np.broadcast_to(x, (3, 4, 6))),
        ([("slice", ["(7 - 3) floordiv 3", 0], [1, "-1 * -6"], [1, 1])], lambda x: x[1:2]),
    ],
)
@pytest.mark.parametrize("writeable", [True, False])
def test_views_are_as_numpys(make, views, numpys, writeable):
    compiled = function(
        make("nothing", [array(0, (4, 6))], result=("view", ("input", 0), views, {}))
    )
    x = np.arange(24.0).reshape(4, 6).copy()
    x.flags.writeable = writeable
    count = sys.getrefcount(x)
    for _ in range(3):
        got, expected = compiled(x), numpys(x)
        np.testing.assert_array_equal(got, expected)
        assert got is not x
        assert (got.strides, str(got.flags)) == (expected.strides, str(expected.flags))
        assert got.base is expected.base is x
        assert got.ctypes.data == expected.ctypes.data
    del got, expected
    assert sys.getrefcount(x) == count


@pytest.mark.parametrize(("widths", "axes"), [([3], [1]), ([2, 2], [0, 1]), ([4, 1], [0, 0])])
def test_windows_are_numpys(make, widths, axes):
    result = ("view", ("input", 0), [("transpose", [1, 0]), ("windows", widths, axes)], {})
    compiled = function(make("nothing", [array(0, (6, 4))], result=result))
    x = np.arange(24.0).reshape(6, 4)
    got = compiled(x)
    expected = np.lib.stride_tricks.sliding_window_view(x.T, widths, axes)
    np.testing.assert_array_equal(got, expected)
    assert (got.strides, str(got.flags)) == (expected.strides, str(expected.flags))
    assert got.ctypes.data == expected.ctypes.data


def test_windows_that_leave_their_array(make):
    result = ("view", ("input", 0), [("windows", [9], [0])], {})
    compiled = function(make("nothing", [array(0, (6, 4))], result=result))
    with pytest.raises(ValueError, match="window shape cannot be larger"):
        compiled(np.zeros((6, 4)))


def test_views_with_parts_of_complex_numbers(make):
    x = np.arange(3) * (1 + 2j)
    trees = [("view", ("input", 0), [(name,)], {}) for name in ("real", "imag")]
    compiled = function(make("nothing", [array(0, (3,), "complex128")], result=("list", trees)))
    for got, expected in zip(compiled(x), (x.real, x.imag), strict=True):
        np.testing.assert_array_equal(got, expected)
        assert (got.strides, got.base is x) == (expected.strides, True)


def test_views_as_another_dtype(make):
    x = np.arange(3.0)
    forms = [("slice", [2], [3], [-1]), ("dtype", [np.dtype("uint64").num])]
    compiled = function(make("nothing", [array(0, (3,))], result=("view", ("input", 0), forms, {})))
    got = compiled(x)
    np.testing.assert_array_equal(got, x[::-1].view("uint64"))
    assert (got.dtype, got.strides, got.base is x) == (np.dtype("uint64"), (-8,), True)
    forms = [("dtype", [np.dtype("int32").num])]
    compiled = function(make("nothing", [array(0, (3,))], result=("view", ("input", 0), forms, {})))
    with pytest.raises(SystemError, match="leaves its array"):
        compiled(x)


def test_views_as_a_dtype_of_another_size(make):
    x = np.arange(6.0).reshape(2, 3).copy()
    number = np.dtype("int16").num
    forms = [("bytes", [number], [8, 2]), ("slice", [1, 0], [1, 6], [1, 2])]
    result = ("view", ("input", 0), forms, {})
    got = function(make("nothing", [array(0, (2, 3))], result=result))(x)
    np.testing.assert_array_equal(got, x.view("int16")[1:, ::2])
    assert (got.strides, got.base is x) == ((24, 4), True)
    result = ("view", ("input", 0), [("bytes", [np.dtype("complex128").num], [8, 16])], {})
    with pytest.raises(ValueError, match="must be a divisor of the total size in bytes"):
        function(make("nothing", [array(0, (2, 3))], result=result))(x)


@pytest.mark.parametrize(("start", "step"), [(0, 1), (5, -1)])
def test_strided_views(make, start, step):
    x = np.arange(6.0)
    result = ("view", ("input", 0), [("strided", [start], [2, 3], [step, 2 * step])], {})
    got = function(make("nothing", [array(0, (6,))], result=result))(x)
    rows, columns = np.ogrid[:2, :3]
    np.testing.assert_array_equal(got, x[start + step * (rows + 2 * columns)])
    assert (got.strides, got.base is x) == ((8 * step, 16 * step), True)


@pytest.mark.parametrize(
    ("start", "sizes", "steps"),
    [
        (0, [7], [1]),
        (6, [1], [1]),
        (1, [3], [-1]),
        (0, [-1], [1]),
        (0, [2, 4], [3, 1]),
        (0, [2], []),
    ],
)
def test_strided_views_that_leave(make, start, sizes, steps):
    result = ("view", ("input", 0), [("strided", [start], sizes, steps)], {})
    with pytest.raises(SystemError, match="leaves its array"):
        function(make("nothing", [array(0, (6,))], result=result))(np.arange(6.0))


def test_empty_strided_views(make):
    result = ("view", ("input", 0), [("strided", [50], [0, 3], [100, 1])], {})
    got = function(make("nothing", [array(0, (6,))], result=result))(np.arange(6.0))
    assert got.shape == (0, 3)


def test_views_with_numbers_of_the_program(make):
    # The program gives 1; the symbol is the size.
    views = [("slice", ["s7"], ["s0 - s7"], [1])]
    names = {"s0": ("symbol", 0), "s7": ("output", 0)}
    compiled = function(
        make(
            "tell1",
            [array(0, (sym(0),))],
            symbols=1,
            outputs=[("int64", ())],
            result=("view", ("input", 0), views, names),
        )
    )
    for size in (2, 5, 9):
        x = np.arange(float(size))
        np.testing.assert_array_equal(compiled(x), x[1:])
        assert compiled(x).base is x


def test_one_object_in_several_places(make):
    inner = ("list", [("view", ("output", 0), [], {}), ("output", 0)])
    tree = ("let", [inner, ("dict", ["a"], [("ref", 0)])], ("tuple", [("ref", 1), ("ref", 0)]))
    compiled = function(make("nothing", [], outputs=[("float64", (3,))], result=tree))
    named, items = compiled()
    assert named["a"] is items
    assert items[0].base is items[1]
    assert compiled()[1] is not items
    assert sys.getrefcount(items) == 3


@pytest.mark.parametrize("value", [True, False])
def test_either(make, value):
    """Only the side that is taken is built."""
    wrong = ("view", ("input", 0), [("slice", [0], [9], [1])], {})
    right = ("tuple", [("input", 0), ("number", 1)])
    tree = ("either", 0, *((right, wrong) if value else (wrong, right)))
    compiled = function(
        make(
            "tell_bool",
            [array(0, (3,)), ("scalar", 1, "int")],
            outputs=[("bool", ()), ("int64", ())],
            result=tree,
        )
    )
    x = np.zeros(3)
    assert compiled(x, int(value))[0] is x
    with pytest.raises(SystemError):
        compiled(x, int(not value))


def test_memory_is_out(make):
    with pytest.raises(MemoryError, match="not enough memory"):
        function(make("out_of_memory", []))()


def test_outputs_that_dont_fit_into_memory(make):
    outputs = [("float64", (1 << 45,))]
    with pytest.raises(MemoryError):
        function(make("nothing", [], outputs=outputs, result=("output", 0)))()
    assert np._core.multiarray.get_handler_name() == "default_allocator"


def test_unknown_code(make):
    with pytest.raises(RuntimeError, match="unknown error code"):
        function(make("unknown_code", []))()


@pytest.mark.parametrize(
    ("shapes", "text"),
    [("negative_shapes", "negative dimensions"), ("huge_shapes", "too big")],
)
def test_impossible_shapes(make, shapes, text):
    outputs = [("float64", (None,))]
    with pytest.raises(ValueError, match=text):
        function(make("nothing", [], shapes, outputs=outputs, result=("output", 0)))()


def test_no_references_are_lost(make):
    x = np.zeros(4)
    key, value = "a key " + str(id(x)), object()
    guards = [("tuple", [array(0, (4,)), ("value", value)]), array(1, (4,), written=True)]
    tree = ("dict", [key], [("list", [("input", 0), ("const", value), ("output", 0)])])
    compiled = function(make("nothing", guards, outputs=[("float64", (2,))], result=tree))
    y = np.zeros(4)
    watched = (x, y, key, value)
    before = [sys.getrefcount(obj) for obj in watched]
    for _ in range(100):
        compiled((x, value), y)
        compiled((x, value), x)  # overlaps
        compiled((x, None), y)
        compiled.retry(((x, value), y), {})
    assert [sys.getrefcount(obj) for obj in watched] == before


def test_many_inputs(make):
    count = 70
    parameters = [array(k, (3,), layout="strided") for k in range(count)]
    compiled = function(make("nothing", parameters, result=("input", count - 1)))
    arrays = list(np.zeros((count, 3)))
    assert compiled(*arrays) is arrays[-1]


def test_threads(make):
    details = {"outputs": [("int64", ())], "result": ("scalar", 0)}
    assert function(make("threads", [], threads=3, **details))() == 3
    assert function(make("threads", [], **details))() == _runtime.default_threads()


def test_default_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert _runtime.default_threads() == 5


def test_abi_version():
    assert isinstance(_runtime.abi_version, int)


def test_lapack_of_numpy_is_there():
    assert _runtime.has_lapack() is True


def test_preload(kernels, tmp_path):
    assert _runtime.preload([kernels]) is None
    with pytest.raises(OSError, match=r"nowhere\.so"):
        _runtime.preload([str(tmp_path / "nowhere.so")])


def test_attributes_of_classes(make):
    class Base:
        count = 0

    class Derived(Base):
        pass

    places = [(Derived, "count"), (0, "own"), (Base, "last")]
    values = [("const", 3), ("const", 4), ("const", 5)]
    guard = ("object", 0, Base, [], [], [])
    compiled = function(make("nothing", [guard], result=("assign", ("const", 1), places, values)))
    obj = Base()
    assert (compiled(obj), obj.own, Base.count, Derived.count, Base.last) == (1, 4, 0, 3, 5)
