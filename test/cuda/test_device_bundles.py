"""Programs for devices, built where there is none, on the emulated device."""

import sys
from pathlib import Path

import pytest
from emulated_device import FAILURE, installation, run_to_its_end

PROGRAM = """
import numpy as np
import quernel as qn


@qn.compile(device="cuda", signatures=["float64[n]"])
def spread(x):
    return (x - x.min()) / (x.max() - x.min())


@qn.compile(signatures=["float64[n] on cuda, float64[n] on cuda"])
def total(x, y):
    return (x * y).sum()
"""
BEGIN = """
import contextlib, io, os, sys
import numpy as np
import quernel as qn
from quernel import errors
from quernel.errors import DeviceError

sys.path.insert(0, os.environ["PROGRAM"])
X = np.linspace(-3, 5, 1000)
"""
BEGIN += FAILURE
BUILD = """
from quernel.cli import main

def built(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["build", *arguments])
    return code, out.getvalue() + err.getvalue()

os.chdir(os.environ["PROGRAM"])
"""
CALL = """
sys.modules["quernel._compiler"] = None
from prog import spread

def expected(x):
    return (x - x.min()) / (x.max() - x.min())

for size in (1000, 10, 999):
    assert np.array_equal(spread(X[:size]), expected(X[:size]))
assert (spread.stats()["compiles"], spread.stats()["disk_hits"]) == (0, 1), spread.stats()
"""
WITHOUT_NVRTC = """
import quernel._compiler

def missing(*arguments):
    raise RuntimeError("NVRTC is not installed: there is none")

quernel._compiler.compile = quernel._compiler.device_targets = missing
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a program is, and an installation of CUDA that has NVRTC and no driver."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "prog.py").write_text(PROGRAM)
    (folder / "cuda" / "lib64").mkdir(parents=True)
    for name in ("include", "lib64/libnvrtc.so.13"):
        (folder / "cuda" / name).symlink_to(installation() / name)
    return folder


@pytest.fixture
def run_text(folder: Path, tmp_path: Path):
    """Run a text in a process with the emulated device of a compute capability, or with none."""

    def runs(text: str, capability: str | None = None, **environment: str) -> None:
        script = tmp_path / "script.py"
        script.write_text(f"{BEGIN}{text}\nprint('done')\n")
        settings = {"QUERNEL_CACHE_DIR": str(tmp_path / "cache"), "PROGRAM": str(folder)}
        if capability is None:
            settings["CUDA_PATH"] = str(folder / "cuda")
        else:
            settings["EMULATOR_CAPABILITY"] = capability
        run_to_its_end([sys.executable, str(script)], sys.path, settings | environment)

    return runs


@pytest.fixture(scope="module")
def bundle(folder: Path, kept_objects) -> str:
    """A bundle for capabilities 8.0 and 9.0, built without a driver."""
    script, path = folder / "build.py", folder / "made.qnb"
    script.write_text(f"""{BEGIN}{BUILD}
code, told = built("prog.py", "--target", "sm_80,sm_90", "-o", {str(path)!r})
assert code == 0, told
assert "prog.py:spread (float64[n]) sm_90: " in told, told
print("done")
""")
    settings = {"CUDA_PATH": str(folder / "cuda"), "PROGRAM": str(folder)}
    settings["QUERNEL_CACHE_DIR"] = str(folder / "cache")
    run_to_its_end([sys.executable, str(script)], sys.path, settings)
    return str(path)


# Machine code for it, for one of the same major capability, PTX for a newer device.
@pytest.mark.parametrize("capability", ["8.0", "9.0", "8.6", "12.0"])
def test_a_bundle_answers_without_the_compiler(run_text, bundle, capability):
    run_text(CALL, capability, QUERNEL_BUNDLE=bundle)


def test_arrays_on_devices_are_answered_from_a_bundle(run_text, bundle):
    body = """
    sys.modules["quernel._compiler"] = None
    qn.cache.use(BUNDLE)
    from prog import total
    x, y = qn.to_device(X), qn.to_device(np.ones_like(X))
    answer = total(x, y)
    assert np.isclose(float(answer), X.sum())
    assert (total.stats()["compiles"], total.stats()["disk_hits"]) == (0, 1), total.stats()
    """
    run_text(body.replace("    ", "").replace("BUNDLE", repr(bundle)), "8.0")


def test_an_older_device_compiles_anew_or_is_told(run_text, bundle, tmp_path):
    run_text(
        """
