"""The process belongs to the user: signals, exits, forks and descriptors amid compiles."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# `fresh(k)` is another function for each k, which takes long enough to be compiled.
PROGRAM = """
import ctypes, os, resource, signal, sys, threading, time, warnings
import numpy as np
import quernel as qn

TEXT = '''
def f(x, y):
    for i in range(1, 6):
        x = np.sqrt(x * x + y[i] * {k}.5) + np.sin(x).sum()
        x = np.where(x > y[i], x * {k}, y.cumsum()[i] - x)
    return x
'''

def fresh(k, **options):
    path = os.path.join(sys.argv[1], f"fresh_{os.getpid()}_{k}.py")
    with open(path, "w") as file:
        file.write(TEXT.format(k=k))
    names = {"np": np}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    return qn.compile(names["f"], **options)

x, y = np.linspace(0.0, 3.0, 40), np.linspace(1.0, 2.0, 7)

def right(function):
    return np.allclose(function(x, y), function.__wrapped__(x, y), rtol=1e-12, atol=0)
"""


def run(
    body: str, folder: Path, cache: str = "", check: bool = True, timeout: float = 120
) -> subprocess.CompletedProcess:
    script = folder / "program.py"
    script.write_text(PROGRAM + body)
    return subprocess.run(
        [sys.executable, str(script), str(folder)],
        capture_output=True,
        text=True,
        check=check,
        timeout=timeout,
        env={**os.environ, "QUERNEL_CACHE_DIR": cache or str(folder / "cache")},
    )


def test_a_compile_leaves_signals_alone(tmp_path: Path) -> None:
    run(
        """
def caught():
    with open("/proc/self/status") as file:
        return [line for line in file if line.startswith("Sig")]

heard = []
for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
    signal.signal(number, lambda number, frame: heard.append(number))
before = caught()
assert right(fresh(1, fullgraph=True))
assert caught() == before
signal.raise_signal(signal.SIGTERM)
assert heard == [signal.SIGTERM]
libc = ctypes.CDLL(None)  # the handler is Python's own again
""",
        tmp_path,
    )


@pytest.mark.parametrize("how", ["background", "daemon"])
@pytest.mark.parametrize("after", [0.0, 0.15, 0.4])
def test_a_process_may_end_amid_a_compile(tmp_path: Path, how: str, after: float) -> None:
    done = run(
        f"""
if {how!r} == "background":
    for k in range(3):
        fresh(k, background=True)(x, y)
else:
    for k in range(3):
        threading.Thread(target=fresh(k), args=(x, y), daemon=True).start()
time.sleep({after})
print("over", flush=True)
sys.exit(3)
""",
        tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "over\n"), done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("caught", [False, True])
def test_an_interrupt_amid_a_compile_is_the_exit_status(tmp_path: Path, caught: bool) -> None:
    """Python forgets the interrupt as soon as a thread executes a text."""
    done = run(
        f"""
from quernel.call.sections import section

begun = threading.Event()

def compiles():
    with section:
        begun.set()
        time.sleep(0.3)
        exec("pass")

threading.Thread(target=compiles, daemon=True).start()
begun.wait()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    if not {caught}:
        raise
""",
        tmp_path,
        check=False,
    )
    assert done.returncode == (0 if caught else -signal.SIGINT)
    assert done.stderr.count("KeyboardInterrupt") == (0 if caught else 1)


def test_a_process_may_end_amid_a_program(tmp_path: Path) -> None:
    done = run(
        """
@qn.compile(fullgraph=True)
def spins(x):
    while x[0] > 0.5:
        x[0] = x[0] + 1.0
        x[0] = x[0] - 0.5
    return x

spins(np.zeros(1))
threading.Thread(target=spins, args=(np.ones(1),), daemon=True).start()
time.sleep(0.2)
print("over", flush=True)
""",
        tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_a_fork_amid_compiles_leaves_a_child_that_compiles(tmp_path: Path) -> None:
    done = run(
        """
stop = False

def compiles():
    k = 10
    while not stop:
        k += 1
        assert right(fresh(k))

