"""Loops that end when the device says so, which the emulated device repeats as graphs."""

import pytest

BEGIN = """
import ctypes, os, signal, threading, time
import numpy as np
import quernel as qn
from quernel.devices.driver import runtime

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = ctypes.c_int64

def count(name):
    return LIBRARY.emulator_count(name.encode())

def graphs():
    return runtime().device_graphs(0)

def same(one, other):
    for a, b in zip(one, other) if isinstance(one, tuple) else [(one, other)]:
        assert type(a) is type(b), (type(a), type(b))
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)

def checked(function, *args, **options):
    # NumPy's answer; gives how many kernels the call has launched one by one.
    compiled = qn.compile(function, device="cuda", fullgraph=True, **options)
    compiled(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    before = count("cuLaunchKernel")
    answer = compiled(*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    launches = count("cuLaunchKernel") - before
    same(answer, function(*(a.copy() if isinstance(a, np.ndarray) else a for a in args)))
    return launches

def decay(x, tolerance: float):
    n = 0
    while np.abs(x).max() > tolerance:
        x = x * 0.9
        n += 1
    return x, n

def jacobi(u, b, tolerance: float):
    n = 0
    while True:
        new = u.copy()
        sides = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        new[1:-1, 1:-1] = 0.25 * (sides - b[1:-1, 1:-1])
        change = np.abs(new - u).max()
        u = new
        n += 1
        if change < tolerance or n > 200:
            break
    return u, n

# So large that a loop isn't one kernel.
VECTOR = np.linspace(0.0, 1.0, 20000)
PLANE = np.random.default_rng(0).random((90, 94))
"""


def test_long_loops_are_repeated_by_the_device(run):
    run("""
assert checked(decay, VECTOR, 0.05) == checked(decay, VECTOR, 0.001)  # 29 turns, 66
launches, problem = graphs()
assert launches >= 4 and problem == "", (launches, problem)
assert checked(jacobi, PLANE, PLANE * 0.1, 1e-3) == checked(jacobi, PLANE, PLANE * 0.1, 1e-6)
assert count("cuGraphCreate") == count("cuGraphDestroy") == count("cuGraphInstantiateWithFlags")
assert count("cuGraphExecDestroy") == count("cuGraphCreate") >= 6
""")


def test_loops_of_any_length(run):
    run("""
compiled = qn.compile(decay, device="cuda", fullgraph=True)
for turns in [0, 1, 2, 15, 16, 17, 18, 40, 79, 80, 81, 82, 300]:
    before = graphs()[0]
    answer = compiled(VECTOR, 0.9 ** (turns - 0.5))
    assert answer[1] == turns
    same(answer, decay(VECTOR, 0.9 ** (turns - 0.5)))
    assert (graphs()[0] > before) == (turns > 16)
""")


def test_what_turns_hand_on(run):
    run("""
def hands_on(x, tolerance: float):
    a, b, n, is_odd = x.sum(), x.max(), 3, False
    while a > tolerance:
        a, b = b, a * 0.8
        x = x * 0.99 + n + (b if is_odd else a)
        n, is_odd = n * 3 % 17, not is_odd
    return x, a, b, n, is_odd

def conjugate(A, b, tolerance: float):
    x = np.zeros_like(b)
    r = b - (A * x).sum(axis=1)
    p = r.copy()
    rs = (r * r).sum()
    while rs > tolerance:
        Ap = (A * p).sum(axis=1)
        alpha = rs / (p * Ap).sum()
        x = x + alpha * p
        r = r - alpha * Ap
        new = (r * r).sum()
        p = r + (new / rs) * p
        rs = new
    return x, rs < 1.0

def within(x, tolerance: float):
    total = 0
    for k in range(3):
        y = x * (k + 1)
        while y.max() > tolerance:
            for i in range(4):
                y = y - 0.01 * i * y
            total += 1
        x = x + y
    return x, total

matrix = np.diag(np.linspace(1.0, 300.0, 200)) + 0.01
checked(hands_on, VECTOR, 1e-3)
before = graphs()[0]
checked(conjugate, matrix, matrix[0] + 1, 1e-20)
assert graphs()[0] > before
before = graphs()[0]
checked(within, VECTOR, 1e-2)
assert graphs()[0] >= before + 6
assert graphs()[1] == ""
""")


