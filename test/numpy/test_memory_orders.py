"""The argument ``order=``: small letters, how results lie, and NumPy's errors."""

from __future__ import annotations

import numpy as np
import pytest

import quernel as qn

CALLS = {
    "zeros": lambda x, o: np.zeros((2, 3), order=o),
    "full": lambda x, o: np.full((2, 3), 1.5, order=o),
    "empty": lambda x, o: np.empty((2, 3), order=o) * 0,
    "zeros_like": lambda x, o: np.zeros_like(x, order=o),
    "full_like": lambda x, o: np.full_like(x, 2, order=o),
    "eye": lambda x, o: np.eye(3, order=o),
    "array": lambda x, o: np.array(x, order=o),
    "asarray": lambda x, o: np.asarray(x, order=o),
    "np.copy": lambda x, o: np.copy(x, order=o),
    "copy": lambda x, o: (x * 2).copy(order=o),
    "flatten": lambda x, o: (x * 2).flatten(o),
    "ravel": lambda x, o: np.ravel(x * 2, order=o),
    "np.reshape": lambda x, o: np.reshape(x * 2, (3, 2), order=o),
    "reshape": lambda x, o: x.reshape(3, 2, order=o),
    "reshape of a view": lambda x, o: x.T.reshape(2, 3, order=o),
    "astype": lambda x, o: x.astype(np.float32, order=o),
    "ufunc": lambda x, o: np.add(x, x, order=o),
    "ufunc of turned arrays": lambda x, o: np.add(x.T, x.T, order=o),
    "ufunc with two results": lambda x, o: np.modf(x.T, order=o)[1],
    "ravel_multi_index": lambda x, o: np.ravel_multi_index((1, 2), (3, 4), order=o) + x,
}
ORDERS = ["C", "F", "A", "K", "c", "f", None, "Q", "", "Fortran", 1]


def described(function, *args):
    """What a call gives, or the class and the text of its error."""
    try:
        answer = function(*args)
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return answer.tolist(), answer.dtype, answer.strides


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("order", ORDERS, ids=repr)
@pytest.mark.parametrize("name", CALLS)
def test_orders(name, order):
    def function(x):
        return call(x, order)

    call = CALLS[name]
    x = np.arange(6.0).reshape(2, 3)
    assert described(qn.compile(function), x) == described(function, x)


@pytest.mark.parametrize("name", CALLS)
def test_small_letters_are_compiled(name):
    call = CALLS[name]
    qn.compile(lambda x: call(x, "f"), fullgraph=True)(np.arange(6.0).reshape(2, 3))


def test_einsum_takes_no_order():
    def function(x):
        return np.einsum("ij->ji", x, order="F")

    with pytest.raises(qn.errors.UnsupportedError, match=r"np\.einsum with order="):
        qn.compile(function, fullgraph=True)(np.ones((2, 3)))
