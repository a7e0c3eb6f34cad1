"""Programs that stop: with an exception of the user's, or because the user wants it."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy as np
import pytest
from binding_support import array, function, sym

from quernel import _runtime

ERRORS = (
    (ValueError, "the first {0}", "first.py", "one", 1),
    (IndexError, "index {0} is out of bounds for axis 0 with size {1}", __file__, "lookup", 9),
)


@pytest.fixture
def bad_index(make):
    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    return function(make("bad_index", guards, symbols=1, errors=ERRORS))


def message(call, *args):
    try:
        call(*args)
    except Exception as error:
        return type(error), str(error)
    return None


# Exceptions


def test_error_of_a_program_has_its_class_and_its_numbers(bad_index):
    x = np.zeros(5)
    assert bad_index(x, 4) is None
    expected = (IndexError, "index 7 is out of bounds for axis 0 with size 5")
    assert message(bad_index, x, 7) == expected
    assert bad_index(x, 0) is None


def test_error_that_is_made_of_more_than_a_text(make):
    def made(*numbers):
        return UnicodeEncodeError("ascii", "ä", 0, 1, f"no such byte: {numbers}")

    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    errors = (ERRORS[0], (made, "unused {0}", "first.py", "one", 1))
    call = function(make("bad_index", guards, symbols=1, errors=errors))
    assert message(call, np.zeros(5), 7) == (UnicodeEncodeError, str(made(7, 5)))


def test_error_that_leaves_the_call_to_another(make):
    asked = []

    def instead(args, kwargs):
        asked.append((args, kwargs))
        if len(args[0]) == 3:
            raise KeyError("there")
        return "instead"

    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    errors = (ERRORS[0], ((instead,), "unused", "first.py", "one", 1))
    call = function(make("bad_index", guards, symbols=1, errors=errors))
    assert call(np.zeros(5), 2) is None
    assert asked == []
    x = np.zeros(5)
    assert call(x, 7) == "instead"
    assert asked[0][0][0] is x and asked[0][0][1:] == (7,) and asked[0][1] == {}
    assert message(call, np.zeros(3), 7) == (KeyError, "'there'")


def test_error_ends_at_the_users_line(bad_index):
    with pytest.raises(IndexError) as caught:
        bad_index(np.zeros(5), 9)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name, last.lineno) == (__file__, "lookup", 9)
    assert last.line == "import time"


def test_error_has_the_frames_of_callers(make):
    callers = [("second.py", "two", 22), (__file__, "three", 333)]
    errors = (ERRORS[0], (*ERRORS[1], callers))
    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    with pytest.raises(IndexError) as caught:
        function(make("bad_index", guards, symbols=1, errors=errors))(np.zeros(5), 9)
    shown = [
        (f.filename, f.name, f.lineno) for f in traceback.extract_tb(caught.value.__traceback__)
    ]
    assert shown[1:] == [callers[1], callers[0], (__file__, "lookup", 9)]


@pytest.mark.parametrize(
    ("callers", "text"),
    [
        (3, "callers"),
        ([("f.py", "f")], r"callers: expected \(file, function, line\)"),
        ([("f.py", "f", "1")], "callers: .*a line"),
    ],
)
def test_callers_that_are_none(make, callers, text):
    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    with pytest.raises((TypeError, ValueError), match=text):
        make("bad_index", guards, symbols=1, errors=(ERRORS[0], (*ERRORS[1], callers)))


def test_errors_leave_nothing_behind(bad_index):
    x = np.zeros(100_000)
    used = _runtime.pool_info()["used_bytes"]
    references = sys.getrefcount(x)
    for _ in range(50):
        assert message(bad_index, x, 100_000)[0] is IndexError
    gc.collect()
    assert sys.getrefcount(x) == references
    assert _runtime.pool_info()["used_bytes"] == used
    assert bad_index.counters() == {"calls": 50, "memory_hits": 50, "detoured": 0}


def test_first_error_of_several_threads_counts(make):
    call = function(make("fails_in_threads", [], errors=ERRORS))
    assert message(call) == (IndexError, "index 1 is out of bounds for axis 0 with size 2")


def test_calls_at_the_same_time_have_errors_of_their_own(bad_index):
    x, wrong = np.zeros(20_000), []

    def work(first):
        for k in range(first, first + 300):
            expected = f"index {k} is out of bounds for axis 0 with size 20000"
            if message(bad_index, x, k) != (IndexError, expected):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(20_000 + 1000 * k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_error_without_numbers(make):
    call = function(make("bare_error", [], errors=ERRORS))
    expected = "index {0} is out of bounds for axis 0 with size {1}"
    assert message(call) == (IndexError, expected)


def test_error_with_more_numbers_than_are_kept(make):
    text = "{7} {8} {0} {0}"
    call = function(make("too_many_values", [], errors=[(KeyError, text, "f.py", "f", 1)]))
    with pytest.raises(KeyError) as caught:
        call()
    assert caught.value.args == ("7 {8} 0 0",)


def test_numbers_are_put_in_once(make):
    guards = [array(0, (sym(0),)), ("scalar", 1, "int")]
    errors = [ERRORS[0], (ValueError, "{1}, {0}, {0}", "f.py", "f", 1)]
    call = function(make("bad_index", guards, symbols=1, errors=errors))
    assert message(call, np.zeros(3), 10) == (ValueError, "3, 10, 10")


@pytest.mark.parametrize(
    ("code", "exception", "text"),
    [
        (1, MemoryError, "not enough memory for a temporary array"),
        (8, RuntimeError, "NumPy's linear algebra library isn't loaded"),
        (9, RuntimeError, "NumPy lends no Fourier transforms"),
        (18, RuntimeError, "an unknown error code of a compiled program"),
        (-5, RuntimeError, "an unknown error code of a compiled program"),
    ],
)
@pytest.mark.parametrize("errors", [(), ERRORS])
def test_codes(make, code, exception, text, errors):
    call = function(make("code_of", [("scalar", 0, "int")], errors=errors))
    assert message(call, code) == (exception, text)


@pytest.mark.parametrize(
    ("errors", "exception", "text"),
    [
        (5, TypeError, "errors: expected a tuple or a list"),
        ([(ValueError, "m", "f", "g")], ValueError, r"errors\[0\]: expected \(exception"),
        ([("ValueError", "m", "f", "g", 1)], TypeError, r"errors\[0\]: expected a class"),
        ([(int, "m", "f", "g", 1)], TypeError, r"errors\[0\]: expected a class"),
        ([((), "m", "f", "g", 1)], ValueError, r"errors\[0\]: expected \(what answers instead\)"),
        ([((3,), "m", "f", "g", 1)], TypeError, r"errors\[0\]: expected a class"),
        ([(ValueError, 1, "f", "g", 1)], TypeError, "a message must be a str"),
        ([(ValueError, "m", None, "g", 1)], TypeError, "a file must be a str"),
        ([(ValueError, "m", "f", b"g", 1)], TypeError, "a function must be a str"),
        ([(ValueError, "m", "f", "g", -1)], ValueError, "a line is out of range"),
        ([(ValueError, "m", "f", "g", 1 << 40)], ValueError, "a line is out of range"),
    ],
)
def test_forms_of_errors(make, errors, exception, text):
    with pytest.raises(exception, match=text):
        make("nothing", [], errors=errors)


def test_flag_of_loops_is_a_bool(make):
    with pytest.raises(TypeError, match="loops: the flag must be a bool"):
        make("nothing", [], loops=1)


def test_class_of_an_error_is_seen_by_the_garbage_collector(make):
    class OwnError(Exception):
        pass

    OwnError.call = function(make("nothing", [], errors=[(OwnError, "m", "f.py", "f", 1)]))
    gone = weakref.ref(OwnError)
    del OwnError
    gc.collect()
    assert gone() is None


def test_what_answers_instead_is_seen_by_the_garbage_collector(make):
    def instead(args, kwargs):
        pass

    instead.call = function(make("nothing", [], errors=[((instead,), "m", "f.py", "f", 1)]))
    gone = weakref.ref(instead)
    del instead
    gc.collect()
    assert gone() is None


# Interrupts


def interrupt_after(seconds):
    """Send Ctrl-C to this process from another thread."""

    def work():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=work).start()


@pytest.fixture
def endless(make):
    """A program that ends by an interrupt, or after 20 seconds without an exception."""

    def made(loops):
        details = {"outputs": [("int64", ())], "result": ("scalar", 0)}
        return function(make("until_interrupted", [], loops=loops, **details))

    return made


def test_interrupt_stops_a_program(endless):
    used = _runtime.pool_info()["used_bytes"]
    call = endless(True)
    for _ in range(3):
        interrupt_after(0.05)
        with pytest.raises(KeyboardInterrupt):
            call()
    assert call.counters() == {"calls": 3, "memory_hits": 3, "detoured": 0}
    assert _runtime.pool_info()["used_bytes"] == used


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from quernel._runtime import Function, Program, Specialization
call = Function(lambda: None, lambda args, kwargs: "miss")
forms = dict(nargs=0, parameters=[], symbols=0, outputs=[("int64", ())], result=("scalar", 0))
program = Program(sys.argv[2], "until_interrupted")
call.add(Specialization(program, loops=sys.argv[3] == "loops", **forms))
print("ready", flush=True)
try:
    call()
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("lock", ["loops", "held"])
def test_interrupt_of_a_process(kernels, lock):
    package = os.path.dirname(os.path.dirname(_runtime.__file__))
    command = [sys.executable, "-c", SCRIPT, package, kernels, lock]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait() == 0


def test_interrupt_that_a_program_does_not_heed(make):
    call = function(make("deaf", [], loops=True))
    interrupt_after(0.03)
    with pytest.raises(KeyboardInterrupt):
        call()


@pytest.mark.parametrize("loops", [True, False])
def test_threads_of_a_program_hear_nothing(make, handler, loops):
    seen = []
    handler(lambda: seen.append(True))
    interrupt_after(0.03)
    assert function(make("asks_elsewhere", [], loops=loops))() is None
    time.sleep(0)
    assert seen == [True]


@pytest.fixture
def handler():
    """A function that installs a handler of SIGINT for the test."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda work: signal.signal(signal.SIGINT, lambda number, frame: work())
    signal.signal(signal.SIGINT, before)


