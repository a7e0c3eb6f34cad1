"""What can't be captured runs in NumPy; with fullgraph=True it is an error with a good text."""

from __future__ import annotations

import gc
import inspect
import re
import sys
import warnings
import weakref

import numpy as np
import pytest
from support import assert_same, sample

import quernel as qn

X = sample("float64", (6,))


def multiplies(x):
    y = x + 1
    return np.polymul(y, [1.0])


def collects(x):
    parts = [x]
    if x.sum() > -99:
        parts.append(x * 2)
    return parts[-1]


def makes_long(x):
    return x.astype(np.longdouble)


def returns_a_set(x):
    return x, frozenset([1])


def hashes(x):
    return {x[0]: x}[x[0]]


def formats(x):
    return {f"{x.sum():.3f}": x}


def generates(x):
    def parts():
        try:
            yield x
        finally:
            x.sum()

    return sum(parts())


def defines(x):
    class Inner:
        scale = 2

    return x * Inner.scale


def executes(x):
    exec("y = 1")
    return x


CASES = [
    (multiplies, "np.polymul", "return np.polymul(y, [1.0])", ""),
    (collects, "changing a list", "parts.append", "np.where"),
    (makes_long, "float128", "astype", "use bool"),
    (returns_a_set, "returning an object", "", "return arrays"),
    (hashes, "hashing", "x[0]", "integers"),
    (formats, "the text of", 'f"', "outside"),
    (generates, "a yield inside of try", "sum(parts())", "before it yields"),
    (defines, "a class", "class Inner", "outside"),
    (executes, "exec()", "exec(", "write the code out"),
]


@pytest.mark.parametrize(
    ("function", "reason", "line", "hint"), CASES, ids=lambda x: getattr(x, "__name__", None)
)
def test_fullgraph_names_place_cause_and_cure(function, reason: str, line: str, hint: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match=re.escape(reason)) as caught:
        qn.compile(function, fullgraph=True)(X)
    error = caught.value
    assert error.file == __file__
    lines, first = inspect.getsourcelines(function)
    assert first <= error.line < first + len(lines)
    text = str(error)
    assert f"{__file__}:{error.line}, in {function.__name__}" in text
    assert line in text
    assert hint in error.hint


@pytest.mark.parametrize("function", [case[0] for case in CASES], ids=lambda f: f.__name__)
def test_the_answer_is_numpys(function) -> None:
    compiled = qn.compile(function)
    with pytest.warns(qn.FallbackWarning, match=function.__name__) as caught:
        got = compiled(X)
    assert_same(
        got[0] if function is returns_a_set else got,
        function(X)[0] if function is returns_a_set else function(X),
    )
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(X)  # one warning for each function
    assert compiled.stats()["fallbacks"] == 2
    report = compiled.explain(X)
    assert len(report.fallbacks) == 1
    assert report.fallbacks[0].file == __file__
    assert (report.kernels == []) == (function is not multiplies)  # whose sum is compiled
    assert "runs in NumPy" in str(report)


def test_a_refusal_is_remembered() -> None:
    compiled = qn.compile(multiplies)
    with pytest.warns(qn.FallbackWarning):
        compiled(X)
    calls = []
    original = np.polymul
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "polymul", lambda y, k: calls.append(type(y)) or original(y, k))
        compiled(X)
    assert calls == [np.ndarray]


def asks_who_calls(x):
    y = np.partition(np.sort(x), 1) * 2
    return y.sum() and sys._getframe(1).f_code.co_name


def warns_before_and_behind(x):
    warnings.warn("before", DeprecationWarning, stacklevel=2)
    y = np.polymul(x * 2, [1.0])
    if y.sum() > 0:
        warnings.warn("behind", DeprecationWarning, stacklevel=2)
    return y * 2


def test_a_function_that_runs_in_numpy_is_called_by_its_caller() -> None:
    compiled = qn.compile(asks_who_calls)

    def caller():
        return compiled(X)

    with pytest.warns(qn.FallbackWarning):
        assert caller() == "caller"
    assert [caller(), caller()] == ["caller"] * 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_warnings_are_told_of_the_line_that_calls() -> None:
    def places(function) -> list:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DeprecationWarning)
            function(X)
        own = [w for w in caught if w.category is DeprecationWarning]
        return [(str(w.message), w.filename, w.lineno) for w in own]

    compiled = qn.compile(warns_before_and_behind)
    expected = places(warns_before_and_behind)
    assert len(expected) == 2
    assert [places(compiled) for _ in range(3)] == [expected] * 3


class Unready:
    """As an object is that its own `__init__` has handed on."""

    def __repr__(self):
        raise AttributeError("not yet")

    def __eq__(self, other):
        raise AttributeError("not yet")

    def __hash__(self):
        return 7


def size_of(d):
    return len(d)


