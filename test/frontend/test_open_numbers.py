"""Numbers that are Python's on one path and NumPy's on another, as data decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

E = np.array([4, 2, 9], "uint8")
W = np.array([4, 2, 9], "uint64")
A = np.array([0.5, -2.0, 3.25])
F = np.array([1.5, 2.25, -3.0], "float32")
N = np.array([7, 1, 2], "int8")

case = Cases()


@case(E)
def greatest_of_unsigned_and_negative(e):
    return np.float64(max(e[0], -1)), np.float64(min(e[0], -1)), float(max(-300, e[1]))


@case(E, A)
def branch_that_keeps_a_negative(e, a):
    i = -1
    if a[0] > 100:
        i = e[0]
    return np.float64(i * 2.0)


@case(E, A)
def branch_that_takes_the_element(e, a):
    i = -1
    if a[0] < 100:
        i = e[0]
    return np.float64(i * 2.0)


@case(E, A)
def choice_of_two(e, a):
    i = e[0] if a[0] > 100 else -1
    return a * i, i < e, bool(i == -1)


@case(A)
def sum_from_zero(a):
    total = 0
    for x in a:
        total += x
    return a * total, total


@case(E)
def sum_of_narrow_integers(e):
    total = 0
    for x in e:
        total += x
    return e + total, total


@case(E)
def greatest_from_infinity(e):
    best = -np.inf
    for x in e:
        best = max(best, x)
    return np.float64(best)


@case(A.astype("float32"))
def narrow_floats(a):
    least = max(a[0], 0.1)
    return a + least, np.float64(max(a[1], 0.1))


@case(A, F)
def dtype_by_the_turn_that_was_best(a, f):
    best = 0.5
    for x in a:
        best = max(x, best)
    return f - best, best


@case(-abs(A), F)
def dtype_by_no_turn(a, f):
    best = 0.5
    for x in a:
        best = max(x, best)
    doubled = best * 2
    g = f / doubled
    return g.sum() + best, g * f


@case(A, F)
def dtype_by_what_a_function_finds(a, f):
    def greatest(x, least):
        for y in x:
            least = max(y, least)
        return least

    first = f - greatest(a, 0.5)
    second = f + greatest(a, 9.0)
    return first * 2, second * 2


@case(A, F)
def dtype_in_each_turn(a, f):
    best = 0.5
    for x in a:
        best = max(x, best)
    for k in range(3):
        f[k:] = f[k:] - best
    best *= f
    return best


@case(A, F, N)
def three_types(a, f, n):
    best = 1
    for x in a:
        if x > best:
            best = x
        elif x < -1:
            best = n[0]
    return f * best


@case(A)
def types_that_matter(a):
    k = 1
    for x in a:
        if x > 3:
            k = 1.5
    return a * k**0.5, type(k) is int, np.asarray(k), isinstance(k, float)


@case(N, A)
def index_or_not(n, a):
    k = 1
    for x in a:
        if x > 9:
            k = 1.5
    return n[k], ~k


@case(W)
def element_that_is_one_of_two_types(w):
    w[0] = min(w.sum(), np.array([3, -1]).argmin())
    return w


@case(A)
def dtype_that_is_one_all_the_same(a):
    s = 0
    if a[0] > 100:
        s = 0.5
    return a * s, np.where(a > 0, a, s), a + max(99.0, a[0])


@case(A)
def assigned_to_elements(a):
    b = np.zeros(2, np.int64)
    b[0] = max(7.5, a[0])
    return b


@pytest.mark.parametrize(("function", "args"), case.rows, ids=name_of)
def test_program(function: Any, args: tuple) -> None:
    check_program(function, args)


captured = Cases()


@captured(np.array([4, 2], "int32"))
def dtype_that_follows(e):
    return e * max(e[0], -99.5)


@captured(E)
def sum_that_wraps_or_not(e):
    return np.float64(max(e[0], -1) + 1)


@captured(W)
def no_dtype_for_both(w):
    return float(max(w[0], -1))


@captured(np.array([4, 2, 9], "uint8"))
def element_that_is_cut_or_checked(e):
    e[0] = e[1:].argmin() if e[0] < 2 else e[1] ^ 5
    return e


@captured(A)
def elements_by_a_mask(a):
    a = a.copy()
    c = np.arange(len(a))
    c[a >= 2] = min(a.sum(), 3)
    np.putmask(a, a < 2, min(3, a.all()))
    return np.concatenate([a, c])


@captured(np.array([4, 2, 9], "float32"))
def beside_an_array(x):
    y = np.arange(3.0)
    y[1] = 4
    return max(abs(x[0]), len(x) if x[1] == 7 else 0) == y


@captured(np.array([4, 2, 9], "float32"))
def greatest_of_two_dtypes(x):
    best = np.uint32(x[1])
    for e in x:
        best = max(best, e)
    return best


@captured(E)
def type_that_is_returned(e):
    return max(e[0], -1)


@captured(A)
def method_of_one_of_two(a):
    return max(0, a[0]).astype(np.int64)


@captured(A)
def index_of_one_of_two(a):
    i = 1
    if a[0] > 100:
        i = a[0]
    return a[i]


@captured(A)
def type_that_is_asked(a):
    return isinstance(max(0, a[0]), int)


@captured(A)
def element_of_a_real_part(a):
    z = a * 1j
    if a[0] < 100:
        z = z.real
    return z[1]


@captured(A)
def element_of_complex_numbers(a):
    z = a * 1j
    if a[0] > 100:
        z = z.real
    return z[1] * 2


@captured(A, F)
def item_at_a_place_of_data(a, f):
    s, n = 0.5, 1
    if a[0] > 100:
        s, n = a[0], 0
    return f * [a[0], s][n]


@captured(A, F)
def item_of_tuples_at_a_place_of_data(a, f):
    s, n = 0.5, 1
    if a[0] > 100:
        s, n = a[0], 0
    return f * [(1, a[0]), (2, s)][n][1]


@captured(A, F)
def rounded_where_a_loop_ends(a, f):
    best = 0.25
    for x in a:
        best = max(best, x)
    return f * round(best, 1)


@captured(A > 0)
def truth_that_is_inverted(b):
    s = True
    if b[1]:
        s = b[0]
    return ~s


@pytest.mark.parametrize(("function", "args"), captured.rows, ids=name_of)
def test_captured_once_for_each_type(function: Any, args: tuple) -> None:
    outcomes = []
    for call in (function, qn.compile(function, fullgraph=True)):
        try:
            outcome = call(*args)
            outcomes.append(
                (type(outcome), getattr(outcome, "dtype", None), np.asarray(outcome).tolist())
            )
        except AttributeError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_python_number_that_is_out_of_bounds_in_the_first_turn() -> None:
    def compute(e):
        count = -2
        for _ in range(3):
            count += e.max()
        return count

    with pytest.raises(OverflowError, match="Python integer -2 out of bounds for uint8"):
        qn.compile(compute, fullgraph=True)(E)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_items_of_two_dtypes_are_no_table() -> None:
    def function(a, f):
        n = 1 if a[0] > 0 else 0
        return f * [a[0], f[0]][n]

    assert qn.compile(function)(A, F).dtype == function(A, F).dtype
