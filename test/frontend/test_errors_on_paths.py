"""Errors on a path that data may not take: the program raises NumPy's on that path alone."""

from __future__ import annotations

import contextlib
import copy
import linecache
import re
import warnings

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


def names_a_result(x):
    p = x * 2
    try:
        p.name = "label"
    except AttributeError as error:
        return p, len(str(error))
    return p + 1


def names_a_number(x):
    s, n = x.sum(), len(x) + int(x[0])
    for number in (s, n):
        try:
            number.value = {}
        except AttributeError:
            s = s + 1
    return s


def changes_what_only_ours_have(x):
    for name in ("storage", "views", "nosuch"):
        try:
            setattr(x, name, 3)
        except AttributeError:
            x = x * 2
    try:
        del x.storage
    except AttributeError:
        return x + 1
    return x


def reads_what_only_ours_have(x):
    n, s, found = len(x) + int(x[0]), x.sum(), 0
    for obj in (n, s, x):
        found += hasattr(obj, "value") + hasattr(obj, "hint") + hasattr(obj, "storage")
        found += getattr(obj, "views", 3) + getattr(obj, "ndim", 3)
    try:
        n.tracer += 1
    except AttributeError:
        found += 50
    return found


@pytest.mark.parametrize("size", [5, 7, 9000])
@pytest.mark.parametrize(
    "function",
    [names_a_result, names_a_number, changes_what_only_ours_have, reads_what_only_ours_have],
    ids=lambda function: function.__name__,
)
def test_attributes_that_arrays_and_numbers_lack(function, size):
    check_program(function, (np.arange(float(size)),))


def test_no_handler_hides_a_fault_of_the_capture(monkeypatch):
    from quernel.numpy import loader, registry

    def hidden(a):
        try:
            return np.sinc(a)
        except Exception:
            return a

    def fails(*args):
        raise RuntimeError("a fault")

    assert loader.implementation_of(np.sinc) is not None  # loads the module that sets it
    monkeypatch.setitem(registry.IMPLEMENTATIONS, np.sinc, fails)
    with pytest.raises(qn.errors.UnsupportedError, match="RuntimeError while capturing: a fault"):
        qn.compile(hidden, fullgraph=True)(np.arange(3.0))


class OwnError(ValueError):
    """What a manifest can't name."""

    def __init__(self, what: str, code: int) -> None:
        super().__init__(what)
        self.code = code


def raises_own(x):
    x *= 2.0
    if x.min() < 0:
        x[0] = 99.0
        raise OwnError("negative", 3)
    return np.sqrt(x).sum()


def raises_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            raise OwnError("negative", i)
        total += np.sqrt(x[i])
    return total


def finite(x, name):
    if not np.all(np.isfinite(x)):
        raise ValueError(f"{name}: {np.flatnonzero(~np.isfinite(x)).tolist()} aren't finite")
    return x


def raises_in_a_helper(x):
    return finite(np.log(np.abs(x)), "logarithms").mean()


def asserts(x):
    assert x.sum() > 0, f"the sum of {x}"
    return x / x.sum()


def does_not_converge(x):
    for _ in range(20):
        y = 0.5 * (x + 2 / x)
        if np.abs(y - x).max() < 1e-9:
            return y
        x = y
    raise OwnError("no convergence", 20)


def raises_a_key(x):
    if x[0] < 0:
        return {}[len(x)]
    return x


LEFT = {
    raises_own: "",  # what the plain function raises, nobody needs to be told of
    raises_in_a_loop: "",
    raises_in_a_helper: "`.tolist()` of an array of many elements",
    asserts: "the text of an array or of its elements",
    does_not_converge: "",
    raises_a_key: "",
}