from prog import spread
assert np.array_equal(spread(X), spread.__wrapped__(X))
assert (spread.stats()["compiles"], spread.stats()["disk_hits"]) == (1, 0), spread.stats()
""",
        "7.5",
        QUERNEL_BUNDLE=bundle,
    )
    run_text(
        """
sys.modules["quernel._compiler"] = None
from prog import spread
assert failure(lambda: spread(X)) == (
    "cuda:0 is a device for sm_75, and the programs of spread() for such a call were compiled for "
    "sm_80, sm_90: build them for sm_75, too (`quernel build --target sm_75`), or install the "
    "compiler"
), failure(lambda: spread(X))
""",
        "7.5",
        QUERNEL_BUNDLE=bundle,
        QUERNEL_CACHE_DIR=str(tmp_path / "other"),
    )


def test_the_cache_has_programs_for_newer_devices(run_text, folder):
    run_text("from prog import spread\nspread(X), spread(X[:10])", "8.0")
    run_text(CALL.replace("1000, 10, 999", "999, 20"), "9.0")
    run_text(
        """
from prog import spread
spread(X)
assert spread.stats()["compiles"] == 1  # where it can be compiled for the device itself
from quernel.cache import bundles
path = qn.cache.bundle(os.environ["PROGRAM"] + "/all.qnb")
assert {"sm_80", "sm_90"} < set(bundles.Bundle(path).targets)
""",
        "9.0",
    )


def test_without_nvrtc_programs_of_older_devices_run(run_text):
    run_text("from prog import spread\nspread(X), spread(X[:10])", "8.0")
    body = """
from prog import spread
for size in (999, 20):
    assert np.array_equal(spread(X[:size]), spread.__wrapped__(X[:size]))
assert spread.stats()["disk_hits"] == 1, spread.stats()
"""
    run_text(WITHOUT_NVRTC + body, "9.0")


def test_what_is_in_a_bundle(run_text, bundle):
    run_text(
        f"""
from quernel.cli import main
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert main(["cache", "ls", {bundle!r}]) == 0
lines = out.getvalue().splitlines()
assert lines[0] == "targets: sm_80, sm_90", lines
ends = [line.partition("  ")[2] for line in lines[1:]]
assert "sm_90  prog.py:spread (float64[n])" in ends, ends
assert "sm_80  prog.py:total (float64[n] on cuda, float64[n] on cuda)" in ends, ends
with contextlib.redirect_stderr(out):
    assert main(["cache", "ls", "/nowhere.qnb"]) == 2
assert "the bundle /nowhere.qnb can't be used" in out.getvalue()
"""
    )


def test_targets_of_the_wrong_kind(run_text):
    run_text(
        BUILD
        + """
for arguments, told in {
    ("prog.py:spread", "--target", "x86-64-v3"):
        "prog.py:spread (float64[n]) is for CUDA devices, and none of the targets x86-64-v3 is: "
        "add one, such as sm_90",
    ("prog.py:total", "--sig", "float64[n], float64[n]", "--target", "sm_80"):
        "prog.py:total (float64[n], float64[n]) is for processors, and none of the targets sm_80 "
        "is: add one, such as x86-64-v4",
    ("prog.py:spread", "--target", "sm_99"):
        "'sm_99' is no target; there are x86-64, x86-64-v2, x86-64-v3, x86-64-v4, "
        "x86-64-v4+svml, sm_75, sm_80, sm_90, sm_100",
    ("prog.py:total", "--sig", "float64[n], float64 on cuda", "--target", "sm_80"):
        "only arrays are on devices: write float64[]",
}.items():
    code, text = built(*arguments, "-o", "none.qnb")
    assert code == 2 and told in text, text
"""
    )


def test_a_build_without_nvrtc(run_text):
    body = """
for more in ([], ["--target", "sm_80"]):
    code, told = built("prog.py:spread", "-o", "none.qnb", *more)
    assert code == 1 and "NVRTC is not installed: there is none" in told, told
"""
    run_text(BUILD + WITHOUT_NVRTC + body)
