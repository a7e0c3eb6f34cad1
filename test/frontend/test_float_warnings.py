"""Floating-point warnings: NumPy's own, at the user's lines; `np.errstate` inside and outside."""

from __future__ import annotations

import copy
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import quernel as qn

MODES = ("ignore", "warn", "raise")


class Observed:
    """What a call did: its answer or error, its warnings, its arguments afterwards."""

    def __init__(self, function, *args, action="always", **states):
        self.args = copy.deepcopy(args)
        self.answer, self.error = None, None
        with np.errstate(**states), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            try:
                self.answer = function(*self.args)
            except (FloatingPointError, RuntimeWarning, IndexError) as error:
                self.error = error
        self.warned = [
            (w.category, str(w.message), w.filename, w.lineno)
            for w in caught
            if w.category is not qn.FallbackWarning
        ]

    def failure(self):
        """The class and the text of the error, and the user's lines in its traceback."""
        if self.error is None:
            return None
        lines, trace = [], self.error.__traceback__
        while trace is not None:
            lines.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        return type(self.error), str(self.error), lines[1:]


def assert_same(function, compiled, *args, calls=3, **states):
    """The compiled function does as NumPy does, at the first call and at later ones."""
    want = Observed(function, *args, **states)
    for _ in range(calls):
        got = Observed(compiled, *args, **states)
        assert got.warned == want.warned
        assert got.failure() == want.failure()
        np.testing.assert_equal(got.args, want.args)
        if want.answer is not None:
            np.testing.assert_allclose(got.answer, want.answer, rtol=1e-6)
    return want


def check(function, *args, **states):
    """The same for a function that is compiled whole."""
    return assert_same(function, qn.compile(function, fullgraph=True), *args, **states)


def divided(x):
    y = x + 1.0
    return 1.0 / x + y


def overflowing(x):
    return x * 1e200


def invalid(x):
    return x - x


def several(x):
    a = 1.0 / x
    b = x * 1e300 * 1e300
    return np.sqrt(x) + a + b


def cut(x):
    return x.astype(np.float32)


