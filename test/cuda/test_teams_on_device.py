"""Turns that the workers of a block share, on the emulated device, which finds races."""

import pytest

BEGIN = """
import re

import numpy as np
import quernel as qn

RANDOM = np.random.default_rng(0)

def total(x):
    return x.sum(), (x * x).mean()

def rows(x):
    return x.sum(axis=-1), x.std(axis=-1)

def columns(x):
    return x.sum(axis=0), np.sqrt((x * x).sum(axis=0))

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def greatest(x):
    return x.max(axis=-1), x.argmax(axis=-1), (x > 0).any(axis=-1), (x > 0).sum(-1)

def nearest(x, y):
    return np.argmin(np.abs(x[:, None] - y), axis=1)

def same(function, *arrays, rtol=0.0, bits=False, dynamic=False):
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    answer = compiled(*map(qn.to_device, arrays))
    expected = function(*arrays)
    on_host = qn.compile(function, fullgraph=True, dynamic=dynamic)(*arrays)
    tuples = [each if isinstance(each, tuple) else (each,) for each in (answer, expected, on_host)]
    for one, other, host in zip(*tuples, strict=True):
        one = one.to_host() if isinstance(one, qn.DeviceArray) else one
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        where = str((function, [each.shape for each in arrays], one.dtype))
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=where)
        assert not bits or one.tobytes() == host.tobytes(), where
"""


@pytest.mark.parametrize("dynamic", [False, True])
def test_sums(run, dynamic):
    run(f"""
for dtype, rtol in (np.float32, 1e-4), (np.float64, 1e-12):
    for length in (16383, 16384 * 2 + 300, 40961):
        same(total, RANDOM.random(length).astype(dtype), rtol=rtol, bits=True, dynamic={dynamic})
    for length in (4096, 9001, 40003):
        x = RANDOM.random((3, length)).astype(dtype)
        same(rows, x, rtol=rtol, bits=True, dynamic={dynamic})
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_columns(run, dynamic):
    run(f"""
for shape in (40000, 33), (70000, 16), (20000, 2, 20):
    for dtype, rtol in (np.float32, 1e-4), (np.float64, 1e-12):
        x = RANDOM.random(shape).astype(dtype)
        same(columns, x, rtol=rtol, dynamic={dynamic})
    same(columns, (x + 1j * x[::-1]).astype(np.complex64), rtol=1e-3, dynamic={dynamic})
""")


def test_long_rows(run):
    run("""
for shape in (2, 9000), (3, 20011), (1, 70000):
    x = RANDOM.standard_normal(shape)
    for dynamic in (False, True):
        same(softmax, x, rtol=1e-12, dynamic=dynamic)
    same(softmax, x.astype(np.float32), rtol=1e-4)
    same(softmax, x[:, ::-1], rtol=1e-12)
""")


def test_what_is_not_rounded(run):
    run("""
for length in (5000, 20011):
    x = RANDOM.standard_normal((40, length))
    same(greatest, x)
    same(greatest, x.astype(np.float32), dynamic=True)
    same(greatest, (100 * x).astype(np.int16))
    x[1] = -np.inf
    x[2, 300] = x[2, 4000] = np.nan
    x[3] = 0.0
    same(greatest, x)
    same(greatest, -np.abs(x), dynamic=True)
same(nearest, RANDOM.random(40), RANDOM.random(9000))
""")


def test_loops_that_share_the_memory_of_a_block(run):
    run("""
def chain(x):
    greatest = x.max(axis=1, keepdims=True)
    total = np.exp(x - greatest).sum(axis=1, keepdims=True)
    shifted = (np.exp(x - greatest) / total - greatest).sum(axis=1, keepdims=True)
    product = ((x - shifted) * (x - total)).sum(axis=1, keepdims=True)
    return x / product

same(chain, RANDOM.random((40, 40000)).astype(np.float32), rtol=1e-3)
text = qn.compile(chain, fullgraph=True).lower(np.ones((40, 40000), np.float32)).text("cuda")
shared = [int(count) for count in re.findall(r"__shared__ float \\w+\\[(\\d+)\\]", text)]
assert len(shared) > 4 and 4 * sum(shared) <= 48 * 1024, shared
""")


@pytest.mark.parametrize("dynamic", [False, True])
def test_tables(run, dynamic):
    """Updates that gather in tables of blocks, and those of too many elements, or too few."""
    run(f"""
def counts(x):
    return np.bincount(x), np.histogram(x, bins=16, range=(3, 90))[0]

def greatest(k, v):
    most = np.full((4, 5), -7)
    np.maximum.at(most, (k % 4, k % 5), v)
    return most

def both(k):
    places, bits = np.zeros(100, np.int64), np.full(100, -1, np.int32)
    np.add.at(places, k, 1)
    np.bitwise_and.at(bits, k, (k * 3).astype(np.int32))
    return places, bits

lengths = {{255: 140001, 100: 70000, 90000: 70000, 30: 100}}
for dtype, most in (np.uint8, 255), (np.int64, 100), (np.int64, 90000), (np.int32, 30):
    x = RANDOM.integers(0, most, lengths[most]).astype(dtype)
    same(counts, x, dynamic={dynamic})
k = RANDOM.integers(0, 100, 70003)
same(greatest, k, k * 7 - 300, dynamic={dynamic})
same(both, k, dynamic={dynamic})
same(greatest, k[:0], k[:0], dynamic={dynamic})
""")