thread = threading.Thread(target=compiles)
thread.start()
shared = fresh(1)
for turn in range(6):
    time.sleep(0.13 * turn)
    child = os.fork()
    if child == 0:
        warnings.simplefilter("error")
        signal.alarm(60)
        good = right(fresh(0)) and right(shared)
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
stop = True
thread.join()
""",
        tmp_path,
    )
    assert done.stderr == ""


def test_a_fork_past_python_falls_back(tmp_path: Path) -> None:
    """A fork that Python doesn't know of doesn't wait; its child can't compile, and says so."""
    run(
        """
from quernel import _runtime
from quernel.call import sections
from quernel.errors import FallbackWarning

right(fresh(1))
begun, ended = threading.Event(), threading.Event()

def holds():
    with sections.section:
        begun.set()
        ended.wait()

threading.Thread(target=holds).start()
begun.wait()
child = ctypes.PyDLL(None).fork()
if child == 0:
    signal.alarm(60)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        good = right(fresh(2))
    text = str(told[0].message)
    good &= "was forked while another thread was compiling" in text and len(told) == 1
    os._exit(0 if good else 1)
status = os.waitpid(child, 0)[1]
ended.set()
assert status == 0, status
assert right(fresh(3)) and not _runtime.forked_amid_section()
""",
        tmp_path,
    )


def test_background_functions_compile_in_children(tmp_path: Path) -> None:
    run(
        """
function = fresh(1, background=True)
function(x, y)
child = os.fork()
if child == 0:
    signal.alarm(60)
    while not function.stats()["memory_hits"]:
        time.sleep(0.01)
        function(x, y)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
        tmp_path,
    )


@pytest.mark.parametrize("cache", ["", "/dev/full/cache"])
def test_programs_keep_no_descriptors(tmp_path: Path, cache: str) -> None:
    run(
        """
warnings.simplefilter("ignore")
right(fresh(0))
before = len(os.listdir("/proc/self/fd"))
kept = [fresh(k) for k in range(1, 6)]
assert all(right(function) for function in kept)
assert len(os.listdir("/proc/self/fd")) == before
""",
        tmp_path,
        cache,
    )


def test_a_fault_of_the_folder_is_told_once(tmp_path: Path) -> None:
    done = run(
        """
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert all(right(fresh(k, fullgraph=True)) for k in range(4))
assert len(told) == 1, [str(warning.message) for warning in told]
""",
        tmp_path,
        "/dev/full/cache",
    )
    assert done.stderr == ""


def test_a_folder_that_others_clear_costs_compiles_alone(tmp_path: Path) -> None:
    done = run(
        """
import shutil
stop = False

def clears():
    while not stop:
        shutil.rmtree(os.environ["QUERNEL_CACHE_DIR"], ignore_errors=True)
        qn.cache.clear()

thread = threading.Thread(target=clears)
thread.start()
try:
    for k in range(12):
        assert right(fresh(k % 4, fullgraph=True))
finally:
    stop = True
    thread.join()
""",
        tmp_path,
    )
    assert done.stderr == ""


def test_a_path_of_any_bytes(tmp_path: Path) -> None:
    """Of the function's file, and of the cache."""
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    script = folder + b"/prog\xe9.py"
    Path(os.fsdecode(script)).write_text(
        """
import sys, warnings
import numpy as np
import quernel as qn
warnings.simplefilter("error")

@qn.compile(fullgraph=True)
def at(x, k):
    return x[k] * 2

x = np.arange(4.0)
assert (at(x, np.array([1, 3])) == [2, 6]).all()
try:
    at(x, np.array([1, 4]))
except IndexError as error:
    code = error.__traceback__.tb_next.tb_frame.f_code
    assert code.co_filename == __file__, code.co_filename
assert qn.cache.path == qn.cache.info()["path"]
print(at.stats()["compiles"], at.stats()["disk_hits"])
"""
    )
    told = [
        subprocess.run(
            [sys.executable, script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environb, b"QUERNEL_CACHE_DIR": folder + b"/cache\xff"},
        ).stdout
        for _ in range(2)
    ]
    assert told == ["1 0\n", "0 1\n"]
