"""``is`` of arrays and truths that data choose: NumPy's answer, or a refusal."""

from __future__ import annotations

import numpy as np
import pytest
from control import Cases, Refused, check_program, check_refused, name_of

import quernel as qn
from quernel.traced.tracer import Tracer

cases, refused = Cases(), Refused()
A, D = np.array([1.0, 2, 3, 4]), np.array([4.0, 0, 2, 1])


@cases(A, D)
@cases(-A, D)
@cases(A, -D)
def chosen_twice(a, d):
    x = a if a[0] > 0 else d
    y = x if d[0] > 0 else a
    return x is y, x is a, y is not d, x, y


@cases(A, 0)
@cases(A, 3)
def rebound_in_turns(a, k):
    x, same = a, 0
    for _ in range(k):
        if x is a:
            same += 1
        x = x * 2
    return same, x is a


@cases(A, D, 3)
def swapped_in_turns(a, d, k):
    x, y, same = a, d, 0
    for _ in range(k):
        if x is a:
            same += 1
        x, y = y, x
    return same, x is a, y is a


@cases(A, D, 3)
@cases(-A, D, 2)
def compared_by_a_while(a, d, k):
    both, i = [a, d], 0
    while both[0] is a and i < k:
        if a[i] > 1:
            both = [d, a]
        i += 1
    return i, both


@cases(A)
@cases(np.zeros(4))
def truths(a):
    found = False
    for x in a:
        if x > 2:
            found = True
    c = a[0] > 0
    return found is True, found is not False, c is True, c is np.True_, bool(c) is True, c is None


@cases(A)
@cases(np.zeros(4))
def truth_as_a_pattern(a):
    found = False
    for x in a:
        if x > 2:
            found = True
    match found:
        case True:
            a[0] = 9
        case None:
            a[1] = 9
    return a


@cases(A)
@cases(-A)
def given_back_by_a_helper(a):
    def positive(u):
        return u if u[0] > 0 else u.copy()

    x = positive(a)
    return x is a, positive(x) is x, a.T is a, a[:] is a, np.asarray(a) is a


@cases(A, 5.0)
@cases(A, 1.5)
@cases(A, 0.0)
def returned_from_a_turn(a, p):
    for i in range(len(a)):
        if p > a[i]:
            return 5, [a]
        a = np.ones(4)


@cases(A, 5.0)
@cases(A, 1.5)
def perhaps_bound_in_a_turn(a, p):
    for i in range(len(a)):
        if p > a[i]:
            w = a
        a = np.ones(4)
    return w, a


@cases(A.reshape(2, 2))
@cases(A.reshape(4, 1))
def two_names_of_one_view(a):
    for _ in range(len(a)):
        a = a[::-1]
        w = a
    return a, w, a is w


@cases(A)
@cases(A + 1)
def view_or_another(a):
    v = a[1:]
    w = v if a[0] > 1 else a[1:]
    return w is v


@refused("whether an array is another one in some turns only", A, 3)
def part_in_some_turns(a, k):
    x = np.zeros(3)
    y, z, same = x[:1], x[1:2], 0
    for i in range(k):
        if y is z:
            same += 1
        x = x + 1
        if a[i] > 1:
            y = x[i : i + 1]
        else:
            z = x[i : i + 1]
    return same


@refused("whether two numbers are one object", A)
def numbers(a):
    s = float(a[0])
    for x in a:
        s = float(x)
    t = float(a[1])
    return s is t


@cases(A)
def truth_or_number(a):
    s = True
    for x in a:
        if x > 2:
            s = a[0] > x
    return [t is True for t in [s]]


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_same_answer(function, args):
    check_program(function, args)


@pytest.mark.parametrize(("function", "args", "text"), refused.rows, ids=name_of)
def test_refused(function, args, text):
    check_refused(function, args, text)


def test_a_number_whose_type_nobody_settles_is_refused(monkeypatch):
    """Where its types can't be captured apart, nobody knows which object it is."""
    monkeypatch.setattr(Tracer, "decide", lambda self, value: None)
    text = "whether a number is another object, where it is bool or "
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        qn.compile(truth_or_number, fullgraph=True)(A)
