"""What a function reads from outside: globals, closures, helpers, modules."""

from __future__ import annotations

import math
import os
import re
import runpy
import time
import types
from pathlib import Path

import numpy as np
import pytest
from support import assert_same, sample

import quernel as qn

X = sample("float64", (4,))
SCALE = 2.0
WEIGHTS = np.arange(4.0)
TABLE = {"a": [1.0, (2.0, 3.0)], "b": None}
COUNTER = 0


def helper(x, k=2):
    return x * SCALE + k


def nested(x):
    return helper(x, k=3) - WEIGHTS


def test_globals_are_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = qn.compile(nested, fullgraph=True)
    assert_same(compiled(X), nested(X))
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert_same(compiled(X), nested(X))
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert_same(compiled(X), nested(X))
    assert compiled.stats()["compiles"] == 2


def test_global_arrays_are_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = qn.compile(nested, fullgraph=True)
    assert_same(compiled(X), nested(X))
    WEIGHTS[0] = 7.0
    assert_same(compiled(X), nested(X))
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones(4))
    assert_same(compiled(X), nested(X))
    assert compiled.stats()["compiles"] == 1
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones(1, np.float32))
    assert_same(compiled(X), nested(X))
    assert compiled.stats()["compiles"] == 2


def test_global_arrays_are_written() -> None:
    @qn.compile(fullgraph=True)
    def bump(x):
        WEIGHTS[...] = WEIGHTS + x
        return WEIGHTS.sum()

    before = WEIGHTS.copy()
    bump(X)
    np.testing.assert_array_equal(WEIGHTS, before + X)
    WEIGHTS[...] = before


def test_helpers_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = qn.compile(nested, fullgraph=True)
    assert_same(compiled(X), nested(X))
    monkeypatch.setitem(globals(), "helper", lambda x, k: x - k)
    assert_same(compiled(X), nested(X))


def test_containers_in_globals() -> None:
    def f(x):
        return x * TABLE["a"][1][0] if TABLE["b"] is None else x

    assert_same(qn.compile(f, fullgraph=True)(X), f(X))


def test_closures() -> None:
    def make(scale, weights):
        def inner(x):
            return x * scale + weights

        return inner

    for scale, weights in ((2.0, X), (3.0, X * 2)):
        inner = make(scale, weights)
        compiled = qn.compile(inner, fullgraph=True)
        assert_same(compiled(X), inner(X))
    inner.__closure__[0].cell_contents = 9.0
    assert_same(compiled(X), inner(X))
    assert compiled.stats()["compiles"] == 2


def test_compiled_functions_call_compiled_functions() -> None:
    inner = qn.compile(lambda x: x * 2)

    @qn.compile(fullgraph=True)
    def outer(x):
        return inner(x) + 1

    assert_same(outer(X), X * 2 + 1)
    assert inner.stats()["compiles"] == 0


def test_the_plain_function_of_a_compiled_one() -> None:
    inner = qn.compile(lambda x: x * 2)
    assert_same(qn.compile(lambda x: inner.__wrapped__(x) + 1, fullgraph=True)(X), X * 2 + 1)
    with pytest.raises(qn.errors.UnsupportedError, match=r"`.stats` of a compiled function"):
        qn.compile(lambda x: x + len(inner.stats()), fullgraph=True)(X)


def test_recursion_lambdas_and_inner_functions() -> None:
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    @qn.compile(fullgraph=True)
    def f(x):
        def inner(y):
            return y + scale

        scale = 3.0
        return [g(x) for g in (inner, lambda y: power(y, 3))]

    assert_same(f(X), f.__wrapped__(X))


def test_modules() -> None:
    module = types.ModuleType("settings")
    module.scale, module.np = 4.0, np
    exec("def twice(x):\n    return np.add(x, x) * scale", module.__dict__)

    def f(x):
        return module.twice(x) + math.pi + math.sqrt(module.scale)

    compiled = qn.compile(f, fullgraph=True)
    assert_same(compiled(X), f(X))
    module.scale = 9.0
    assert_same(compiled(X), f(X))


def test_imports_inside() -> None:
    def f(x):
        import numpy as inner
        from numpy import linalg as la

        return inner.sin(x) / la.norm(inner.ones(4))

    assert_same(qn.compile(f, fullgraph=True)(X), f(X), ulp=4)


