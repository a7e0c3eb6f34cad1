"""Routines of LAPACK, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import check, sample

import quernel as qn

A, T = sample("float64", (4, 4)), sample("float64", (2, 4, 4), 1)
CASES = {
    "solve": lambda a, t: (
        np.linalg.solve(a, a[0]),
        np.linalg.solve(a, a.T),
        np.linalg.solve(t, a),
        np.linalg.solve(a.astype("f4"), a[0].astype("f4")),
        np.linalg.solve((a * 9).astype(int), a[0]),
    ),
    "inverse": lambda a, t: (np.linalg.inv(a), np.linalg.inv(t), np.linalg.matrix_power(a, -2)),
    "cholesky": lambda a, t: (
        np.linalg.cholesky(a @ a.T),
        np.linalg.cholesky(t @ t.mT),
        np.linalg.cholesky(a @ a.T, upper=True),
    ),
    "determinant": lambda a, t: (np.linalg.det(a), np.linalg.det(t)),
    "singular_values": lambda a, t: (
        np.linalg.svdvals(a[:3]),
        np.linalg.svd(t[..., :2], compute_uv=False),
        np.linalg.norm(a, 2),
        np.linalg.norm(t, "nuc", axis=(0, 2), keepdims=True),
        np.linalg.norm(a, -2),
        np.linalg.matrix_rank(t),
        np.linalg.matrix_rank(a[:, :1] * a[0]),
        np.linalg.matrix_rank(a, rtol=0.9),
        np.linalg.matrix_rank(a, tol=0.1),
    ),
    "logarithm": lambda a, t: (*np.linalg.slogdet(a), *np.linalg.slogdet(t)),
    "inverses_of_any": lambda a, t: (
        np.linalg.pinv(a[:3]),
        np.linalg.pinv(t[..., :2] + 1j * t[..., 2:]),
        np.linalg.pinv(a, 0.5),
        np.linalg.pinv(a, rtol=None),
    ),
    "least_squares": lambda a, t: (
        *np.linalg.lstsq(a[:, :2], a[:, 2]),
        *np.linalg.lstsq(a[:2], a[:2, :3], rcond=0.0),
        *np.linalg.lstsq(a[:, :2] + 1j * a[:, 2:], a[:, 3].astype("f4")),
        np.polyfit(a[0], a[1], 2),
        np.polyfit(np.arange(4), a[:, :2], 1, w=np.arange(1, 5)),
    ),
    "eigenvalues": lambda a, t: (
        np.linalg.eigvalsh(a @ a.T),
        np.linalg.eigvalsh(a, "U"),
        np.linalg.eigh(t @ t.mT).eigenvalues,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_routine(name: str) -> None:
    check(CASES[name], A, T, scale=1e-6 if name == "solve" else 1e-11)


def test_eigenvectors() -> None:
    def compute(a):
        values, vectors = np.linalg.eigh(a @ a.T)
        return vectors @ (values[:, None] * vectors.T)

    check(compute, A, scale=1e-13)


def svd(a):
    return np.linalg.svd(a)


def qr(a):
    return np.linalg.qr(a)


def lstsq(a, b):
    return np.linalg.lstsq(a, b)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 3, 5)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_decompositions(shape: tuple, dtype: str) -> None:
    """The routines and their layouts are NumPy's, so the bits are."""
    functions = {
        "svd": svd,
        "reduced": lambda x: np.linalg.svd(x, full_matrices=False),
        "qr": qr,
        "complete": lambda x: np.linalg.qr(x, "complete"),
        "r": lambda x: (np.linalg.qr(x, mode="r"),),
    }
    x = sample(dtype, shape)
    for function in functions.values():
        got, want = qn.compile(function, fullgraph=True)(x), function(x)
        assert type(got) is type(want)
        for a, b in zip(got, want, strict=True):
            assert a.tobytes() == b.tobytes()
            assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)


def test_sizes_of_decompositions_vary() -> None:
    compiled = qn.compile(lambda x: np.linalg.qr(x).R, fullgraph=True)
    for rows in (4, 6, 9):
        x = sample("float64", (rows, 3))
        assert compiled(x).tobytes() == np.linalg.qr(x).R.tobytes()