@pytest.mark.parametrize("streams", ["late", "eager"])
def test_late_streams(run, streams):
    run(
        """
checked(decay, np.linspace(0, 1, 1 << 17), 0.01)  # copied while kernels run
checked(jacobi, PLANE, PLANE, 1e-5)
assert graphs()[0] > 0
""",
        EMULATOR_STREAMS=streams,
        EMULATOR_UNINITIALISED="1",
    )


@pytest.mark.parametrize("seed", ["1", "2"])
def test_other_orders_of_threads(run, seed):
    run("checked(jacobi, PLANE, PLANE, 1e-5)", EMULATOR_SEED=seed, EMULATOR_UNINITIALISED="1")


def test_without_graphs(run):
    body = """
many = checked(decay, VECTOR, 0.001)
assert many > checked(decay, VECTOR, 0.05)
assert graphs()[0] == 0
assert os.environ["WHY"] in graphs()[1], graphs()
assert count("cuGraphCreate") == count("cuGraphDestroy") <= 1
"""
    why = "the driver is one for CUDA 12.3, and loops in graphs need CUDA 12.4"
    run(body, EMULATOR_VERSION="12030", WHY=why)
    run(body, QUERNEL_DEVICE_GRAPHS="off", WHY='QUERNEL_DEVICE_GRAPHS is "off"')
    for function, why in {
        "cuGraphConditionalHandleCreate": "has no condition for a graph",
        "cuGraphAddNode": "can't put a loop into a graph",
        "cuGraphInstantiateWithFlags": "can't make a graph of a loop",
        "cuGraphLaunch": "can't run the graph of a loop",
    }.items():
        run(body, EMULATOR_REFUSE=function, WHY=why)


def test_a_check_that_fails_ends_the_loop(run):
    run("""
def walk(x, places, tolerance: float):
    total = tolerance + 1.0
    while total > tolerance:
        total = 0.0
        for k in range(len(places)):
            total += x[places[k]]
        x = x * 0.99
        places = places + 1
    return x

compiled = qn.compile(walk, device="cuda", fullgraph=True)
for last in (8, 70, 300):
    arguments = np.ones(20000), np.arange(5) + 19995 - last, 0.1
    answers = []
    for function in (compiled, walk):
        try:
            answers.append(function(*arguments))
        except IndexError as error:
            answers.append(str(error))
    if isinstance(answers[1], str):
        assert answers[0] == answers[1], answers
    else:
        same(*answers)
assert graphs()[0] > 0
""")


def test_loops_that_the_host_takes_part_in(run):
    run("""
def calls(A, x, tolerance: float):
    while np.abs(x).max() > tolerance:
        x = A @ x
    return x

def branches(x, tolerance: float):
    while x.max() > tolerance:
        if x[0] > 0.5:
            x = x * 0.8
        else:
            x = x * 0.9
    return x

def resizes(x, tolerance: float):
    n = 0
    while x[:3].sum() > tolerance:
        x = x * 0.9
        n = n + int(x[0] > 0.2)
        x[: n % 5] = x[: n % 5] * 0.5
    return x, n

checked(calls, np.eye(200) * 0.9, VECTOR[-200:], 1e-2)
assert count("cuGraphCreate") == 0
checked(branches, VECTOR + 1, 1e-2)
assert count("cuGraphCreate") == 0
checked(resizes, VECTOR + 1, 1e-2)
assert count("cuGraphCreate") == 0
""")


def test_a_loop_without_an_end_is_interrupted(run):
    run("""
def forever(x):
    while x.max() > 0:
        x = x * 1.0
    return x

compiled = qn.compile(forever, device="cuda", fullgraph=True)
same(compiled(-VECTOR), -VECTOR)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    compiled(VECTOR)
except KeyboardInterrupt:
    print("interrupted")
else:
    raise AssertionError("it has ended")
assert time.perf_counter() - begun < 20
assert graphs()[0] > 0
same(compiled(-VECTOR), -VECTOR)
""")
