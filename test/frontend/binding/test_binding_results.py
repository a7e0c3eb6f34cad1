"""What calls give: outputs, result trees, errors."""

import sys

import numpy as np
import pytest
from binding_support import array, function

from quernel import _runtime


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1, 2, 3)])
def test_shapes_of_outputs(make, shape):
    made = function(make("nothing", [], outputs=[("float32", shape)], result=("output", 0)))()
    assert type(made) is np.ndarray
    assert made.shape == shape
    assert made.flags.c_contiguous
    assert made.flags.writeable


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
    tree = (
        "dict",
        ["a", 2],
        [
            ("list", [("output", 0), ("output", 0), ("const", marker)]),
            ("tuple", [("input", 0), ("view", 0, lambda obj: obj[1]), ("tuple", [])]),
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


def test_errors_of_views_are_raised(make):
    tree = ("list", [("const", 1), ("dict", [0], [("view", 0, lambda obj: obj[5])])])
    compiled = function(make("nothing", [array(0, (3,))], result=tree))
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(np.zeros(3))


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
