"""The wheel brings its libraries, and compiles where no compiler is on PATH."""

import fcntl
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

USE = """
import numpy as np
import quernel as qn

@qn.compile(fullgraph=True)
def f(a, b):
    return np.exp(a) * b + np.sin(b).sum()

a = np.linspace(0, 1, 1000)
np.testing.assert_allclose(f(a, a), f.__wrapped__(a, a), rtol=1e-12)
print(qn.__file__)
print("compiled", f.stats()["compiles"])
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory, worker_id):
    """The wheel; whichever worker comes first builds it."""
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    folder = shared / "wheel"
    with open(shared / "wheel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not any(folder.glob("quernel-*.whl")):
            build(folder)
    (path,) = folder.glob("quernel-*.whl")
    return path


def build(folder):
    made = folder / "of-this-machine"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", made]
    run_python("-m", "pip", "wheel", *options, ROOT)
    run_python("-m", "auditwheel", "repair", "--wheel-dir", folder, *made.glob("quernel-*.whl"))


def run_python(*arguments):
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_without_compiler(folder, home, *command):
    numpy_folder = str(Path(np.__file__).parents[1])
    environment = {
        "PATH": "/nonexistent",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join([str(folder), numpy_folder]),
    }
    command = [sys.executable, "-S", *command]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=home
    )


def test_compiles_with_no_compiler_on_path(installed, tmp_path):
    done = run_without_compiler(installed, tmp_path, "-c", USE)
    assert done.returncode == 0, done.stderr
    where, compiled = done.stdout.splitlines()
    assert Path(where).is_relative_to(installed)
    assert compiled == "compiled 1"


def test_command_line(installed, tmp_path):
    main = "import sys, quernel.cli; sys.exit(quernel.cli.main(['doctor']))"
    done = run_without_compiler(installed, tmp_path, "-c", main)
    assert done.returncode == 0, done.stderr
    entry_points = next(installed.glob("quernel-*.dist-info")) / "entry_points.txt"
    assert "quernel = quernel.cli:main" in entry_points.read_text()


def test_runs_on_other_distributions(wheel, split):
    for path in (wheel, *split):
        assert re.fullmatch(r"manylinux_2_\d+_x86_64", path.stem.split("-")[-1])


def test_version_is_the_same_everywhere(installed, wheel, tmp_path):
    done = run_without_compiler(
        installed, tmp_path, "-c", "import quernel; print(quernel.__version__)"
    )
    assert done.stdout.strip() == wheel.name.split("-")[1]


def test_brings_its_libraries_and_their_licences(installed):
    package = installed / "quernel"
    assert (package / "lib" / "libsleef.so.3").stat().st_size > 100_000
    assert (package / "lib" / "licenses" / "libsleef.so.3.txt").read_text()
    assert (package / "lib" / "libquernel_math.so").exists()
    (licence,) = installed.glob("quernel-*.dist-info/licenses/LICENSE")
    assert "LLVM Exceptions" in licence.read_text()


def test_needs_no_llvm_of_the_system(installed):
    (compiler,) = (installed / "quernel").glob("_compiler*.so")
    needed = subprocess.run(
        ["readelf", "-d", compiler], capture_output=True, text=True, check=True
    ).stdout
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", needed)
    assert "libc.so.6" in libraries
    assert not [name for name in libraries if re.search("LLVM|MLIR|clang|lld", name)]


def test_no_development_files(wheel):
    """But for the texts that the user's own libraries and functions in C++ include."""
    names = zipfile.ZipFile(wheel).namelist()
    ends = (".a", ".h", ".cpp", ".pyc", ".td")
    assert not [name for name in names if name.endswith(ends) and "/include/" not in name]
    assert "quernel/include/runtime/exported/Function.h" in names


@pytest.fixture(scope="module")
def split(wheel, tmp_path_factory):
    """The wheels of the runtime and of the compiler."""
    folder = tmp_path_factory.mktemp("split")
    command = [sys.executable, ROOT / "setup" / "split_wheel.py", wheel, folder]
    subprocess.run(command, check=True, capture_output=True)
    (runtime,), (compiler,) = folder.glob("quernel-*.whl"), folder.glob("quernel_compiler-*.whl")
    return runtime, compiler


def unpacked(folder, *wheels):
    for path in wheels:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            archive.extractall(folder)
    return folder


def test_sizes_of_the_wheels(split):
    runtime, compiler = (path.stat().st_size for path in split)
    assert runtime <= 2_000_000
    assert compiler <= 45_000_000


PROGRAM = """
import numpy as np
import quernel as qn

@qn.compile(signatures=["float64[n], float64[n]"])
def moved(a, b):
    a += 1
    return a + b

class Scaled:
    def __init__(self, factor):
        self.factor = factor

    @qn.compile
    def of(self, x):
        return x * self.factor
"""
CALLS = """
import sys
sys.path.insert(0, ".")
import numpy as np
from prog import moved, qn, Scaled
x = np.arange(8.0)
print(moved(x[:5].copy(), x[:5]), moved.stats()["compiles"])
print(Scaled(2.0).of(x), Scaled.of.stats()["compiles"])
print(moved(x[:5], x[3:]), Scaled(2).of(np.arange(3, dtype=np.int8)))
if sys.argv[1] == "alone":
    lower = lambda: moved.lower(x, x).text("cpp")
    for ask in (lambda: moved.explain(x, x), lower, lambda: qn.numpy.sin(x)):
        try:
            ask()
        except qn.errors.UnsupportedError as error:
            print("no compiler" in str(error))
else:
    print(qn.cache.bundle("made.qnb"))
"""


def test_the_runtime_alone_runs_bundles(split, tmp_path):
    runtime, _ = split
    both, alone = unpacked(tmp_path / "both", *split), unpacked(tmp_path / "alone", runtime)
    assert not list((alone / "quernel").glob("_compiler*"))
    home = tmp_path / "home"
    home.mkdir()
    (home / "prog.py").write_text(PROGRAM)
    first = run_without_compiler(both, home, "-c", CALLS, "both")
    assert first.returncode == 0, first.stderr
    empty = "import os\nos.environ['QUERNEL_CACHE_DIR'] = 'none'\n"
    use = f"{empty}os.environ['QUERNEL_BUNDLE'] = 'made.qnb'\n"
    second = run_without_compiler(alone, home, "-c", use + CALLS, "alone")
    assert second.returncode == 0, second.stderr
    made, found = first.stdout.splitlines(), second.stdout.splitlines()
    assert [line.rpartition(" ")[0] for line in made[:2]] == [
        line.rpartition(" ")[0] for line in found[:2]
    ]
    assert [line.rpartition(" ")[2] for line in found[:2]] == ["0", "0"]
    assert made[2] == found[2]
    assert found[3:] == ["True"] * 3
    third = run_without_compiler(alone, home, "-c", empty + CALLS, "alone")
    assert third.stdout == second.stdout
    assert "moved runs in NumPy" in third.stderr
    assert "this installation has no compiler" in third.stderr
