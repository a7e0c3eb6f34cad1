"""What of NumPy is refused: the text that says so, and that the call then runs in NumPy."""

# ruff: noqa: PLW0108  (a NumPy function is no Python function)
from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from numpy.lib.stride_tricks import as_strided

import quernel as qn

X = np.linspace(0.5, 3.5, 12)
A = X.reshape(3, 4)
N = np.arange(12)
SMALL = N.astype(np.int8)
Z = X + 1j
B = X > 2


def gap(x, y):
    return x - y


OWN = np.frompyfunc(gap, 2, 1)
NOT_NUMPYS = ", a ufunc that isn't NumPy's, is not supported yet"


def whole_bounds(x, low):
    return np.clip(x, low, 9)


def one_of_two(x):
    a, b = x + 1, x + 2
    y = a if x[0] > 1 else b
    y[0] = 1
    return np.shares_memory(y, a), a, b


def in_c_order_without_a_copy(x):
    rows = x.transpose(2, 1, 0)[x[0, 0] > 0].transpose(2, 1, 0).reshape(-1, 3)
    return np.array(rows, order="C", copy=False)


REFUSED = [
    # accumulation, reductions, methods of ufuncs
    (lambda x: OWN(x, 1), (X,), "`gap (vectorized)`" + NOT_NUMPYS),
    (
        lambda x: np.arctan2.reduce(x),
        (X,),
        "np.arctan2.reduce of float64, which isn't its calls one after the other",
    ),
    (
        lambda a: np.hypot.reduce(a, axis=(0, 1)),
        (A,),
        "np.hypot.reduce over several axes, or with where=",
    ),
    (
        lambda x: (x * 1j).prod(where=x > 1),
        (X,),
        "a product of complex numbers with where=",
    ),
    # floats that NumPy takes for integers
    (lambda x: np.repeat(x, x[0]), (X,), "np.repeat of these types ("),
    (lambda x: np.tile(x, float(x[0])), (X,), "np.tile of these types ("),
    (lambda i: np.isin(i, [3], kind="table"), (N,), "np.isin(kind='table'), which data may refuse"),
    (lambda a: np.median(a[:0], axis=0), (A,), "a median, or a quantile, of nothing"),
    (lambda x: np.isclose(x, 1, np.inf), (X,), "np.isclose with a tolerance that isn't finite"),
    (lambda i: np.arange(2, dtype=bool) & (i > 3)[:2], (N,), "np.arange of bools"),
    (
        in_c_order_without_a_copy,
        (np.arange(24.0).reshape(2, 3, 4),),
        "copy=False of an array whose order in memory isn't known",
    ),
    (
        lambda x: np.put(x[:0], np.flatnonzero(x > 1), 1, mode="clip"),
        (X,),
        "a position in an array without elements",
    ),
    (
        lambda i: np.searchsorted(i, 3, sorter=i - 1),
        (N,),
        "np.searchsorted with a place outside in sorter=",
    ),
    (
        lambda x: x + np.ones(12, like=x),
        (X,),
        "the argument like=, which may ask another library",
    ),
    (
        lambda x, y: np.concatenate([x, y], axis=None),
        (X, 1.0),
        "np.concatenate of Python's numbers",
    ),
    (
        lambda y: np.arange(0, 1, y),
        (np.inf,),
        "np.arange with a step that is too large beside the range",
    ),
    (lambda x: x + np.bincount(["1"])[0], (X,), "np.bincount, which warns: "),
    # choosing
    (
        lambda i: np.ravel_multi_index((i % 3, i % 4), (3, 4), order="F"),
        (N,),
        "np.ravel_multi_index in Fortran order",
    ),
    (
        lambda i: np.unravel_index(i, (3, 4), order="F"),
        (N,),
        "np.unravel_index in Fortran order",
    ),
    # creation, grids, sequences
    (lambda x: np.ndarray((2,), float, bytes(16)) + x[:2], (X,), "np.ndarray over a buffer"),
    (lambda x: np.r_["0,2", x, x], (X,), "np.r_ with a directive"),
    (lambda z: np.geomspace(z[0], z[1], 5), (Z,), "np.geomspace of complex numbers"),
    (lambda x: np.logspace(0, 1, 12, base=x), (X,), "np.logspace with an array of bases"),
    # histograms
    (
        lambda x: np.histogram(x, bins="auto"),
        (X,),
        "np.histogram with an estimated number of bins",
    ),
    (
        lambda x: np.histogram(x[x > 1]),
        (X,),
        "np.histogram of data that may be empty, without range=",
    ),
    # logic
    (
        lambda z: np.real_if_close(z),
        (Z,),
        "np.real_if_close: the result's dtype depends on the data",
    ),
    # norms
    (
        lambda a: np.linalg.vector_norm(a, axis=(0, 1)),
        (A,),
        "np.linalg.vector_norm over several axes",
    ),
    # operands, registry, ufuncs
    (lambda x: np.add(x, {1}), (X,), "an operand of type set"),
    (lambda x: np.busday_count(x, x), (X,), "np.busday_count is not supported yet"),
    (lambda x: np.add(x, x, out=[1.0]), (X,), "out= with something else than an array"),
    (lambda x: x.dumps(), (X,), "the array attribute `.dumps` is not supported yet"),
    # repeating, rounding
    (lambda x, i: np.delete(x, i), (X, N[:2]), "np.delete at positions that only the data say"),
    (lambda b: np.round(b, 1), (B,), "np.round of booleans to digits"),
    (
        lambda x: np.add(x, x, dtype=np.longdouble),
        (X,),
        f"np.add computes in {np.dtype(np.longdouble)} here",
    ),
    # searching
    (lambda x: np.interp(x, X, X, period=2.0), (X,), "np.interp with a period"),
    (lambda x: np.interp(x, X, Z), (X,), "np.interp of complex values"),
    # selection, sets
    (lambda x: np.argwhere(x[0]), (X,), "np.argwhere of a number"),
    (
        lambda x, z: np.histogramdd((x, x), weights=z),
        (X, X + 1j),
        "np.histogramdd with complex weights",
    ),
    (
        lambda x: np.intersect1d(x, x, return_indices=True),
        (X,),
        "np.intersect1d(return_indices=True)",
    ),
    (
        lambda x: np.unique(x.reshape(3, 4)[:, :0], axis=0),
        (X,),
        "np.unique of rows without",
    ),
    # sorting
    (lambda z: np.nanmedian(z), (Z,), "a median of complex numbers without NaN"),
    (lambda z: np.unique_values(z), (Z,), "np.unique in no order, which NumPy gives in that of"),
    (
        lambda x, q: np.quantile(x, q),
        (X, np.full((2, 2), 0.5)),
        "quantiles in an array of several axes",
    ),
    (
        lambda x: np.quantile(x, 0.5, weights=x, method="inverted_cdf"),
        (X,),
        "np.quantile with weights=",
    ),
    # special, statistics
    (
        lambda x: scipy.special.logsumexp(x, b=x),
        (X,),
        "logsumexp with b= or return_sign=",
    ),
    # windows
    (
        lambda x: np.convolve(x[x > 1], x),
        (X,),
        "a convolution of arrays whose sizes aren't known",
    ),
    # memory
    (lambda x: as_strided(x[::2].copy(), (9,), (8,)) + 0, (X,), "as_strided beyond the memory"),
    (lambda x: as_strided(x, (9,), (4,)) + 0, (X,), "as_strided with strides that aren't those of"),
    (
        lambda x: as_strided(x, (3,), (8,)) + 0,
        (X[::2],),
        "as_strided of an array whose memory isn't one row of elements",
    ),
    (
        lambda x: as_strided(x, (9, 3), (8, 8)).fill(1),
        (X.copy(),),
        "writing to elements of a strided view that overlap",
    ),
    (lambda x, y: np.shares_memory(x, y), (X, Z), "whether two arguments share memory"),
    (
        one_of_two,
        (X,),
        "whether views share memory where only data say how they lie",
    ),
    (whole_bounds, (SMALL, 3), "np.clip of narrow integers to a number of the program"),
]


@pytest.mark.parametrize(("function", "arguments", "text"), REFUSED, ids=[c[2] for c in REFUSED])
def test_what_is_refused(function, arguments, text) -> None:
    options = {"dynamic": True} if function is whole_bounds else {}
    with pytest.raises(qn.errors.UnsupportedError) as refusal:
        qn.compile(function, fullgraph=True, **options)(*arguments)
    assert text in refusal.value.reason
    assert refusal.value.file == __file__


def test_without_lapack(monkeypatch) -> None:
    monkeypatch.setattr("quernel._runtime.has_lapack", lambda: False)
    compiled = qn.compile(lambda a: np.linalg.inv(a), fullgraph=True)
    with pytest.raises(qn.errors.UnsupportedError, match="inv where NumPy lends no LAPACK"):
        compiled(np.eye(3))
