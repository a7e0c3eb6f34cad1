"""Small programs whose results have NumPy's and Python's values and types, to the letter."""

import collections.abc
import copy
import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.arange(6.0)
UNION = int | float


def exact(obj):
    """An object's types and bits, for a comparison."""
    if isinstance(obj, (tuple, list)):
        return type(obj), [exact(item) for item in obj]
    if isinstance(obj, dict):
        return {key: exact(item) for key, item in obj.items()}
    if isinstance(obj, np.ndarray):
        return obj.dtype, obj.shape, obj.tobytes()
    return type(obj), repr(obj)


def types(x, i, c):
    yes = isinstance(x[0], (int, float)), isinstance(x[0], UNION), isinstance(x, np.ndarray)
    no = isinstance(x[0], Decimal), isinstance(x, (Decimal, list)), isinstance(x[0], Fraction | int)
    also = isinstance(x[0], numbers.Real), isinstance(x[0], collections.abc.Iterable)
    random = isinstance(x, np.random.Generator), isinstance(i[0], numbers.Integral)
    return yes, no, also, random, issubclass(float, (Decimal, float))


def scalars(x, i, c):
    listed = np.isscalar([1.0]), np.isscalar([x[0]]), np.isscalar(x[0]), np.isscalar(x)
    return listed, round(x[3] * 1.2345, 2), round(i[5] * 1234, -2), round(int(i[5]), 1)


def close(x, i, c):
    return (
        math.isclose(x[1], 1.0),
        math.isclose(x[1], 1.1, rel_tol=0.2),
        math.isclose(x[0], 1e-9, abs_tol=1e-8),
        math.isclose(x[1] * math.inf, math.inf),
        math.isclose(x[1] * math.inf, 1.0, rel_tol=2.0),
        math.isclose(x[1] * math.nan, 1.0),
    )


def mathematics(x, i, c):
    several = math.prod(x[1:3]), math.prod([x[1], 2], start=3), math.dist(x[:1], x[3:4])
    logs = math.log(x[4], x[2]), math.log(x[4], 2), math.log(8, x[2])
    return several, logs, math.modf(x[3] * 1.5), math.modf(-x[3]), math.hypot(x[3], x[4])


def copied(x, i, c):
    y, z = copy.copy(x), copy.deepcopy([x, {"a": x}])
    y[0] = 7
    return y, z, x, copy.copy(x[1]), copy.deepcopy(int(i[1]))


def members(x, i, c):
    return 3 in x, 3.5 in x, 7 not in i, x[1] in x, x[1] in [1, 2], (3 in x) + 1


def lists(x, i, c):
    return np.split(x, np.cumsum([1, 2])), np.array_split(x, np.array([2])), list(map(float, i))


def along(x, i, c):
    m = x.reshape(2, 3)
    return np.apply_along_axis(lambda v: v.sum(), 0, m), np.apply_along_axis(np.sort, 1, m)


def same(x, i, c):
    return x.conj() is x, c.conj() is c, c.conj(), np.conjugate(x) is x


def parts(x, i, c):
    z, n, f = complex(c[2]), int(i[3]), float(x[2])
    return z.real, z.imag, z.conjugate(), n.real, n.imag, f.imag, f.conjugate(), n.conjugate()


PROGRAMS = [types, scalars, close, mathematics, copied, members, lists, along, same, parts]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values_and_types(program):
    compiled = qn.compile(program, fullgraph=True)
    for scale in (1, 2):
        args = X * scale, np.arange(6) * scale, (X + 1j) * scale
        given, expected = compiled(*map(np.copy, args)), program(*map(np.copy, args))
        assert exact(given) == exact(expected)


def listed(x, items):
    return np.isscalar(items), np.isscalar((x[0],))


def test_a_list_that_is_an_argument_is_no_scalar():
    assert qn.compile(listed, fullgraph=True)(X, [1.0]) == (False, False)


def _says(number):
    """What Python says of a number that is divided by zero."""
    with pytest.raises(ZeroDivisionError) as caught:
        divmod(number, type(number)(0))
    return re.escape(str(caught.value))


RAISED = {
    "a list": (lambda x: x[1] * [1, 2], TypeError, "can't multiply sequence by non-int"),
    "a tuple": (lambda x: (1, 2) * x.sum(), TypeError, "can't multiply sequence by non-int"),
    "a text": (lambda x: "ab" * x[1], TypeError, "can't multiply sequence by non-int"),
    "in a number": (lambda x: 3 in x[0], TypeError, "not iterable"),
    "digits": (lambda x: round(np.array(x[0]), 1), TypeError, "__round__"),
    "tolerance": (lambda x: math.isclose(x[0], 1.0, rel_tol=-x[1]), ValueError, "non-negative"),
    "logarithm": (lambda x: math.log(x[2], x[1]), ZeroDivisionError, "division"),
    "quotient": (lambda x: divmod(float(x[1]), float(x[0])), ZeroDivisionError, _says(1.0)),
    "whole quotient": (lambda x: divmod(int(x[1]), int(x[0])), ZeroDivisionError, _says(1)),
    "magnitude": (lambda x: abs(complex(x[1] * 1.7e308, 1e308)), OverflowError, "too large"),
    "dimensions": (lambda x: math.dist(x[:1], x[:2]), ValueError, "number of dimensions"),
}


