"""Reductions, running ones, parts and `at` by each ufunc that the compiler has a combiner for."""

import numpy as np
import pytest

import quernel as qn

UFUNCS = [
    *(np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.logical_xor),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor),
]
FORMS = {
    "reduce": lambda ufunc, x, m, k: ufunc.reduce(x),
    "columns": lambda ufunc, x, m, k: ufunc.reduce(m, axis=0),
    "rows": lambda ufunc, x, m, k: ufunc.reduce(m, axis=1, keepdims=True),
    "initial": lambda ufunc, x, m, k: ufunc.reduce(m, axis=0, initial=1),
    "where": lambda ufunc, x, m, k: ufunc.reduce(m, axis=1, where=m > 2, initial=3),
    "nothing": lambda ufunc, x, m, k: ufunc.reduce(m[:0], axis=0),
    "accumulate": lambda ufunc, x, m, k: ufunc.accumulate(x),
    "accumulated rows": lambda ufunc, x, m, k: ufunc.accumulate(m, axis=1),
    "reduceat": lambda ufunc, x, m, k: ufunc.reduceat(x, [0, 5, 3, 90]),
}


def at(ufunc, x, m, k):
    made = x[:30].copy()
    ufunc.at(made, k, x)
    return made


FORMS["at"] = at


def arguments(dtype):
    rng = np.random.default_rng(0)
    x, m = rng.integers(0, 200, 403).astype(dtype), rng.integers(0, 9, (37, 53)).astype(dtype)
    if dtype == "f8":
        x = np.exp(x / 200)
    return x, m, rng.integers(0, 30, 403)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("ufunc", "dtype"),
    [
        *[(ufunc, dtype) for ufunc in UFUNCS for dtype in ("?", "u1", "i4", "i8")],
        *[(ufunc, "f8") for ufunc in UFUNCS if "bitwise" not in ufunc.__name__],
    ],
)
def test_combines_as_numpy(ufunc, dtype, form):
    x, m, k = arguments(dtype)
    function = FORMS[form]
    compiled = qn.compile(lambda x, m, k: function(ufunc, x, m, k), fullgraph=True)
    try:
        want = function(ufunc, x, m, k)
    except ValueError as error:
        with pytest.raises(ValueError, match=f"^{error}$"):
            compiled(x, m, k)
        return
    got = compiled(x, m, k)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=1e-12, strict=True)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits_are_combined_by_vectors(name):
    ufunc = getattr(np, name)

    def reduced(x):
        return ufunc.reduce(x)

    text = qn.compile(reduced).lower(np.arange(1000)).text("cpp")
    assert "load<" in text


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.min(x, initial=2.5),
        lambda x: np.max(x > 2, initial=1),
        lambda x: np.minimum.reduce(x > 2, initial=7),
        lambda x: np.sum(x, initial=2.5),
        lambda x: np.max(x * 1.0, initial=np.int64(3)),
        lambda x: np.sum(x * 1.0, initial=x[0] + 1.5),
    ],
)
def test_initial_has_the_arrays_dtype(call):
    x = np.arange(5)
    got, want = qn.compile(call, fullgraph=True)(x), call(x)
    assert (got, type(got)) == (want, type(want))


def test_initial_that_doesnt_fit():
    call = qn.compile(lambda x: np.max(x, initial=300), fullgraph=True)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        call(np.arange(3, dtype="u1"))
