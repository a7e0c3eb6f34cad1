"""The runtime's matmul beside NumPy's, with the BLAS that NumPy itself brought into the process.

Small real products are summed in the order of the compiler's loops, where it knows the sizes.
"""

import ctypes
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from abi_context import DTYPES, call


def matmul(context, a, b):
    (m, k), n, size = a.shape, b.shape[1], a.itemsize
    out = np.empty((m, n), a.dtype)
    strides = [0, *(s // size for s in a.strides), 0, *(s // size for s in b.strides), 0, n, 1]
    addresses = [a.ctypes.data, b.ctypes.data, out.ctypes.data]
    assert call(context, "matmul", a.dtype.name, addresses, strides, (1, m, k, n)) == 0
    return out


def expected(a, b):
    (m, k), n = a.shape, b.shape[1]
    if a.dtype.kind == "c" or k > 8 or min(m, n) > 8:
        return a @ b
    sums = np.zeros((m, n), a.dtype)
    if k == 8:  # pairwise
        p = [a[:, step, None] * b[step] for step in range(k)]
        return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]))
    for step in range(k):
        sums = sums + a[:, step, None] * b[step]
    return sums


def numbers(rng, shape, dtype):
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def layouts(x):
    """The same matrix in memory of many orders."""
    rows, columns = x.shape
    wide = np.zeros((rows, columns + 5), x.dtype)
    wide[:, :columns] = x
    sparse = np.zeros((2 * rows + 1, 3 * columns + 1), x.dtype)
    sparse[: 2 * rows : 2, : 3 * columns : 3] = x
    yield "C", x
    yield "Fortran", np.asfortranarray(x)
    yield "rows apart", wide[:, :columns]
    yield "steps", sparse[: 2 * rows : 2, : 3 * columns : 3]
    yield "steps, transposed", np.ascontiguousarray(sparse.T).T[: 2 * rows : 2, : 3 * columns : 3]
    yield "rows reversed", np.ascontiguousarray(x[::-1])[::-1]
    yield "columns reversed", np.ascontiguousarray(x[:, ::-1])[:, ::-1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [0, 1, 2, 33, 130])
def test_has_numpys_bits_or_those_of_loops(context, dtype, m):
    rng = np.random.default_rng(m)
    for k, n in product((0, 1, 3, 8, 9, 31, 128), (0, 1, 2, 8, 17, 200)):
        left, right = numbers(rng, (m, k), dtype), numbers(rng, (k, n), dtype)
        for (a_layout, a), (b_layout, b) in product(layouts(left), layouts(right)):
            got = matmul(context, a, b)
            assert got.tobytes() == expected(a, b).tobytes(), (k, n, a_layout, b_layout)


@pytest.mark.parametrize("dtype", DTYPES)
def test_has_numpys_bits_of_a_matrix_by_its_transpose(context, dtype):
    rng = np.random.default_rng(0)
    for m, k in product((1, 2, 33, 130), (1, 3, 128)):
        for layout, a in layouts(numbers(rng, (m, k), dtype)):
            assert matmul(context, a, a.T).tobytes() == expected(a, a.T).tobytes(), (m, k, layout)
            assert matmul(context, a.T, a).tobytes() == expected(a.T, a).tobytes(), (m, k, layout)


def batch_product(context, a, b):
    batch, m, k = a.shape
    n = b.shape[2]
    out = np.empty((batch, m, n), a.dtype)
    strides = [s // x.itemsize for x in (a, b, out) for s in x.strides]
    addresses = [x.ctypes.data for x in (a, b, out)]
    assert call(context, "matmul", a.dtype.name, addresses, strides, (batch, m, k, n)) == 0
    return out


def library_threads():
    """The functions that get and set how many threads NumPy's BLAS has."""
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    library = ctypes.CDLL(str(next(folder.glob("*openblas*"))))
    return [getattr(library, f"scipy_openblas_{w}_num_threads64_") for w in ("get", "set")]


def with_any_threads(a, b):
    """NumPy's products of a batch with one thread of its library, and with all it has."""
    count, choose = library_threads()
    before = count()
    found = []
    for threads in (1, before):
        choose(threads)
        try:
            found.append(np.stack([expected(x, y) for x, y in zip(a, b, strict=True)]).tobytes())
        finally:
            choose(before)
    return found


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_have_numpys_bits_in_several_threads(context_of, dtype):
    rng = np.random.default_rng(1)
    for batch, m, n, k in ((7, 70, 65, 64), (2, 300, 200, 100), (40, 33, 1, 300), (3000, 4, 4, 5)):
        a, b = numbers(rng, (batch, m, k), dtype), numbers(rng, (batch, n, k), dtype)
        b = b.swapaxes(1, 2)
        # With some of the library's kernels its own number of threads decides about last bits.
        expect = with_any_threads(a, b)
        for threads in (1, 2, 3):
            got = batch_product(context_of(threads), a, b)
            assert got.tobytes() in expect, (batch, m, n, k, threads)


def test_the_library_has_its_threads_again_after_a_batch(context_of):
    count, choose = library_threads()
    before = count()
    a = np.ones((16, 64, 64))
    try:
        for threads in (1, 2, 3):
            choose(threads)
            batch_product(context_of(2), a, a)
            assert count() == threads
    finally:
        choose(before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("few", "wide", "inner"), [(2, 517, 700), (3, 64, 5000), (4, 2051, 4100)])
def test_products_of_few_vectors_are_no_worse_than_numpys(context_of, dtype, few, wide, inner):
    rng = np.random.default_rng(few)
    vectors, large = numbers(rng, (few, inner), dtype), numbers(rng, (inner, wide), dtype)
    exact = vectors.astype(np.longdouble) @ large.astype(np.longdouble)
    numpys = np.abs(vectors @ large - exact).max()
    for layout in (large, np.asfortranarray(large)):
        got = [matmul(context_of(threads), vectors, layout) for threads in (1, 2, 3)]
        turned = matmul(context_of(2), layout.T, vectors.T)
        assert got[0].tobytes() == got[1].tobytes() == got[2].tobytes() == turned.T.tobytes()
        assert np.abs(got[0] - exact).max() <= 2 * numpys


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_of_a_batch_are_one_product(context, dtype):
    rng = np.random.default_rng(2)
    a, b = numbers(rng, (5, 7, 1, 40), dtype), numbers(rng, (40, 30), dtype)
    for rows in (a.reshape(35, 1, 40), a.reshape(5, 7, 40)):
        got = batch_product(context, rows, np.broadcast_to(b, (len(rows), 40, 30)))
        assert got.tobytes() == (a.reshape(35, 40) @ b).tobytes()
