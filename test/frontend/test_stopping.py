"""Compiled programs that end before their time: by an exception, or because the user wants it."""

import os
import signal
import threading
import time
import traceback

import numpy as np
import pytest

import quernel as qn

# On an idle machine a tenth of a second is kept; beside other work the processor's time does less.
LIMIT = 0.3


def chosen(x, places):
    out = np.zeros(places.size)
    for k in range(places.size):
        out[k] = x[places[k]]  # the line that fails
    return out


def spinning(x):
    turns = 0
    while x[0] > 0.5:
        x[0] = x[0] + 1.0
        x[0] = x[0] - 0.5
        turns += 1
    return turns


def test_exception_names_the_users_line():
    compiled = qn.compile(chosen, fullgraph=True)
    x = np.arange(10.0)
    np.testing.assert_array_equal(compiled(x, np.array([9, -10, 3])), [9, 0, 3])
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            compiled(x, np.array([9, 10, 3]))
        assert str(caught.value) == "index 10 is out of bounds for axis 0 with size 10"
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.name) == (__file__, "chosen")
        assert last.line == "out[k] = x[places[k]]  # the line that fails"
    np.testing.assert_array_equal(compiled(x, np.array([1, 2, 3])), [1, 2, 3])
    assert compiled.stats()["fallbacks"] == 0


def test_singular_matrix_is_numpys_error():
    compiled = qn.compile(lambda a: np.linalg.inv(a) + 1, fullgraph=True)
    np.testing.assert_array_equal(compiled(np.eye(3)), np.eye(3) + 1)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        compiled(np.ones((3, 3)))


def test_interrupt_stops_a_loop_without_end():
    compiled = qn.compile(spinning, fullgraph=True)
    x = np.zeros(1)
    assert compiled(x) == 0
    x[0] = 1
    seconds = []

    def interrupt():
        time.sleep(0.1)
        seconds.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        compiled(x)
    assert time.process_time() - seconds[0] < LIMIT
    sender.join()
    x[0] = 0
    assert compiled(x) == 0


def stopped_after(call, wait=0.15):
    """How many seconds of the processors' time a call goes on after an interrupt."""
    sent = []

    def interrupt():
        time.sleep(wait)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    took = time.process_time() - sent[0]
    sender.join()
    return took


def no_arguments():
    return np.sin(np.arange(2 * 10**8) * 1e-3).sum()


def distances(x):
    return np.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)).max()


def powers(x, y):
    return (x[:, None] ** y).sum()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("function", "shapes", "dynamic"),
    [
        (no_arguments, (), True),
        (distances, ((20000, 3),), False),
        (powers, ((20000,), (20000,)), False),
    ],
)
def test_interrupt_stops_a_long_kernel(function, shapes, dynamic, threads):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic, threads=threads)
    arguments = [np.random.default_rng(0).random(shape) + 0.5 for shape in shapes]
    compiled.lower(*arguments).compile()  # that isn't what is measured
    assert stopped_after(lambda: compiled(*arguments)) < LIMIT * threads


def rows_of_exponentials(x, y):
    return np.exp(-np.abs(x[:, None] - y[None, :])).sum(axis=1)


def sums_so_far(x):
    return np.cumsum(np.sin(x) * np.cos(x), axis=1)


def sorted_rows(x):
    return np.sort(x, axis=1)


def medians(x):
    return np.median(x, axis=1)


def halves(x, y):
    out = np.zeros(x.size)
    for k in range(x.size):
        while y[k] > 1e-300 and out[k] < 1e9:
            out[k] += 1
            y[k] = y[k] * x[k]
    return out


# Few steps that threads share, each of which takes long.
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (distances, ((30000, 3),)),
        (rows_of_exponentials, ((24,), (20_000_000,))),
        (sums_so_far, ((2, 20_000_000),)),
        (sorted_rows, ((2, 5_000_000),)),
        (medians, ((12, 5_000_000),)),
        (halves, ((4,), (4,))),
    ],
)
def test_interrupts_at_random_moments(function, shapes, threads):
    compiled = qn.compile(function, fullgraph=True, dynamic=True, threads=threads)
    rng = np.random.default_rng()
    arguments = [rng.random(shape) + 1 for shape in shapes]
    with np.errstate(all="ignore"):
        compiled(*(x[:4, :4].copy() if x.ndim > 1 else x[:2] - 1 for x in arguments))
    compiled.lower(*arguments).compile()
    for _ in range(3):
        assert stopped_after(lambda: compiled(*arguments), rng.random() * 0.3) < LIMIT * threads


def longest_pause(call):
    """The longest time for which another thread doesn't run while a call does."""
    pauses, over = [0.0], threading.Event()

    def look():
        last = time.perf_counter()
        while not over.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            pauses.append(now - last)
            last = now

    watcher = threading.Thread(target=look)
    watcher.start()
    time.sleep(0.01)
    call()
    over.set()
    watcher.join()
    return max(pauses)


def test_a_long_kernel_lets_other_threads_run():
    compiled = qn.compile(lambda: np.sin(np.arange(4 * 10**7) * 1e-3).sum(), fullgraph=True)
    compiled()
    assert longest_pause(compiled) < LIMIT


def test_a_kernel_that_grows_lets_other_threads_run():
    compiled = qn.compile(powers, fullgraph=True, dynamic=True)
    x = np.linspace(0.5, 1.5, 5000)
    compiled(x[:4], x[:4])
    assert longest_pause(lambda: compiled(x, x)) < LIMIT
