"""Views of an array's bytes as another dtype, of any size, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, assert_same, check, sample

import quernel as qn


def both(function: Any, *args: Any) -> tuple[Any, Any]:
    """What a function gives, and leaves of its arguments, compiled and in NumPy."""
    ours, theirs = ([a.copy() for a in args] for _ in range(2))
    return (qn.compile(function, fullgraph=True)(*ours), ours), (function(*theirs), theirs)


def same(function: Any, *args: Any) -> None:
    """Compare them byte by byte, so that all NaNs are told apart."""
    (got, ours), (want, theirs) = both(function, *args)
    for a, b in zip([got, *ours], [want, *theirs], strict=True):
        assert_same(a, b) if b is None else assert_same(bits(a), bits(b))


def bits(obj: Any) -> Any:
    if isinstance(obj, tuple):
        return tuple(map(bits, obj))
    return np.ascontiguousarray(obj).view(np.uint8) if isinstance(obj, np.ndarray) else obj


def raw(dtype: str, shape: tuple) -> np.ndarray:
    """Elements of any bytes; booleans are 0 or 1."""
    rng = np.random.default_rng(1)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    size = np.dtype(dtype).itemsize
    return rng.integers(0, 256, (*shape[:-1], shape[-1] * size), np.uint8).view(dtype)


@pytest.mark.parametrize("old", DTYPES)
def test_every_dtype_as_every_other(old: str) -> None:
    news = [new for new in DTYPES if new not in (old, "bool")]

    def reads(x):
        return tuple(x.view(new)[:, ::3].copy() for new in news)

    same(reads, raw(old, (3, 32)))


@pytest.mark.parametrize("old", DTYPES[1:])
def test_written_through(old: str) -> None:
    def writes(x):
        for k, new in enumerate(("uint8", "int16", "float32", "int64", "complex64", "complex128")):
            y = x.view(new)
            y[0, k] = 3
            y[1, 1::2] = y[0, ::2]
            y[2] += y.dtype.type(1)

    with np.errstate(all="ignore"):
        same(writes, sample(old, (3, 128)))


def test_bytes_that_are_booleans() -> None:
    def compute(x, b):
        m = np.unpackbits(x).view(bool)
        v = b.view(bool)
        v[1] = True
        return m & True, m.sum(), v.view(np.uint8) + np.uint8(1), (x > 9).view(np.int8).sum()

    same(compute, raw("uint8", (12,)), np.array([0, 0, 1], np.uint8))


def test_other_bytes_as_booleans_are_left_to_numpy() -> None:
    x = np.array([0, 1, 2], np.uint8)
    with pytest.warns(qn.FallbackWarning, match="bytes as booleans that are neither 0 nor 1"):
        got = qn.compile(lambda x: x.view(bool).astype(int))(x)
    assert_same(got, x.view(bool).astype(int))


def test_programs_of_bit_tricks() -> None:
    def inverse_root(x):
        y = (np.int32(0x5F3759DF) - (x.view(np.int32) >> 1)).view(np.float32)
        return y * (np.float32(1.5) - np.float32(0.5) * x * y * y)

    def parts(x):
        b = x.view(np.uint64)
        high = x.view(np.int32)[1::2] >> 20
        return b & np.uint64((1 << 52) - 1), (b >> np.uint64(52)) & np.uint64(0x7FF), high

    def hashed(x):
        h = np.full(len(x), 14695981039346656037, np.uint64)
        b = x.view(np.uint8).reshape(-1, 8)
        for k in range(8):
            h = (h ^ b[:, k]) * np.uint64(1099511628211)
        return h

    def pixels(image):
        v = image.view(np.uint32)
        v[1, 2] = 0xFF00FF00
        v[v > 0x80000000] = 7
        return v.squeeze(-1) >> np.uint32(8), image[..., 3] * 1

    def rotated(z):
        p = z.view(np.float64).reshape(-1, 2)
        p[:, 0] *= 2
        return p.sum(axis=0), z[0] * 1j, np.abs(p.reshape(-1).view(complex))

    check(inverse_root, np.linspace(0.5, 9, 50, dtype=np.float32), ulp=1)
    same(parts, sample("float64", (20,)))
    same(hashed, raw("int64", (9,)))
    same(pixels, raw("uint8", (4, 5, 4)))
    same(rotated, sample("complex128", (7,)))


def test_single_elements_in_loops() -> None:
    def compute(x):
        b, total = x.view(np.uint32), 0
        for k in range(len(x)):
            b[2 * k] = k
            b[2 * k + 1] &= np.uint32(0x7FFFFFFF)
            total += int(x.view(np.uint8)[8 * k + 7])
        return total

    same(compute, sample("float64", (40,)))


def test_sizes_that_differ_between_calls() -> None:
    compiled = qn.compile(lambda x: x.view(np.uint32) + np.uint32(1), fullgraph=True)
    for n in (8, 12, 20, 4, 0):
        x = raw("uint8", (3, n)) if n else np.empty((3, 0), np.uint8)
        assert_same(compiled(x), x.view(np.uint32) + np.uint32(1))
    for f in (compiled, lambda x: x.view(np.uint32)):
        with pytest.raises(ValueError, match="must be a divisor of the total size in bytes"):
            f(raw("uint8", (3, 13)))


@pytest.mark.parametrize(("old", "new"), [("float64", "uint8"), ("int16", "int64"), ("c16", "f4")])
def test_views_beside_their_memory(old: str, new: str) -> None:
    def compute(x):
        y = x.copy()
        return x.view(new), y, y.view(new), y[1:, 4:].view(new), y.view(new)[::2, 1:]

    found = []
    for f in (compute, qn.compile(compute, fullgraph=True)):
        x = sample(old, (4, 8))
        answer = f(x)
        with np.errstate(all="ignore"):
            answer[0][1, 1] = 3
            answer[2][2, 1] = 5
        found.append([answer, x, [(part.strides, part.base is None) for part in answer]])
    assert_same(found[1], found[0])


def test_views_of_parts() -> None:
    def compute(x, u):
        y = x.copy()
        rows = y[::2].view(np.uint32)
        rows[0, 1:4] = 9
        lone = x[:, ::5].view(np.uint8) + x[::2, None, 3].view(np.uint8)[:1]
        turned = y.T.view(np.int64) + 1
        middle = u[:, 2:6].view(np.uint16)
        middle[1] ^= np.uint16(5)
        return (
            y,
            turned,
            lone,
            x.view(np.uint8)[:, 8:24].view(np.float64) + 1,
            middle + np.uint16(1),
        )

    same(compute, sample("float64", (4, 5)), raw("uint8", (3, 9)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(np.uint64),
        lambda x: x[:, ::2].view(np.uint16),
        lambda x: x.T.view(np.uint16),
        lambda x: x[0, 0].view(np.uint16),
        lambda x: x[0, 0, ...].view(np.uint16),
        lambda x: x.getfield(np.uint32, 0),
    ],
)
def test_errors(function: Any) -> None:
    x = raw("uint8", (4, 6))
    texts = []
    for f in (function, qn.compile(function, fullgraph=True)):
        with pytest.raises(ValueError, match=r"dtype|size|axis|type") as raised:
            f(x)
        texts.append(str(raised.value))
    assert texts[0] == texts[1]


def test_results_that_show_bytes() -> None:
    def alone(x):
        return (x + 1).view(np.uint8)

    def several(x):
        b = (x + 1).view(np.uint8)
        return b, b[::2], b.reshape(-1, 8)

    def same_size(x):
        return x.view(np.int64), x[::2].view(np.uint64)

    x = sample("float64", (6,))
    same(alone, x)
    for function in (several, same_size):
        got, want = qn.compile(function, fullgraph=True)(x), function(x)
        for a, b in zip(got, want, strict=True):
            assert_same(a, b)
            assert (a.strides, a.flags.owndata) == (b.strides, b.flags.owndata)
            assert np.shares_memory(a, got[0])
            assert np.shares_memory(a, x) == np.shares_memory(b, x)


def test_arguments_that_have_other_bytes() -> None:
    x = np.arange(4.0).astype(">f8")
    compiled = qn.compile(lambda x: x.view(np.int64) + 1)
    with pytest.warns(qn.FallbackWarning, match="or looks at its bytes"):
        assert_same(compiled(x), x.view(np.int64) + 1)
    compiled(x.astype(float))
    assert_same(compiled(x), x.view(np.int64) + 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes_in_the_other_order(dtype: str) -> None:
    def compute(x):
        y = x.byteswap()
        x[1:].byteswap(inplace=True)
        return y, x.T.byteswap(), x[0, 0].byteswap()

    same(compute, raw(dtype, (3, 4)))


def test_fields() -> None:
    def compute(x, n, z):
        n.setfield(3, np.int16, 2)
        n.setfield(np.arange(6), np.uint8, offset=7)
        low = x.getfield(np.int32, 4)
        low[0] = 0
        return low + 0, x[::2].getfield(np.uint16, 3) * 2, z.getfield(np.float64, 8) * 1

    same(compute, sample("float64", (6,)), raw("int64", (6,)), sample("complex128", (6,)))


def test_parts_of_complex_views() -> None:
    def compute(z):
        z[1:4].real = 7
        z.imag[::2] += 1
        z[::2].imag[1] = -3
        z.T.real[0] = 1
        strides = z.real.strides, z.imag[::2].strides, z.T.real.strides
        return z.real.view(np.int64) + 1, strides, z.real.reshape(-1).strides

    same(compute, sample("complex128", (6, 6)))


def buffers(raw):
    head = np.frombuffer(raw, np.uint32, count=2)
    v = np.frombuffer(raw, np.uint16, count=3, offset=5)
    v[1] = 3
    return head + np.uint32(1), np.frombuffer(raw, np.float32, offset=8) * 2, v[::2] * np.uint16(2)


@pytest.mark.parametrize(
    "function",
    [
        buffers,
        lambda raw: np.frombuffer(raw, np.int8),
        lambda raw: np.frombuffer(raw, np.float64, count=9),
        lambda raw: np.frombuffer(raw[:23], np.uint32),
        lambda raw: np.frombuffer(raw[::2], np.uint32),
        lambda raw: np.frombuffer(raw, np.uint32, offset=99),
        lambda raw: np.frombuffer(b"abcdefgh", np.uint32) + raw[:2],
        lambda raw: np.frombuffer(raw.reshape(4, 6), np.uint16) + np.uint16(0),
        lambda raw: np.frombuffer(raw.reshape(4, 6)[:, :0], np.uint16) + np.uint16(0),
    ],
)
def test_arrays_as_buffers(function: Any) -> None:
    found = []
    for f in (function, qn.compile(function, fullgraph=True)):
        x = raw("uint8", (24,))
        try:
            found.append((f(x), x))
        except ValueError as error:
            found.append((str(error), x))
    assert_same(bits(found[1]), bits(found[0]))


def test_views_of_views() -> None:
    def compute(x):
        a = x.view(np.uint8).view(np.int64)
        return a, x.view(np.uint8).view(np.float64), a.view(np.uint32).view(np.complex64)[:2] * 1

    x = sample("float64", (6,))
    got, want = qn.compile(compute, fullgraph=True)(x), compute(x)
    assert_same(got, want)
    assert all(np.shares_memory(a, x) for a in got[:2])


PARTS = {
    "other order": lambda x: np.asfortranarray(x).view(np.int64),
    "turned": lambda x: (x.T + 1).T.view(np.uint16),
    "several": lambda x: ((v := (x + 1).view(complex)), [v.real, v[0], v.T]),
    "cut": lambda x: ((v := (x + 1).view(np.uint16))[1:, ::2], v.T),
    "of a complex part": lambda x: x.view(complex).copy().real.reshape(-1),
    "read-only": lambda x: np.broadcast_to(x[0] + 1, (3, 4))[1:].view(np.int64),
    "resized": lambda x: np.resize(x + 1, (2, 3)),
}


@pytest.mark.parametrize("name", PARTS)
def test_how_results_lie(name: str) -> None:
    def arrays(result):
        return [a for r in result for a in arrays(r)] if type(result) in (tuple, list) else [result]

    x = sample("float64", (3, 4))
    got, want = (arrays(f(x)) for f in (qn.compile(PARTS[name], fullgraph=True), PARTS[name]))
    for a, b in zip(got, want, strict=True):
        assert_same(a, b)
        assert (a.strides, str(a.flags)) == (b.strides, str(b.flags))
        assert np.shares_memory(a, got[0]) == np.shares_memory(b, want[0])