@pytest.mark.parametrize("rows", [2, 3, 5])
@pytest.mark.parametrize("rank", [0, 1, 3])
def test_least_squares_of_any_rank(rows: int, rank: int) -> None:
    def lstsq(a, b):
        return np.linalg.lstsq(a, b, rcond=None)

    random = np.random.default_rng(0)
    a = random.normal(size=(rows, rank)) @ random.normal(size=(rank, 3))
    compiled = qn.compile(lstsq, fullgraph=True)
    for b in (random.normal(size=rows), random.normal(size=(rows, 2))):
        for got, want in zip(compiled(a, b), lstsq(a, b), strict=True):
            assert (np.shape(got), np.dtype(got.dtype)) == (np.shape(want), np.dtype(want.dtype))
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-13)


def test_polynomials_of_less_rank_are_left_to_numpy() -> None:
    compiled = qn.compile(lambda x, y: np.polyfit(x, y, 2))
    x, y = np.ones(4), np.arange(4.0)
    with (
        pytest.warns(qn.errors.FallbackWarning, match="np.polyfit of a matrix of less rank"),
        pytest.warns(np.exceptions.RankWarning),
    ):
        got = compiled(x, y)
    with pytest.warns(np.exceptions.RankWarning):
        np.testing.assert_array_equal(got, np.polyfit(x, y, 2))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda a: np.linalg.svd(a, hermitian=True), "np.linalg.svd with hermitian="),
        (lambda a: np.linalg.qr(a, mode="raw"), "np.linalg.qr with mode='raw'"),
        (lambda a: np.linalg.matrix_rank(a[0]), "np.linalg.matrix_rank of a vector"),
        (lambda a: np.linalg.lstsq(a[:0], a[:0]), "np.linalg.lstsq of no rows or columns"),
        (lambda a: np.polyfit(a[0], a[1], 1, full=True), "np.polyfit with full= or cov="),
    ],
)
def test_refused(function: object, text: str) -> None:
    with pytest.raises(qn.errors.UnsupportedError) as caught:
        qn.compile(function, fullgraph=True)(A)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (svd, (np.ones(3),)),
        (lambda a: np.linalg.qr(a, "wide"), (A,)),
        (lambda a: np.linalg.pinv(a, 0.1, rtol=0.1), (A,)),
        (lambda a: np.linalg.matrix_rank(a, 0.1, rtol=0.1), (A,)),
        (lstsq, (A, np.ones(3))),
        (lstsq, (A[0], A[0])),
        (lambda x, y: np.polyfit(x, y, -1), (A[0], A[1])),
        (lambda x, y: np.polyfit(x, y, 1), (A, A)),
        (lambda x, y: np.polyfit(x, y, 1), (A[0, :0], A[0, :0])),
        (lambda x, y: np.polyfit(x, y, 1), (A[0], np.ones((4, 1, 1)))),
        (lambda x, y: np.polyfit(x, y, 1), (A[0], np.ones(5))),
        (lambda x, w: np.polyfit(x, x, 1, w=w), (A[0], A)),
        (lambda x, w: np.polyfit(x, x, 1, w=w), (A[0], np.ones(3))),
    ],
)
def test_mistakes_of_decompositions(function: object, args: tuple) -> None:
    with pytest.raises((ValueError, TypeError)) as want:
        function(*args)
    with pytest.raises((ValueError, TypeError)) as got:
        qn.compile(function, fullgraph=True)(*args)
    assert (type(got.value), str(got.value)) == (type(want.value), str(want.value))


@pytest.mark.parametrize(
    ("function", "matrix"),
    [
        (np.linalg.inv, np.ones((3, 3))),
        (np.linalg.cholesky, -np.eye(3)),
        (np.linalg.inv, np.ones((2, 3))),
        (np.linalg.det, np.ones(3)),
    ],
)
def test_mistakes(function: object, matrix: np.ndarray) -> None:
    with pytest.raises(np.linalg.LinAlgError) as want:
        function(matrix)
    with pytest.raises(np.linalg.LinAlgError) as got:
        qn.compile(lambda a: function(a) + 0, fullgraph=True)(matrix)
    assert str(got.value) == str(want.value)


