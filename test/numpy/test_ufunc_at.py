"""`ufunc.at`: each time that an element is named, with the casts and the errors that NumPy has."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest
from support import assert_same

import quernel as qn

N = np.array([0, 3, 3, 1, 0, -1])
B = np.array([1.5, 2.7, 0.3, 4.0, 5.0, 6.0])


def added(a, i, b):
    np.add.at(a, i, b)


def added_number(a, i, b):
    np.add.at(a, i, 0.1)
    np.add.at(a, (0,), b[0])
    np.subtract.at(a, 3, 1.7)


def other_functions(a, i, b):
    np.multiply.at(a, i, b)
    np.maximum.at(a, i[:3], b[:3])
    np.negative.at(a, i)
    np.less.at(a, i[1:2], b[1])


def masks_and_slices(a, i, b):
    np.add.at(a, a > 1, b[0])
    np.add.at(a, slice(1, 4), b[:3])
    np.subtract.at(a, Ellipsis, 1.5)
    m = np.zeros((5, 3), a.dtype)
    np.add.at(m, (i, slice(0, 2)), b[:, None])
    np.multiply.at(m, (slice(None), np.array([0, 0, 2])), np.array([2, 1.5, 3]))
    a[:3] = m.sum(axis=0)


def nothing(a, i, b):
    np.add.at(a, i[:0], b[:0])


def in_a_loop(a, i, b):
    for k in range(3):
        np.add.at(a, i, b * k)


FUNCTIONS = [added, added_number, other_functions, masks_and_slices, nothing, in_a_loop]


DTYPES = [
    ("float32", "float64"),
    ("float64", "int64"),
    ("int32", "float64"),
    ("uint8", "bool"),
    ("complex64", "complex64"),
]


@pytest.mark.parametrize("dtypes", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values(function: object, dtypes: tuple[str, str]) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dtypes == DTYPES[0] or None)
    args = np.array([1, 2, 3, 0, 5]).astype(dtypes[0]), N, B.astype(dtypes[1])
    own, plain = copy.deepcopy(args), copy.deepcopy(args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*plain)
        compiled(*own)
    assert_same(own, plain)


def test_a_python_number_is_not_weak() -> None:
    def compute(a):
        np.add.at(a, [0, 1, 1], 0.1)

    values = np.random.default_rng(0).random(500, dtype="float32")
    own, plain = values.copy(), values.copy()
    compute(plain)
    qn.compile(compute, fullgraph=True)(own)
    assert_same(own, plain)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.add.at(a, [0, 9], [1, 2.5]),
        lambda a: np.multiply.at(a, [0, 9], [1, 2.5]),
        lambda a: np.multiply.at(a, [0, 1], [1, 2, 3]),
        lambda a: np.add.at(a, [0, 1], [[1.5], [2.5], [3.5]]),
        lambda a: np.add.at(a, slice(0, 2), [[1.5], [2.5]]),
        lambda a: np.add.at(a, [0, 1]),
        lambda a: np.negative.at(a, [0, 1], 3),
        lambda a: np.divmod.at(a, [0, 1], 3),
        lambda a: np.bitwise_and.at(a, [0, 1], 3),
        lambda a: np.add.at(a[0], [0, 1], 3),
        lambda a: np.add.at(a, [0.5, 1], 3),
    ],
)
def test_errors(function: object) -> None:
    with pytest.raises(Exception) as want:  # noqa: PT011
        function(np.arange(4.0))
    with pytest.raises(type(want.value)) as got:
        qn.compile(function, fullgraph=True)(np.arange(4.0))
    assert str(got.value) == str(want.value)
