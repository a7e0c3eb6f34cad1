"""Methods of ufuncs that go from one element to the next."""

import numpy as np
import pytest

import quernel as qn

X = np.random.default_rng(4).standard_normal((4, 5))
I = np.random.default_rng(4).integers(1, 100, (4, 5))  # noqa: E741
UFUNCS = {
    "hypot": X,
    "logaddexp": X,
    "subtract": X,
    "divide": X.astype("f4"),
    "arctan2": X,
    "copysign": X,
    "bitwise_xor": I,
    "floor_divide": I,
    "left_shift": (I % 3).astype("u1"),
    "logical_xor": X > 0,
}


def assert_same(function, *args, dynamic=None, **bound):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    with np.errstate(all="ignore"):
        want, got = function(*args), compiled(*args)
    assert (type(got), got.dtype, got.shape) == (type(want), want.dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6 if got.dtype == "f4" else 1e-13)


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", [name for name in UFUNCS if name != "arctan2"])
def test_reduce(name, dynamic):
    ufunc, x = getattr(np, name), UFUNCS[name]
    assert_same(lambda x: ufunc.reduce(x) + 0, x, dynamic=dynamic)
    assert_same(lambda x: ufunc.reduce(x[0]) + 0, x, dynamic=dynamic)
    assert_same(lambda x: ufunc.reduce(x, axis=1, keepdims=True) + 0, x, dynamic=dynamic)


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", UFUNCS)
def test_accumulate(name, dynamic):
    ufunc, x = getattr(np, name), UFUNCS[name]
    assert_same(lambda x: ufunc.accumulate(x) + 0, x, dynamic=dynamic)
    assert_same(lambda x: ufunc.accumulate(x, axis=1) + 0, x, dynamic=dynamic)
    assert_same(lambda x: ufunc.accumulate(x[:0]) + 0, x, dynamic=dynamic)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "hypot", "subtract"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "i8"])
def test_reduceat(name, dtype):
    if (name, dtype) == ("hypot", "i1"):
        dtype = "i8"  # else NumPy computes in float16
    ufunc = getattr(np, name)
    x = (X * 4).astype(dtype)
    assert_same(lambda x, k: ufunc.reduceat(x, k) + 0, x, np.array([0, 2, 1, 3]))
    assert_same(lambda x, k: ufunc.reduceat(x, k, axis=1) + 0, x, np.array([4, 0, 3]))
    assert_same(lambda x: ufunc.reduceat(x[1], [0, 3, 3]) + 0, x)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_comparisons_have_no_loop(method):
    def compute(x):
        return (np.less.reduce(x) if method == "reduce" else np.less.accumulate(x)) * 1

    for function in (compute, qn.compile(compute, fullgraph=True)):
        with pytest.raises(TypeError):  # the text depends on what NumPy has looked for before
            function(X)


def test_reduction_of_nothing():
    assert_same(lambda x: np.hypot.reduce(x[:0]) + 0, X)
    assert_same(lambda x: np.subtract.reduce(x, initial=2) + 0, X)
    for function in (np.subtract.reduce, qn.compile(lambda x: np.subtract.reduce(x[:0]) + 0)):
        with pytest.raises(ValueError, match="operation subtract which has no identity"):
            function(X[:0])


@pytest.mark.parametrize("place", [-1, 5])
def test_places_outside(place):
    raised = []
    for function in (np.add.reduceat, qn.compile(lambda x, k: np.add.reduceat(x, k) * 2)):
        with pytest.raises(IndexError) as caught:
            function(X[0], np.array([0, place]))
        raised.append(str(caught.value))
    assert raised[0] == raised[1]


running_most = np.maximum.accumulate


def test_a_method_that_a_name_is_bound_to() -> None:
    assert_same(lambda x: running_most(x, axis=1) + 0, X)
