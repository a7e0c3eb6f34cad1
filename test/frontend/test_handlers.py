"""Exceptions that data decide, and handlers, `finally` and contexts that see them."""

from __future__ import annotations

import contextlib
import copy
import traceback

import numpy as np
import pytest

import quernel as qn

MATRICES = [
    np.eye(2), np.zeros((2, 2)), -np.eye(2), np.array([[4.0, 1.0], [1.0, 3.0]]), np.ones((2, 2)),
]  # fmt: skip
VECTORS = [np.array([1.0, 2.0]), np.array([2.0, 0.0]), np.zeros(2)]


class TooLarge(Exception):
    pass


class Counts:
    def __init__(self):
        self.entered, self.errors = 0, 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, kind, error, trace):
        self.errors += kind is not None
        return kind is not None and issubclass(kind, ZeroDivisionError)


def adds_until_definite(a, b):
    added = 1e-10
    while True:
        try:
            lower = np.linalg.cholesky(a + added * np.eye(2))
            break
        except np.linalg.LinAlgError:
            added *= 10
    return lower, added


def inverts_each(a, b):
    found = np.zeros(2)
    for k in range(2):
        try:
            found[k] = 1 / float(b[k])
        except ZeroDivisionError:
            found[k] = -1
    return found


def _doubled(v):
    if v[0] > 1:
        raise TooLarge("large", 3)
    return v * 2


def catches_a_class_of_ones_own(a, b):
    try:
        y = _doubled(b)
    except TooLarge as error:
        y = b - error.args[1]
    return y


def catches_the_second(a, b):
    try:
        x = np.linalg.solve(a, b)
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError as error:
        return b * 0, str(error)
    else:
        x = x + 1
    return x, ""


def writes_finally(a, b):
    found = b.copy()
    try:
        found[0] = 1 / float(b[1])
    finally:
        b[0] = 17
    return found


def raises_from(a, b):
    try:
        return 1 / float(b[1])
    except ZeroDivisionError as error:
        raise ValueError("zero") from error


def raises_while_handling(a, b):
    try:
        return 1 / float(b[1])
    except ZeroDivisionError:
        return b[int(a[0, 0])]


def tells_a_context(a, b):
    counts, x = Counts(), 0.0
    with counts:
        x = 1 / float(b[1])
    return x, counts.entered, counts.errors


def suppresses(a, b):
    x = 0.0
    with contextlib.suppress(ZeroDivisionError, TypeError), contextlib.nullcontext(3) as three:
        x = three / float(b[1])
    return x


def catches_outside(a, b):
    try:
        try:
            x = 1 / float(b[1])
        except ValueError:
            x = 3.0
        finally:
            b = b + 1
    except ZeroDivisionError:
        x = b[0]
    return x


def raises_again(a, b):
    try:
        if b[1] > 1:
            raise ValueError(f"too large: {b[1]:.2f}")
    except ValueError:
        raise
    return b


def catches_after_writing(a, b):
    try:
        b[0] = 100.0
        b[int(a[0, 0])] = 7.0
    except IndexError:
        b[1] = -3
    return b.sum()


def passes_what_it_does_not_name(a, b):
    try:
        b[0] = 1 / float(b[1])
    except (ValueError, IndexError):
        b[0] = 5
    return b


FUNCTIONS = [
    adds_until_definite, inverts_each, catches_a_class_of_ones_own, catches_the_second,
    writes_finally, raises_from, raises_while_handling, tells_a_context, suppresses,
    catches_outside, raises_again, catches_after_writing, passes_what_it_does_not_name,
]  # fmt: skip


def chain(error):
    """Classes, texts and lines of an exception and of those behind it."""
    found = []
    while error is not None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        found.append((type(error), str(error), last.lineno))
        error = error.__cause__ or error.__context__
    return found


def outcome(function, a, b):
    a, b = copy.deepcopy((a, b))
    try:
        return function(a, b), a, b
    except Exception as error:
        return chain(error), a, b


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_handlers_are_part_of_the_program(function):
    compiled = qn.compile(function, fullgraph=True)
    for a in MATRICES:
        for b in VECTORS:
            np.testing.assert_equal(outcome(compiled, a, b), outcome(function, a, b))
    assert compiled.stats()["compiles"] == 1


def test_the_text_of_numbers_is_not_read_in_a_handler():
    def says(b):
        try:
            if b[0] > 1:
                raise ValueError(f"{b[0]}")
        except ValueError as error:
            return len(str(error))
        return 0

    compiled = qn.compile(says)
    with pytest.warns(qn.FallbackWarning, match="the text of a number"):
        assert compiled(np.array([12.0])) == 4


