"""Exceptions whose texts have numbers of the program in them."""

from __future__ import annotations

import copy
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


@refused("an exception with more than 8 numbers in its text", A)
def many_numbers(a):
    if a[0] > 0:
        raise ValueError(f"{a[0]}{a[1]}{a[2]}{a[0]}{a[1]}{a[2]}{a[0]}{a[1]}{a[2]}")
    return a


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


@refused("a text from inside of a loop or a branch is used after it", A)
def text_of_a_turn(a):
    text = ""
    for k in range(3):
        text = f"{a[k]}"
    if a[0] > 0:
        raise ValueError(text)
    return a


@refused("a format with braces of a number", A)
def braces(a):
    if a[0] > 0:
        raise ValueError(f"{a[0]:{'}'}<9}")
    return a


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_refusals(function: Any, args: tuple, text: str) -> None:
    check_refused(function, args, text)
