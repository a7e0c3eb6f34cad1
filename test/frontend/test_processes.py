"""Other processes: the disk cache in all its states, imports, two compilers at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quernel import _runtime

PROGRAM = """
import sys, time, json
import numpy as np
numpy_time = time.process_time()  # what others do on the machine doesn't count
import quernel as qn
import_time = time.process_time() - numpy_time
{body}
"""
KMEANS = """
SCALE = {scale}
def helper(x):
    return x * SCALE

@qn.compile(fullgraph=True)
def kmeans(X, means):
    return helper(np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0))

X = np.random.default_rng(0).normal(size=(200, 2))
means = np.array([[5, 5], [10, 10]])
start = time.process_time()
got = kmeans(X, means)
first = time.process_time() - start
assert (got == kmeans.__wrapped__(X, means)).all()
stats = kmeans.stats()
print(json.dumps({{
    "first": first, "compiles": stats["compiles"], "disk_hits": stats["disk_hits"],
    "loaded": "quernel._compiler" in sys.modules, "traced": "quernel.capture.trace" in sys.modules,
}}))
"""


def python(
    body: str, cache: Path, check: bool = True, **environment: str
) -> subprocess.CompletedProcess:
    """Python as users have it: what it has once compiled of the sources it keeps."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(body=body)],
        capture_output=True,
        text=True,
        check=check,
        env={**inherited, "QUERNEL_CACHE_DIR": str(cache), **environment},
    )


def kmeans(cache: Path, tmp_path: Path, scale: str = "2") -> dict:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(body=KMEANS.format(scale=scale)))
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "QUERNEL_CACHE_DIR": str(cache)},
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "stderr": done.stderr}


