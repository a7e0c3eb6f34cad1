"""Exceptions whose texts have numbers of the program in them."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from control import Cases, Refused, check_refused, name_of

import quernel as qn

A = np.array([0.5, -2.0, 3.25])
F = A.astype("float32")
Z = A + 2j
N = np.array([3, 1, -2])
U = np.array([2**64 - 1, 5], "uint64")

case, refused = Cases(), Refused()


@case(A)
def index_of_the_least(a):
    k = np.argmin(a)
    if a[k] < 0:
        raise ValueError(f"{k} is too much, of {len(a)} {{}}")
    return a


@case(A)
def python_integer_and_size(a):
    count = 0
    for x in a:
        if x < 3:
            count += 1
    if count > 1:
        raise IndexError(f"{count:03d} of {a.shape}")
    return a


@case(A, F, N, U, Z)
def kinds_of_numbers(a, f, n, u, z):
    if a[0] < 1:
        raise ValueError(
            f"{f[2]!r} {n[2]} {u[0]!r} {a[1] < 0} {z[0]} " + f"{float(a[1])!r:>8}" + f"{f[1]:.3e}"
        )
    return a


@case(A)
def parts_of_a_complex_number(a):
    z = complex(a[0], a[1])
    if a[0] > 0:
        raise KeyError(f"{z}")
    return z


@case(A)
def number_of_the_side(a):
    if a[0] > 0:
        a[1] = 7
        total = a.sum()
        raise ArithmeticError(f"the sum is {total}")
    return a


@case(A)
def turn_of_a_loop(a):
    for k in range(len(a)):
        if a[k] > 1:
            raise StopIteration(f"turn {k}: {a[k]}")
        a[k] += 1
    return a


@case(A, 5)
def parameter(a, p):
    if a[0] > 0:
        raise ValueError(f"{p} and {p / 2}")
    return a * p


@case(A)
def text_bound_before(a):
    text = f"{a[0]}"
    whole = "so: " + text + "!"
    if a[1] < 0:
        raise ValueError(f"<{whole}>")
    return a


@case(A)
def assertion(a):
    assert a[0] > 1, f"{a[0]} isn't more than 1"
    return a


@case(A, N)
def assertion_whose_text_may_fail(a, n):
    assert a[0] < 1, f"{a[n[0]]}"
    return a


@case(A)
def type_that_data_decide(a):
    k = 1
    if a[0] > 0:
        k = a[0]
    if a[1] < 0:
        raise ValueError(f"{k}")
    return a


@case(A)
def name_of_one_side(a):
    text = "nothing"
    if a[0] > 0:
        text = f"{a[1] + 1}"
    if a[1] < 0:
        raise ValueError(text)
    return a


@case(A)
def format_that_fails(a):
    k = len(a[a > 0]) * 0.5
    if a[0] > 0:
        raise IndexError(f"{k:d}")
    return a


@case(A)
def message_of_an_exception_that_is_caught(a):
    if a[0] > 0:
        try:
            raise ValueError(f"{a[0]}")
        except ValueError:
            return a + 1
    return a


@case(A)
def many_numbers(a):
    if a[0] > 0:
        raise ValueError(f"{a[0]}{a[1]}{a[2]}{a[0]}{a[1]}{a[2]}{a[0]}{a[1]}{a[2]}")
    return a


@case(A)
def text_of_a_turn(a):
    text = ""
    for k in range(3):
        text = f"{a[k]}"
    if a[0] > 0:
        raise ValueError(text)
    return a


def told(k):
    return "value {:d}".format(k)  # noqa: UP032


@case(A, N)
def formatted_in_other_ways(a, n):
    k = int(n[0])
    if a[0] > 0:
        whole = "%5d|%-5d|%05d|%+d|%x|%i%%" % (k, k, n[1], n[1], k, k)  # noqa: UP031
        real = "{0:>9.3f} {0!r} {1} {k:03d} {{}}".format(a[1], a[2] < 1, k=n[2])
        raise ValueError(", ".join([whole, real]))
    if a[1] > 0:
        raise KeyError("%.2f %g %10.1e %s %r" % (a[0], a[1], a[2], a[0] < 1, "b"))  # noqa: UP031
    return a


@case(A, N)
def converted(a, n):
    if a[0] > 0:
        message = "no " + str(a[0]) + repr(n[1]) + format(a[1], ".3e") + ascii(n[2])
        raise RuntimeError(message + told(n[0]))
    return a


@case(A)
def several_arguments(a):
    if a[0] > 0:
        raise ValueError("no convergence", a[0], len(a))
    if a[1] > 0:
        raise KeyError(a[1])
    return a


def observed(function: Callable[..., Any], args: tuple) -> Any:
    try:
        return function(*args), args
    except Exception as error:
        first = str(error).splitlines()[0]  # pytest adds lines to texts of assertions
        return type(error), first, type(error.args[0]), args


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_texts(function: Any, args: tuple, dynamic: bool | None) -> None:
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    for sign in (1, -1, 1):
        own, plain = ([x * sign if x is A else copy.deepcopy(x) for x in args] for _ in range(2))
        got, want = observed(compiled, tuple(own)), observed(function, tuple(plain))
        assert repr(got) == repr(want)
    assert compiled.stats()["fallbacks"] == 0


def test_a_program_from_disk_has_the_texts() -> None:
    def compute(a):
        if a[0] > 0:
            raise ValueError(f"{a[0]:.2f} at {int(a[2])}")
        return a

    for _ in range(2):
        with pytest.raises(ValueError, match=r"^0\.50 at 3$"):
            qn.compile(compute, fullgraph=True)(A)


class ConvergenceError(Exception):
    def __init__(self, what: str, steps: int = 0) -> None:
        super().__init__(f"{what} in {steps}" if steps else what)


MESSAGES = """
ValueError("no convergence in {}".format(i))
ValueError("no convergence in %d, %.3f" % (i, x[0]))
ValueError("no convergence in " + str(i))
ValueError(f"no convergence in {i:04d}")
ValueError(told(i))
ValueError("no convergence", i)
KeyError(i)
ConvergenceError(f"no convergence in {i}")
""".strip().splitlines()


def loop_of(statements: str, tmp_path: Any) -> Any:
    """A function that ends a long loop by an exception."""
    text = (
        "def compute(b, n):\n    x = b.copy()\n    for i in range(1, n + 1):\n"
        "        y = 0.5 * x + b\n        if abs(y - x).max() < 1e-10:\n            return y\n"
        f"        x = y\n        if i == n:\n            {statements}\n"
    )
    path = tmp_path / "program.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    names = {"told": told, "ConvergenceError": ConvergenceError}
    exec(compile(text, str(path), "exec"), names)
    return names["compute"]


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("is_named", [False, True], ids=["", "named"])
def test_the_counter_of_a_loop_leaves_it_a_loop(message, is_named, tmp_path) -> None:
    name, _, rest = message.partition("(")
    named = f"text = {rest[:-1]}\n            raise {name}(text)"
    function = loop_of(named if is_named else f"raise {message}", tmp_path)
    compiled = qn.compile(function, fullgraph=True)
    for n in (200, 20, 21, 300):
        assert repr(observed(compiled, (A, n))) == repr(observed(function, (A, n)))
    assert "the loop is unrolled" not in str(compiled.explain(A, 200))


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        ("ConvergenceError('no convergence', i)", "this needs the number of an iteration"),
        ("ValueError(f'{i} {{}}'.format(n).upper())", "the text of the number of an iteration"),
    ],
)
def test_other_texts_with_the_counter_are_left_to_numpy(raised, text, tmp_path) -> None:
    function = loop_of(f"raise {raised}", tmp_path)
    compiled = qn.compile(function)
    np.testing.assert_array_equal(compiled(A, 200), function(A, 200))
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match=text):
        assert repr(observed(compiled, (A, 20))) == repr(observed(function, (A, 20)))


def text_of_an_index(x, i):
    try:
        return x[i]
    except IndexError as error:
        return str(error)


def text_of_two_checks(x, i):
    total = 0.0
    try:
        total = x[i] + x[i + 1 : i + 3].reshape(2, 1)[0, 0] + 1 / float(x[0])
    except (IndexError, ValueError, ZeroDivisionError) as error:
        message = f"{type(error).__name__}: {error}, {error.args}"
        return len(message), message
    return total


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("function", [text_of_an_index, text_of_two_checks])
@pytest.mark.parametrize("kind", [int, np.int64])
def test_handlers_read_the_texts_of_checks(function, kind) -> None:
    for order in ((9, 1, 0, 5, -7, 2), (1, 2, 9, -7, 0, 3)):
        compiled = qn.compile(function)
        for i in order:
            for x in (np.arange(3.0), np.arange(1.0, 6.0)):
                assert str(compiled(x, kind(i))) == str(function(x, kind(i)))


@refused("the text of a number that is only known when the function runs", A)
def text_that_is_returned(a):
    return f"{a[0]}"


@refused("the text of a number that is only known when the function runs", A)
def text_that_is_read(a):
    text = f"{a[0]}"
    return a if text == "0.5" else a + 1


@refused("the text of a number that is only known when the function runs", A)
def method_of_a_text(a):
    if a[0] > 0:
        raise ValueError(f"{a[0]}".upper())
    return a


@refused("the text of a number that is only known when the function runs", A)
def text_for_another_function(a):
    return a * np.float64(f"{a[0]}")


def opened(a):
    k = 1
    for x in a:
        if x > 3:
            k = 1.5
    return k


@refused("a text of a number that is float or int, as data decide", A)
def type_that_is_not_known(a):
    if a[0] > 0:
        raise ValueError(f"{opened(a)}" if a.sum() > 9 else "less")
    return a


@refused("a format with braces of a number", A)
def braces(a):
    if a[0] > 0:
        raise ValueError(f"{a[0]:{'}'}<9}")
    return a


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_refusals(function: Any, args: tuple, text: str) -> None:
    check_refused(function, args, text)
