"""Calls that run in NumPy are remembered; what the user's own handlers raise goes out."""

import ast
import functools
import gc
import importlib
import linecache
import signal
import time

import numpy as np
import pytest
from refusal_texts import SOURCES

import quernel as qn
from quernel.capture import trace
from quernel.files import source_lines
from quernel.signals import let_out


@pytest.fixture
def captures(monkeypatch):
    """How many functions have been captured."""
    from quernel.call import build

    made = []
    original = build.capture
    monkeypatch.setattr(build, "capture", lambda *args: made.append(1) or original(*args))
    assert original is trace.capture
    return made


def refused(x, k, mode="a"):
    return np.from_dlpack(x) * k


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("fails", [False, True])
def test_calls_of_one_kind_are_captured_a_few_times(captures, monkeypatch, fails):
    if fails:
        # An exception where the compiler itself is wrong.
        monkeypatch.setattr("quernel.capture.trace.ResultTree", None)
    compiled = qn.compile(refused)
    for n in range(3, 20):
        x = np.arange(float(n))
        np.testing.assert_array_equal(compiled(x, n + 0.5), refused(x, n + 0.5))
    assert len(captures) <= 6  # with exact shapes and with symbols
    assert compiled.stats()["fallbacks"] == 17
    before = len(captures)
    compiled(np.ones((4, 4)), 1.0)
    compiled(np.ones(4, np.float32), 1.0)
    compiled(np.ones(4), 1.0, mode="b")
    assert len(captures) > before + 2


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_values_that_vary_without_end(captures):
    compiled = qn.compile(refused)
    for k in range(40):
        compiled(np.ones(4), 1.0, mode=f"mode {k}")
    assert len(captures) <= 12


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("kind", [list, tuple])
def test_lists_that_grow_without_end(captures, kind):
    compiled = qn.compile(lambda x, past: np.from_dlpack(x) * len(past))
    for k in range(40):
        np.testing.assert_array_equal(compiled(np.ones(4), kind(range(k))), np.full(4, float(k)))
    assert len(captures) <= 12


def by_size(x):
    if x.size < 4:
        return np.from_dlpack(x)
    return x + 1


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_refusal_leaves_programs_alone():
    compiled = qn.compile(by_size)
    compiled(np.ones(5))
    for n in (2, 3, 2, 3):
        compiled(np.ones(n))
    before = compiled.stats()
    compiled(np.ones(5))
    after = compiled.stats()
    assert after["memory_hits"] == before["memory_hits"] + 1
    assert after["fallbacks"] == before["fallbacks"] == 4


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_split_whose_parts_need_many_programs_is_given_up():
    def around(x, n):
        y = x * 2
        print(end="")
        return y[: len(x) - n % len(x)] + np.zeros(len(x) - n % len(x))

    compiled = qn.compile(around, dynamic=False)
    for n in range(14):
        x = np.arange(float(n + 2))
        np.testing.assert_array_equal(compiled(x, n), around(x, n))
    compiles = compiled.stats()["compiles"]
    for n in range(14, 20):
        compiled(np.arange(float(n + 2)), n)
    assert compiled.stats()["compiles"] == compiles


class Late(ValueError):
    """What a handler raises."""


def late(number, frame):
    raise Late


class Deadline:
    """A handler that is an object."""

    def __call__(self, number, frame):
        raise Late


HANDLERS = [late, functools.partial(late), Deadline(), Deadline().__call__]


def summed(x):
    total = 0.0
    for k in range(len(x)):
        y = x[k] * x[k]
        if y > 0.5:
            total += y
        else:
            total -= y
    return total


def call_within(seconds, function, x):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    function(x)
    time.sleep(1)


def calls(x):
    qn.compile(summed)(x)


def looks_for_nvrtc(x):
    qn.compile(summed).lower(x).text("cuda")


@pytest.mark.parametrize("kind", [TimeoutError, TypeError, Late])
@pytest.mark.parametrize(("place", "body"), [("os.stat", looks_for_nvrtc), ("json.dumps", calls)])
def test_what_a_handler_raises_isnt_taken_for_ours(place, body, kind, monkeypatch, tmp_path):
    module, name = place.split(".")
    original = getattr(importlib.import_module(module), name)

    def late(number, frame):
        raise kind

    def interrupted(*args, **kwargs):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGALRM)
        return original(*args, **kwargs)

    qn.compile(summed)(np.ones(9))
    before = signal.signal(signal.SIGALRM, late)
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "new"))
    monkeypatch.setattr(place, interrupted)
    try:
        with pytest.raises(kind):
            body(np.linspace(0, 1, 40))
    finally:
        monkeypatch.undo()
        signal.signal(signal.SIGALRM, before)


