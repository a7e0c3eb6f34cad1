"""The command line and wrong paths, broken programs, full disks, interrupts: no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quernel.cli import main
from quernel.cli.target import load

SOURCE = """
import numpy as np

def plus(x):
    return x + 1

def listed(x):
    yield x

def raises(x):
    raise ValueError("not this one")

def ends(x):
    raise SystemExit(7)

def outer():
    def inner(x):
        return x
    return inner

class Box:
    size = 3
    @staticmethod
    def twice(x):
        return 2 * x
    @classmethod
    def made(cls, x):
        return x
    def grown(self, x):
        return x * 4
    class Lid:
        @staticmethod
        def less(x):
            return x - 1

thrice = lambda x: 3 * x
"""
ARRAY = ["--arg", "float64[8]"]
needs_full_device = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="the system has no /dev/full"
)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    return str(path)


def complaint(capsys: pytest.CaptureFixture, *arguments: str, status: int) -> str:
    """What a command that fails tells."""
    assert main(arguments) == status
    told = capsys.readouterr().err
    assert told.startswith(("quernel: ", "usage: "))
    assert "Traceback" not in told
    return told


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "quernel", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


# The output


@pytest.mark.parametrize("path", ["{folder}", "{folder}/none/file", "", "{folder}/program.py/x"])
@pytest.mark.parametrize("command", [("emit", "-o"), ("explain", "--html")])
def test_an_output_that_is_no_file(program, tmp_path, capsys, command, path) -> None:
    name, option = command
    output = path.format(folder=tmp_path)
    told = complaint(capsys, name, f"{program}:plus", *ARRAY, option, output, status=2)
    assert f"{output!r} can't be written" in told


@pytest.mark.parametrize("path", ["{folder}", "/proc/nothing", "{folder}/nowhere/b.qnb"])
def test_a_bundle_that_can_t_be_written(program, tmp_path, capsys, path) -> None:
    output = path.format(folder=tmp_path)
    told = complaint(
        capsys, "build", f"{program}:plus", "--sig", "float64[n]", "-o", output, status=2
    )
    assert f"{output!r} can't be written" in told


def test_a_file_that_cannot_be_read(program, capsys, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    told = complaint(capsys, "emit", f"{program}:plus", *ARRAY, status=2)
    assert "can't be read: Permission denied" in told


@needs_full_device
def test_a_full_disk(program, capsys) -> None:
    command = ("emit", f"{program}:plus", *ARRAY, "-o", "/dev/full")
    assert complaint(capsys, *command, status=1) == "quernel: /dev/full: No space left on device\n"


@needs_full_device
@pytest.mark.parametrize("arguments", [["doctor"], ["emit", "{program}:plus", *ARRAY]])
def test_a_full_standard_output(program, arguments) -> None:
    filled = [text.format(program=program) for text in arguments]
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "quernel", *filled]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "quernel: the output: No space left on device\n")


@pytest.mark.parametrize("arguments", [["doctor"], ["emit", "{program}:plus", *ARRAY]])
def test_nobody_reads_the_output(program, arguments) -> None:
    filled = [text.format(program=program) for text in arguments]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "quernel", *filled]
        done = subprocess.run(
            command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_output_without_the_characters(tmp_path) -> None:
    path = tmp_path / "letters.py"
    path.write_text("def plus(x):\n    größe = x + 1\n    return größe\n")
    done = run(
        "emit", f"{path}:plus", *ARRAY, env={**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    )
    assert done.returncode == 1
    assert done.stderr == "quernel: the output can't be written as ascii\n"


def test_no_standard_output(program) -> None:
    close = "import os, sys; os.close(1); os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-m", "quernel", "emit", f"{program}:plus", *ARRAY]
    done = subprocess.run(
        [sys.executable, "-c", close, *command], stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


# Targets and sizes


@pytest.mark.parametrize(
    ("stage", "target", "text"),
    [
        ("cpp", "fly", "'cpp' needs one of the targets host, x86-64"),
        ("cpp", "", "not ''"),
        ("cpp", "sm_90", "'cpp' needs one of the targets"),
        ("asm", "sm_90", "'asm' needs one of the targets"),
        ("kernels", "fly", "'kernels' needs one of the targets"),
        ("cuda", "x86-64-v3", "'cuda' needs a CUDA target such as sm_90"),
        ("ptx", "sm_", "'ptx' needs a CUDA target such as sm_90"),
        ("ptx", "sm_11", "NVRTC has no target 'sm_11'"),
    ],
)
def test_a_wrong_target(program, capsys, stage, target, text) -> None:
    command = ("emit", f"{program}:plus", *ARRAY, "--to", stage, "--target", target)
    assert text in complaint(capsys, *command, status=2)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("float64[99999999999999999999]", "a size has at most 19 digits"),
        ("float64[9223372036854775807]", "NumPy has no such array"),
        ("float64[4611686018427387904,4]", "NumPy has no such array"),
        ("float64[99999999999999999999,0]", "a size has at most 19 digits"),
        (f"float64[{','.join('1' * 70)}]", "NumPy has no such array"),
        ("float64[\N{SUPERSCRIPT TWO}]", "is neither a size, a name nor ':'"),
        ("float64[-1]", "is neither a size, a name nor ':'"),
        ("", "has to be one argument"),
        ("float64[3], float64[3]", "has to be one argument"),
        ("{[]}", "can't be read"),
        ("(" * 300, "can't be read"),
    ],
)
def test_a_wrong_argument(program, capsys, argument, text) -> None:
    assert text in complaint(capsys, "emit", f"{program}:plus", "--arg", argument, status=2)


def test_more_than_the_memory(program, capsys) -> None:
    command = ("bench", f"{program}:plus", "--arg", "float64[99999999999999]")
    assert "the arguments take 800 TB" in complaint(capsys, *command, status=2)


@pytest.mark.parametrize("count", ["-5", "1e9", "9" * 30])
def test_a_wrong_number_of_bytes(capsys, count) -> None:
    told = complaint(capsys, "cache", "prune", f"--max-bytes={count}", status=2)
    assert f"'{count}' isn't a number of bytes" in told


# The user's program


@pytest.mark.parametrize("name", ["Box.twice", "Box.Lid.less", "thrice"])
def test_dotted_names(program, capsys, name) -> None:
    assert main(["emit", f"{program}:{name}", *ARRAY]) == 0
    assert 'extern "C"' in capsys.readouterr().out


def test_a_method_takes_its_object(program, capsys) -> None:
    assert main(["emit", f"{program}:Box.grown", "--arg", "None", *ARRAY]) == 0
    told = complaint(capsys, "emit", f"{program}:Box.grown", *ARRAY, status=2)
    assert "Box.grown(self, x) takes one --arg for each parameter" in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Box", "'Box' is a type, not a function"),
        ("Box.size", "'Box.size' is a int, not a function"),
        ("Box.made", "'Box.made' is a class method"),
        ("Box.none", "has no function 'Box.none'"),
        ("outer.inner", "what the function 'outer' defines has no name"),
        ("np.sin", "'np.sin' is a ufunc, not a function"),
        ("", "isn't of the form FILE.py:FUNC"),
    ],
)
def test_a_wrong_name(program, capsys, name, text) -> None:
    assert text in complaint(capsys, "emit", f"{program}:{name}", *ARRAY, status=2)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"def plus(x:", "SyntaxError: '(' was never closed"),
        (b"x = 1\0", "SyntaxError"),
        (b"\xff\xfe", "SyntaxError"),
        (b"import sys; sys.exit(5)", "ends the process: SystemExit: 5"),
        (b"raise SystemExit", "ends the process: SystemExit"),
    ],
)
def test_a_broken_file(tmp_path, capsys, content, text) -> None:
    path = tmp_path / "broken.py"
    path.write_bytes(content)
    assert text in complaint(capsys, "emit", f"{path}:plus", status=1)


def test_a_file_that_raises_is_shown_by_its_own_frames(tmp_path, capsys) -> None:
    path = tmp_path / "raising.py"
    path.write_text("def helper():\n    raise RuntimeError('no')\nhelper()\n")
    assert main(["emit", f"{path}:plus"]) == 1
    told = capsys.readouterr().err
    assert "RuntimeError: no" in told and "in helper" in told
    assert "importlib" not in told and "quernel/cli" not in told


@pytest.mark.parametrize("path", ["{folder}", "{folder}/none.py", "/dev/null"])
def test_what_is_no_file(tmp_path, capsys, path) -> None:
    named = path.format(folder=tmp_path)
    assert f"there is no file {named}" in complaint(capsys, "emit", f"{named}:f", status=2)


def test_what_is_no_python(tmp_path, capsys) -> None:
    (tmp_path / "notes.txt").write_text("")
    told = complaint(capsys, "emit", f"{tmp_path / 'notes.txt'}:f", status=2)
    assert "isn't a Python file" in told


def test_a_function_that_raises(program, capsys) -> None:
    assert "ValueError: not this one" in complaint(
        capsys, "emit", f"{program}:raises", *ARRAY, status=1
    )
    assert "SystemExit: 7" in complaint(capsys, "bench", f"{program}:ends", *ARRAY, status=1)
    bundle = os.path.join(os.path.dirname(program), "bundle")
    command = ("build", f"{program}:raises", "--sig", "float64[n]", "-o", bundle)
    assert "ValueError: not this one" in complaint(capsys, *command, status=1)


def test_a_refusal_has_the_function_s_place(program, capsys) -> None:
    done = run("emit", f"{program}:listed", *ARRAY)
    assert done.returncode == 1
    assert "returning an object of type generator" in done.stderr
    assert f"{program}:7, in listed" in done.stderr


def test_only_compiled_functions_are_unwrapped(tmp_path) -> None:
    path = tmp_path / "wrapped.py"
    path.write_text(
        "import functools\nimport quernel as qn\n"
        "def doubled(f):\n    @functools.wraps(f)\n    def g(x):\n        return f(2 * x)\n"
        "    return g\n"
        "@qn.compile\n@doubled\ndef plus(x):\n    return x + 1\n"
    )
    assert load(f"{path}:plus")(3) == 7


# Interrupts


@pytest.mark.parametrize("seconds", ["0", "0.1", "0.4"])
def test_an_interrupt(tmp_path, seconds) -> None:
    path = tmp_path / "long.py"
    lines = "\n".join(f"    x = np.sin(x)[::-1] * {k} + x.sum()" for k in range(300))
    path.write_text(
        "import os, signal, threading\nimport numpy as np\n"
        "def stop():\n    os.kill(os.getpid(), signal.SIGINT)\n"
        f"threading.Timer({seconds}, stop).start()\n"
        f"def long(x):\n{lines}\n    return x\n"
    )
    done = run("emit", f"{path}:long", "--arg", "float64[1000]")
    assert (done.returncode, done.stderr) == (130, "quernel: interrupted\n")
