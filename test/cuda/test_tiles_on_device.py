"""Small products of which a thread computes several results, on the emulated device."""

import pytest

SETTINGS = {"QUERNEL_DEVICE_POOL": "off"}

BEGIN = """
import numpy as np
import quernel as qn

RANDOM = np.random.default_rng(0)

def product(a, b):
    return np.matmul(a, b)

def applied(a, v):
    return np.einsum('bij,bj->bi', a, v)

def twice(a, b, v):
    return np.einsum('bij,bj->bi', a @ b, v)

def rotated(p, r):
    return p @ r.T

def layer(x, w, b):
    return np.maximum(x @ w + b, 0)

def distances(x, c):
    return np.sqrt(((x[:, None, :] - c) ** 2).sum(axis=2))

def unit(x):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True))

def rows(shape, dtype):
    x = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RANDOM.standard_normal(shape)
    return x.astype(dtype)

def text_of(function, *arrays):
    return qn.compile(function, fullgraph=True, dynamic=False).lower(*arrays).text("cuda", "sm_80")

def same(function, *arrays, dynamic=False):
    expected = function(*arrays)
    tolerance = 1e-12 if expected.dtype in (np.float64, np.complex128) else 1e-4
    compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
    answer = compiled(*(qn.to_device(each) for each in arrays)).to_host()
    assert (answer.dtype, answer.shape) == (expected.dtype, expected.shape)
    where = str((function, dynamic, [(each.shape, each.dtype) for each in arrays]))
    np.testing.assert_allclose(answer, expected, rtol=tolerance, atol=tolerance, err_msg=where)
"""


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_batches_of_small_matrices(run, dtype):
    run(f"""
n = 32771
for size in (3, 4):
    a, b = rows((n, size, size), "{dtype}"), rows((n, size, size), "{dtype}")
    v = rows((n, size), "{dtype}")
    for function, arrays in ((product, (a, b)), (applied, (a, v)), (twice, (a, b, v))):
        same(function, *arrays)
    if size == 3 or "{dtype}" != "complex128":
        assert "pack_turns" in text_of(product, a, b), size
""")


def test_few_matrices(run):
    run("""
for n in (0, 1, 5):
    a, b, v = rows((n, 3, 3), "float32"), rows((n, 3, 3), "float32"), rows((n, 3), "float32")
    for dynamic in (False, True):
        same(product, a, b, dynamic=dynamic)
        same(twice, a, b, v, dynamic=dynamic)
""")


def test_tall_and_skinny(run):
    run("""
for n in (32768, 32773):
    for dtype in ("float32", "float64"):
        for inner, columns in ((8, 4), (2, 5)) if n % 2 else ((3, 3), (7, 1)):
            x, w = rows((n, inner), dtype), rows((inner, columns), dtype)
            same(layer, x, w, rows((columns,), dtype))
    same(rotated, rows((n, 3), "float32"), rows((3, 3), "float32"))
    same(distances, rows((n, 3), "float32"), rows((8, 3), "float32"))
    same(unit, rows((n, 3), "float32"))
text = text_of(distances, rows((40000, 3), "float32"), rows((8, 3), "float32"))
assert "pack_turns<4>" in text
""")


def test_where_packs_cannot_begin(run):
    """Views that begin in the middle of 16 bytes take the loop behind the packs."""
    run("""
n = 33000
memory, others = rows((n * 9 + 1,), "float32"), rows((n, 3, 3), "float32")
def behind(memory, others):
    return np.matmul(memory[1:].reshape(-1, 3, 3), others)
same(behind, memory, others)
same(product, rows((n, 3, 4), "float32")[:, :, :3], others)
same(product, others.transpose(0, 2, 1), others)
same(product, others[::-1], others)
same(product, others, others[0])
""")


def test_each_sum_has_its_order(run):
    """The same bits as one thread for each result gives."""
    run("""
n = 32768
a, b = rows((n, 3, 3), "float32"), rows((n, 3, 3), "float32")
x, w = rows((n, 8), "float32"), rows((8, 4), "float32")
for arrays, part in (((a, b), (a[:9], b[:9])), ((x, w), (x[:9], w))):
    compiled = qn.compile(product, fullgraph=True, dynamic=False)
    tiled = compiled(*map(qn.to_device, arrays)).to_host()
    alone = compiled(*map(qn.to_device, part)).to_host()
    assert "pack_turns" in text_of(product, *arrays) and "pack_turns" not in text_of(product, *part)
    assert tiled[:9].tobytes() == alone.tobytes()
""")