def test_what_a_handler_raises_isnt_taken_for_a_missing_source(monkeypatch, tmp_path):
    def late(number, frame):
        raise TimeoutError

    def interrupted(*args, **kwargs):
        monkeypatch.undo()
        signal.raise_signal(signal.SIGALRM)

    path = tmp_path / "some_source.py"
    path.write_text("first\nlast")
    before = signal.signal(signal.SIGALRM, late)
    monkeypatch.setattr("tokenize.open", interrupted)
    try:
        with pytest.raises(TimeoutError):
            source_lines(str(path))
    finally:
        monkeypatch.undo()
        signal.signal(signal.SIGALRM, before)
    assert source_lines(str(path)) == linecache.getlines(str(path)) == ["first\n", "last\n"]
    assert source_lines(str(tmp_path / "none.py")) == []


def broad(handler):
    """Whether it catches errors of classes that users derive their own from."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    return bool(names & {"Exception", "OSError", "ValueError", "TypeError", "RuntimeError"})


def lets_out(handler):
    """Whether what a signal's handler has raised goes on its way."""
    calls = [node.func for node in ast.walk(handler) if isinstance(node, ast.Call)]
    names = {getattr(call, "id", None) or getattr(call, "attr", None) for call in calls}
    last = handler.body[-1]
    again = isinstance(last, ast.Raise) and last.exc is None
    return again or bool(names & {"let_out", "may_raise", "raising", "numpys_error", "_users"})


def swallowing(tree):
    """The lines of what may take an error of a signal's handler for one of ours."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "_prepare_quietly":
            continue  # in another thread, where no handler runs
        if isinstance(node, ast.ExceptHandler) and broad(node) and not lets_out(node):
            yield node.lineno
        yield from swallowing(node)


def test_what_catches_errors_lets_those_of_handlers_out():
    lines = [
        f"{path}:{line}"
        for path in SOURCES.rglob("*.py")
        if "cli" not in path.relative_to(SOURCES).parts
        for line in swallowing(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not lines


@pytest.fixture
def no_collector_callbacks():
    """Python drops what is raised in one; other tests' libraries have left some."""
    kept = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks.extend(kept)


@pytest.mark.usefixtures("no_collector_callbacks")
@pytest.mark.parametrize("handler", HANDLERS, ids=lambda h: type(h).__name__)
def test_what_a_handler_raises_goes_out(handler):
    qn.compile(summed)(np.ones(9))  # Python itself drops exceptions amid an import
    before = signal.signal(signal.SIGALRM, handler)
    try:
        for k in range(8):
            compiled = qn.compile(summed)
            x = np.linspace(0, 1, 10 + k)
            with pytest.raises(Late):
                call_within(0.001 + 0.004 * k, compiled, x)
            assert compiled(x) == summed(x)
            assert compiled.stats()["fallbacks"] == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_a_handler_raises_goes_out_where_cleaning_up_fails(monkeypatch):
    """The signal comes where a loop is closed already, and can't be given up any more."""
    from quernel.capture.rolling import Rolled

    def interrupted(self, finish):
        def closed(values):
            results = finish(values)
            signal.raise_signal(signal.SIGALRM)
            return results

        end(self, closed)

    end = Rolled.end
    monkeypatch.setattr(Rolled, "end", interrupted)
    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(Late):
            qn.compile(summed)(np.linspace(0, 1, 30))
    finally:
        signal.signal(signal.SIGALRM, before)


def amid_another():
    try:
        late(1, None)
    except Late:
        {}[1]


def test_other_errors_arent_a_handlers():
    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(KeyError) as caught:
            {}[1]
        let_out(caught.value)
        with pytest.raises(Late) as caught:
            late(1, None)
        with pytest.raises(Late) as again:
            let_out(caught.value)
        assert again.value is caught.value
        with pytest.raises(KeyError) as caught:
            amid_another()
        let_out(caught.value)  # its caller was at work on another one
    finally:
        signal.signal(signal.SIGALRM, before)


def printing(x, y):
    z = x * 2 + y
    print(end="")
    return z * z


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_what_is_compiled_in_parts_is_told_so(recwarn):
    compiled = qn.compile(printing)
    x = np.ones(3)
    first = compiled.explain(x, x)
    assert not first.kernels
    told = "  notes\n    the statements around it are compiled when the function is called"
    assert told in str(first)
    with pytest.warns(qn.FallbackWarning, match="is compiled except for a statement"):
        compiled(x, x)
    report = compiled.explain(x, x)
    assert [kernel.lines for kernel in report.kernels] != []
    assert len(report.fallbacks) == 1
    assert compiled.stats()["compiles"] == 2


def test_explaining_what_cant_be_captured_raises_nothing():
    report = qn.compile(printing).explain(np.ones(3), np.ones(2))
    assert "can't be captured: ValueError: operands could not be broadcast" in str(report)


class Owner:
    def __next__(self):
        return 1

    @qn.compile
    def scaled(self, x):
        return x * 2


def test_a_method_gets_a_hint_that_fits():
    with pytest.warns(qn.FallbackWarning, match="compile a function of the arrays and numbers"):
        Owner().scaled(np.ones(2))