FAILING = {
    "import no_such_module_a": "no_such_module_a",
    "from numpy import no_such_name_a": "no_such_name_a",
    "__import__('no_such_module_b', fromlist=['a'])": "no_such_module_b",
}


@pytest.mark.parametrize("text", FAILING)
def test_an_import_that_fails_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "imports.py"
    lines = ("try:", f"    {text}", "except ImportError:", "    return x + 1", "return x")
    path.write_text("def f(x):\n" + "".join(f"    {line}\n" for line in lines))
    function = runpy.run_path(str(path))["f"]
    refusal = f"an import that fails, of {FAILING[text]}\n.*py:3,"
    with pytest.raises(qn.errors.UnsupportedError, match=refusal):
        qn.compile(function, fullgraph=True)(X)
    with pytest.warns(qn.FallbackWarning, match="import it outside of the function"):
        assert_same(qn.compile(function)(X), X + 1)


def test_import_as_a_function() -> None:
    def f(x):
        return x * __import__("math", fromlist=["pi"], level=0).pi

    assert_same(qn.compile(f, fullgraph=True)(X), f(X))


def test_the_module_stays_as_it_is() -> None:
    before = dict(globals())
    qn.compile(nested, fullgraph=True)(X)
    assert all(globals()[name] is value for name, value in before.items())


def reads_time(x):
    return x + time.time()


def reads_entropy(x):
    return x * os.urandom(1)[0]


def prints(x):
    print(x.shape)
    return x


def counts(x):
    global COUNTER
    COUNTER += 1
    return x + 1


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (reads_time, "time"),
        (reads_entropy, "urandom"),
        (prints, "print"),
        (counts, "COUNTER"),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_effects_fall_back(function, text: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(X)
    with pytest.warns(qn.FallbackWarning, match=text):
        assert qn.compile(function)(X).shape == X.shape


SWAPPED = np.arange(4.0).astype(">f8")
UNALIGNED = np.frombuffer(b"x" + WEIGHTS.tobytes(), np.uint8)[1:].view(np.float64)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x + SWAPPED, "`SWAPPED` is unaligned or byte-swapped, read from outside"),
        (lambda x: x + UNALIGNED, "`UNALIGNED` is unaligned or byte-swapped, read from outside"),
        (lambda x: x + np.array([1.0, 2, 3, 4], ">f8"), "dtype >f8"),
        (lambda x: np.longdouble(2), "dtype float128"),
        (lambda x: (x, np.datetime64("2020-01-01")), "dtype datetime64[D]"),
        (lambda x: np.str_("a"), "dtype <U1"),
    ],
)
def test_other_dtypes_fall_back(function, text: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError, match=re.escape(text)):
        qn.compile(function, fullgraph=True)(X)
    with pytest.warns(qn.FallbackWarning, match=re.escape(text)):
        got = qn.compile(function)(X)
    np.testing.assert_equal(got, function(X))
    assert getattr(got, "dtype", None) == getattr(function(X), "dtype", None)


def test_nonlocal_effects_fall_back() -> None:
    total = 0

    def f(x):
        nonlocal total
        total += 1
        return x

    with pytest.warns(qn.FallbackWarning, match="total"):
        qn.compile(f)(X)
    assert total == 1


def test_swallowed_refusals_still_fall_back() -> None:
    def f(x):
        try:
            return np.polymul(x, [1.0])
        except Exception:
            return x

    with pytest.warns(qn.FallbackWarning, match="polymul"):
        assert_same(qn.compile(f)(X), np.polymul(X, [1.0]))


HELD = [np.zeros(4)]
GIVING = types.ModuleType("giving")
GIVING.held = HELD


def test_a_loop_writes_to_what_it_is_the_first_to_read() -> None:
    def f(x):
        for k in range(len(x)):
            if x[k] > 0:
                GIVING.held[0][k] += x[k]
                WEIGHTS[k] += GIVING.held[0].sum()
        return WEIGHTS * 2

    compiled, found = qn.compile(f, fullgraph=True), []
    before = WEIGHTS.copy()
    for function in (f, f, compiled, compiled):
        found.append((function(X), HELD[0].copy(), WEIGHTS.copy()))
    HELD[0][:], WEIGHTS[:] = 0, before
    want = [(f(X), HELD[0].copy(), WEIGHTS.copy()) for _ in range(4)]
    HELD[0][:], WEIGHTS[:] = 0, before
    for got, expected in zip(found, want, strict=True):
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14)
