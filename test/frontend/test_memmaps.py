"""Memmaps among the arguments: arrays whose memory is a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError


@pytest.fixture
def mapped(tmp_path):
    made = np.memmap(tmp_path / "numbers", np.float64, "w+", shape=(40, 3))
    made[:] = np.arange(120.0).reshape(40, 3)
    return made


def parts(x):
    return (
        *(x, x[2:5], x.T, x[0], x.reshape(-1), x[::2, 1]),
        *(x[3, 2], x * 2, x[x[:, 0] > 60], x[[1, 2]], np.exp(-x).sum(axis=0), x.mean()),
    )


def test_results_are_numpys(mapped) -> None:
    compiled = qn.compile(parts, fullgraph=True)
    compiled(np.array(mapped))
    got, want = compiled(mapped), parts(mapped)
    assert compiled.stats()["compiles"] == 1
    assert got[0] is mapped
    for own, other in zip(got, want, strict=True):
        assert type(own) is type(other)
        np.testing.assert_allclose(own, other, rtol=1e-15)
    for own, other in zip(got[1:6], want[1:6], strict=True):
        assert own._mmap is other._mmap
        assert own.filename == other.filename
        assert own.ctypes.data == other.ctypes.data
        assert own.strides == other.strides


def test_writes_are_the_file_s(mapped, tmp_path) -> None:
    def negate(x):
        x[3:5] *= -1
        x += 1

    want = np.array(mapped)
    negate(want)
    qn.compile(negate, fullgraph=True)(mapped)
    mapped.flush()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "numbers").reshape(40, 3), want)


def test_files_that_are_read_alone(mapped, tmp_path) -> None:
    def negate(x):
        x *= -1

    read = np.memmap(tmp_path / "numbers", np.float64, "r", shape=(40, 3))
    compiled = qn.compile(negate)
    compiled(np.ones((40, 3)))
    with pytest.raises(ValueError, match="read-only"):
        compiled(read)
    np.testing.assert_array_equal(qn.compile(lambda x: x + 1, fullgraph=True)(read), read + 1)


def test_parts_of_one_file(mapped) -> None:
    def shift(x, y):
        x[...] = y + 1
        return x

    want = np.array(mapped)
    shift(want[1:], want[:-1])
    got = qn.compile(shift, fullgraph=True)(mapped[1:], mapped[:-1])
    assert type(got) is np.memmap
    np.testing.assert_array_equal(mapped, want)


def test_other_bytes(mapped) -> None:
    swapped = mapped.view(">f8")
    got = qn.compile(lambda x: x + 1, fullgraph=True)(swapped)
    np.testing.assert_array_equal(got, np.asarray(swapped) + 1)


def test_globals_and_attributes(mapped) -> None:
    class Data:
        def __init__(self) -> None:
            self.numbers = mapped

        def total(self, x: Any) -> Any:
            return (self.numbers * mapped).sum() + x

    data = Data()
    assert qn.compile(data.total, fullgraph=True)(1.0) == data.total(1.0)


ASKED = [
    lambda x: (type(x) is np.ndarray, x + 1),
    lambda x: (isinstance(x, np.memmap), x + 1),
    lambda x: (x.__class__ is np.ndarray, x + 1),
    lambda x: (hasattr(x, "flush"), x + 1),
    lambda x: (getattr(x, "mode", "none"), x + 1),
]


@pytest.mark.parametrize("first", ["a memmap", "a plain array"])
@pytest.mark.parametrize("function", ASKED)
def test_classes_that_a_program_asks_for(mapped, function, first) -> None:
    compiled = qn.compile(function)
    calls = [mapped, np.array(mapped)]
    for x in (*calls[:: 1 if first == "a memmap" else -1], *calls):
        if x is mapped and not compiled.stats()["fallbacks"]:
            with pytest.warns(FallbackWarning, match="the class of `x`, a memmap"):
                got = compiled(x)
        else:
            got = compiled(x)
        want = function(x)
        assert got[0] == want[0]
        np.testing.assert_array_equal(got[1], want[1])
    assert compiled.stats()["compiles"] == 1
    assert compiled.stats()["fallbacks"] == 2
    assert "of no subclass True" in str(compiled.explain(calls[1]))


def test_questions_that_memmaps_answer_as_arrays(mapped) -> None:
    compiled = qn.compile(lambda x: x + isinstance(x, np.ndarray), fullgraph=True)
    np.testing.assert_array_equal(compiled(mapped), mapped + 1)


def test_refused(mapped) -> None:
    with pytest.raises(UnsupportedError, match=r"the class of `x`, a memmap\n"):
        qn.compile(lambda x: x + len(x.filename), fullgraph=True)(mapped)
    with pytest.raises(AttributeError, match=r"'numpy.ndarray' object has no attribute 'mode'"):
        qn.compile(lambda x: x.mode, fullgraph=True)(np.ones(3))


def test_statements_that_need_the_file(mapped) -> None:
    def scale(x):
        x *= 3
        x.flush()
        return x.sum() * 2

    want = (np.array(mapped) * 3).sum() * 2
    with pytest.warns(FallbackWarning, match="compiled except for a statement"):
        assert qn.compile(scale)(mapped) == want
