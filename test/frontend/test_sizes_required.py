"""What NumPy asks of sizes that the data make: enough elements, as many as another array has."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same

import quernel as qn

# What is greater than 0 has other sizes, equal ones, one element, none, in one array or in both.
PAIRS = [
    ([1, 2, -1, 3], [4, -1, 5, -6]),
    ([1, 2, 3, 3], [1, 2, 3, 3]),
    ([0, 0, 1], [1, 2, 1]),
    ([0, 0, 0], [0, 0, 0]),
    ([0, 1, 2, 3, 5], [1, 2, 0]),
    ([1, 2, 3], [-1, -2]),
    ([0, 7, 0], [0, 3, 0]),
]

FUNCTIONS = {
    "average": lambda u, v, x: np.average(u, weights=v),
    "average along an axis": lambda u, v, x: np.average(np.outer(u, x), axis=0, weights=v),
    "average of lines": lambda u, v, x: np.average(np.outer(u, x), axis=1),
    "average of columns": lambda u, v, x: np.average(np.outer(x, u), axis=0),
    "extended": lambda u, v, x: np.pad(u, (1, 2), mode="edge"),
    "wrapped": lambda u, v, x: np.pad(u, 1, mode="wrap"),
    "gradient": lambda u, v, x: np.gradient(u),
    "histogram": lambda u, v, x: np.histogram(u, 3, range=(0, 4), weights=v)[0],
    "interp": lambda u, v, x: np.interp(x, u, u * 2),
    "interp of other sizes": lambda u, v, x: np.interp(x, u, v),
    "item": lambda u, v, x: u.item(),
    "linspace": lambda u, v, x: np.linspace(0.0, x[0], u.shape[0]),
    "linspace without its end": lambda u, v, x: np.linspace(0, 1, v.shape[0], endpoint=False),
    "linspace of fewer": lambda u, v, x: np.linspace(0, 1, u.shape[0] - 2),
    "mask": lambda u, v, x: u[v > 1],
    "mask of rows": lambda u, v, x: np.outer(x, u)[v > 1].sum(axis=1),
    "mask of columns": lambda u, v, x: np.outer(x, u)[:, v > 1].sum(axis=1),
    "median": lambda u, v, x: (np.median(u), np.median(np.outer(u, x), axis=0)),
    "quantile": lambda u, v, x: np.quantile(u, 0.3),
    "repeat": lambda u, v, x: np.repeat(u, v.astype(int)).sum(),
    "solve": lambda u, v, x: np.linalg.solve(np.eye(u.shape[0]) * 2, v),
    "solve for matrices": lambda u, v, x: np.linalg.solve(np.eye(3), np.outer(v, x)).sum(axis=0),
    "square": lambda u, v, x: np.linalg.det(np.outer(u, v) + 0.5),
    "squeeze": lambda u, v, x: np.squeeze(u, 0) * 2,
    "take": lambda u, v, x: np.take(u, [0, 0]),
    "take a clipped one": lambda u, v, x: np.take(u, [5, 7], mode="clip"),
    "take as many": lambda u, v, x: np.take(u, np.zeros(v.shape[0], int)),
}


def of_positive(function):
    def compute(x, y):
        return function(x[x > 0], y[y > 0], x)

    return compute


def outcome(function, args):
    try:
        return function(*args)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dynamic", [None, True])
def test_as_numpy_asks(name, dynamic):
    compiled = qn.compile(of_positive(FUNCTIONS[name]), fullgraph=True, dynamic=dynamic)
    for pair in PAIRS:
        args = [np.array(x, float) for x in pair]
        want = outcome(compiled.__wrapped__, args)
        got = outcome(compiled, args)
        if isinstance(want, str):
            assert got == want
        else:
            assert_same(got, want, ulp=16)


@pytest.mark.parametrize("dynamic", [None, True])
def test_written_where_a_mask_of_another_size_holds(dynamic):
    @qn.compile(fullgraph=True, dynamic=dynamic)
    def f(x, y):
        x[0] = 9
        x[y[y > 0] > 1] = 4

    for pair in PAIRS:
        own, plain = ([np.array(x, float) for x in pair] for _ in range(2))
        assert outcome(f, own) == outcome(f.__wrapped__, plain)
        assert_same(own, plain, ulp=0)


def test_a_mask_without_elements_fits_everywhere():
    @qn.compile(fullgraph=True)
    def f(x):
        return x[np.zeros(0, bool)], np.outer(x, x)[np.zeros((0, 3), bool)]

    x = np.arange(3.0)
    assert_same(f(x), f.__wrapped__(x), ulp=0)


def test_an_axis_of_one_element_leaves_the_call_to_numpy():
    @qn.compile
    def f(x):
        x[0] += 1
        return np.squeeze(x[x > 1])

    def same_as_in_numpy(x):
        own, plain = x.copy(), x.copy()
        assert_same(f(own), f.__wrapped__(plain), ulp=0)
        assert_same(own, plain, ulp=0)

    same_as_in_numpy(np.array([1.0, 2, 3]))
    same_as_in_numpy(np.zeros(3))
    with pytest.warns(qn.FallbackWarning, match=r"np\.squeeze of an axis of one element"):
        same_as_in_numpy(np.array([0.0, 2, 0]))
