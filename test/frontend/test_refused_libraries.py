"""Refusals amid the source of a library: they name the user's line, and what is called there."""

from __future__ import annotations

import datetime
import decimal
import email
import inspect
import json
import random
import re
import statistics
import textwrap
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.describe import describe
from quernel.errors import UnsupportedError
from quernel.traced.location import public_name

X = np.arange(6.0) + 1
M = X.reshape(2, 3)


def fallback(function, *args):
    """The entry, the line that the warning names, and what NumPy and the compiled call give."""
    compiled = qn.compile(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled(*args)
    told = [item for item in caught if item.category is qn.FallbackWarning]
    assert len(told) == 1
    report = compiled.explain(*args).fallbacks[0]
    assert str(report) in str(told[0].message)
    return report, told[0]


def multiplied(x):
    y = x * 2
    return np.polymul(y, [1.0])


def filled(x):
    return x * len(textwrap.fill("banana"))


def dumped(x):
    return json.dumps([x.shape, list(x)])


def parsed(x):
    return x * len(email.message_from_string("a"))


def in_a_helper(x):
    return filled(x) + 1


@pytest.mark.parametrize(
    ("function", "argument", "text"),
    [
        (multiplied, X, r"^np\.polymul can't be compiled: in polymul \(\w+\.py:\d+\)"),
        (filled, X, r"^textwrap\.fill can't be compiled: in \w+ \(textwrap\.py:\d+\), "),
        (dumped, X, r"^json\.dumps can't be compiled: in iterencode \(encoder\.py:\d+\), "),
        (
            parsed,
            X,
            r"^email\.message_from_string can't be compiled: in \w+ \(email/__init__\.py:\d+\), ",
        ),
    ],
)
def test_a_refusal_in_a_library_names_what_the_user_has_called(function, argument, text):
    report, warning = fallback(function, argument)
    assert re.search(text, report.reason), report.reason
    assert report.hint == "call it outside and pass the result as an argument"
    lines, first = inspect.getsourcelines(function)
    called = re.search(text, report.reason)[0].split(".")[1].split()[0]
    expected = first + next(k for k, line in enumerate(lines) if f".{called}(" in line)
    assert (report.file, report.line) == (__file__, expected)
    assert (warning.filename, warning.lineno) == (__file__, expected)


def test_scipys_source_is_a_librarys():
    linalg = pytest.importorskip("scipy.linalg")

    def weighted(x):
        return linalg.pascal(3) @ x[0]

    report, _ = fallback(weighted, M)
    text = r"scipy\.linalg\.pascal can't be compiled: in \w+ \(\w+\.py:\d+\), "
    assert re.match(text, report.reason)
    assert report.line == weighted.__code__.co_firstlineno + 1


def test_a_ufunc_that_isnt_numpys_has_a_hint():
    own = np.frompyfunc(abs, 1, 1)
    report, _ = fallback(lambda x: own(x) + 1, X)
    assert report.reason == "`abs (vectorized)`, a ufunc that isn't NumPy's, is not supported yet"
    assert report.hint == "call it outside and pass the result as an argument"


def test_a_helper_of_the_users_is_named_itself():
    report, _ = fallback(in_a_helper, X)
    assert report.line == filled.__code__.co_firstlineno + 1
    assert report.reason.startswith("textwrap.fill can't be compiled: ")


def test_a_function_of_the_users_that_a_library_calls_is_told_as_it_is():
    def low(v):
        return v * len(str(v[0]))

    report, _ = fallback(lambda x: np.piecewise(x, [x > 2, x <= 2], [low, 0]), X)
    assert report.line == low.__code__.co_firstlineno + 1
    assert report.reason == "the text of a number that is only known when the function runs"


def test_a_compiled_function_of_a_library_is_its_own():
    report, _ = fallback(statistics.mode, X)
    assert report.file == statistics.__file__
    assert "can't be compiled" not in report.reason


def test_a_new_process_tells_a_refusal_as_the_first_one(tmp_path, monkeypatch):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    first, _ = fallback(multiplied, X)
    again, _ = fallback(multiplied, X)
    assert again == first


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.partition, "np.partition"),
        (np.fft.fft, "np.fft.fft"),
        (np.linalg.cond, "np.linalg.cond"),
        (np.sin, "np.sin"),
        (re.findall, "re.findall"),
        (statistics.NormalDist.cdf, "statistics.NormalDist.cdf"),
    ],
)
def test_names_as_users_write_them(function, name):
    assert public_name(function) == name


def indexed_keys(x):
    d = {}
    for k in range(6):
        d[int(x[k])] = k
    return d


def data_axis(x):
    return x.reshape(2, 3).sum(axis=int(x[0]) - 1)


def element_index(x, n):
    return ([1, 2.5, "a", None, x, (), []][n[0]], x)


def locked(x):
    y = x + 1
    y.flags.writeable = False
    return y


RANDOM = "draw the numbers outside, and pass them as an argument"


@pytest.mark.parametrize(
    ("function", "args", "reason", "hint"),
    [
        (lambda r: r.random(), (random.SystemRandom(),), "(posix.urandom), which may give", ""),
        (lambda a: a, (np.array(["2020-01-01"], "M8[D]"),), "`a` has dtype", "a.astype(np.int64)"),
        (lambda a: a, (np.zeros(3, [("u", "f8")]),), "`a` has dtype", "of their own: a['u']"),
        (lambda a: a, (np.array(["a"]),), "`a` has dtype", "compare and convert texts outside"),
        (lambda a: a, (np.array([1, None]),), "`a` has dtype", "a.astype(np.float64)"),
        (lambda a: a, (np.ma.array([1.0]),), "`a` is a MaskedArray", "np.ma.getmaskarray(a)"),
        (lambda a: a, (M.view(np.matrix),), "`a` is a matrix", "* and ** go by elements"),
        (lambda d: d, (decimal.Decimal(1),), "`d` is an object of type Decimal", "pass float(d)"),
        (lambda d: d, (datetime.date(2020, 1, 1),), "of type date", "numbers that it holds"),
        (lambda i: 1, (iter([1]),), "`i` is an object of type list_iterator", "pass list(i)"),
        (indexed_keys, (X,), "a key of a dict, or an item of a set, from", "an index into"),
        (data_axis, (X,), "an index, an axis or a count from a number", "pass it as an argument"),
        (element_index, (X, np.array([1])), "an index, an axis or a count from an", "pass it"),
        (locked, (X,), "changing `.writeable` of an array's flags", "change it outside of the"),
    ],
)  # fmt: skip
def test_a_hint_fits(function, args, reason, hint):
    with pytest.raises(UnsupportedError) as caught:
        qn.compile(function, fullgraph=True)(*args)
    assert reason in caught.value.reason
    assert hint in caught.value.hint


def test_a_ufunc_without_a_name_that_others_find() -> None:
    product = np.frompyfunc(lambda a, b: a * b, 2, 1)
    for function in (lambda op, x: x + 1, lambda op, x: np.where(x > 0, x, 2.0)):
        with pytest.warns(qn.FallbackWarning, match="what the program depends on has the ufunc"):
            qn.compile(function)(product, np.ones(3))
    with pytest.warns(qn.FallbackWarning, match="a ufunc that isn't NumPy's"):
        qn.compile(lambda op, x: op(x, x))(product, np.ones(3))


def test_ufuncs_of_one_name_are_told_apart() -> None:
    special = pytest.importorskip("scipy.special")
    texts = {describe(np.exp2), describe(special.exp2), describe(special.expit)}
    assert texts == {"ufunc:numpy.exp2", "ufunc:scipy.special.exp2", "ufunc:scipy.special.expit"}
