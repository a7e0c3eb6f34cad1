"""Programs, the cache on disk, the process."""

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


# The cache on disk


@pytest.fixture
def cache(tmp_path):
    return _runtime.DiskCache(str(tmp_path / "objects"))


def test_disk_cache(cache, kernels, tmp_path):
    with open(kernels, "rb") as file:
        code = file.read()
    key = "0123abcd"
    assert cache.path == str(tmp_path / "objects")
    assert cache.load(key) is None
    path = cache.store(key, code, '{"entry": "fused"}')
    assert path == str(tmp_path / "objects" / "01" / f"{key}.so")
    assert cache.load(key) == (path, '{"entry": "fused"}')
    assert Program(path, "fused", None).path == path
    assert cache.info()["entries"] == 1
    assert cache.info()["bytes"] >= len(code)
    assert cache.verify() == []
    assert cache.prune(1 << 40)["entries"] == 0
    assert cache.prune(0)["entries"] == 1
    cache.store(key, code, "{}")
    assert cache.clear()["entries"] == 1
    assert cache.load(key) is None


def test_damaged_cache(cache):
    path = cache.store("0123abcd", b"code", "{}")
    with open(path, "ab") as file:
        file.write(b"x")
    ((key, reason),) = cache.verify()
    assert key == "0123abcd"
    assert reason
    with pytest.warns(RuntimeWarning, match="0123abcd"):
        assert cache.load("0123abcd") is None
    assert cache.store("0123abcd", b"code", "{}") == path
    assert cache.load("0123abcd") == (path, "{}")


def test_cache_where_no_folder_can_be(tmp_path, recwarn):
    (tmp_path / "file").write_text("")
    cache = _runtime.DiskCache(str(tmp_path / "file" / "objects"))
    assert cache.store("0123abcd", b"code", "{}") is None
    assert cache.store("0123abcd", b"code", "{}") is None
    (warning,) = recwarn
    assert warning.category is RuntimeWarning
    assert str(tmp_path) in str(warning.message)