@np.errstate(all="ignore")
@pytest.mark.parametrize("function", LEFT, ids=lambda f: f.__name__)
def test_what_a_program_can_not_raise_is_left_to_numpy(function):
    def outcome(called, x):
        try:
            return called(x), x
        except Exception as error:
            texts = [str(part).partition("\n")[0] for part in error.args]  # pytest adds lines
            return type(error), texts, vars(error), x

    compiled = qn.compile(function)
    good, bad = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.0, -3e200])
    np.testing.assert_equal(outcome(compiled, good.copy()), outcome(function, good.copy()))
    assert compiled.stats()["fallbacks"] == 0
    told = pytest.warns(qn.FallbackWarning, match=re.escape(LEFT[function]))
    with told if LEFT[function] else contextlib.nullcontext():
        np.testing.assert_equal(outcome(compiled, bad.copy()), outcome(function, bad.copy()))
    for _ in range(2):  # without another warning
        np.testing.assert_equal(outcome(compiled, bad.copy()), outcome(function, bad.copy()))
    count = 3 if LEFT[function] else 0
    assert compiled.stats()["fallbacks"] == count
    np.testing.assert_equal(outcome(compiled, good.copy()), outcome(function, good.copy()))
    assert compiled.stats()["fallbacks"] == count
    whole = qn.compile(function, fullgraph=True)
    if not LEFT[function]:
        np.testing.assert_equal(outcome(whole, bad.copy()), outcome(function, bad.copy()))
        return
    with pytest.raises(qn.errors.UnsupportedError, match=re.escape(LEFT[function])):
        whole(bad.copy())


def warned_root(x):
    if np.any(x < 0):
        warnings.warn(f"{(x < 0).sum()} negative values", RuntimeWarning, stacklevel=2)
        x = np.where(x < 0, 0, x)
    return np.sqrt(x)


def warned_steps(x):
    for i in range(len(x)):
        if x[i] > 1:
            warnings.warn(f"too large: {x}", stacklevel=1)
            x[i] = 1.0
    return x.sum()


@pytest.mark.parametrize("function", [warned_root, warned_steps])
def test_what_warns_is_left_to_numpy(function):
    def outcome(called, x):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = called(x)
        own = [w for w in caught if w.category is not qn.FallbackWarning]
        told = [(str(w.message), w.category, w.filename, w.lineno) for w in own]
        return answer, x, told, len(caught) - len(own)

    compiled = qn.compile(function)
    for values, fallbacks in (([0.5, 1.0], 0), ([-1.0, 2.0], 1), ([0.25, 0.5], 1), ([3, -4], 2)):
        x = np.array(values, float)
        *found, count = outcome(compiled, x.copy())
        np.testing.assert_equal(found, outcome(function, x.copy())[:3])
        assert compiled.stats()["fallbacks"] == fallbacks
        assert count == (values == [-1.0, 2.0])
    with pytest.raises(qn.errors.UnsupportedError, match="looks at the frames around"):
        qn.compile(function, fullgraph=True)(np.array([-1.0, 2.0]))


def test_what_always_warns_is_refused():
    def warns(x):
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        return x + 1

    with pytest.raises(qn.errors.UnsupportedError, match="looks at the frames around"):
        qn.compile(warns, fullgraph=True)(np.arange(3.0))


def catches(x, i):
    try:
        return x[i[0]]
    except IndexError:
        return x[0]


def writes_at_the_end(x, i):
    try:
        return x[i[0]]
    finally:
        x[0] = 7.0


def writes_whatever_happens(x, i):
    found = np.zeros(3)
    try:
        x += 1
        found[i[0]] = 1
        if x[0] < 0:
            raise ValueError("negative")
    finally:
        x[:] = found
    return found


def catches_around(x, i):
    try:
        try:
            found = x[i[0]]
        finally:
            x[1] = 5
    except IndexError:
        found = -1.0
    return found


def called_inside(x, i):
    try:
        return catches_around(x, i) + finite(x, "x").sum()
    except ValueError as error:
        return len(str(error))


def outcome_and_arguments(called, *args):
    args = copy.deepcopy(args)
    try:
        return called(*args), args
    except Exception as error:
        return type(error), str(error), args


