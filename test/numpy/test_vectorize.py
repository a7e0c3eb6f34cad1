"""`np.vectorize`: a loop over the elements, of which the first one decides about dtypes."""

import numpy as np
import pytest
from support import assert_same

import quernel as qn
from quernel.errors import UnsupportedError

SCALE = 3.0


def distance(a, b):
    if a > b:
        return a - b
    return a + b


def steps(n):
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def mapped(function):
    def compute(x):
        return np.vectorize(function)(x)

    return compute


@np.vectorize
def scaled(a):
    return a * SCALE if a > 0 else 0.0


as_floats = np.vectorize(lambda a: int(a * 3), otypes=[float])
X = np.random.default_rng(2).random(7)
CASES = {
    "a branch": (mapped(lambda a: a * 2 if a > 0.5 else a), X),
    "float32": (mapped(lambda a: a * 2 if a > 0.5 else a), X.astype("f4")),
    "several axes": (lambda x: np.vectorize(lambda a: -a)(x) + 1, X[:6].reshape(2, 3).T),
    "broadcast": (lambda x: np.vectorize(distance)(x[:, None], x), X),
    "several results": (mapped(lambda a: (a, a > 0.5, 2)), X),
    "the first one is an integer": (mapped(lambda a: 0 if a < 2 else a), X * 4),
    "the first one is a float": (mapped(lambda a: 0 if a < 2 else a), X * -4),
    "integers": (mapped(steps), np.arange(1, 30)),
    "named dtype": (lambda x: as_floats(x) / 2, X),
    "a decorated function": (lambda x: scaled(x - 0.5), X),
    "a number": (lambda x: np.vectorize(distance)(x, 0.5), 0.75),
    "no elements": (lambda x: np.vectorize(distance)(x, 0.5), X[:0]),
    "no elements of a named dtype": (lambda x: as_floats(x) + 1, X[:0]),
    "Python's division": (mapped(lambda a: 1 / (a - 3)), np.arange(2, 5)),
}


def outcome(function, x):
    try:
        made = function(x)
    except Exception as error:
        return type(error), str(error)
    parts = made if type(made) is tuple else (made,)
    return [(type(part), part.dtype, part.shape, part.tolist()) for part in parts]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_numpys_results(name, dynamic):
    function, x = CASES[name]
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    assert outcome(compiled, x) == outcome(function, x)


def test_what_the_function_reads_is_guarded(monkeypatch):
    compiled = qn.compile(lambda x: scaled(x) + 1, fullgraph=True)
    for value in (3.0, 5.0):
        monkeypatch.setitem(globals(), "SCALE", value)
        np.testing.assert_array_equal(compiled(X), scaled(X) + 1)
    monkeypatch.setitem(globals(), "scaled", np.vectorize(lambda a: a + 100))
    np.testing.assert_array_equal(compiled(X), scaled(X) + 1)


REFUSED = {
    "np.vectorize with excluded= or signature=": [
        lambda x: np.vectorize(np.sum, signature="(n)->()")(x) + 1,
        lambda x: np.vectorize(distance, excluded={1})(x, 2.0),
    ],
    "a vectorized function with keywords or no arguments": [
        lambda x: np.vectorize(distance)(x, b=2.0),
        lambda x: np.vectorize(lambda: 1)(),
    ],
}


@pytest.mark.parametrize(("text", "function"), [(t, f) for t in REFUSED for f in REFUSED[t]])
def test_refusals(text, function):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)


def test_from_functions() -> None:
    def tens(i, j):
        return i * 10 + j

    def function(x):
        return (
            np.fromfunction(lambda i, j: i * j, (3, 4)),
            np.fromfunction(tens, (2, 3), dtype=int),
            np.fromfunction(lambda i, j, k=1: x[0] * i + j * k, (x.size, 2), k=3),
        )

    x = np.arange(4.0) + 2
    assert_same(qn.compile(function, fullgraph=True)(x), function(x))