def test_a_warm_cache_needs_no_compiler(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cold, warm = kmeans(cache, tmp_path), kmeans(cache, tmp_path)
    assert (cold["compiles"], cold["disk_hits"], cold["loaded"]) == (1, 0, True)
    assert (warm["compiles"], warm["disk_hits"]) == (0, 1)
    assert not warm["loaded"]
    assert not warm["traced"]
    best = min(kmeans(cache, tmp_path)["first"] for _ in range(5))
    assert best < 0.010


def test_what_the_function_reads_is_in_the_key(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for scale, compiles in (("2", 1), ("3", 1), ("2", 0), ("3", 0), ("2.0", 1)):
        assert kmeans(cache, tmp_path, scale)["compiles"] == compiles


def test_the_cache_holds_no_pickles(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    kmeans(cache, tmp_path)
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".program", ".index"}
    assert not any(b"pickle" in path.read_bytes() for path in files)


def exchanged(paths: list[Path]) -> None:
    contents = [path.read_bytes() for path in paths]
    for path, data in zip(paths, contents[1:] + contents[:1], strict=True):
        path.write_bytes(data)


DAMAGES = {
    "truncate": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "garbage": lambda path: path.write_bytes(bytes(255 - b for b in path.read_bytes())),
    "a flipped bit": lambda path: path.write_bytes(
        bytes([*(data := path.read_bytes())[:-9], data[-9] ^ 4, *data[-8:]])
    ),
    "empty": lambda path: path.write_bytes(b""),
    "remove": Path.unlink,
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "link": lambda path: (path.rename(f"{path}.away"), path.symlink_to(f"{path}.away")),
    "another's": lambda path: path.chmod(0o666),
}


@pytest.mark.parametrize("kind", ["program", "index"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_a_miss(tmp_path: Path, damage: str, kind: str) -> None:
    cache = tmp_path / "cache"
    kmeans(cache, tmp_path)
    (path,) = cache.rglob(f"*.{kind}")
    DAMAGES[damage](path)
    again = kmeans(cache, tmp_path)
    is_silent = damage == "remove"
    assert (again["compiles"] == 0) == (kind == "index")  # the program itself is there still
    assert ("RuntimeWarning" in again["stderr"]) != is_silent
    assert again["stderr"].count("RuntimeWarning") <= 1
    healed = kmeans(cache, tmp_path)
    assert (healed["compiles"], healed["stderr"]) == (0, "")


def test_exchanged_records_are_misses(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for scale in ("2", "3"):
        kmeans(cache, tmp_path, scale)
    for kind in ("program", "index"):
        exchanged(sorted(cache.rglob(f"*.{kind}")))
    for scale in ("2", "3"):
        assert kmeans(cache, tmp_path, scale)["compiles"] == 1
    for scale in ("2", "3"):
        assert kmeans(cache, tmp_path, scale)["compiles"] == 0


def test_a_program_that_can_t_be_loaded_is_compiled_anew(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    kmeans(cache, tmp_path)
    (path,) = cache.rglob("*.program")
    stored = _runtime.DiskCache(str(cache))
    _, manifest = stored.load("program", path.stem)
    stored.store("program", path.stem, manifest, b"\x7fELF of another machine")
    again = kmeans(cache, tmp_path)
    assert again["compiles"] == 1
    assert again["stderr"].count("RuntimeWarning") == 1
    assert kmeans(cache, tmp_path)["compiles"] == 0


def test_layers_below_are_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below, own = tmp_path / "below", tmp_path / "own"
    kmeans(below, tmp_path)
    before = sorted(path for path in below.rglob("*"))
    monkeypatch.setenv("QUERNEL_CACHE_LAYERS", f"{tmp_path / 'nowhere'}{os.pathsep}{below}")
    assert kmeans(own, tmp_path)["compiles"] == 0
    assert kmeans(own, tmp_path, "3")["compiles"] == 1
    assert kmeans(own, tmp_path, "3")["compiles"] == 0
    assert kmeans(own, tmp_path)["compiles"] == 0
    assert sorted(path for path in below.rglob("*")) == before


@pytest.mark.parametrize(("most", "is_told"), [("1000", False), ("many", True)])
def test_the_size_of_the_cache(tmp_path: Path, monkeypatch, most: str, is_told: bool) -> None:
    monkeypatch.setenv("QUERNEL_CACHE_MAX_BYTES", most)
    done = kmeans(tmp_path / "cache", tmp_path)
    assert ("QUERNEL_CACHE_MAX_BYTES='many' isn't a number of bytes" in done["stderr"]) == is_told


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    kmeans(cache, tmp_path)
    for path in cache.rglob("*"):
        if path.is_file():
            path.chmod(0o666)
    assert kmeans(cache, tmp_path)["compiles"] == 1


def test_a_folder_that_can_t_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for _ in range(2):
        done = kmeans(blocked, tmp_path)
        assert done["compiles"] == 1
        assert "RuntimeWarning" in done["stderr"]


def test_a_full_disk(tmp_path: Path) -> None:
    done = kmeans(Path("/dev/full/cache"), tmp_path)
    assert done["compiles"] == 1
    assert "RuntimeWarning" in done["stderr"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    kmeans(cache, tmp_path)
    for path in [cache, *cache.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    assert kmeans(cache, tmp_path)["compiles"] == 0
    done = kmeans(cache, tmp_path, "9")
    assert done["compiles"] == 1
    assert "RuntimeWarning" in done["stderr"]


def test_processes_that_begin_at_once_compile_once(tmp_path: Path) -> None:
    cache, script = tmp_path / "cache", tmp_path / "program.py"
    script.write_text(PROGRAM.format(body=KMEANS.format(scale="2")))
    runs = [
        subprocess.Popen(
            [sys.executable, str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "QUERNEL_CACHE_DIR": str(cache)},
        )
        for _ in range(6)
    ]
    compiles = 0
    for run in runs:
        out, err = run.communicate(timeout=120)
        assert (run.returncode, err) == (0, "")
        compiles += json.loads(out)["compiles"]
    assert 1 <= compiles <= 2
    assert sorted(path.suffix for path in cache.rglob("*.*")) == [".index", ".program"]
    assert kmeans(cache, tmp_path)["compiles"] == 0


def test_import_is_cheap(tmp_path: Path) -> None:
    body = """
heavy = {"quernel._compiler", "quernel.capture.trace", "typer", "rich", "platformdirs", "json.tool"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
print(import_time)
"""
    best = min(float(python(body, tmp_path).stdout) for _ in range(5))
    assert best < 0.060


def test_programs_of_unlike_targets_and_builds_don_t_mix(tmp_path: Path) -> None:
    body = """
import quernel.cache.store as store
index = store.index_of("x86-64-v3", "f", (), "")
assert index.key("x86-64-v2") != index.key("x86-64-v3") == index.key()
before, store.BUILD = index.key(), "another"
assert store.index_of("x86-64-v3", "f", (), "").key() != before
"""
    python(body, tmp_path)


def test_the_cache_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    import quernel as qn

    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "a"))
    f = qn.compile(lambda x: x * 3 + 1, fullgraph=True)
    f(np.ones(3))
    assert qn.cache.path == str(tmp_path / "a")
    assert qn.cache.info()["path"] == str(tmp_path / "a")
    qn.cache.verify()
    bundle = qn.cache.bundle(tmp_path / "b")
    qn.cache.clear()
    assert not list((tmp_path / "a").rglob("*.*"))
    monkeypatch.setattr(qn.cache.store, "used", [])
    qn.cache.use(bundle)
    g = qn.compile(f.__wrapped__, fullgraph=True)
    g(np.ones(3))
    assert (g.stats()["compiles"], g.stats()["disk_hits"]) == (0, 1)
    with pytest.raises(qn.errors.CacheError):
        qn.cache.use(tmp_path / "nowhere")