X = np.array([1.0, 0.0, -2.0, 3.0])
CALLS = {
    "divide": (divided, X),
    "overflow": (overflowing, X * 1e200),
    "invalid": (invalid, np.array([1.0, np.inf])),
    "several": (several, X),
    "cast": (cut, np.array([1.0, 1e300])),
    "nothing": (divided, X + 4),
    "no flag for NaN": (overflowing, np.array([np.nan, 1.0])),
    "0-d": (divided, np.array(0.0)),
    "float32": (several, X.astype("f4")),
    "complex": (lambda z: z * z, np.array([1e300 + 1e300j])),
    "log": (lambda x: np.log(x) + np.log1p(x - 1.0), X),
    "exp": (lambda x: np.exp(x) * 2.0, np.array([1e3, 1.0])),
    "arcsin": (lambda x: np.arcsin(x) * 2.0, np.array([2.0, 0.0])),
    "arctanh": (lambda x: np.arctanh(x) * 2.0, np.array([1.0, 0.0])),
    "power": (lambda x: x**-1.5, X),
    "remainder": (lambda x: (x % 0.0, x // 0.0), X),
    "to int64": (lambda x: x.astype("i8"), np.array([1.0, np.inf, 1e300])),
    "to int64, lanes": (lambda x: x.astype("i8"), np.append(np.ones(36), np.nan)),
    "to int32": (lambda x: x.astype("i4"), np.array([1.0, 3e9])),
    "to int32, lanes": (lambda x: x.astype("i4"), np.append(np.ones(31, "f4"), np.float32("nan"))),
    "to int8": (lambda x: x.astype("i1"), np.array([1.0, np.nan])),
    "reduced": (lambda x: x.sum(), np.array([1e308, 1e308])),
}


@pytest.mark.parametrize("name", CALLS)
def test_warnings_are_numpys(name):
    function, *args = CALLS[name]
    want = check(function, *args)
    assert bool(want.warned) == (name not in ("nothing", "no flag for NaN"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["divide", "over", "invalid", "all"])
def test_the_state_outside(kind, mode):
    check(several, X, **{kind: mode})


def test_underflow_is_ignored_unless_asked_for():
    def tiny(x):
        return x * 1e-200

    check(tiny, np.array([1e-200]))
    check(tiny, np.array([1e-200]), under="warn")
    check(tiny, np.array([1e-200]), under="raise")


def test_the_state_may_change_between_calls():
    compiled = qn.compile(divided, fullgraph=True)
    for mode in ("ignore", "raise", "warn", "ignore", "warn", "raise"):
        assert_same(divided, compiled, X, calls=1, divide=mode)


def test_seterr_outside():
    compiled = qn.compile(divided, fullgraph=True)
    compiled(X + 4)
    before = np.seterr(divide="raise")
    try:
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            compiled(X)
    finally:
        np.seterr(**before)


@pytest.mark.parametrize("mode", ["call", "log", "print"])
def test_the_users_own_callback(mode, capfd):
    class Log(list):
        def write(self, text):
            self.append(text)

        def __call__(self, *event):
            self.append(event)

    compiled = qn.compile(divided, fullgraph=True)
    told = []
    for function in (divided, compiled, compiled):
        log = Log()
        with np.errstate(divide=mode, call=log):
            function(X)
        told.append((log, "".join(capfd.readouterr())))
    assert told[1] == told[0] == told[2]
    assert any(told[0])


def test_a_callback_may_raise():
    def refuse(*event):
        raise ValueError(event[0])

    compiled = qn.compile(divided, fullgraph=True)
    with np.errstate(divide="call", call=refuse), pytest.raises(ValueError, match="divide by zero"):
        compiled(X)


def ignoring(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = 1.0 / x
    return np.where(x > 0, y, 0.0)


def ignoring_a_part(x):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return y + 2.0 / x


def raising(x):
    with np.errstate(over="raise"):
        return x * 1e200


def warning(x):
    with np.errstate(all="warn"):
        return 1.0 / x


def nested(x):
    with np.errstate(all="raise"), np.errstate(divide="ignore"):
        return 1.0 / x


@pytest.mark.parametrize("outside", MODES)
@pytest.mark.parametrize(
    "function", [ignoring, ignoring_a_part, raising, warning, nested], ids=lambda f: f.__name__
)
def test_the_state_inside(function, outside):
    check(function, X, all=outside)
    check(function, X * 1e200, all=outside)


def test_the_state_inside_as_a_decorator():
    def function(x):
        @np.errstate(divide="ignore")
        def inverse(x):
            return 1.0 / x

        return inverse(x) + 1.0 / x

    check(function, X)


def test_a_state_that_is_none_raises_as_in_numpy():
    def function(x):
        with np.errstate(divide="shout"):
            return 1.0 / x

    with pytest.raises(ValueError, match="shout") as theirs:
        function(X)
    with pytest.raises(ValueError, match="shout") as ours:
        qn.compile(function)(X)
    assert str(ours.value) == str(theirs.value)


def test_capture_leaves_the_state_alone():
    def function(x, n):
        with np.errstate(all="ignore"):
            for k in range(n):
                x = x / (k + 1)
            return x if n > 3 else 1.0 / x

    before = np.geterr()
    compiled = qn.compile(function)
    compiled(X, 2)
    compiled(X, 5)
    assert np.geterr() == before


def test_seterr_inside_has_numpys_effect():
    def function(x):
        np.seterr(divide="ignore")
        return 1.0 / x

    before = np.geterr()
    try:
        with pytest.warns(qn.FallbackWarning, match="seterr"):
            qn.compile(function)(X)
        assert np.geterr()["divide"] == "ignore"
    finally:
        np.seterr(**before)


def test_constants_are_warned_of_at_each_call():
    def function(x):
        return x + np.float64(1.0) / np.float64(0.0)

    want = check(function, X)
    assert want.warned


def quotient_of_arrays(x):
    return x * (np.array(1.0) / np.array(0.0))


def item_that_is_set(x):
    z = np.array([1.0, 2.0])
    z[0] = 0
    return x[0] + 1 / z + np.array(0) // np.array(0)


def made_of_constants(x):
    return x[0] + np.zeros(3) / np.zeros(3) + np.arange(3.0) / np.arange(3)


def functions_of_constants(x):
    return np.sqrt(np.array(-1.0)) + x + np.log(np.array([0.0])) * np.array(0.0) ** -1.0


def sums_of_constants(x):
    return x + np.array([np.inf, -np.inf]).sum() + np.array([1e300, 1e300]).prod()


def cast_constants(x):
    return np.array([np.nan, 2.0]).astype(int) + x[0]


@pytest.mark.parametrize(
    "function",
    [
        quotient_of_arrays,
        item_that_is_set,
        made_of_constants,
        functions_of_constants,
        sums_of_constants,
        cast_constants,
    ],
)
def test_operations_on_constants_are_warned_of(function):
    assert check(function, X).warned
    assert not check(function, X, all="ignore").warned


def test_constants_of_a_function_without_arguments():
    def function():
        return np.array(0) / np.array(0)

    assert check(function).warned


def test_constants_in_a_state_of_the_functions_own():
    def function(x):
        z = np.array([0.0, 2.0])
        with np.errstate(divide="ignore"):
            return 1 / z + x[0]

    assert not check(function, X).warned


# Arguments that are written


def scaled(x, y):
    x *= 2.0
    x /= y
    y += 1.0
    return x.sum()


@pytest.mark.parametrize("mode", MODES)
def test_written_arguments(mode):
    check(scaled, X + 1, X, all=mode)


def test_written_arguments_of_later_calls():
    compiled = qn.compile(scaled, fullgraph=True)
    for _ in range(40):
        compiled(X + 1, X + 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled(X + 1, X.copy())  # no copies were made: only the function is known
    assert [w.category for w in caught] == [RuntimeWarning]
    assert caught[0].filename == __file__
    assert_same(scaled, compiled, X + 1, X)
    for mode in MODES:
        assert_same(scaled, compiled, X + 1, X, all=mode)


def masked(x):
    x *= x < 0.1
    return x


def replaced(x):
    x[:] = np.where(x > 0, np.sqrt(x), 0.0)
    return x


def clipped(x):
    x[:] = np.maximum(x, 0.5) * 2
    return x


@pytest.mark.parametrize("function", [masked, replaced, clipped])
def test_flags_that_may_be_none_in_later_calls(function):
    """A call without copies gives no warning that NumPy may not give; the next ones know."""
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(40):
        compiled(np.ones(3))
    values = np.array([np.nan, -1.0, 2.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled(values.copy())
    assert not caught
    assert_same(function, compiled, values.copy())


def test_errors_leave_arguments_as_numpy_does():
    def function(x, y):
        x += 1.0
        y /= x - 1.0
        x *= 3.0

    for mode in MODES:
        check(function, X, X + 1, all=mode)
    compiled = qn.compile(function, fullgraph=True)
    for _ in range(40):
        compiled(X + 4, X + 1)
    assert_same(function, compiled, X, X + 1, all="raise")
    assert_same(function, compiled, X, X + 1, action="error")


def test_written_arrays_of_the_module():
    global state
    state = X + 1

    def function(y):
        state[:] /= y
        return state.sum()

    compiled = qn.compile(function, fullgraph=True)
    results = []
    for called in (function, compiled):
        state[:] = X + 1
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            called(X)
        results.append(state.copy())
    np.testing.assert_array_equal(*results)


state = np.zeros(4)


# Filters


def test_warnings_as_errors():
    check(divided, X, action="error")
    check(several, X, action="error")


def test_a_handler_of_the_functions_own():
    def function(x):
        try:
            return 1.0 / x
        except (FloatingPointError, RuntimeWarning):
            return x - 1.0

    compiled = qn.compile(function)
    for states in ({"all": "raise"}, {"action": "error"}, {}):
        assert_same(function, compiled, X, **states)


def test_a_place_is_shown_once_by_default():
    compiled = qn.compile(divided, fullgraph=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(100):
            compiled(X)
    assert len(caught) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(100):
            compiled(X)
    assert len(caught) == 100
    assert len({(str(w.message), w.filename, w.lineno) for w in caught}) == 1


def test_numpy_is_asked_seldom():
    compiled = qn.compile(divided, fullgraph=True)
    calls = _calls_of(divided, lambda: [compiled(X) for _ in range(1000)])
    assert calls < 40


def _calls_of(function, work):
    """How many times Python runs a function meanwhile."""
    count = 0

    def profile(frame, event, arg):
        nonlocal count
        count += event == "call" and frame.f_code is function.__code__

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(profile)
        try:
            work()
        finally:
            sys.setprofile(None)
    return count


# Flags without a warning


def guarded(x, y):
    for k in range(x.size):
        if x[k] != 0:
            y[k] = 1.0 / x[k]
    return y


def test_what_numpy_does_not_compute_gives_no_warning():
    check(guarded, X, np.ones(4))
    check(lambda x: np.maximum(x, 0.0) > 1.0, np.array([np.nan, 1.0]))


def test_both_sides_of_a_choice_are_computed():
    x = np.ones(64)
    x[3] = 0.0
    assert check(lambda x: np.where(x > 0, 1.0 / x, 0.0), x).warned


def test_fruitless_runs_become_seldom():
    def compares(x, y):
        total = 0.0
        for k in range(x.size):
            if y[k] > 0.0:
                total += x[k] / y[k]
        return total

    compiled = qn.compile(compares, fullgraph=True)
    x, y = np.ones(1000), np.zeros(1000)
    assert_same(compares, compiled, x, y)
    assert _calls_of(compares, lambda: [compiled(x, y) for _ in range(300)]) < 20


def sines(x):
    return np.sin(x)


def _runs_without_a_warning(compiled, x):
    """Run it until NumPy isn't asked any more, as the flags have come to nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(x)
    for _ in range(50):
        compiled(x)


def test_a_warning_after_fruitless_runs_comes_soon():
    compiled = qn.compile(sines, fullgraph=True)
    x = np.full(100, np.nan)
    _runs_without_a_warning(compiled, x)
    x[0] = np.inf
    warned, end = [], time.monotonic() + 60
    while not warned and time.monotonic() < end:
        warned = Observed(compiled, x).warned
    assert [text for _, text, *_ in warned] == ["invalid value encountered in sin"]


@pytest.mark.parametrize("how", ["state", "filter"])
def test_an_error_after_fruitless_runs_comes_at_once(how):
    compiled = qn.compile(sines, fullgraph=True)
    x = np.full(100, np.nan)
    _runs_without_a_warning(compiled, x)
    x[0] = np.inf
    states, action = ({"invalid": "raise"}, "always") if how == "state" else ({}, "error")
    observed = Observed(compiled, x, action=action, **states)
    assert str(observed.error) == "invalid value encountered in sin"


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("pair", [(0, 0), (0, 2), (np.inf, 1), (1, -np.inf), (np.inf, np.inf)])
def test_hypot_sets_no_flags_of_its_own(pair, dtype):
    def length(x, y):
        return np.hypot(x, y)

    x, y = (np.full(100, part, dtype) for part in pair)
    compiled = qn.compile(length, fullgraph=True)
    assert_same(length, compiled, x, y)
    assert _calls_of(length, lambda: compiled(x, y)) == 0


@pytest.mark.parametrize("pair", [(0, 0), (np.inf, 1), (1, -np.inf), (np.inf, np.inf)])
def test_absolute_of_complex_numbers_sets_no_flags_of_its_own(pair):
    def magnitude(z):
        return np.abs(z)

    z = np.full(100, complex(*pair))
    compiled = qn.compile(magnitude, fullgraph=True)
    assert_same(magnitude, compiled, z)
    assert _calls_of(magnitude, lambda: compiled(z)) == 0


# Threads


@pytest.mark.parametrize("place", [0, 1, 250_000, 999_999])
def test_flags_of_other_threads(place):
    def function(x):
        return 1.0 / x + x

    x = np.ones(1_000_000)
    x[place] = 0.0
    compiled = qn.compile(function, fullgraph=True, threads=4)
    compiled(np.ones(1_000_000))
    for _ in range(5):
        want, got = Observed(function, x), Observed(compiled, x)
        assert got.warned == want.warned
        assert len(want.warned) == 1


def test_flags_stay_with_the_thread_that_calls():
    compiled = qn.compile(divided, fullgraph=True)
    compiled(X + 4)
    errors = []

    def work(x, mode, expected):
        for _ in range(200):
            try:
                with np.errstate(divide=mode):
                    compiled(x)
                raised = False
            except FloatingPointError:
                raised = True
            if raised != expected:
                errors.append((x, mode))

    jobs = [(X, "raise", True), (X + 4, "raise", False), (X, "ignore", False)]
    threads = [threading.Thread(target=work, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# Functions of functions, parts, other ways


@qn.compile
def compiled_inverse(x):
    return 1.0 / x


def plain_inverse(x):
    return 1.0 / x


def test_compiled_functions_inside_of_others():
    def function(x):
        return compiled_inverse(x) + plain_inverse(x + 1.0) + 1.0 / x

    check(function, X)
    check(function, X, all="raise")


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_parts_and_detours():
    seen = []

    def function(x):
        y = 1.0 / x
        y = y + x * 2.0
        seen.append(len(y))
        return np.sqrt(y - 5.0) * 2.0

    assert_same(function, qn.compile(function), X)

    def alone(x):
        seen.append(1)
        return 1.0 / x

    assert_same(alone, qn.compile(alone), X)


def test_arguments_that_share_memory():
    def function(x, y):
        x /= y
        return x

    compiled = qn.compile(function)
    results = []
    for called in (function, compiled, compiled):
        memory = np.arange(6.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            called(memory[1:], memory[:-1])
        results.append((memory.tolist(), [(str(w.message), w.lineno) for w in caught]))
    assert results[0] == results[1] == results[2]


def test_checked_functions_warn_once():
    check_once = qn.compile(divided, verify=True)
    assert_same(divided, check_once, X)
    assert_same(divided, check_once, X, all="raise")


def test_warnings_come_before_an_error():
    def function(x, k):
        x /= x - 1.0
        return x[k]

    check(function, X, np.int64(7))
    check(function, X, np.int64(7), all="raise")


def test_a_function_that_is_slow_in_python_is_given_up(monkeypatch):
    from quernel.call import float_warnings

    monkeypatch.setattr(float_warnings, "_SECONDS", 0.2)

    def slow(x):
        total = 0.0
        for _ in range(3000):
            for k in range(x.size):
                total += x[k] * 1e-3
        return np.exp(total) + 1.0 / x[0]

    x = np.ones(1000)
    x[0] = 0.0
    compiled = qn.compile(slow, fullgraph=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = compiled(x)
    assert np.isinf(answer)
    assert {w.category for w in caught} == {RuntimeWarning}
    assert {(w.filename, w.lineno) for w in caught} == {(__file__, slow.__code__.co_firstlineno)}


@pytest.mark.parametrize("name", ["mean", "var"])
def test_nothing_has_no_mean(name):
    check(lambda x: getattr(np, name)(x[3:3]), np.ones(5))
    check(lambda x: getattr(x[2:2], name)(), np.ones((5, 3)))
    check(lambda x: getattr(x[2:2], name)(axis=0) + x[0], np.ones((5, 3)))


@pytest.mark.parametrize("function", [np.exp, np.exp2])
@pytest.mark.parametrize("value", [100.0, 130.0, 300.0, 2000.0, 1e30, np.inf, -130.0, -2000.0])
def test_exponentials_in_single_precision_overflow_as_in_numpy(function, value):
    def outcome(called):
        with np.errstate(over="raise", under="ignore"):
            try:
                return called(np.full(17, value, np.float32)).tolist()
            except FloatingPointError as error:
                return str(error)

    assert outcome(qn.compile(lambda x: function(x), fullgraph=True)) == outcome(function)  # noqa: PLW0108


# Other warnings of NumPy's


def planes(x, y):
    return np.cross(x[:, :2], y[:, :2])


def plane_and_space(x, y):
    return np.cross(x[:, :2], y) + np.cross(x, y[:, :2])


def turned_planes(x, y):
    return np.cross(x[:2], y[:2], axis=0) * np.cross(x[0, :2], [1, 2])


def planes_in_turns(x, y):
    total = 0.0
    for k in range(3):
        total += np.cross(x[k, :2], y[k, :2])
    return total


def planes_in_silence(x, y):
    with np.errstate(all="ignore"):
        return np.cross(x[:, :2], y[:, :2])


@pytest.mark.parametrize(
    "function",
    [
        planes,
        plane_and_space,
        turned_planes,
        planes_in_turns,
        planes_in_silence,
    ],
)
@pytest.mark.parametrize("mode", ["warn", "ignore"])
def test_vectors_of_two_do_as_numpy_does(function, mode):
    values = np.random.RandomState(0).rand(2, 3, 3)
    check(function, *values, all=mode)
    check(function, *(values * 9).astype("int8"), all=mode)
