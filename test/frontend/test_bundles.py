"""Programs built ahead of time: bundles, their lock, and the signatures that a command records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath

import quernel as qn
from quernel import _runtime
from quernel.cache import bundles, store
from quernel.cache.target import _detected, capability, host_target, runnable
from quernel.cli import main

PROGRAM = """
import numpy as np
import quernel as qn

SCALE = {scale}


@qn.compile
def blend(a, b, k):
    return a ** k * SCALE + b


@qn.compile(signatures=["float32[n]"])
def halves(x):
    return x / 2


@qn.compile
def first(items):
    return items[0] + 1


class Model:
    @qn.compile
    def doubled(x):
        return x * 2
"""
CALLS = """
import json, sys
if "without" in sys.argv:
    sys.modules["quernel._compiler"] = None
import numpy as np
from prog import blend, first, Model
for n in (5, 7, 9):
    x = np.arange(float(n))
    assert (blend(x, x, 2) == blend.__wrapped__(x, x, 2)).all()
    assert (Model.doubled(x) == x * 2).all()
local = lambda x: x + 1
import quernel as qn
qn.compile(local)(x), qn.compile(local)(x[::2]), blend(b=x, a=x, k=1), first([x])
print(json.dumps([blend.stats(), Model.doubled.stats()]))
"""
TARGETS = "x86-64-v2,x86-64-v3,x86-64-v4"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "prog.py").write_text(PROGRAM.format(scale=2.5))
    (tmp_path / "calls.py").write_text(CALLS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "used", [])
    return tmp_path


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def called(*arguments: str, **environment: str) -> tuple[list[dict[str, Any]], str]:
    done = run(sys.executable, "calls.py", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def build(output: str = "made.qnb", *more: str) -> int:
    signature = "float64[n], float64[n], 2"
    return main(["build", "prog.py:blend", "--sig", signature, "-o", output, *more])


def test_a_bundle_answers_without_the_compiler(folder: Path, capsys) -> None:
    assert build("made.qnb", "--target", TARGETS) == 0
    told = capsys.readouterr().out
    assert "prog.py:blend (float64[n], float64[n], 2) x86-64-v3: " in told
    assert "6 programs in " in told  # for each target one for sizes of 0 and 1, too
    (blend, doubled), warned = called("without", QUERNEL_BUNDLE="made.qnb")
    assert (blend["compiles"], blend["disk_hits"], blend["memory_hits"]) == (0, 1, 2)
    assert doubled["fallbacks"] == 3
    assert "doubled runs in NumPy" in warned
    assert "this installation has no compiler" in warned
    assert "(instead: use a bundle that `quernel build` has made)" in warned


def test_functions_are_found_by_name_in_files_and_modules(folder: Path, capsys) -> None:
    names = (["prog.py"], ["prog"], ["prog.py:Model.doubled", "--sig", "float64[n]"])
    for number, arguments in enumerate(names):
        target = ("--target", "x86-64-v2")
        assert main(["build", *arguments, "-o", f"{number}.qnb", *target]) == 0
        assert bundles.Bundle(f"{number}.qnb").about["targets"] == ["x86-64-v2"]
    told = capsys.readouterr().out
    assert "prog.py:halves (float32[n])" in told
    assert "prog:halves (float32[n])" in told
    assert not os.path.exists("quernel.lock")


HALVES = """
import numpy as np
import quernel as qn


@qn.compile(fullgraph=True)
def converted(halves, floats, doubles):
    wide = halves.astype(np.float32), halves.astype(np.float64)
    return *wide, floats.astype(np.float16), doubles.astype(np.float16)


if __name__ == "__main__":
    halves = np.arange(65536).astype(np.uint16).view(np.float16)
    between = (halves[:-1].astype(float) + halves[1:].astype(float)) / 2
    beside = [np.nextafter(between, end) for end in (np.inf, -np.inf)]
    doubles = np.concatenate([between, *beside])
    floats = doubles.astype(np.float32)
    with np.errstate(all="ignore"):
        made = converted(halves, floats, doubles)
        wanted = converted.__wrapped__(halves, floats, doubles)
    for ours, theirs in zip(made, wanted):
        np.testing.assert_array_equal(ours, theirs)
        is_number = ~np.isnan(theirs)
        assert (np.signbit(ours) == np.signbit(theirs))[is_number].all()
    assert (converted.stats()["compiles"], converted.stats()["disk_hits"]) == (0, 1)
