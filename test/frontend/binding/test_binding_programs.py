"""Programs, the cache on disk, the process."""

import numpy as np
import pytest
from binding_support import function
from quernel._runtime import Program, Specialization

from quernel import _runtime

# Programs


def test_program_that_is_missing(tmp_path):
    with pytest.raises(OSError, match=r"missing\.so"):
        Program(str(tmp_path / "missing.so"), "entry", None)


def test_program_that_is_no_object(tmp_path):
    (tmp_path / "text.so").write_text("text")
    with pytest.raises(OSError, match=r"text\.so"):
        Program(str(tmp_path / "text.so"), "entry", None)


def test_program_without_the_entry(kernels):
    with pytest.raises(OSError, match="no_such_entry"):
        Program(kernels, "no_such_entry", None)


def test_program_without_the_function_of_shapes(kernels):
    with pytest.raises(OSError, match="no_such_shapes"):
        Program(kernels, "fused", "no_such_shapes")


def test_program_from_bytes(kernels):
    with open(kernels, "rb") as file:
        program = Program.from_bytes(file.read(), "answer2")
    answer = Specialization(
        program, nargs=0, parameters=[], symbols=0, outputs=[("int64", ())], result=("scalar", 0)
    )
    assert function(answer)() == 2


def test_program_from_bytes_that_are_no_object():
    with pytest.raises(OSError, match="not a shared object"):
        Program.from_bytes(b"text", "entry")


def test_program_that_runs_on_arrays(kernels):
    code, numbers = np.array(0, np.int32), np.zeros((), np.int64)
    assert Program(kernels, "code_of").run([code, numbers], []) == (0, [])
    code[...] = 5
    assert Program(kernels, "code_of").run([code], [3], threads=1) == (5, [])


def test_program_that_runs_on_what_is_no_array(kernels):
    with pytest.raises(TypeError, match="run: expected an array, not list"):
        Program(kernels, "code_of").run([[1]], [])


# The cache on disk


@pytest.fixture
def cache(tmp_path):
    return _runtime.DiskCache(str(tmp_path / "objects"))


def test_disk_cache(cache, kernels, tmp_path):
    with open(kernels, "rb") as file:
        code = file.read()
    key, manifest = "0123abcd", b'{"entry": "fused"}'
    assert cache.path == str(tmp_path / "objects")
    assert cache.load("program", key) is None
    assert cache.store("program", key, manifest, code)
    assert (tmp_path / "objects" / "01" / f"{key}.program").exists()
    assert cache.load("program", key) == (code, manifest)
    assert cache.store("index", key, b"[]")
    assert cache.load("index", key) == (b"", b"[]")
    assert Program.from_bytes(code, "fused", None).path
    assert cache.info()["programs"] == 1
    assert cache.info()["bytes"] >= len(code)
    assert cache.verify() == []
    assert cache.prune(1 << 40)["programs"] == 0
    assert cache.prune(0)["programs"] == 1
    cache.store("program", key, manifest, code)
    assert cache.clear()["programs"] == 1
    assert cache.load("program", key) is None


def test_damaged_cache(cache, tmp_path):
    cache.store("program", "0123abcd", b"{}", b"code")
    with open(tmp_path / "objects" / "01" / "0123abcd.program", "ab") as file:
        file.write(b"x")
    ((key, reason),) = cache.verify()
    assert key == "0123abcd"
    assert reason
    with pytest.warns(RuntimeWarning, match="0123abcd"):
        assert cache.load("program", "0123abcd") is None
    assert cache.store("program", "0123abcd", b"{}", b"code")
    assert cache.load("program", "0123abcd") == (b"code", b"{}")


def test_a_record_of_no_use(cache):
    cache.store("program", "0123abcd", b"{}", b"code")
    with pytest.warns(RuntimeWarning, match="it has no symbol"):
        cache.drop("program", "0123abcd", "0123abcd: it has no symbol")
    assert cache.load("program", "0123abcd") is None
    with pytest.raises(ValueError, match="no record is of the kind 'object'"):
        cache.load("object", "0123abcd")


def test_locks_of_the_cache(cache):
    lock = cache.try_lock("0123abcd")
    assert lock is not None
    assert cache.try_lock("0123abcd") is None
    del lock
    assert cache.try_lock("0123abcd") is not None


def test_cache_where_no_folder_can_be(tmp_path, recwarn):
    (tmp_path / "file").write_text("")
    cache = _runtime.DiskCache(str(tmp_path / "file" / "objects"))
    assert not cache.store("program", "0123abcd", b"{}", b"code")
    assert not cache.store("program", "0123abcd", b"{}", b"code")
    (warning,) = recwarn
    assert warning.category is RuntimeWarning
    assert str(tmp_path) in str(warning.message)