def test_norms_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="Invalid norm order for matrices") as want:
        np.linalg.norm(np.ones((2, 3)), 3)
    with pytest.raises(ValueError, match="Invalid norm order for matrices") as got:
        qn.compile(lambda x: np.linalg.norm(x, 3), fullgraph=True)(np.ones((2, 3)))
    assert str(got.value) == str(want.value)


TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
MATRICES = {
    "real values": A @ A.T,
    "pairs of values": A,
    "a pair": TURN,
    "a batch": T,
    "a batch of both": np.stack([TURN, np.eye(2)]),
    "complex": A + 1j * A.T,
    "single": A.astype("f4"),
    "single complex": (A + 1j * A.T).astype("c8"),
    "integers": (A * 9).astype(int),
    "one": A[:1, :1],
    "none": A[:0, :0],
    "turned": T.transpose(2, 0, 1)[:, :2, ::2],
}


@pytest.mark.parametrize("name", MATRICES)
def test_eigenvalues_of_any_matrix(name: str) -> None:
    """Whether they are real the elements say; real parts are views of the complex numbers."""

    def compute(a):
        w, v = np.linalg.eig(a)
        return w, v, np.linalg.eigvals(a), w * 2, np.abs(v).sum(axis=-1)

    compiled = qn.compile(compute, fullgraph=True)
    for a in (MATRICES[name], MATRICES[name].swapaxes(-1, -2).copy()):
        for want, got in zip(compute(a), compiled(a), strict=True):
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            np.testing.assert_array_equal(got, want)
    assert compiled.stats()["fallbacks"] == 0


def test_one_program_for_real_and_complex_values() -> None:
    compiled = qn.compile(lambda a: np.linalg.eigvals(a) * 2, fullgraph=True)
    for a in (np.eye(2), TURN, np.eye(2) * 3):
        want = np.linalg.eigvals(a) * 2
        assert compiled(a).dtype == want.dtype
        np.testing.assert_array_equal(compiled(a), want)
    assert compiled.stats()["compiles"] == 1


@pytest.mark.parametrize("function", [np.linalg.eig, np.linalg.eigvals])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_eigenvalues_of_what_is_not_finite(function, wrong) -> None:
    compiled = qn.compile(lambda a: function(a)[0], fullgraph=True)
    a = np.eye(3)
    a[1, 2] = wrong
    with pytest.raises(np.linalg.LinAlgError, match="Array must not contain infs or NaNs"):
        compiled(a)


NOTHING = {
    "qr": (lambda a: np.linalg.qr(a, mode="complete"), (3, 0)),
    "svd, no columns": (np.linalg.svd, (3, 0)),
    "svd, no rows": (np.linalg.svd, (0, 3)),
    "svd of none": (np.linalg.svd, (0, 2, 3)),
    "det": (np.linalg.det, (0, 0)),
    "slogdet": (np.linalg.slogdet, (2, 0, 0)),
    "inv": (np.linalg.inv, (0, 0)),
    "eigh": (np.linalg.eigh, (0, 0)),
    "cholesky": (np.linalg.cholesky, (2, 0, 0)),
    "pinv": (np.linalg.pinv, (2, 3, 0)),
    "solve": (lambda a: np.linalg.solve(np.eye(3) + a.sum(), a), (3, 0)),
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(("routine", "shape"), NOTHING.values(), ids=NOTHING)
def test_routines_of_nothing(routine: Any, shape: tuple[int, ...], dynamic: bool | None) -> None:
    """What has no elements to compute may still have results."""

    def compute(a):
        return routine(a)

    compiled = qn.compile(compute, fullgraph=True, dynamic=dynamic)
    a = np.ones(shape)
    got, want = compiled(a), routine(a)
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    for part, expected in zip(got, want, strict=True):
        np.testing.assert_array_equal(part, expected, strict=True)
