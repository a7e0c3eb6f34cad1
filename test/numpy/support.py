"""Compare a compiled function with NumPy: types, dtypes, shapes, values."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import quernel as qn

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEX)


def module_of(path: Path, text: str) -> ModuleType:
    """The module of a file, which is written first."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ulp_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many floating-point numbers lie between two arrays, element by element."""
    kind = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]
    least = np.iinfo(kind).min

    def ordered(x: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(x).view(kind).astype(np.int64)
        return np.where(bits < 0, least - bits, bits)

    first, second = ordered(a), ordered(b)
    # Unsigned, so that the distance of numbers of unlike sign doesn't overflow.
    distance = np.maximum(first, second).view(np.uint64) - np.minimum(first, second).view(np.uint64)
    distance[np.isnan(a) & np.isnan(b)] = 0
    return distance


def assert_same(got: Any, want: Any, ulp: float = 0, scale: float = 0) -> None:
    """Equal in type, dtype, shape and value; floats within `ulp`, or `scale` of the greatest.

    Complex numbers count as vectors: `ulp` is relative to their length.
    """
    assert type(got) is type(want), (type(got), type(want))
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for pair in zip(got, want, strict=True):
            assert_same(*pair, ulp, scale)
        return
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key in want:
            assert_same(got[key], want[key], ulp, scale)
        return
    if not isinstance(want, (np.ndarray, np.generic)):
        assert got == want or (np.isnan(got) and np.isnan(want))
        return
    assert got.dtype == want.dtype, (got.dtype, want.dtype)
    assert got.shape == want.shape, (got.shape, want.shape)
    got, want = np.atleast_1d(got), np.atleast_1d(want)
    if not want.size:
        return
    if want.dtype.kind not in "fc" or not (ulp or scale):
        np.testing.assert_array_equal(got, want)
        return
    if want.dtype.kind == "c":
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(got - want) <= ulp * np.finfo(want.dtype).eps * np.abs(want)
        near |= (got == want) | (np.isnan(got) & np.isnan(want))
    else:
        near = ulp_distance(got, want) <= ulp
    if scale:
        finite = np.isfinite(want)
        greatest = np.abs(want[finite]).max(initial=0)
        with np.errstate(invalid="ignore"):
            near |= np.abs(got - want) <= scale * max(greatest, 1e-300)
    assert near.all(), (got[~near][:4], want[~near][:4])


def check(function: Any, *args: Any, ulp: float = 0, scale: float = 0, **kwargs: Any) -> Any:
    """Compile `function` whole, call it twice, and compare both calls with NumPy."""
    compiled = qn.compile(function, fullgraph=True)
    with np.errstate(all="ignore"):
        want = function(*args, **kwargs)
    got = compiled(*args, **kwargs)
    assert_same(got, want, ulp, scale)
    assert_same(compiled(*args, **kwargs), want, ulp, scale)
    assert compiled.stats()["fallbacks"] == 0
    return compiled


def sample(dtype: str, shape: tuple[int, ...] = (37,), seed: int = 0) -> np.ndarray:
    """Random numbers of a dtype, special values among the floats."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("uint"):
        return rng.integers(0, 19, shape).astype(dtype)
    if dtype.startswith("int"):
        return rng.integers(-9, 10, shape).astype(dtype)
    if dtype.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)
