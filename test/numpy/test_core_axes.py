"""Where generalised ufuncs have their axes, and the dtypes that a call of a ufunc fixes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, check, sample

import quernel as qn

CUBE, OTHER = sample("float64", (3, 4, 5)), sample("float64", (5, 2, 3))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.matmul(a, b, axes=[(1, 2), (0, 1), (0, 1)]),
        lambda a, b: np.matmul(a, b, axes=[(-2, -1), (0, 1), (1, 2)]),
        lambda a, b: np.matmul(a, b[:, 0, 0], axes=[(1, 2), (0,), (0,)]),
        lambda a, b: np.matmul(a[0, 0], b, axes=[(0,), (0, 1), (1,)]),
        lambda a, b: np.matmul(a[0, 0], b[:, 1, 1], axes=[0, 0, ()]),
        lambda a, b: np.vecdot(a, b[:, 0, 0], axes=[2, 0]),
        lambda a, b: np.vecdot(a, a, axis=0),
        lambda a, b: np.vecdot(a, a, axis=1, keepdims=True),
        lambda a, b: np.vecdot(a, a * 1j, keepdims=True),
        lambda a, b: np.vecdot(a, a, axes=[0, 0, 0], keepdims=True),
        lambda a, b: np.matvec(a, b[:, 0, 0], axes=[(0, 2), 0, 1]),
        lambda a, b: np.vecmat(b[:, 0, 0], a, axes=[0, (2, 0), (0,)]),
        lambda a, b: np.matmul(a, b, axes=[(1, 2), (0, 1), (0, 1)], out=np.empty((4, 2, 3))),
    ],
)
def test_axes(function: Any) -> None:
    check(function, CUBE, OTHER, ulp=16)  # NumPy adds without a library where axes are apart


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.matmul(a, b, axes=[(1, 2), (0, 1)]),
        lambda a, b: np.matmul(a, b, axes=((1, 2), (0, 1), (0, 1))),
        lambda a, b: np.matmul(a, b, axes=[(1, 3), (0, 1), (0, 1)]),
        lambda a, b: np.matmul(a, b, axes=[(1, 1), (0, 1), (0, 1)]),
        lambda a, b: np.matmul(a, b, axis=0),
        lambda a, b: np.matmul(a, b, keepdims=True),
        lambda a, b: np.vecdot(a, a, axis=3),
        lambda a, b: np.vecdot(a, a, axis=0, axes=[0, 0]),
        lambda a, b: np.vecdot(a, a, axes=[0, 0, 0]),
        lambda a, b: np.add(a, a, axis=0),
    ],
)
def test_errors(function: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as expected:
        function(CUBE, OTHER)
    with pytest.raises(type(expected.value)) as raised:
        qn.compile(function, fullgraph=True)(CUBE, OTHER)
    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "int8"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add(x, 1, signature="dd->d"),
        lambda x: np.add(x, x, signature=(None, None, np.float64)),
        lambda x: np.multiply(x, 2, signature=(np.float64, None, None)),
        lambda x: np.divmod(x, 3, signature="dd->dd"),
        lambda x: np.divmod(x, 3, dtype=np.float64),
        lambda x: np.modf(x, signature="d->dd"),
        lambda x: np.frexp(x, signature="d->di"),
        lambda x: np.equal(x, x, signature="dd->?"),
        lambda x: np.exp(x, signature="d"),
        lambda x: np.heaviside(x, 1, signature="dd->d"),
        lambda x: np.matmul(x, x, signature="dd->d"),
        lambda x: np.vecdot(x, x, dtype=complex),
        lambda x: np.subtract(x, 1, signature="ii->i", casting="unsafe"),
        lambda x: np.subtract(x, 1, signature="bb->b"),
        lambda x: np.add(x, 1, signature="d->d"),
        lambda x: np.add(x, 1, signature=(np.float64,) * 2),
        lambda x: np.add(x, 1, signature=[np.float64] * 3),
        lambda x: np.add(x, 1, signature="dd->d", dtype=np.float64),
    ],
)
def test_signatures(function: Any, dtype: str) -> None:
    x = sample(dtype, (4, 4))
    found = []
    for f in (function, qn.compile(function, fullgraph=True)):
        try:
            found.append(f(x))
        except (TypeError, ValueError) as error:
            found.append((type(error), str(error)))
    assert_same(found[1], found[0], ulp=8)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "uint8", "bool", "complex128"])
def test_clip_takes_what_ufuncs_take(dtype: str) -> None:
    def compute(x, low, high, mask):
        out = np.zeros(x.shape, np.result_type(x, low, high))
        return (
            np.clip(x, low, high),
            np.clip(x, low, high, where=mask, out=out),
            np.clip(x, low, high, dtype=np.complex128),
            np.clip(x.T, low[0, 0], high[1, 1]),
            np.clip(x, low, None, dtype=np.complex64, casting="unsafe"),
            np.clip(x[0, 0], low, high),
            x.clip(min=low, out=np.empty(x.shape, np.result_type(x, low))),
        )

    x, low, high = (sample(dtype, (3, 5)) for _ in range(3))
    check(compute, x, low, high, sample("bool", (3, 5)))


def test_axes_without_those_of_the_result_and_keepdims():
    a, b = np.arange(27.0).reshape(3, 3, 3), np.arange(10.0, 19.0).reshape(3, 1, 3)
    for function in (
        lambda a, b: np.vecdot(a, b, axes=[0, 2], keepdims=True),
        lambda a, b: np.vecdot(a, b, axes=[0, 0]),
    ):
        np.testing.assert_array_equal(qn.compile(function, fullgraph=True)(a, b), function(a, b))
    with pytest.raises(TypeError, match="'keepdims' must be a boolean"):
        qn.numpy.vecdot(a, b, keepdims="true")
