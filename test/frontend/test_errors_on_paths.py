"""Errors on a path that data may not take: the program raises NumPy's on that path alone."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from control import check_program

import quernel as qn

# What stands where `a[0] > 2`; `a` is an array of four floats, `i` an int, `s` a float.
STATEMENTS = """
a.foo
a.foo = 1
a.T = 3
a[0].foo
s.foo
np.nosuch
np.linalg.nosuch(a)
a(1)
a[0](1)
s(2)
s[1]
s[1] = 2
s += "x"
s @ s
~s
s < None
-"x"
a + "x"
a[0] @ a
a[0][1]
a[0][1] = 2
a[1.5]
a[s:]
a["x"]
len(s)
len(a[0])
list(s)
tuple(a[0])
for q in s: pass
for q in a[0]: pass
x, y = s
x, y = a[0]
x, y = a
sorted([s, None])
max(s, None)
next(iter(()))
raise
(lambda x: x)()
(lambda: 1)(2)
compute(1, 2, 3)
a.sum(1, 2, 3, 4, 5, 6, 7, 8)
a.sum(nosuch=1)
np.sum(a, nosuch=2)
np.clip(a, 1, 2, 3, 4)
np.linalg.inv(a)
np.linalg.cholesky(np.ones((2, 3)))
np.average(a, weights=a[1:])
np.tensordot(a, a, 2)
np.interp(a, a, a[1:])
np.resize(a, (-1,))
np.array([300], np.uint8)
np.array([np.nan], int)
np.lib.stride_tricks.sliding_window_view(a, 9)
np.lib.stride_tricks.sliding_window_view(a, -1)
""".strip().splitlines()


def function_of(statement, tmp_path):
    """A function with a statement on one side of a branch."""
    text = (
        "import numpy as np\n"
        "def compute(a, i):\n    s = float(i)\n    a[1] += 1\n"
        f"    if a[0] > 2:\n        {statement}\n    return a\n"
    )
    path = tmp_path / "program.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return names["compute"]


def outcome(function, a):
    try:
        return function(a, 1)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_error_is_numpys(statement, tmp_path):
    function = function_of(statement, tmp_path)
    compiled = qn.compile(function, fullgraph=True)
    for first in (1.0, 3.0):
        own, plain = (np.array([first, 2, 0, 4]) for _ in range(2))
        want, got = outcome(function, plain), outcome(compiled, own)
        np.testing.assert_array_equal(own, plain)
        assert isinstance(want, tuple) == (first > 2)
        if isinstance(want, tuple):
            assert got == want


def test_a_handler_sees_the_error():
    def handled(a):
        try:
            a.foo  # noqa: B018
        except AttributeError as error:
            return a + len(str(error))

    check_program(handled, (np.arange(3.0),))


def test_attributes_that_a_function_lacks() -> None:
    def is_column(a):
        try:
            return a.shape[1] == 1
        except (AttributeError, IndexError):
            return False

    def helper(x):
        return x

    def asks(x):
        others = (helper, len(x), np.linalg.inv, np.mean, np.sin, len)
        return x * 2 if any(is_column(other) for other in others) else x + is_column(x)

    compiled = qn.compile(asks, fullgraph=True)
    for shape in ((3,), (3, 1)):
        np.testing.assert_array_equal(compiled(np.ones(shape)), asks(np.ones(shape)), strict=True)


def test_no_handler_hides_a_fault_of_the_capture(monkeypatch):
    from quernel.numpy import registry

    def hidden(a):
        try:
            return np.sinc(a)
        except Exception:
            return a

    def fails(*args):
        raise RuntimeError("a fault")

    assert registry.implementation_of(np.sinc) is not None  # loads the module that sets it
    monkeypatch.setitem(registry.IMPLEMENTATIONS, np.sinc, fails)
    with pytest.raises(qn.errors.UnsupportedError, match="RuntimeError while capturing: a fault"):
        qn.compile(hidden, fullgraph=True)(np.arange(3.0))


def test_a_key_that_is_no_text_is_refused():
    def compute(a, i):
        if a[0] > 2:
            return {}[i]
        return a

    with pytest.raises(qn.errors.UnsupportedError, match="raising KeyError where data say so"):
        qn.compile(compute, fullgraph=True)(np.arange(3.0), 1)
