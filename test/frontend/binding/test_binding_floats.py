"""Floating-point flags of programs: who is asked about them, and when."""

import gc
import time
import warnings
import weakref

import numpy as np
import pytest
from binding_support import array, function, sym
from quernel._runtime import FloatLog, Function

DIVIDE, OVER, UNDER, INVALID = MEANS = (1, 2, 4, 8)


class Asked:
    """What is asked about flags, and what it answers."""

    def __init__(self, answer=NotImplemented, rest=0, copied=0):
        self.calls = []
        self.answer = (answer, rest, copied)

    def __call__(self, kinds, is_strict, args, kwargs, kept):
        self.calls.append((kinds, is_strict, args, kwargs, kept))
        return self.answer

    def kinds(self):
        return [call[0] for call in self.calls]


@pytest.fixture
def inverse(make):
    """The inverse of a float, with what is asked about flags."""

    def made(asked, outer=15, inner=0, always=0, means=MEANS, entry="inverse", **details):
        parameters = [("scalar", 0, "float")]
        outputs = {"outputs": [("float64", ())], "result": ("scalar", 0)}
        floats = (outer, inner, always, means, asked)
        return function(make(entry, parameters, floats=floats, **(outputs | details)))

    return made


@pytest.fixture
def divide(make):
    """Divides an array by a float, in place."""

    def made(asked, outer=15, inner=0):
        parameters = [array(0, (sym(0),), written=True), ("scalar", 1, "float")]
        return function(
            make("divide", parameters, symbols=1, floats=(outer, inner, 0, MEANS, asked))
        )

    return made


def test_nobody_is_asked_where_nothing_happens(inverse):
    asked = Asked()
    assert inverse(asked)(4.0) == 0.25
    assert asked.calls == []


def test_flags_of_before_do_not_count(inverse):
    asked = Asked()
    compiled = inverse(asked)
    with np.errstate(all="ignore"):
        compiled(0.0)
        np.array([1e308]) * 10
        np.sqrt(np.array([-1.0]))
    assert compiled(2.0) == 0.5
    assert asked.calls == []


def test_kinds_and_arguments_are_told(inverse):
    asked = Asked()
    compiled = inverse(asked)
    assert compiled(0.0) == np.inf
    assert asked.calls == [(DIVIDE, False, (0.0,), {}, None)]


def test_the_state_decides(inverse):
    asked = Asked()
    compiled = inverse(asked)
    for mode, strict in (("warn", False), ("raise", True), ("log", True), ("warn", False)):
        with np.errstate(divide=mode, call=FloatLog()):
            compiled(0.0)
        with np.errstate(divide="ignore"):
            compiled(0.0)
        assert asked.calls.pop()[:2] == (DIVIDE, strict)
        assert asked.calls == []


