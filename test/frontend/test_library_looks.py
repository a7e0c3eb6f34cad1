"""What captured code asks of Python's library about known objects: signatures, filters, names."""

from __future__ import annotations

import functools
import inspect
import re
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

X = np.array([0.5, 2.0, 3.0])


def check(function, *args):
    compiled = qn.compile(function, fullgraph=True)
    want = function(*args)
    for _ in range(2):
        got = compiled(*args)
        np.testing.assert_equal(got, want)
        assert type(got) is type(want)
    return compiled


def refused(function, *args, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(*args)


# Signatures


def relu(z, slope: float = 0.5, *rest, limit=np.inf, **others):
    return np.maximum(slope * z, z)


@functools.wraps(relu)
def wrapped(*args, **kwargs):
    return relu(*args, **kwargs)


def changed(z):
    return z


changed.__signature__ = inspect.signature(relu)


class Layer:
    def forward(self, x, training=True):
        return x * 2


def by_parameters(x):
    names = list(inspect.signature(relu).parameters)
    if "slope" in inspect.signature(relu).parameters and names[0] == "z":
        return relu(x, slope=0.25)
    return relu(x)


def by_defaults(x):
    found = inspect.signature(relu).parameters["slope"]
    if found.annotation in (float, "float"):
        return x * found.default + len(inspect.signature(wrapped).parameters)
    return x


def by_kinds(x):
    kinds = [part.kind for part in inspect.signature(relu).parameters.values()]
    return x * kinds.count(inspect.Parameter.KEYWORD_ONLY)


def by_spec(x):
    spec = inspect.getfullargspec(relu)
    return x * len(spec.args) if spec.varargs is not None else x


def of_method(x):
    layer = Layer()
    return layer.forward(x) * len(inspect.signature(layer.forward).parameters)


def of_inner(x):
    def inner(a, b=x):
        return a + b

    return inspect.signature(inner).parameters["b"].default + inner(1.0)


def of_numpys(x):
    names = inspect.signature(np.unique).parameters
    return x * len(inspect.signature(np.sum).parameters) * names["axis"].kind if names else x


@pytest.mark.parametrize(
    "function", [by_parameters, by_defaults, by_kinds, by_spec, of_method, of_inner, of_numpys]
)
def test_signatures(function):
    check(function, X)


def test_a_new_default_is_seen(monkeypatch):
    compiled = check(by_defaults, X)
    monkeypatch.setattr(relu, "__defaults__", (2.0,))
    np.testing.assert_array_equal(compiled(X), by_defaults(X))


def test_a_new_signature_is_seen(monkeypatch):
    compiled = qn.compile(by_parameters)
    compiled(X)
    monkeypatch.setattr(relu, "__signature__", inspect.signature(changed_parameters), raising=False)
    with pytest.warns(qn.FallbackWarning, match="has been given another one"):
        np.testing.assert_array_equal(compiled(X), by_parameters(X))


def changed_parameters(other):
    return other


def of_another(x):
    return x * len(inspect.signature(changed).parameters)


def with_options(x):
    return x * len(inspect.signature(relu, follow_wrapped=False).parameters)


def of_builtin(x):
    return x * len(inspect.signature(divmod).parameters)


def of_another_module(x):
    return x * len(inspect.signature(re.compile).parameters)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (of_another, "the signature of a function that has been given another one"),
        (with_options, "inspect.signature with options"),
        (of_builtin, "the signature of what isn't a function of Python's"),
        (of_another_module, "the signature of a function that isn't captured"),
    ],
)
def test_refused_signatures(function, text):
    refused(function, X, text=text)


# Filters of warnings


def quiet(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.log(x)


def quiet_by_kind(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        y = 1 / x
    return y + np.sqrt(x)


@pytest.mark.parametrize("function", [quiet, quiet_by_kind])
def test_filters_that_end_with_their_block(function):
    compiled = check(function, X)
    for x in (np.array([0.0, 1.0]), np.array([-1.0, 1.0])):
        for _ in range(6):
            told = []
            for each in (function, compiled):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    np.testing.assert_array_equal(each(x), function_quietly(function, x))
                told.append(sorted(str(item.message) for item in caught))
            assert told[0] == told[1]


def function_quietly(function, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(x)


def recorded(x):
    with warnings.catch_warnings(record=True) as found:
        y = np.log(x)
    return y, len(found)


def raised(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.log(x)


def stays(x):
    warnings.filterwarnings("ignore", "never seen")
    return np.log(x)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (recorded, "warnings.catch_warnings that records them"),
        (raised, "warnings that are raised"),
        (stays, "warnings' filters that stay when the function has returned"),
    ],
)
def test_refused_filters(function, text):
    refused(function, X, text=text)


# Names of a module

SCALE = 2.0


def double(x):
    return x * 2


def get(name):
    return globals()[name]


def by_name(x, name):
    return get(name)(x) * globals()["SCALE"]


def if_there(x):
    if "double" in globals() and "triple" not in globals():
        return globals().get("double")(x) + globals().get("triple", 1.0)
    return x


def missing(x):
    return x * globals()["nothing"]


def test_names():
    check(by_name, X, "double")
    check(by_name, X, "relu")
    check(if_there, X)


def test_a_new_meaning_is_seen(monkeypatch):
    compiled = check(if_there, X)
    monkeypatch.setitem(globals(), "double", relu)
    np.testing.assert_array_equal(compiled(X), if_there(X))
    monkeypatch.setitem(globals(), "triple", 3.0)
    np.testing.assert_array_equal(compiled(X), if_there(X))


def test_no_such_name():
    with pytest.raises(KeyError, match="nothing"):
        qn.compile(missing, fullgraph=True)(X)


def all_names(x):
    return x * len(globals())


def names_method(x):
    return x * len(globals().keys())


def by_number(x):
    return x * globals()[3]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (all_names, r"globals\(\) as a whole"),
        (names_method, r"`.keys` of globals\(\)"),
        (by_number, r"an item of globals\(\) by what isn't a text"),
    ],
)
def test_refused_names(function, text):
    refused(function, X, text=text)


def called_by_a_helper(x):
    return x + len(sorted([1, 2], key=lambda _: 1)) + len(list(map(globals, [1])))


def test_refused_calls_of_globals():
    refused(called_by_a_helper, X, text=r"a call of globals\(\) that isn't written out")


# Results that have a name


def a_function(x, name):
    return {"double": double, "relu": relu}[name]


def a_pair(x):
    return x + 1, ..., np.exp, Layer, np.float32


def of_an_argument(x, g):
    return g


def made_here(x):
    return lambda y: y + x


def test_named_results():
    compiled = qn.compile(a_function, fullgraph=True)
    assert compiled(X, "double") is double
    assert compiled(X, "relu") is relu
    got = qn.compile(a_pair, fullgraph=True)(X)
    assert got[1:] == a_pair(X)[1:]


@pytest.mark.parametrize(("function", "args"), [(of_an_argument, (double,)), (made_here, ())])
def test_functions_without_a_name(function, args):
    refused(function, X, *args, text="returning an object of type function")
