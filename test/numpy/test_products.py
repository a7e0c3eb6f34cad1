"""Products of vectors, matrices and tensors, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_same, check, sample

import quernel as qn

X, T = sample("float64", (5, 4)), sample("float64", (2, 5, 4), 1)
CASES = {
    "dot": lambda x, t: (
        np.dot(t, x.T),
        np.dot(t, x[0]),
        np.inner(t, x),
        np.vdot(x, x + 1),
        np.dot((x * 9).astype(int), x[0]),
        np.dot(x > 0, (x > 0).T),
    ),
    "tensordot": lambda x, t: (
        np.tensordot(t, x, ([1, 2], [0, 1])),
        np.tensordot(t, t.transpose(1, 2, 0)),
        np.tensordot(x[0], x[1], 0),
    ),
    "kron": lambda x, t: (np.kron(x, x[0]), np.kron(x[0], x[1]), np.kron(x[0], t)),
    "cross": lambda x, t: (
        np.cross(x[:, :3], x[:, 1:]),
        np.cross(x[:3], x[1:4], axis=0),
        np.linalg.cross(x[:, :3], x[:, 1:]),
    ),
    "outer": lambda x, t: (
        np.add.outer(x[0], x[1]),
        np.subtract.outer(x, x[0]),
        np.minimum.outer(x[0], x),
        np.multiply.outer(x[0], 2.0),
        np.linalg.outer(x[0], x[1]),
    ),
    "vectors": lambda x, t: (
        np.vecdot(x, x + 1),
        np.matvec(t, x[0]),
        np.vecmat(x[0], t.transpose(0, 2, 1)),
        np.linalg.vector_norm(x, axis=1),
        np.linalg.matrix_norm(t),
        np.linalg.trace(t),
    ),
    "chains": lambda x, t: (
        np.linalg.multi_dot([x, x.T, x + 1]),
        np.linalg.multi_dot([x[0], x.T, x, x[1]]),
        np.linalg.multi_dot([x, x[0]]),
        np.linalg.matrix_power(x[:4], 5),
        np.linalg.matrix_power(x[:4], 0),
        np.linalg.matrix_power(x[:4], 3),
    ),
    "modf": lambda x, t: (np.modf(x * 3), np.modf(x / 0), np.modf(x.astype("f4"))),
}
SUBSCRIPTS = {
    "ij,jk": ((3, 4), (4, 2)),
    "ij->ji": ((3, 4),),
    "ii": ((3, 3),),
    "ii->i": ((3, 3),),
    "ij,ij->i": ((3, 4), (3, 4)),
    "i,j->ij": ((3,), (4,)),
    "bij,kj->bik": ((2, 3, 4), (5, 4)),
    "bij,bkj->bik": ((2, 3, 4), (2, 5, 4)),
    "...j,j->...": ((2, 3, 4), (4,)),
    "...ij,...jk": ((2, 3, 4), (4, 5)),
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 5)),
    "i,i,i->i": ((3,), (3,), (3,)),
    "ij->": ((3, 4),),
    "ij,j->": ((3, 4), (4,)),
    "i,i->": ((3,), (1,)),
    "bij->jb": ((2, 3, 4),),
    "iij->j": ((3, 3, 2),),
}


@pytest.mark.parametrize("name", CASES)
def test_product(name: str) -> None:
    check(CASES[name], X, T, scale=1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_einsum(dtype: str) -> None:
    pairs = [
        (text, [sample(dtype, shape, k) for k, shape in enumerate(shapes)])
        for text, shapes in SUBSCRIPTS.items()
    ]
    texts = [text for text, _ in pairs]

    def compute(groups):
        return [np.einsum(text, *group) for text, group in zip(texts, groups, strict=True)]

    groups = [group for _, group in pairs]
    got = qn.compile(compute, fullgraph=True)(groups)
    assert_same(got, compute(groups), scale=2e-6 if dtype == "float32" else 1e-13)


def test_einsum_without_text() -> None:
    check(lambda x: np.einsum(x, [0, 1], x[0], [1], [0]), X, scale=1e-14)
    check(lambda x: np.einsum("ij,jk->ik", x, x.T, out=np.zeros((5, 5))), X, scale=1e-14)


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_any_subscripts(data: st.DataObject) -> None:
    sizes = {"a": 2, "b": 3, "c": 1, "d": 4}
    words = st.text("abcd", min_size=1, max_size=3)
    first, second = data.draw(words), data.draw(words)
    known = sorted(set(first + second))
    result = "".join(data.draw(st.lists(st.sampled_from(known), unique=True)))
    text = f"{first},{second}->{result}"
    arrays = [
        sample("float64", tuple(sizes[c] for c in w), k) for k, w in enumerate((first, second))
    ]
    compiled = qn.compile(lambda a, b: np.einsum(text, a, b), fullgraph=True)
    assert_same(compiled(*arrays), np.einsum(text, *arrays), scale=1e-12)


def test_a_transposing_einsum_is_a_view() -> None:
    def compute(x):
        y = x.copy()
        z = np.einsum("ij->ji", y)
        y[0, 0] = 5.0
        return z

    check(compute, X)


@pytest.mark.parametrize("text", ["ij,k->x", "ij", "i,i", "ij,jk->ii"])
def test_wrong_subscripts(text: str) -> None:
    with pytest.raises(ValueError) as want:  # noqa: PT011
        np.einsum(text, X, X)
    with pytest.raises(ValueError, match=r".") as got:
        qn.compile(lambda x: np.einsum(text, x, x), fullgraph=True)(X)
    assert str(got.value) == str(want.value)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 7, 3), (3, 7, 1), (40, 8, 5), (5, 3, 40), (9, 9, 9)])
def test_programs_for_all_sizes_give_the_bits_of_those_for_one(dtype, m, k, n) -> None:
    a, b = sample(dtype, (m, k)), sample(dtype, (k, n), 1)
    a[0, 0] = -0.0
    exact, general = (
        qn.compile(lambda a, b: (a @ b, np.dot(a[0], b), np.dot(a, b[:, 0])), dynamic=dynamic)
        for dynamic in (False, True)
    )
    for one, other in zip(exact(a, b), general(a, b), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_few_vectors_by_a_large_matrix(dtype: str) -> None:
    few, large = sample(dtype, (3, 700)), sample(dtype, (700, 500), 1)
    large[5, 7], few[:, 5] = np.inf, 0

    def products(x, a):
        return x @ a, a.T @ x.T, x[:, 1:] @ a[1:, 3:], x @ np.asfortranarray(a)

    with np.errstate(invalid="ignore"):
        expected, got = products(few, large), qn.compile(products)(few, large)
    for e, g in zip(expected, got, strict=True):
        assert e.dtype == g.dtype
        bound = 1e-4 if dtype == "float32" else 1e-11
        np.testing.assert_allclose(g, e, rtol=bound, atol=bound)


def test_rows_of_a_batch_by_one_matrix() -> None:
    a, c = sample("float64", (6, 5, 40)), sample("float64", (40, 40), 1)

    def doitgen(a, c):
        a[:] = np.reshape(np.reshape(a, (6, 5, 1, 40)) @ c, (6, 5, 40))

    expected, got = a.copy(), a.copy()
    doitgen(expected, c)
    qn.compile(doitgen)(got, c)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_parts_are_read_where_they_lie() -> None:
    def function(a, x):
        return a[10:, 5:] @ x[5:], a[:50, :40] @ a[:40, 7:60], a[:, :20].T @ a[:, :20], a[3] @ a[4]

    a = np.random.default_rng(0).random((100, 100))
    compiled = qn.compile(function, fullgraph=True)
    for got, expected in zip(compiled(a, a[0]), function(a, a[0]), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert "Temporary" not in compiled.lower(a, a[0]).text("cpp")


def test_most_of_a_computed_array_is_read_where_it_lies() -> None:
    def function(x):
        y = x - x.mean()
        return [y[k:] @ y[: y.size - k] for k in range(1, 9)], y[:3] @ y[3:6]

    x = np.random.default_rng(0).random(5000)
    compiled = qn.compile(function, fullgraph=True)
    np.testing.assert_allclose(compiled(x)[0], function(x)[0], rtol=1e-9)
    assert len(compiled.explain(x).kernels) <= 4
