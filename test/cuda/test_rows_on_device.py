"""Rows that the threads of a turn share, on the emulated device, which finds races and bounds."""

import pytest

BEGIN = """
import numpy as np
import quernel as qn

RANDOM = np.random.default_rng(0)

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def layer_norm(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)

def log_sum_exp(x):
    greatest = x.max(axis=-1)
    return np.log(np.exp(x - greatest[:, None]).sum(axis=-1)) + greatest

def unit(x):
    return x / np.sqrt((x * x.conj()).real.sum(axis=-1, keepdims=True))

def ranks(x):
    return x.argmax(axis=-1), x.argmin(axis=-1), x - x.min(axis=-1, keepdims=True)

def same(function, x, rtol):
    compiled = qn.compile(function, fullgraph=True, dynamic=False)
    with np.errstate(all="ignore"):
        answer, expected = compiled(qn.to_device(x)), function(x)
    tuples = (answer, expected) if isinstance(expected, tuple) else ((answer,), (expected,))
    for one, other in zip(*tuples, strict=True):
        one = one.to_host()
        assert (one.dtype, one.shape) == (other.dtype, other.shape), (function, x.shape)
        where = str((function, x.shape, x.dtype))
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=where)
"""


@pytest.mark.parametrize("length", [1, 31, 33, 64, 1000, 5000])
def test_rows(run, length):
    run(f"""
for rows in (3, 20):
    x = RANDOM.standard_normal((rows, {length}))
    for function in (softmax, layer_norm, log_sum_exp, unit):
        same(function, x, 1e-12)
        same(function, x.astype(np.float32), 1e-4)
    same(ranks, x.astype(np.float32), 0)
""")


@pytest.mark.parametrize(
    ("length", "dtype", "where"),
    [
        (6144, "float32", "__shared__ float row[6144]"),
        (7000, "float64", "shared_memory + "),
        (20000, "float32", "shared_memory; // 20000 elements"),
        (30000, "float32", ""),
    ],
)
def test_long_rows(run, length, dtype, where):
    """Rows that a kernel declares, that its launch asks for, and that no block has memory for."""
    run(f"""
x = RANDOM.standard_normal((64, {length})).astype("{dtype}")
for function in (softmax, layer_norm):
    same(function, x, 1e-12 if x.dtype == np.float64 else 1e-4)
    lowered = qn.compile(function, fullgraph=True, dynamic=False).lower(x)
    text = lowered.text("cuda", "sm_80")
    begin = text.index("__global__")
    kernel = text[begin : text.index("\\n}}\\n", begin)]
    has_row = "const row" in kernel or " row[" in kernel
    assert {where!r} in kernel and has_row == {where != ""}, kernel
""")


def test_rows_whose_end_all_workers_compute(run):
    """A turn's last lanes, which aren't shared, store where the other workers load."""
    run("""
for length in (32 * 153, 32 * 153 + 1):
    for function in (softmax, layer_norm):
        same(function, RANDOM.standard_normal((70, length)).astype(np.float32), 1e-4)
""")


def test_rows_of_other_types(run):
    run("""
for length in (33, 96):
    x = RANDOM.standard_normal((5, length))
    for function in (softmax, layer_norm):
        same(function, x.astype(np.float16), 1e-2)
    same(unit, x + 1j * x[::-1], 1e-12)
    same(unit, (x + 1j * x[::-1]).astype(np.complex64), 1e-4)
    same(ranks, (100 * x).astype(np.int16), 0)
    same(softmax, x.T, 1e-12)
    same(softmax, x[:, ::-1], 1e-12)
    same(softmax, np.stack([x, x + 1]), 1e-12)
""")


def test_rows_with_nan(run):
    run("""
x = RANDOM.standard_normal((4, 64))
x[1, 5], x[2, 63], x[3, 0] = np.nan, np.inf, -np.inf
for function in (softmax, layer_norm, ranks, unit):
    same(function, x, 1e-12)
""")


def test_no_rows(run):
    run("""
for function in (softmax, layer_norm, unit):
    same(function, np.zeros((0, 64)), 0)
""")


def test_a_row_alone(run):
    run("""
for length in (100, 256):
    same(softmax, RANDOM.standard_normal(length), 1e-12)
""")


def test_the_bits_are_those_of_a_cpu(run):
    run("""
for length in (64, 1000):
    x = RANDOM.standard_normal((9, length))
    for function in (layer_norm, unit):
        compiled = qn.compile(function, fullgraph=True, dynamic=False)
        assert np.array_equal(compiled(qn.to_device(x)).to_host(), compiled(x))
""")