def test_filters_that_raise_are_told_of(inverse):
    asked = Asked()
    compiled = inverse(asked)
    for action, category in (
        ("error", Warning),
        ("error", RuntimeWarning),
        ("error", DeprecationWarning),
        ("ignore", Warning),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter(action, category)
            compiled(0.0)
    assert [call[1] for call in asked.calls] == [True, True, False, False]


def test_kinds_that_a_program_does_not_have(inverse):
    asked = Asked()
    assert inverse(asked, outer=OVER | INVALID)(0.0) == np.inf
    assert asked.calls == []


def test_the_functions_own_state_wins(inverse):
    asked = Asked()
    compiled = inverse(asked, outer=0, inner=DIVIDE)
    with np.errstate(all="ignore"):
        compiled(0.0)
    assert [call[:2] for call in asked.calls] == [(DIVIDE, True)]


def test_what_happens_always(inverse):
    asked = Asked()
    compiled = inverse(asked, always=OVER)
    compiled(2.0)
    compiled(0.0)
    assert asked.kinds() == [OVER, OVER | DIVIDE]
    with np.errstate(over="ignore"):
        compiled(2.0)
    assert len(asked.calls) == 2


def test_flags_that_stand_for_others(inverse):
    asked = Asked()
    inverse(asked, means=(DIVIDE | OVER, OVER, UNDER, INVALID))(0.0)
    inverse(asked, outer=INVALID, means=(INVALID, OVER, UNDER, INVALID))(0.0)
    assert asked.kinds() == [DIVIDE | OVER, INVALID]


def test_an_answer_stands_for_the_programs(inverse):
    assert inverse(Asked("instead"))(0.0) == "instead"


def test_runs_that_need_no_question(inverse):
    asked = Asked(rest=50_000_000)
    compiled = inverse(asked)
    for _ in range(9):
        compiled(0.0)
    assert asked.kinds() == [DIVIDE]
    with np.errstate(divide="raise"):
        compiled(0.0)
    assert asked.kinds() == [DIVIDE] * 2
    time.sleep(0.06)
    compiled(0.0)
    assert asked.kinds() == [DIVIDE] * 3


def test_errors_of_what_is_asked(inverse):
    def refuse(*args):
        raise ZeroDivisionError("asked")

    with pytest.raises(ZeroDivisionError, match="asked"):
        inverse(refuse)(0.0)


@pytest.mark.parametrize("answer", [None, (1, 2), (1, "a", 2), (1, 2, 3, 4)])
def test_answers_without_a_form(inverse, answer):
    with pytest.raises((TypeError, SystemError)):
        inverse(lambda *args: answer)(0.0)


def test_programs_that_fail(inverse):
    errors = [(IndexError, "beyond", "f.py", "f", 3)]
    asked = Asked()
    compiled = inverse(asked, entry="inverse_fails", errors=errors)
    with pytest.raises(IndexError, match="beyond"):
        compiled(0.0)
    assert asked.kinds() == [DIVIDE]
    with pytest.raises(IndexError, match="beyond"):
        compiled(2.0)
    assert inverse(Asked("instead"), entry="inverse_fails", errors=errors)(0.0) == "instead"


def test_the_first_runs_keep_copies(divide):
    asked = Asked()
    compiled = divide(asked)
    x = np.array([1.0, 2.0])
    compiled(x, 0.0)
    ((array, copy),) = asked.calls[0][4]
    assert array is x
    assert copy.tolist() == [1.0, 2.0]
    assert x.tolist() == [np.inf, np.inf]
    compiled(np.ones(2), 0.0)
    assert len(asked.calls) == 2
    assert asked.calls[1][4] is None


def test_copies_that_are_wanted(divide):
    asked = Asked(copied=1)
    compiled = divide(asked)
    x = np.array([1.0, 2.0])
    for _ in range(8):
        compiled(x, 2.0)
    for _ in range(2):
        compiled(np.ones(2), 0.0)
    assert [call[4] is not None for call in asked.calls] == [False, True]


@pytest.mark.parametrize(("outer", "inner"), [(15, 0), (0, 15)])
def test_copies_where_warnings_may_raise(divide, outer, inner):
    asked = Asked()
    compiled = divide(asked, outer, inner)
    x = np.ones(2)
    for _ in range(8):
        compiled(x, 2.0)
    with np.errstate(divide="raise"):
        compiled(x, 0.0)
    assert asked.calls[-1][4][0][1].tolist() == [2.0**-8] * 2


@pytest.mark.parametrize(
    ("form", "error", "text"),
    [
        (3, TypeError, "floats: expected a tuple or a list, not int"),
        ((1, 2, 3), ValueError, "expected (outer kinds, inner kinds"),
        ((16, 0, 0, MEANS, len), ValueError, "floats: outer"),
        ((0, -1, 0, MEANS, len), ValueError, "floats: inner"),
        ((0, 0, "a", MEANS, len), TypeError, "floats: always"),
        ((0, 0, 0, (1, 2, 3), len), ValueError, "expected (divide, over, under, invalid)"),
        ((0, 0, 0, (1, 2, 4, 16), len), ValueError, "floats: means"),
        ((0, 0, 0, MEANS, 3), TypeError, "floats: expected what can be called, not int"),
    ],
)
def test_malformed_forms(make, form, error, text):
    with pytest.raises(error) as raised:
        make("nothing", [], floats=form)
    assert text in str(raised.value)


def test_what_is_asked_may_refer_to_the_function(make):
    class Holder(Asked):
        pass

    asked = Holder()
    asked.function = Function(lambda: None, lambda args, kwargs: None)
    asked.function.add(make("nothing", [], floats=(15, 0, 0, MEANS, asked)))
    gone = weakref.ref(asked)
    del asked
    gc.collect()
    assert gone() is None


def test_a_log_gives_and_remembers_warnings():
    log = FloatLog()
    with np.errstate(all="log", call=log), pytest.warns(RuntimeWarning) as caught:
        np.array([1.0]) / 0.0
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    ((text, file, line, namespace),) = log.events
    assert (text, file, namespace) == (str(caught[0].message), __file__, globals())
    assert (file, line) == (caught[0].filename, caught[0].lineno)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_log_remembers_so_many():
    log = FloatLog()
    for _ in range(1000):
        log.write("Warning: overflow encountered in add\n")
    assert len(log.events) == 64


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_comes_out_of_the_log():
    with np.errstate(all="log", call=FloatLog()), pytest.raises(RuntimeWarning, match="divide"):
        np.array([1.0]) / 0.0
