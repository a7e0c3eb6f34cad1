"""bfloat16 of the package ml_dtypes: stored and moved as it is, computed in float32."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import quernel as qn
from quernel.errors import SignatureError, UnsupportedError
from quernel.numpy.half_precision import _OF_BFLOAT16

B = np.dtype(ml_dtypes.bfloat16)
EVERY = np.arange(1 << 16, dtype=np.uint16).view(B)
RNG = np.random.default_rng(7)
X = np.array([3.0, 1, 2, 0, -1, 5.5], B)
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def assert_same(got: Any, want: Any) -> None:
    """All bits, but for those of NaN."""
    if isinstance(want, tuple | list):
        assert type(got) is type(want)
        for pair in zip(got, want, strict=True):
            assert_same(*pair)
        return
    assert type(got) is type(want)
    if not isinstance(want, np.ndarray):
        assert got == want
        return
    assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides)
    if want.dtype != B:
        np.testing.assert_array_equal(got, want)
        return
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), ~numbers)
    np.testing.assert_array_equal(got[numbers].view(np.uint16), want[numbers].view(np.uint16))


def check(function: Any, *args: Any) -> None:
    assert_same(qn.compile(function, fullgraph=True)(*args), function(*args))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bool", "complex64"])
def test_casts_of_every_number(dtype) -> None:
    check(lambda x: x.astype(dtype), EVERY)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64"])
def test_casts_to_integers(dtype) -> None:
    check(lambda x: x.astype(dtype), np.arange(100).astype(B))


def test_casts_to_it() -> None:
    singles = RNG.integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    doubles = singles.astype(np.float64) * (1 + RNG.random(singles.size) * 1e-9)
    longs = RNG.integers(-(2**62), 2**62, 10_000)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    bytes_, flags = np.arange(256, dtype=np.uint8), np.array([True, False])
    for x in (singles, doubles, longs, longs.astype(np.int32), halves, bytes_, flags):
        check(lambda x: x.astype(B), x)


@pytest.mark.parametrize("ufunc", sorted(_OF_BFLOAT16, key=lambda ufunc: ufunc.__name__))
def test_ufuncs_of_every_number(ufunc) -> None:
    def called(*args):
        return ufunc(*args)

    args = [EVERY[RNG.permutation(EVERY.size)] for _ in range(ufunc.nin)]
    compiled = qn.compile(called, fullgraph=True)
    got, want = compiled(*args), ufunc(*args)
    if ufunc not in (np.exp, np.log, np.sin, np.cos, np.tanh):
        assert_same(got, want)
        return
    # Of these float32's own functions may differ in their last bit, and so at ties.
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    apart = got.view(np.int16).astype(int) - want.view(np.int16).astype(int)
    assert np.abs(apart[~np.isnan(want)]).max() <= 1
    assert np.count_nonzero(apart[~np.isnan(want)]) <= 4


MOVED = [
    lambda x: (x[::2], x.reshape(2, 3).T, x.reshape(2, 3).T.copy(), x[x > 0.5], x[[2, 1]]),
    lambda x: (
        np.zeros(5, B),
        np.ones(3, B),
        np.full(4, 2.5, B),
        np.full_like(x, 3),
        np.arange(4, dtype=B),
    ),
    lambda x: (
        np.concatenate([x, x]),
        np.stack([x, x[::-1]]),
        np.concatenate([x, x.astype(np.float32)]),
    ),
    lambda x: (
        np.flip(x),
        np.take(x, [3, 4]),
        np.roll(x, 2),
        np.split(x, 2),
        np.array([x[0], x[3]]),
    ),
    lambda x: (x.view(np.uint16), x.astype(B), x.itemsize + x.nbytes, x.dtype == B, x[4]),
    lambda x: (x * 2, x * 2.0, x + 1, x * np.float32(2), x + np.ones(6, np.float32), x**2),
    lambda x: np.add(x, x, out=np.zeros(6, np.float32)) + np.sqrt(x[:1], dtype=np.float32),
    lambda x: np.multiply(x, x, where=x > 1, out=np.zeros(6, B)),
    lambda x: float((x.astype(np.float32) ** 2).sum()) + float(x[1]),
]


@pytest.mark.parametrize("function", MOVED)
def test_moves(function) -> None:
    check(function, X)


def test_writes() -> None:
    def change(x, y):
        x[1:3] = 1.5
        x[0] = x[4]
        x[3:] *= y
        y[...] = np.tanh(y.astype(np.float32) * 0.5).astype(B)

    arrays = [(X.copy(), X[:3].copy()) for _ in range(2)]
    change(*arrays[0])
    qn.compile(change, fullgraph=True)(*arrays[1])
    assert_same(arrays[1], arrays[0])


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x.sum(), "np.sum of bfloat16"),
        (lambda x: np.add.reduce(x[1:]), "np.add of bfloat16"),
        (lambda x: np.sort(x[1:]), "np.sort of bfloat16"),
        (lambda x: x @ x, "np.matmul of bfloat16"),
        (lambda x: np.where(x > 1, x, 0.0), "np.where of bfloat16"),
        (lambda x: x // 2, "np.floor_divide of bfloat16"),
        (lambda x: x[0] * 2.0, "np.multiply of bfloat16"),  # ml_dtypes' number has its own product
        (lambda x: x.tolist(), "`.item()` of bfloat16"),
    ],
)
def test_what_is_left_to_numpy(function, text) -> None:
    with pytest.raises(UnsupportedError) as raised:
        qn.compile(function, fullgraph=True)(X)
    assert text in str(raised.value)
    with pytest.warns(qn.FallbackWarning):
        got = qn.compile(function)(X)
    assert_same(got, function(X))


def test_signatures_and_caches(tmp_path) -> None:
    (tmp_path / "program.py").write_text(
        "import sys, ml_dtypes, numpy as np, quernel as qn\n"
        "def scale(x): return x * 2 + 1\n"
        "f = qn.compile(scale, signatures=['bfloat16[n]'], fullgraph=True)\n"
        "x = np.arange(9).astype(ml_dtypes.bfloat16)\n"
        "assert (f(x) == scale(x)).all() and f(x).dtype == x.dtype\n"
        "print(f.stats()['compiles'], f.stats()['disk_hits'])\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env={**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert printed[0].startswith("1 ")
    assert printed[1].startswith("0 ")


def test_signatures_without_the_package(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SignatureError, match="bfloat16 needs the package ml_dtypes"):
        qn.compile(lambda x: x, signatures=["bfloat16[n]"])
