"""Arrays that have to be of some kind, values for a mask, systems of arrays."""

import numpy as np
import pytest
from support import assert_same

import quernel as qn

X = np.random.default_rng(3).random((4, 6))


def same(function, *args):
    compiled = qn.compile(function, fullgraph=True)
    ours, numpys = [x.copy() for x in args], [x.copy() for x in args]
    assert_same(compiled(*ours), function(*numpys))
    for mine, other in zip(ours, numpys, strict=True):
        np.testing.assert_array_equal(mine, other)


def refused_as_in_numpy(function, *args):
    with pytest.raises(Exception) as wanted:  # noqa: PT011
        function(*[x.copy() for x in args])
    with pytest.raises(type(wanted.value)) as raised:
        qn.compile(function, fullgraph=True)(*[x.copy() for x in args])
    assert str(raised.value) == str(wanted.value)


def test_place():
    def placed(x, values):
        np.place(x, x > 0.5, values)
        np.place(x[:, ::2], x[:, ::2] < 0.2, [7.0, 8.0])
        return x[0]

    same(placed, X, np.arange(5.0))
    same(placed, X, np.arange(1.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.place(x, x > 0.5, np.ones(3, complex)),
        lambda x: np.place(x, x > 0.5, []),
        lambda x: np.place(x, np.ones(3, bool), [1.0]),
        lambda x: np.require(x, requirements=["C", "F"]),
        lambda x: np.fromiter(x[0], float, count=9),
        lambda x: np.asarray_chkfinite(np.log(x - x)),
        lambda x: np.linalg.tensorsolve(x, x[0]),
        lambda x: np.isposinf(x * 1j),
        lambda x: np.gradient(x > 0.5),
        lambda x: np.ediff1d(x > 0.5),
        lambda x: x.to_device("gpu"),
        lambda x: np.quantile(x * 1j, 0.5),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_numpy_refuses(call):
    refused_as_in_numpy(call, X)


def test_requirements():
    same(lambda x: np.require(x.T, requirements=["C"]).sum(0), X)
    same(lambda x: np.require(x, np.float32, "F"), X)
    same(lambda x: np.asarray_chkfinite(x) + 1, X)
    same(lambda x: (np.iterable(x), np.iterable(x.sum()), np.iterable(3)), X)
    same(lambda x: (np.isfortran(x), np.isfortran(np.asfortranarray(x))), X)


def test_fromiter():
    same(lambda x: np.fromiter(x[0], float) + 1, X)
    same(lambda x: np.fromiter([x[0, 0], 2, x[1, 1]], np.float32, count=2), X)
    same(lambda x: np.fromiter((v * 2 for v in x[1]), float), X)


def test_tensorsolve():
    a = np.eye(24).reshape(6, 4, 2, 3, 4) + 0.01
    same(lambda a, b: np.linalg.tensorsolve(a, b).round(9), a, X.T.copy())
    b = np.eye(24).reshape(2, 6, 4, 3, 4) + 0.01
    same(lambda b, x: np.linalg.tensorsolve(b, x, axes=(0, 4)).round(9), b, np.ones((6, 4)))


def test_dtypes_of_ufuncs_that_are_composed():
    def cast(x):
        mask = x > 0.5
        return (
            np.fabs(mask, dtype=np.float64),
            np.deg2rad(mask, dtype=np.float32),
            np.conjugate(x, dtype=np.complex64),
            np.heaviside(mask, 2, dtype=float),
        )

    same(cast, X)


def test_sums_of_bools_as_bools():
    same(lambda x: ((x > 0.5).sum(dtype=bool), (x > 0.5).prod(axis=0, dtype=bool)), X)
    same(lambda x: np.vecdot(x > 0.5, x > 0.4), X)


def test_identities_of_all_bits():
    small = (X * 200).astype(np.uint8)
    same(lambda x: (np.bitwise_and.reduce(x), np.bitwise_and.reduce(x, axis=1)), small)


def test_complex_numbers_in_order():
    z = np.round(X * 3) + 1j * np.round(X[::-1] * 2)
    same(lambda z: np.unique(z, return_index=True, return_inverse=True, return_counts=True), z)
    same(lambda z: (np.median(z, axis=0), np.median(z), np.sinc(z).round(12)), z)
    z[1, 2] = complex(np.nan, 1)
    z[2, 2] = complex(1, np.nan)
    same(lambda z: (np.unique(z), np.median(z, axis=0)), z)
