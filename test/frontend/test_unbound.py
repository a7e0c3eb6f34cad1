"""Methods of NumPy's types that are called as functions, and what refusals call things."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import quernel as qn

X = np.arange(6.0) + 1


def written(x):
    y = x * 2
    np.ndarray.__setitem__(y, 0, 5.0)
    np.ndarray.sort(y)
    return y


COMPILED = {
    "sum": lambda x: np.ndarray.sum(x * 2),
    "with arguments": lambda x: np.ndarray.reshape(x, (2, 3)) + 1,
    "with keywords": lambda x: np.ndarray.mean(x, axis=0),
    "operator": lambda x: np.ndarray.__add__(x, x),
    "element": lambda x: np.ndarray.__getitem__(x, 1),
    "written": written,
    "of numbers": lambda x: np.float64.__mul__(x[0], 2.0),
    "of all numbers": lambda x: np.generic.item(x[1]),
    "handed on": lambda x: list(map(np.ndarray.max, [x, x * 2])),
}


@pytest.mark.parametrize("name", COMPILED)
def test_unbound_methods(name):
    function = COMPILED[name]
    given = qn.compile(function, fullgraph=True)(X)
    np.testing.assert_array_equal(given, function(X))
    assert type(given) is type(function(X))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.ndarray.sum([1, 2]),
        lambda x: np.ndarray.sum(),
        lambda x: np.float32.__add__(x[0], 1.0),
        lambda x: np.ndarray.sum(x, axis=3),
        lambda x: np.generic.item(x + 1),
    ],
)
def test_errors_of_unbound_methods(function):
    with pytest.raises((TypeError, ValueError)) as theirs:
        function(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(type(theirs.value)) as ours:
            qn.compile(function, fullgraph=True)(X)
    assert str(ours.value) == str(theirs.value)


REFUSED = {
    "memoryview": (lambda x: memoryview(x * 2).nbytes, "the bytes of an array"),
    "bytes": (lambda x: bytes(x * 2), "the bytes of an array"),
    "bytearray": (lambda x: bytearray(x + 1), "the bytes of an array"),
    "str": (lambda x: str(x, "latin1"), "the bytes of an array"),
    "polymul": (lambda x: np.polymul(x, [1.0]), r"np\.polymul can't be compiled: in "),
    "broadcast": (lambda x: np.broadcast(x, x).shape, r"a call of np\.broadcast"),
    "array2string": (lambda x: np.array2string(x + 1), r"a call of np\.array2string"),
    "reader": (
        lambda x: np.float64(2.0).searchsorted(x[:1]),
        "a function that isn't compiled reads the elements of an array",
    ),
    "getter": (lambda x: np.ndarray.T.__get__(x + 1), r"__get__\(\) of these types"),
    "%": (lambda x: "%f" % x[0], "the text of a number that is only known"),  # noqa: UP031
    "format": (lambda x: "{:.3f}".format(x.mean()), "the text of an array or of its elements"),  # noqa: UP032
    "print": (lambda x: print(x[0]), r"print\(\) has an effect"),
    "repr": (lambda x: repr(x.sum()), "the text of an array or of its elements"),
}
_OURS = ("Traced", "Symbolic", "while capturing", "_call", "__array")


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_the_user_has_called(name):
    function, text = REFUSED[name]
    with pytest.raises(qn.errors.UnsupportedError, match=text) as raised:
        qn.compile(function, fullgraph=True)(X)
    assert not any(word in str(raised.value) for word in _OURS)


def test_numbers_of_bytes_are_no_arrays():
    def function(x):
        return x + len(bytes(3)) + len(str(b"ab", "utf8"))

    np.testing.assert_array_equal(qn.compile(function, fullgraph=True)(X), function(X))