def test_a_loop_before_what_is_raised_runs_once():
    def steps(b):
        x = 1.0
        try:
            while x * x < b[0]:
                x *= 2
            if x > 100:
                raise TooLarge
        except TooLarge:
            x = 100.0
        return x

    compiled = qn.compile(steps)
    assert compiled(np.array([50.0])) == steps(np.array([50.0]))
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning, match="TooLarge inside of try"):
        assert compiled(np.array([1e6])) == 100.0


def test_a_complex_number_in_a_text_that_a_handler_sees():
    def finds(b):
        try:
            z = b[0] * 1j
            if b[0] > 1:
                raise ValueError(f"{z}")
            found = np.ones(3)[int(b[0])]
        except (ValueError, IndexError):
            found = -1.0
        return found

    compiled = qn.compile(finds, fullgraph=True)
    for first in (0.0, 12.0, 1.0):
        assert compiled(np.array([first])) == finds(np.array([first]))


def test_a_complex_number_in_a_text_that_a_loop_raises():
    def finds(b):
        try:
            for k in range(len(b)):
                if b[k] > 1:
                    raise ValueError(f"{b[k] * 1j}")
        except ValueError:
            return -1.0
        return 1.0

    compiled = qn.compile(finds)
    assert compiled(np.ones(3)) == 1.0
    with pytest.warns(qn.FallbackWarning, match="ValueError.* inside of try"):
        assert compiled(np.full(3, 2.0)) == -1.0


def test_a_handler_that_cannot_be_captured_is_left_to_numpy(capsys):
    def tells(b):
        try:
            x = 1 / float(b[0])
        except ZeroDivisionError:
            print("zero", b.tolist())
            x = 0.0
        return x

    compiled = qn.compile(tells)
    assert compiled(np.array([2.0])) == 0.5
    assert compiled.stats()["fallbacks"] == 0
    with pytest.warns(qn.FallbackWarning):
        assert compiled(np.array([0.0])) == 0.0
    assert capsys.readouterr().out == "zero [0.0]\n"


def test_a_statement_that_is_split_often():
    def inverts(b):
        total = 3.0
        try:
            total = 1 / float(b[0]) + 1 / float(b[1]) + 1 / float(b[2]) + 1 / float(b[3])
            total = total + 1 / float(b[4]) + 1 / float(b[5]) + 1 / float(b[6]) + 1 / float(b[7])
        except ZeroDivisionError:
            total = -total
        return total

    compiled = qn.compile(inverts)
    for place in (None, 0, 5):
        b = np.arange(1.0, 9.0)
        if place is not None:
            b[place] = 0.0
        assert compiled(b) == inverts(b)
    assert compiled.stats()["fallbacks"] == 0
    b = np.array([1.0] * 7 + [0.0])
    with pytest.warns(qn.FallbackWarning, match="ZeroDivisionError inside of try"):
        assert compiled(b) == inverts(b)


def test_what_is_raised_again_is_what_the_caller_handles():
    def again(b):
        if b[0] > 0:
            raise  # noqa: PLE0704
        return b

    def handles(function, error):
        try:
            raise error
        except (ValueError, KeyError):
            return function(np.array([1.0]))

    compiled = qn.compile(again, fullgraph=True)
    np.testing.assert_array_equal(compiled(np.zeros(1)), np.zeros(1))
    for error in (ValueError("one"), KeyError("two"), ValueError("three")):
        with pytest.raises(type(error)) as caught:
            handles(compiled, error)
        assert caught.value is error
        assert error.__context__ is None
    with pytest.raises(RuntimeError, match="No active exception to reraise"):
        compiled(np.ones(1))


@pytest.mark.filterwarnings("error")
def test_what_a_finally_sees_is_told_to_nobody():
    def inverts(b):
        try:
            return 1 / float(b[0])
        finally:
            b[1] += 1

    compiled = qn.compile(inverts)
    b = np.array([2.0, 5.0])
    assert compiled(b) == 0.5
    b[0] = 0.0
    with pytest.raises(ZeroDivisionError):
        compiled(b)
    np.testing.assert_array_equal(b, [0.0, 7.0])
    assert compiled.stats()["fallbacks"] == 0


class Settings:
    """Read from outside: what a program looks at is loaded when it looks at it."""

    def __init__(self) -> None:
        self.scale, self.factor = 3.0, np.linalg.cholesky


SETTINGS = Settings()


def test_attributes_that_a_try_is_the_first_to_look_at() -> None:
    def function(x):
        try:
            y = SETTINGS.scale * SETTINGS.factor(x)
        except np.linalg.LinAlgError:
            y = SETTINGS.scale * x
        return y + SETTINGS.scale

    compiled = qn.compile(function, fullgraph=True)
    for x in (np.eye(3), -np.eye(3)):
        np.testing.assert_array_equal(compiled(x), function(x))
    assert compiled.stats()["fallbacks"] == 0
