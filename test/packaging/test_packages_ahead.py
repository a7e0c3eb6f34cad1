"""Packages whose wheels have their kernels: built, installed, called without the compiler."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from quernel.cache import bundles

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {"setuptools": "smoothing", "meson": "distances"}
COMPILER = runpy.run_path(str(ROOT / "setup" / "split_wheel.py"))["_COMPILER"]

CALLS = """
import inspect
import json
import sys

import numpy as np
import {package}

X = np.random.default_rng(0).normal(size=(500, 3))
CALLS = {{
    "smooth": [(X[:, 0].copy(), 0.25), (X[:, 1].astype("float32"), 0.5)],
    "outliers": [(X[:, 0].copy(), 2.0)],
    "nearest": [(X, X[:7]), (X.astype("float32"), X[:5].astype("float32"))],
}}
stats = {{}}
for name in {package}.__all__:
    function = getattr({package}, name)
    for arguments in CALLS[name]:
        expected = function.__wrapped__(*arguments)
        np.testing.assert_allclose(function(*arguments), expected, rtol=1e-6)
    stats[name] = function.stats()
    assert function.__name__ == name
    assert function.__module__.startswith("{package}.")
    assert function.__doc__ == function.__wrapped__.__doc__
    assert inspect.signature(function) == inspect.signature(function.__wrapped__)
assert not any(name.startswith("quernel._compiler") for name in sys.modules)
print(json.dumps(stats))
"""


def done(*command, **environment):
    bin_folder = os.path.dirname(sys.executable)  # Meson is run by its name
    path = os.pathsep.join([bin_folder, os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path, **{k: str(v) for k, v in environment.items()}},
    )


@pytest.fixture(scope="module", params=EXAMPLES)
def made(request, tmp_path_factory):
    """The wheel of an example, where it is installed, and the package's name."""
    folder = tmp_path_factory.mktemp(request.param)
    source = shutil.copytree(ROOT / "examples" / request.param, folder / "source")
    # Quernel is found here by a path, and isn't installed as the examples require.
    options = ("--wheel", "--no-isolation", "--skip-dependency-check", "--outdir", folder)
    built = done("-m", "build", *options, source, QUERNEL_CACHE_DIR=folder / "cache")
    assert built.returncode == 0, built.stdout[-5000:] + built.stderr[-5000:]
    assert not list(source.rglob("quernel.lock"))
    (wheel,) = folder.glob("*.whl")
    options = ("--no-deps", "--no-index", "--no-compile", "--target", folder / "site")
    ran = done("-m", "pip", "--quiet", "install", *options, wheel)
    assert ran.returncode == 0, ran.stderr
    return wheel, folder / "site", EXAMPLES[request.param]


@pytest.fixture
def installed(made, tmp_path):
    """A folder with the installed package, and the package's name."""
    _, site, package = made
    return shutil.copytree(site, tmp_path / "site"), package


@pytest.fixture
def runtime(tmp_path):
    """Quernel as the wheel without the compiler has it."""
    folder = tmp_path / "runtime" / "quernel"
    folder.mkdir(parents=True)
    for path in Path(qn.__file__).parent.iterdir():
        name = f"quernel/{path.name}" + ("/" if path.is_dir() else "")
        if not name.startswith(COMPILER):
            (folder / path.name).symlink_to(path)
    return folder.parent


def called(installed, runtime, cache, *options):
    site, package = installed
    calls = CALLS.format(package=package)
    paths = os.pathsep.join(map(str, [site, runtime]))
    return done(*options, "-c", calls, PYTHONPATH=paths, QUERNEL_CACHE_DIR=cache)


def counted(ran, name):
    """A counter of all functions."""
    assert ran.returncode == 0, ran.stderr
    return [int(count) for count in re.findall(rf'"{name}": (\d+)', ran.stdout)]


def test_the_wheel_is_for_a_platform_and_has_a_bundle(made):
    wheel, _, package = made
    python, abi, platform = wheel.stem.split("-")[2:]
    assert python == abi == f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert re.fullmatch(r"linux_\w+", platform)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = [name for name in names if name.endswith(".dist-info/WHEEL")]
        assert "Root-Is-Purelib: false" in archive.read(info).decode()
    assert f"{package}/kernels.qnb" in names
    assert not [name for name in names if name.endswith((".lock", ".toml", "setup.py"))]


def test_kernels_run_without_the_compiler(installed, runtime, tmp_path):
    ran = called(installed, runtime, tmp_path / "none", "-W", "error")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert set(counted(ran, "compiles")) == set(counted(ran, "fallbacks")) == {0}
    calls = [
        a + b for a, b in zip(counted(ran, "disk_hits"), counted(ran, "memory_hits"), strict=True)
    ]
    assert calls == counted(ran, "calls")
    assert 0 not in counted(ran, "disk_hits")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("name", ["build", "numpy"])
def test_numpy_answers_where_the_kernels_are_of_something_else(installed, runtime, tmp_path, name):
    site, package = installed
    path = site / package / "kernels.qnb"
    about = bundles.Bundle(str(path)).about
    bundles.write(str(path), {**about, name: "0"}, {})
    ran = called(installed, runtime, tmp_path / "none")
    assert counted(ran, "fallbacks") == counted(ran, "calls")
    what = {"build": "another build of Quernel", "numpy": f"NumPy 0, and this is {np.__version__}"}
    assert f"{path} isn't used, since it is of {what[name]}" in ran.stderr
    assert ran.stderr.count("isn't used") == 1
    assert "runs in NumPy" in ran.stderr
    assert "this installation has no compiler" in ran.stderr


def test_a_package_that_others_may_write_is_imported(installed, runtime, tmp_path):
    site, package = installed
    (site / package).chmod(0o777)
    ran = called(installed, runtime, tmp_path / "none")
    assert counted(ran, "fallbacks") == counted(ran, "calls")
    assert f"RuntimeWarning: {package}: the bundle " in ran.stderr
    assert "other users may write in this folder" in ran.stderr


@pytest.mark.parametrize("example", EXAMPLES)
def test_versions_are_those_of_this_build(example):
    text = (ROOT / "examples" / example / "pyproject.toml").read_text()
    pinned = (ROOT / "setup" / "requirements-dev.txt").read_text()
    assert text.count(f'== {qn.__version__}"') == 2
    numpy_version = re.search(r"^numpy==(\S+)$", pinned, re.MULTILINE)[1]
    assert text.count(f'"numpy == {numpy_version}"') == 2
