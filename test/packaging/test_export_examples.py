"""The exported library of the examples, from C, C++, Fortran, Python and CMake."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "export"
LINES = ["0 1.000", "0 4.243", "1 1.000"]
REFUSED = "nearest: axis 1 of `means` has size 1, not 2"


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The examples beside the library, made by the command that the example names."""
    place = shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("export") / "export")
    command = re.search(r"^quernel (export .*)$", (place / "nearest.py").read_text(), re.MULTILINE)
    run(
        *[sys.executable, "-c", "import sys, quernel.cli; sys.exit(quernel.cli.main())"],
        *command[1].split(),
        cwd=place,
    )
    return place


@pytest.mark.parametrize("source", ["main.c", "main.cpp", "main.f90"])
def test_programs(folder, source):
    command = re.search(r"(?:cc|c\+\+|gfortran) .*-o \S+", (folder / source).read_text())[0]
    run(*command.split(), cwd=folder)
    printed = run(f"./{command.split()[-1]}", cwd=folder).splitlines()
    assert [" ".join(line.split()) for line in printed[:3]] == LINES
    assert printed[3:] in ([], [REFUSED])


def test_python_without_quernel(folder):
    text = "import sys; sys.modules['quernel'] = None; exec(open('use.py').read())"
    assert run(sys.executable, "-c", text, cwd=folder).splitlines() == LINES


@pytest.mark.parametrize("name", ["libnearest.so", "libnearest.a"])
def test_cmake(folder, tmp_path, name):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "libnearest.so").unlink()
    shutil.rmtree(tmp_path / "cmake")
    text = "import sys, quernel.cli; sys.exit(quernel.cli.main())"
    target = ["--target", "x86-64-v2"]
    run(
        sys.executable,
        *["-c", text, "export", "nearest.py:nearest", "-o", f"made/{name}", *target],
        cwd=tmp_path,
    )
    place = f"-DCMAKE_PREFIX_PATH={tmp_path / 'made'}"
    run("cmake", "-B", "build", place, "-DCMAKE_BUILD_TYPE=Release", cwd=tmp_path)
    run("cmake", "--build", "build", cwd=tmp_path)
    for program in ("main_c", "main_cpp"):
        assert run(f"build/{program}", cwd=tmp_path).splitlines() == [*LINES, REFUSED]


def test_the_library_needs_neither_python_nor_quernel(folder):
    needed = run("readelf", "-d", "libnearest.so", cwd=folder)
    names = set(re.findall(r"NEEDED.*\[(\S+?)\.so", needed))
    assert names <= {
        "libstdc++",
        "libgomp",
        "libgcc_s",
        "libc",
        "libm",
        "libsleef",
        "libmvec",
        "ld-linux-x86-64",
    }
    assert os.path.exists(folder / "libnearest.so")