def test_handler_runs_while_the_program_does(make, endless, handler):
    seen = []
    inner = function(make("answer2", [], outputs=[("int64", ())], result=("scalar", 0)))

    def work():
        seen.append(inner())
        if len(seen) == 2:
            raise LookupError("enough")
        interrupt_after(0.01)

    handler(work)
    interrupt_after(0.03)
    with pytest.raises(LookupError, match="enough"):
        endless(True)()
    assert seen == [2, 2]


def test_exception_of_a_handler_stops_the_program(endless, handler):
    def work():
        raise LookupError("enough")

    handler(work)
    interrupt_after(0.03)
    with pytest.raises(LookupError, match="enough"):
        endless(True)()


def test_program_in_another_thread_goes_on(make, endless):
    ends = []
    call = function(make("deaf", [], loops=True))
    worker = threading.Thread(target=lambda: ends.append(call()))
    worker.start()
    interrupt_after(0.03)
    with pytest.raises(KeyboardInterrupt):
        endless(True)()
    worker.join()
    assert ends == [None]


def test_loops_let_other_threads_run(endless):
    turns, stop = 0, threading.Event()

    def work():
        nonlocal turns
        while not stop.is_set():
            turns += 1
            time.sleep(0.001)

    worker = threading.Thread(target=work)
    worker.start()
    interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        endless(True)()
    stop.set()
    worker.join()
    assert turns > 20


def test_busy_threads_do_not_slow_a_program_down(make):
    stop = threading.Event()

    def work():
        while not stop.is_set():
            sum(range(1000))

    worker = threading.Thread(target=work)
    worker.start()
    start = time.perf_counter()
    function(make("deaf", [], loops=True))()
    spent = time.perf_counter() - start
    stop.set()
    worker.join()
    assert spent < 1