@pytest.mark.parametrize("name", RAISED)
def test_errors(name):
    function, kind, text = RAISED[name]
    for call in (function, qn.compile(function, fullgraph=True)):
        for _ in range(10):
            with pytest.raises(kind, match=text):
                call(X)


def single(x, value):
    x[0] = value
    return x


def nested(x, value):
    y = np.zeros((2, 2))
    y[0, x.argmin()] = value
    y[1, ...] = value
    return y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [single, nested])
def test_a_sequence_that_is_assigned_to_one_element(function):
    for value in (np.ones(1), np.ones((1, 1)), [1.0], (2.0,), np.array(3.0), 4.0):
        outcomes = []
        for call in (function, qn.compile(function, fullgraph=True)):
            try:
                outcomes.append(exact(call(X.copy(), value)))
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1], value


VALUES = [1j, [1j], np.array([1j]), np.complex128(1j), math.nan, [math.nan], np.float64("nan")]
VALUES += [300, [300], -1, np.int64(300), 2.7, np.array([2.7, 3]), [2.7, 1], True]


def put(y, v):
    np.put(y, [0, 1], v)
    return y


def masked(y, v):
    np.putmask(y, y == 0, v)
    return y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8"])
@pytest.mark.parametrize("function", [put, masked])
def test_numbers_that_are_put(function, dtype):
    whole, loses = qn.compile(function, fullgraph=True), qn.compile(function)
    for value in VALUES:
        outcomes = []
        is_lost = isinstance(value, (np.ndarray, np.generic)) and np.iscomplexobj(value)
        compiled = loses if is_lost else whole
        for call in (function, compiled):
            try:
                outcomes.append(exact(call(np.zeros(4, dtype), value)))
            except (TypeError, ValueError, OverflowError) as error:
                outcomes.append((type(error), str(error)))
        assert outcomes[0] == outcomes[1], value


def endless(x):
    while True:
        x = x + 1


def leaves(x):
    while True:
        x = x + 1
        if x[0] > 5:
            raise ValueError("enough")


def series(x, n):
    return sum(x**k / math.factorial(k) for k in range(n))


def factorials(x):
    return [math.factorial(int(k)) for k in x]


def factorial_of_first(x):
    return math.factorial(x[0])


def test_factorials():
    compiled = qn.compile(series, fullgraph=True)
    assert [compiled(0.5, n) for n in (1, 7, 20)] == [series(0.5, n) for n in (1, 7, 20)]
    with pytest.warns(qn.FallbackWarning, match="a Python integer of more than 64 bits"):
        assert qn.compile(series)(0.5, 25) == series(0.5, 25)
    whole = qn.compile(factorials, fullgraph=True)
    assert whole(np.arange(21.0)) == factorials(np.arange(21.0))
    for function, x in (
        (factorials, np.arange(-2, 2)),
        (factorial_of_first, np.ones(2)),
    ):
        with pytest.raises((ValueError, TypeError)) as wanted:
            function(x)
        with pytest.raises(type(wanted.value)) as raised:
            qn.compile(function, fullgraph=True)(x)
        assert str(raised.value) == str(wanted.value)


def its_rule():
    class Rule(type):
        def __instancecheck__(cls, obj):
            return True

    return Rule("Ruled", (), {})


RULED = its_rule()
REFUSED = {
    "repeated": (lambda x: [1, 2] * x.argmax(), "a list repeated as often as an element says"),
    "gamma": (lambda x: math.gamma(x[1]), "math.gamma of numbers that only data know"),
    "how many": (lambda x: round(x[1], int(x[2])), "round\\(\\) to so many digits as data say"),
    "called": (lambda x: Decimal(3), "a call of the class `Decimal`"),
    "attribute": (lambda x: Decimal.from_float(3.0), "`.from_float` of the class `Decimal`"),
    "item": (lambda x: Decimal["a"], "an item of the class `Decimal`"),
    "number": (lambda x: x[1].as_integer_ratio(), "attribute of NumPy numbers `.as_integer_ratio`"),
    "array": (lambda x: x.tobytes(), "the array attribute `.tobytes`"),
    "rule": (lambda x: isinstance(x, RULED), "has its own __instancecheck__"),
    "endless": (endless, "a loop that never ends"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    function, text = REFUSED[name]
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)


def test_an_endless_loop_that_raises_is_left():
    with pytest.raises(ValueError, match="enough"):
        qn.compile(leaves, fullgraph=True)(X)


SOURCELESS = """
def turns(x):
    s = 0.0
    for k in range(1000):
        s += x[k % 2]
    return s
def listed(x):
    return [x[0] * k for k in range(5)]
def plain(x):
    return np.exp(x).sum()
"""


@pytest.mark.parametrize("name", ["turns", "listed"])
def test_a_loop_without_source_is_refused(name):
    made = {"np": np}
    exec(SOURCELESS, made)
    with pytest.raises(UnsupportedError, match="of which the source isn't known"):
        qn.compile(made[name], fullgraph=True)(X)
    with pytest.warns(qn.FallbackWarning, match="of which the source isn't known"):
        assert exact(qn.compile(made[name])(X)) == exact(made[name](X))


def test_a_function_without_source_and_loops_is_compiled():
    made = {"np": np}
    exec(SOURCELESS, made)
    assert qn.compile(made["plain"], fullgraph=True)(X) == pytest.approx(made["plain"](X))