def test_no_guard_runs_the_code_of_a_key() -> None:
    compiled = qn.compile(size_of)
    held = Unready()
    with pytest.warns(qn.FallbackWarning, match="a dict with a key of type Unready"):
        assert compiled({held: 1.0}) == 1
    for d in ({Unready(): 1.0}, {"a": X, Unready(): 2}, {(1, held): 2}, {held: 3}):
        assert compiled(d) == len(d)
    assert compiled.stats()["fallbacks"] == 5
    gone = weakref.ref(held)
    del held, d
    gc.collect()
    assert gone() is None  # what remembers the refusal keeps no key
    assert compiled({"a": X, "b": X}) == 2
    assert compiled.stats()["fallbacks"] == 5


def endless(x):
    return endless(x + 1)


def test_a_recursion_without_end_is_refused() -> None:
    with pytest.raises(qn.errors.UnsupportedError, match="more than 200 calls of endless"):
        qn.compile(endless, fullgraph=True)(X)


def assign(x):
    x[0] = 1


def errors():
    return {
        "broadcast": (lambda x, y: x + y[:2], ValueError),
        "broadcast out": (lambda x, y: np.add(x, 1, out=y[:2]), ValueError),
        "axis": (lambda x, y: x.sum(axis=3), np.exceptions.AxisError),
        "negative axis": (lambda x, y: np.mean(x, axis=(0, -2)), np.exceptions.AxisError),
        "duplicate axis": (lambda x, y: np.sum(x[None], axis=(0, 0)), ValueError),
        "index": (lambda x, y: x[9], IndexError),
        "too many": (lambda x, y: x[0, 0], IndexError),
        "reshape": (lambda x, y: x.reshape(4, 4), ValueError),
        "concatenate": (lambda x, y: np.concatenate([x[None], y]), ValueError),
        "concatenate none": (lambda x, y: np.concatenate([]), ValueError),
        "stack": (lambda x, y: np.stack([x, y[1:]]), ValueError),
        "matmul": (lambda x, y: x @ y[:2], ValueError),
        "matmul scalar": (lambda x, y: x @ 2.0, ValueError),
        "transpose": (lambda x, y: x.transpose(0, 1), ValueError),
        "squeeze": (lambda x, y: np.squeeze(x, 0), ValueError),
        "broadcast_to": (lambda x, y: np.broadcast_to(x, (4,)), ValueError),
        "dtype of an operand": (lambda x, y: x & 1, TypeError),
        "dtype of a shift": (lambda x, y: np.left_shift(x, y) + 1, TypeError),
        "boolean subtract": (lambda x, y: (x > 0) - (y > 0), TypeError),
        "in-place cast": (lambda x, y: (x > 0).__iadd__(1.5), TypeError),
        "assignment": (lambda x, y: np.zeros(3).__setitem__(slice(None), x), ValueError),
        "assign to scalar": (lambda x, y: assign(x.sum()), TypeError),
        "negative power": (lambda x, y: np.arange(3) ** -1, ValueError),
        "negative size": (lambda x, y: np.zeros(-1), ValueError),
        "attribute": (lambda x, y: x.foo, AttributeError),
        "numpy attribute": (lambda x, y: np.foo, AttributeError),
        "name": (lambda x, y: undefined_name, NameError),  # noqa: F821
        "keyword": (lambda x, y: np.sum(x, axes=1), TypeError),
        "len of a scalar": (lambda x, y: len(x.sum()), TypeError),
        "ambiguous truth": (lambda x, y: 1 if x > 0 else 2, ValueError),
        "own": (lambda x, y: {}["a"], KeyError),
        "linspace": (lambda x, y: np.linspace(0, 1, -2), ValueError),
        "clip": (lambda x, y: np.clip(x, [1, 2], None), ValueError),
        "norm order": (lambda x, y: np.linalg.norm(x, "bad", axis=0), ValueError),
        "moveaxis": (lambda x, y: np.moveaxis(x, 2, 0), np.exceptions.AxisError),
        "unhashable": (lambda x, y: {x: 1}, TypeError),
    }


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("name", errors())
def test_the_users_mistakes_are_numpys_errors(name: str, fullgraph: bool) -> None:
    function, kind = errors()[name]
    with pytest.raises(kind) as want:
        function(X, X)
    compiled = qn.compile(function, fullgraph=fullgraph)
    warnings.simplefilter("error")  # pytest restores the filters
    with pytest.raises(kind) as got:
        compiled(X, X)
    assert type(got.value) is type(want.value)
    assert str(got.value) == str(want.value)


def test_the_users_own_exceptions_can_be_caught() -> None:
    def f(x):
        try:
            return x + np.zeros(99)
        except ValueError:
            return x * 2

    assert_same(qn.compile(f, fullgraph=True)(X), X * 2)