@pytest.mark.parametrize(
    "function", [catches, writes_at_the_end, writes_whatever_happens, catches_around]
)
def test_what_is_raised_inside_of_try_is_seen(function):
    compiled = qn.compile(function, fullgraph=True)
    good = np.array([1.0, 2.0, 3.0])
    for x in (good, -3 * good, np.array([np.inf, 1.0, 0.0])):
        for i in (np.array([0]), np.array([-1]), np.array([3])):
            np.testing.assert_equal(
                outcome_and_arguments(compiled, x, i), outcome_and_arguments(function, x, i)
            )
    assert compiled.stats()["compiles"] == 1


def test_what_cannot_be_captured_inside_of_try_is_left_to_numpy():
    compiled = qn.compile(called_inside)
    x = np.array([1.0, 2.0, 3.0])
    for i in (np.array([0]), np.array([3])):
        want = outcome_and_arguments(called_inside, x, i)
        np.testing.assert_equal(outcome_and_arguments(compiled, x, i), want)
    assert compiled.stats()["fallbacks"] == 0
    x[0] = np.inf
    with pytest.warns(qn.FallbackWarning, match=r"`.tolist\(\)` of an array"):
        assert str(outcome_and_arguments(compiled, x, i)) == str(
            outcome_and_arguments(called_inside, x, i)
        )


def inverts_all(x):
    total = 0.0
    try:
        for k in range(len(x)):
            total += 1 / float(x[k])
    except ZeroDivisionError:
        return -1.0
    return total


def test_what_a_loop_raises_inside_of_try_is_left_to_numpy():
    compiled = qn.compile(inverts_all)
    assert compiled(np.array([1.0, 2.0])) == 1.5
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match="ZeroDivisionError inside of try"):
        assert compiled(np.array([1.0, 0.0])) == -1.0


def solves_or_approximates(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = np.linalg.lstsq(a, b, rcond=None)[0]
    return x


def is_definite(a, b):
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return True


@pytest.mark.parametrize("function", [solves_or_approximates, is_definite])
def test_handlers_see_routines_that_fail(function):
    b = np.array([1.0, 2.0])
    compiled = qn.compile(function, fullgraph=True)
    for a in (np.eye(2), np.zeros((2, 2)), -np.eye(2), np.ones((2, 2))):
        np.testing.assert_allclose(compiled(a, b), function(a, b), atol=1e-15)


def test_a_routine_that_fails_is_computed_where_it_is_asked_for():
    def inverse_or_not(a, b):
        return a if b[0] > 0 else np.linalg.inv(a)

    compiled = qn.compile(inverse_or_not, fullgraph=True)
    for a in (np.eye(2) * 4, np.zeros((2, 2))):
        np.testing.assert_array_equal(compiled(a, np.ones(2)), a)
    np.testing.assert_array_equal(compiled(np.eye(2) * 4, -np.ones(2)), np.eye(2) / 4)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        compiled(np.zeros((2, 2)), -np.ones(2))


def overwrites(a, m):
    a[0] = 7.0
    b = np.linalg.inv(m)
    a[:] = b[0, 0]


def adds_twice(a, m):
    a += 1
    b = np.linalg.solve(m, m)
    a += b[0, 0]


def clears_in_a_loop(a, m):
    for i in range(3):
        a[i] = i + 9
        a *= np.linalg.cholesky(m - 2 * i * np.eye(2))[0, 0]


def never_asks(a, m):
    a *= 2
    np.linalg.eigvalsh(m)
    np.linalg.inv(m)
    a *= 2


@pytest.mark.parametrize("function", [overwrites, adds_twice, clears_in_a_loop, never_asks])
def test_arguments_after_a_routine_has_failed(function):
    """What was written before is written, nothing after."""
    compiled = qn.compile(function, fullgraph=True)
    for m in (np.zeros((2, 2)), 3 * np.eye(2)):
        found = []
        for called in (function, compiled):
            a = np.arange(4.0)
            try:
                called(a, m)
            except np.linalg.LinAlgError as error:
                found.append((str(error), a))
            else:
                found.append(("", a))
        np.testing.assert_equal(found[1], found[0])