"""


def test_halves_where_processors_cannot_convert_them(folder: Path) -> None:
    (folder / "halves.py").write_text(HALVES)
    signature = "float16[n], float32[m], float64[m]"
    command = ["build", "halves.py:converted", "--sig", signature, "-o", "made.qnb"]
    assert main([*command, "--target", "x86-64-v2"]) == 0
    done = run(sys.executable, "halves.py", QUERNEL_BUNDLE="made.qnb")
    assert done.returncode == 0, done.stderr


PACKAGE = """
from dataclasses import dataclass

import quernel as qn
from . import FACTOR


@dataclass
class Pair:
    a: float
    b: float


PAIR = Pair(1.0, 2.0)


@qn.compile
def moved(x):
    return x * FACTOR + PAIR.a * PAIR.b
"""
IMPORTED = """
import sys
sys.modules["quernel._compiler"] = None
sys.path.insert(0, "src")
import numpy as np
from package.inner.module import moved
assert (moved(np.ones(3)) == 4).all()
assert moved.stats()["disk_hits"] == 1, moved.stats()
"""


@pytest.mark.parametrize("name", ["src/package/inner/module.py", "package.inner.module"])
def test_a_function_of_a_package_is_built_as_it_is_imported(folder: Path, name: str) -> None:
    inner = folder / "src" / "package" / "inner"
    inner.mkdir(parents=True)
    (inner.parent / "__init__.py").write_text("")
    (inner / "__init__.py").write_text("FACTOR = 2")
    (inner / "module.py").write_text(PACKAGE)
    quernel = [sys.executable, "-m", "quernel", "build", f"{name}:moved"]
    target = ["--target", _runtime.usable_targets()[-1], "-o", "made.qnb"]
    done = run(*quernel, *target, "--sig", "float64[n]", PYTHONPATH="src")
    assert done.returncode == 0, done.stderr
    done = run(sys.executable, "-c", IMPORTED, QUERNEL_BUNDLE="made.qnb")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["json/decoder.py", "json/mine.py"])
def test_a_file_of_a_package_whose_name_another_one_has(folder: Path, name: str) -> None:
    (folder / "json").mkdir()
    (folder / "json" / "__init__.py").write_text("")
    (folder / name).write_text(PROGRAM.format(scale=2))
    assert main(["build", name, "-o", "made.qnb", "--target", "x86-64-v2"]) == 0


def test_the_file_of_a_package_itself(folder: Path) -> None:
    (folder / "package").mkdir()
    text = PACKAGE.replace("from . import FACTOR", "FACTOR = 2")
    (folder / "package" / "__init__.py").write_text(text)
    quernel = [sys.executable, "-m", "quernel", "build", "package/__init__.py:moved"]
    target = ["--target", _runtime.usable_targets()[-1], "-o", "made.qnb"]
    assert run(*quernel, *target, "--sig", "float64[n]").returncode == 0
    imported = IMPORTED.replace("package.inner.module", "package")
    done = run(sys.executable, "-c", imported, QUERNEL_BUNDLE="made.qnb", PYTHONPATH=str(folder))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_package_that_can_t_be_imported(folder: Path, capsys) -> None:
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("1 / 0")
    (folder / "package" / "module.py").write_text(PROGRAM.format(scale=2))
    assert main(["build", "package/module.py", "-o", "made.qnb"]) == 1
    told = capsys.readouterr().err
    assert "package/module.py can't be run" in told
    assert "ZeroDivisionError" in told


def test_the_best_target_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("made.qnb", "--target", TARGETS)
    bundle = bundles.Bundle("made.qnb")
    assert bundle.targets == TARGETS.split(",")
    usable = runnable(bundle.targets, host_target())
    assert usable == [t for t in _runtime.usable_targets() if t in bundle.targets]
    best = [p["program"] for p in bundle.about["programs"] if p["target"] == usable[0]]
    qn.cache.use("made.qnb")
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(folder / "none"))
    sys.path.insert(0, str(folder))
    try:
        import prog
    finally:
        del sys.path[0], sys.modules["prog"]
    for size in (3, 1, 0):
        assert np.array_equal(
            prog.blend(np.ones(size), np.ones(size), 2),
            prog.blend.__wrapped__(np.ones(size), np.ones(size), 2),
        )
    programs = prog.blend.prepare.__self__.programs.values()
    assert sorted(program.entry["object"] for program in programs) == sorted(best)
    assert prog.blend.stats()["compiles"] == 0


def test_a_bundle_for_another_processor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("made.qnb", "--target", "x86-64-v4")
    monkeypatch.setattr(_runtime, "usable_targets", lambda: ["x86-64-v2", "x86-64"])
    with pytest.raises(qn.errors.CacheError, match=r"has programs for x86-64-v4; this processor"):
        qn.cache.use("made.qnb")
    assert runnable(bundles.Bundle("made.qnb").targets, host_target()) == []


def test_devices_run_what_is_for_older_ones() -> None:
    targets = ["x86-64-v3", "sm_80", "sm_100", "sm_75", "sm_86", "sm_90a"]
    assert runnable(targets, "sm_90") == ["sm_86", "sm_80", "sm_75"]
    assert runnable(targets, "sm_100") == ["sm_100", "sm_86", "sm_80", "sm_75"]
    assert runnable(targets, "sm_70") == []
    assert capability("sm_100") == 100
    assert capability("x86-64-v3+svml") is None


@pytest.mark.parametrize(
    ("loops", "target"),
    [
        ("X86_V4", "x86-64-v4+svml"),
        ("AVX512_SKX", "x86-64-v4+svml"),
        ("baseline(X86_V2)", "x86-64-v4"),
        (None, "x86-64-v4+svml"),
    ],
)
def test_numpy_is_asked_whose_functions_of_math_it_calls(loops, target, monkeypatch) -> None:
    levels = ["x86-64-v4+svml", "x86-64-v4", "x86-64-v3"]
    monkeypatch.setattr(_runtime, "host_target", lambda: levels[0])
    monkeypatch.setattr(_runtime, "usable_targets", lambda: levels)
    told = {"tan": {"dd": {"current": loops, "available": "X86_V4 baseline(X86_V2)"}}}
    monkeypatch.setattr(_multiarray_umath, "__cpu_targets_info__", told if loops else {})
    monkeypatch.setattr("quernel.cache.target._detected", _detected.__wrapped__)
    assert host_target() == target
    assert runnable(levels, target) == levels[levels.index(target) :]


def damaged(how: str, path: Path) -> None:
    data = path.read_bytes()
    line = data.index(b"\n")
    if how == "no file":
        path.unlink()
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    elif how == "no bundle":
        path.write_bytes(b"PK" + data)
    elif how == "another version":
        path.write_bytes(data.replace(b"quernel-bundle 1", b"quernel-bundle 9", 1))
    elif how == "cut":
        path.write_bytes(data[: line + 50])
    elif how == "description":
        path.write_bytes(data[: line + 9] + b"!" + data[line + 10 :])
    elif how == "others":
        path.chmod(0o666)
    else:
        apart = path.parent / "apart"
        apart.mkdir()
        path.rename(apart / path.name)
        path.symlink_to(apart / path.name)
        apart.chmod(0o777)


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("no file", "can't be used: No such file"),
        ("a folder", "can't be used: not a file"),
        ("no bundle", "isn't a bundle of this version"),
        ("another version", "isn't a bundle of this version"),
        ("cut", "is damaged"),
        ("description", "is damaged"),
        ("others", "can't be used: other users may write this file"),
        ("others' folder", "apart: other users may write in this folder"),
    ],
)
def test_bundles_that_are_not_used(folder: Path, how: str, text: str) -> None:
    build()
    damaged(how, folder / "made.qnb")
    with pytest.raises(qn.errors.CacheError, match=text):
        qn.cache.use("made.qnb")
    (blend, _), warned = called(QUERNEL_BUNDLE="made.qnb")
    assert blend["disk_hits"] == 0
    assert warned.count("RuntimeWarning: QUERNEL_BUNDLE: ") == 1
    assert text in warned


def test_a_bundle_of_another_user(folder: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    build()
    os.chown("made.qnb", 65534, 65534)
    with pytest.raises(qn.errors.CacheError, match="this file belongs to another user"):
        qn.cache.use("made.qnb")


def test_a_bundle_in_a_folder_that_all_may_write(folder: Path) -> None:
    build("made.qnb", "--target", _runtime.usable_targets()[-1])
    folder.chmod(0o777)
    try:
        with pytest.raises(qn.errors.CacheError) as caught:
            qn.cache.use("made.qnb")
        where = f"the bundle {folder}/made.qnb can't be used"
        assert str(caught.value) == f"{where}: {folder}: other users may write in this folder"
        folder.chmod(0o1777)  # where each can remove his own files alone
        qn.cache.use("made.qnb")
    finally:
        folder.chmod(0o700)


MISFITS = {
    "build": ("0" * 32, "another build of Quernel"),
    "numpy": ("1.0.0", f"NumPy 1.0.0, and this is {np.__version__}"),
    "python": ("cpython-39", f"Python cpython-39, and this is {sys.implementation.cache_tag}"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_bundle_of_something_else_is_told_of(folder: Path, name: str) -> None:
    build("made.qnb", "--target", _runtime.usable_targets()[-1])
    value, text = MISFITS[name]
    about = bundles.about(bundles.Bundle("made.qnb").targets, [])
    bundles.write("other.qnb", {**about, name: value}, {})
    with pytest.warns(
        RuntimeWarning, match=f"other.qnb isn't used, since it is of {text}: "
    ) as told:
        qn.cache.use("other.qnb")
    assert told[0].filename == __file__
    assert store.used == []
    (blend, _), warned = called("without", QUERNEL_BUNDLE="other.qnb:made.qnb")
    assert (blend["compiles"], blend["disk_hits"]) == (0, 1)
    assert warned.count("QUERNEL_BUNDLE: the bundle ") == 1
    assert text in warned


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (".index", "the record is damaged"),
        (".program", "the record is damaged"),
        ("cut", "this isn't the record of its name"),
    ],
)
def test_a_damaged_record_is_compiled_anew(folder: Path, kind: str, told: str) -> None:
    build("made.qnb", "--target", _runtime.usable_targets()[-1])
    data = bytearray((folder / "made.qnb").read_bytes())
    line, _, _ = data.partition(b"\n")
    start = len(line) + 1 + int(line.split()[2])
    # An index, and two programs, of which one is for sizes of 0 and 1, which nobody asks for.
    records = json.loads(data[len(line) + 1 : start])["records"]
    assert sorted(name.partition(".")[2] for name in records) == ["index", "program", "program"]
    for name, (offset, size) in records.items():
        data[start + offset + size - 9] ^= 8 * name.endswith(kind)
    (folder / "made.qnb").write_bytes(data[: start + 9] if kind == "cut" else data)
    (blend, _), warned = called(QUERNEL_BUNDLE="made.qnb")
    assert blend["compiles"] >= 1
    assert warned.count(told) == 1


def test_opening_a_bundle_reads_its_description_alone(folder: Path, monkeypatch) -> None:
    build()
    sizes = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *args: sizes.append(args[1]) or pread(*args))
    bundle = bundles.Bundle("made.qnb")
    assert sum(sizes) < os.path.getsize("made.qnb") / 4
    assert bundle.load("program", "0123") is None


def test_the_cache_as_a_bundle(folder: Path) -> None:
    called()
    path = qn.cache.bundle(folder / "all.qnb")
    assert path == str(folder / "all.qnb")
    (blend, _), _ = called("without", QUERNEL_BUNDLE=path, QUERNEL_CACHE_DIR=str(folder / "none"))
    assert blend["compiles"] == 0
    assert blend["disk_hits"] >= 1
    with pytest.raises(qn.errors.CacheError, match="can't be written"):
        qn.cache.bundle(folder / "nowhere" / "all.qnb")


def test_a_bundle_has_no_records_that_others_could_have_written(folder: Path) -> None:
    called()
    (folder / "cache").chmod(0o777)
    with pytest.raises(qn.errors.CacheError, match=r"can't be written: .*/cache: other users may"):
        qn.cache.bundle(folder / "all.qnb")
    assert not os.path.exists("all.qnb")


def test_record_then_build_then_locked(folder: Path, capsys) -> None:
    (folder / "quernel.toml").write_text('# ours\n[[function]]\nname = "a.py:f"\nsignatures = []\n')
    quernel = [sys.executable, "-m", "quernel"]
    done = run(*quernel, "record", sys.executable, "calls.py")
    assert done.returncode == 0, done.stderr
    assert "left out: calls.py:<lambda>: the function has no name that leads to it" in done.stderr
    assert "left out: prog.py:blend: the argument b is given by name" in done.stderr
    assert "left out: prog.py:first: an argument is a list" in done.stderr
    text = (folder / "quernel.toml").read_text()
    assert text.startswith("# ours\n")
    for line in ('"prog.py:blend"', "'float64[n0], float64[n0], 2'", '"prog.py:Model.doubled"'):
        assert line in text.replace(
            '"float64[n0], float64[n0], 2"', "'float64[n0], float64[n0], 2'"
        )
    again = run(*quernel, "record", sys.executable, "calls.py")
    assert "0 new signatures" in again.stdout
    (folder / "quernel.toml").write_text(
        text.replace('[[function]]\nname = "a.py:f"\nsignatures = []\n', "")
    )

    assert main(["build", "-o", "made.qnb", "--target", "x86-64-v2"]) == 0
    assert (folder / "quernel.lock").read_text().count("[[program]]") == 8
    assert main(["build", "--locked", "--target", "x86-64-v2"]) == 0
    assert "quernel.lock is as it would be made" in capsys.readouterr().out
    (blend, doubled), _ = called("without", QUERNEL_BUNDLE="made.qnb")
    assert blend["compiles"] == doubled["compiles"] == doubled["fallbacks"] == 0

    (folder / "prog.py").write_text(PROGRAM.format(scale=3.5))
    sys.modules.pop("prog", None)
    made = (folder / "made.qnb").read_bytes()
    assert main(["build", "-o", "made.qnb", "--locked", "--target", "x86-64-v2"]) == 1
    told = capsys.readouterr()
    assert "quernel.lock would change" in told.err
    assert "-program = " in told.out
    assert (folder / "made.qnb").read_bytes() == made
    (folder / "quernel.lock").unlink()
    assert main(["build", "--locked"]) == 2
    assert "there is no lock file" in capsys.readouterr().err


def test_a_command_that_fails_or_isnt_there(folder: Path, capsys) -> None:
    assert main(["record", sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert main(["record"]) == 2
    assert main(["record", "no-such-command"]) == 2
    told = capsys.readouterr().err
    assert "record needs a command" in told
    assert "'no-such-command' can't be run" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no quernel.toml"),
        ("[[function]\n", "at line 1 col 11"),
        ("a = 1\n[[function]]\nname = 'p.py:f'\nsignatures = [1\n", "at line 4 col"),
        ("", "quernel.toml has no [[function]]"),
        ("function = 3", "`function` has to be tables"),
        ("[[function]]\nsignatures = ['int64']", "number 1 has no 'name'"),
        ("[[function]]\nname = 'prog.py:blend'", "number 1 has no 'signatures'"),
        ("[[function]]\nname = 3", "'name' has to be a text"),
        ("[[function]]\nname = 'a'\nsignatures = 'b'", "'signatures' has to be texts"),
        ("[[function]]\nname = 'a'\nsignature = ['b']", "has no 'signature'; it has name,"),
        (
            "[[function]]\nname = 'prog.py:blend'\nsignatures = ['int64']\ntargets = ['z80']",
            "'z80' is no target; there are x86-64, ",
        ),
        ("[[function]]\nname = 'prog.py:no'\nsignatures = ['int64']", "has no function 'no'"),
        ("[[function]]\nname = 'nowhere.x:f'\nsignatures = ['int64']", "no module nowhere.x"),
    ],
)
def test_faults_of_the_toml(folder: Path, capsys, text: str | None, told: str) -> None:
    if text is not None:
        (folder / "quernel.toml").write_text(text)
    assert main(["build", "-o", "made.qnb"]) == 2
    assert told in capsys.readouterr().err
    assert not os.path.exists("made.qnb")


def test_what_cannot_be_built(folder: Path, capsys) -> None:
    wrong = [
        (["build", "prog.py:blend", "-o", "b"], 2, "prog.py:blend has no signatures"),
        (["build", "--sig", "int64", "-o", "b"], 2, "--sig needs a function"),
        (["build", "prog.py:blend", "--sig", "int64"], 2, "build needs -o BUNDLE"),
        (["build", "calls.py", "-o", "b"], 2, "calls.py has no compiled function with signatures"),
        (["build", "json", "-o", "b"], 2, "json has no compiled function with signatures"),
        (["build", "broken", "-o", "b"], 1, "broken can't be imported"),
        (["build", "ends", "-o", "b"], 1, "ends ends the process"),
        (["build", "halved", "-o", "b"], 1, "halved can't be imported"),
    ]
    (folder / "broken.py").write_text("1 / 0")
    (folder / "ends.py").write_text("raise SystemExit(1)")
    (folder / "halved.py").write_text("import nowhere_else")
    (folder / "calls.py").write_text("from prog import blend")
    for arguments, status, told in wrong:
        assert main(arguments) == status
        assert told in capsys.readouterr().err
    assert build(str(folder / "nowhere" / "b")) == 2
    assert "can't be written: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("float64[n], int63[n]", 12),
        ("float64[n] float32", 0),
        ("float64[2, n!]", 0),
        ("int64, 3x", 7),
        ("int64,  ?", 8),
    ],
)
def test_a_malformed_signature_is_pointed_at(text: str, pointer: int) -> None:
    compiled = qn.compile(lambda a, b: a + b)
    with pytest.raises(qn.errors.SignatureError) as caught:
        compiled.prepare(text)
    *_, shown, mark = str(caught.value).split("\n")
    assert shown == f"  {text}"
    assert mark == f"  {' ' * pointer}^"


def test_signatures_have_values(folder: Path) -> None:
    def chosen(x, axis, keepdims, how, scale):
        total = x.sum(axis=axis, keepdims=keepdims)
        return total * scale if how == "scaled" else total

    compiled = qn.compile(chosen, fullgraph=True)
    compiled.prepare("float64[n,3], 0, True, 'scaled', 2.5")
    compiled.prepare('float64[n,3], None, False, "plain", -1e3')
    x = np.arange(12.0).reshape(4, 3)
    for arguments in ((x, 0, True, "scaled", 2.5), (x, None, False, "plain", -1e3)):
        np.testing.assert_array_equal(compiled(*arguments), chosen(*arguments))
    assert compiled.stats()["compiles"] == 2


def test_a_named_size_has_to_be_any_size(folder: Path) -> None:
    compiled = qn.compile(lambda x: np.convolve(x, np.full(5, 0.2), mode="same"))
    with pytest.raises(
        qn.errors.UnsupportedError, match=r"the size of axis 0 of `x` has to be part"
    ):
        compiled.prepare("float64[n]")
    compiled.prepare("float64[100]")


def test_a_terminal_has_a_bar(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert build("made.qnb", "--target", "x86-64-v2,x86-64-v3") == 0
    assert "[############............] 1/2" in capsys.readouterr().out
