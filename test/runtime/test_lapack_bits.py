"""The runtime's linear algebra beside numpy.linalg, with the LAPACK that NumPy itself loaded."""

import numpy as np
import pytest
from abi_context import DTYPES, call

SIZES = [0, 1, 2, 3, 33, 130]
SINGULAR, NOT_POSITIVE_DEFINITE, EIGENVALUES_DIVERGE, SVD_DIVERGES = 3, 4, 5, 6


def lay_out(x, rank, order):
    """The same array, whose matrices lie in memory in another way."""
    if rank == 0:
        return x
    if order == "C":
        return np.ascontiguousarray(x)
    if order == "Fortran":
        return np.ascontiguousarray(x.T).T if rank > 1 else np.ascontiguousarray(x)
    wide = np.empty((*x.shape[:-1], 2 * x.shape[-1] + 3), x.dtype)[..., 1:-2:2]
    wide[:] = x
    return wide


def steps(x, rank):
    """The strides of an operand, as abi.h wants them; the batch has at most one axis."""
    own = [s // x.itemsize for s in x.strides]
    batch = own[0] if x.ndim > rank else 0
    return (batch, *own[x.ndim - rank :], *[0] * (2 - rank))


@pytest.fixture
def run(context):
    """Call a routine; its outputs as arrays of these shapes, or its error code."""

    def run(routine, inputs, outputs, columns=0, order="C"):
        a = inputs[0]
        lead = a.shape[:-2]
        made = [np.empty(lead + shape, dtype) for shape, dtype in outputs]
        ranks = [2] * len(inputs) + [len(shape) for shape, _ in outputs]
        arrays = [lay_out(x, rank, order) for x, rank in zip(inputs + made, ranks, strict=True)]
        strides = [s for x, rank in zip(arrays, ranks, strict=True) for s in steps(x, rank)]
        sizes = (int(np.prod(lead)), *a.shape[-2:], columns)
        failure = np.zeros((), np.int64)
        addresses = [x.ctypes.data for x in [*arrays, failure]]
        code = call(context, routine, a.dtype.name, addresses, strides, sizes)
        return code or int(failure) or arrays[len(inputs) :]

    return run


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def positive(shape, dtype):
    a = random(shape, dtype)
    return a @ a.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


def real(dtype):
    return np.empty(0, dtype).real.dtype


def assert_bits(got, expected):
    assert not isinstance(got, int), f"code {got}"
    for g, e in zip(got, map(np.asarray, expected), strict=True):
        assert (g.shape, g.dtype) == (e.shape, e.dtype)
        assert g.tobytes() == np.ascontiguousarray(e).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("batch", [(), (0,), (3,)])
class TestSquare:
    def test_solve(self, run, dtype, n, batch):
        for columns in (1, 2, 17):
            a, b = random((*batch, n, n), dtype), random((*batch, n, columns), dtype, 1)
            got = run("solve", [a, b], [((n, columns), dtype)], columns)
            assert_bits(got, [np.linalg.solve(a, b)])
        if not batch:
            got = run("solve", [a, b[:, :1]], [((n, 1), dtype)], 1)
            assert_bits(got, [np.linalg.solve(a, b[:, 0])[:, None]])

    def test_inv(self, run, dtype, n, batch):
        a = random((*batch, n, n), dtype)
        assert_bits(run("inv", [a], [((n, n), dtype)]), [np.linalg.inv(a)])

    def test_cholesky(self, run, dtype, n, batch):
        a = positive((*batch, n, n), dtype)
        assert_bits(run("cholesky", [a], [((n, n), dtype)]), [np.linalg.cholesky(a)])

    def test_eigh(self, run, dtype, n, batch):
        a = random((*batch, n, n), dtype)  # one triangle is read
        outputs = [((n,), real(dtype)), ((n, n), dtype)]
        assert_bits(run("eigh", [a], outputs), np.linalg.eigh(a))
        assert_bits(run("eigvalsh", [a], outputs[:1]), [np.linalg.eigvalsh(a)])

    def test_eig(self, run, dtype, n, batch):
        a = random((*batch, n, n), dtype)
        wide = np.result_type(dtype, "c8")
        outputs = [((n,), wide), ((n, n), wide)]
        want = [x.astype(wide) for x in np.linalg.eig(a)]
        assert_bits(run("eig", [a], outputs), want)
        assert_bits(run("eigvals", [a], outputs[:1]), [np.linalg.eigvals(a).astype(wide)])

    @pytest.mark.filterwarnings("ignore:overflow encountered in cast")
    def test_det(self, run, dtype, n, batch):
        a = random((*batch, n, n), dtype)
        if n == 3:
            a[..., 0, :] = a[..., 1, :]
        assert_bits(run("det", [a], [((), dtype)]), [np.linalg.det(a)])
        got = run("slogdet", [a], [((), dtype), ((), real(dtype))])
        assert_bits(got, np.linalg.slogdet(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("n", SIZES)
class TestRectangular:
    def test_svd(self, run, dtype, m, n):
        d = min(m, n)
        for batch in ((), (2,)):
            a = random((*batch, m, n), dtype)
            s = ((d,), real(dtype))
            got = run("svd", [a], [((m, d), dtype), s, ((d, n), dtype)])
            assert_bits(got, np.linalg.svd(a, full_matrices=False))
            got = run("svd_full", [a], [((m, m), dtype), s, ((n, n), dtype)])
            assert_bits(got, np.linalg.svd(a))
            got = run("svdvals", [a], [s])
            assert_bits(got, [np.linalg.svd(a, compute_uv=False)])

    def test_qr(self, run, dtype, m, n):
        d = min(m, n)
        for batch in ((), (2,)):
            a = random((*batch, m, n), dtype)
            reduced, r = [((m, d), dtype), ((d, n), dtype)], ((d, n), dtype)
            complete = [((m, m), dtype), ((m, n), dtype)]
            assert_bits(run("qr", [a], reduced), np.linalg.qr(a))
            assert_bits(run("qr_complete", [a], complete), np.linalg.qr(a, "complete"))
            assert_bits(run("qr_r", [a], [r]), [np.linalg.qr(a, "r")])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["Fortran", "steps"])
def test_orders_of_memory(run, dtype, order):
    a, b = positive((3, 20, 20), dtype), random((3, 20, 6), dtype)
    square, w, tall = ((20, 20), dtype), ((20,), real(dtype)), ((20, 6), dtype)
    assert_bits(run("solve", [a, b], [tall], 6, order), [np.linalg.solve(a, b)])
    assert_bits(run("inv", [a], [square], 0, order), [np.linalg.inv(a)])
    assert_bits(run("cholesky", [a], [square], 0, order), [np.linalg.cholesky(a)])
    assert_bits(run("eigh", [a], [w, square], 0, order), np.linalg.eigh(a))
    assert_bits(run("det", [a], [((), dtype)], 0, order), [np.linalg.det(a)])
    assert_bits(run("qr", [b], [tall, ((6, 6), dtype)], 0, order), np.linalg.qr(b))
    parts = [tall, ((6,), real(dtype)), ((6, 6), dtype)]
    assert_bits(run("svd", [b], parts, 0, order), np.linalg.svd(b, full_matrices=False))


def test_result_in_the_memory_of_an_input(context):
    a, b = positive((3, 20, 20), "float64"), random((3, 20, 6), "float64")
    x, inverse = np.linalg.solve(a, b), np.linalg.inv(a)
    strides = [400, 20, 1, 120, 6, 1, 120, 6, 1]
    addresses = [x.ctypes.data for x in (a, b, b)]
    assert call(context, "solve", "float64", addresses, strides, (3, 20, 20, 6)) == 0
    assert b.tobytes() == x.tobytes()
    addresses = [a.ctypes.data] * 2
    assert call(context, "inv", "float64", addresses, [400, 20, 1] * 2, (3, 20, 20, 1)) == 0
    assert a.tobytes() == inverse.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_errors(run, dtype):
    singular = np.stack([np.eye(3, dtype=dtype), np.ones((3, 3), dtype)])
    square = [((3, 3), dtype)]
    assert run("solve", [singular, singular], square, 3) == SINGULAR
    assert run("inv", [singular], square) == SINGULAR
    assert run("cholesky", [-singular], square) == NOT_POSITIVE_DEFINITE
    nan = np.full((5, 5), np.nan, dtype)
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        np.linalg.svd(nan)
    assert run("svdvals", [nan], [((5,), real(dtype))]) == SVD_DIVERGES


def test_eigenvalues_of_nan(run):
    nan = np.full((5, 5), np.nan)
    with pytest.raises(np.linalg.LinAlgError, match="Eigenvalues did not converge"):
        np.linalg.eigh(nan)
    assert run("eigh", [nan], [((5,), "f8"), ((5, 5), "f8")]) == EIGENVALUES_DIVERGE


def test_inputs_stay_as_they_are(run):
    a = positive((4, 4), "float64")
    before = a.copy()
    for routine in ("inv", "cholesky", "svdvals", "eigvalsh", "qr_r"):
        shape = (4,) if "v" in routine[1:] and routine != "inv" else (4, 4)
        run(routine, [a], [(shape, "f8")])
        assert a.tobytes() == before.tobytes()


MANY = 21  # small matrices are computed eight at once from sixteen on


def of_each(run, a, b):
    """The determinants, the solutions and the inverses of many matrices."""
    square, columns = a.shape[-2:], b.shape[-1]
    return (
        *run("det", [a], [((), a.dtype)]),
        *run("solve", [a, b], [(b.shape[-2:], a.dtype)], columns),
        *run("inv", [a], [(square, a.dtype)]),
    )


def by_numpy(a, b):
    return np.linalg.det(a), np.linalg.solve(a, b), np.linalg.inv(a)


@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize("dtype", DTYPES[:2])
@pytest.mark.parametrize("order", ["C", "Fortran", "steps"])
def test_many_small_matrices(run, n, dtype, order):
    # Lines of the unit matrix, at random places, so that all rows are exchanged in some lanes.
    a = random((MANY, n, n), dtype) / (4 * n) + np.eye(n)[random((MANY, n), dtype, 1).argsort()]
    a, b = a.astype(dtype), random((MANY, n, 3), dtype, 2)
    lead = [lay_out(x, 2, order) for x in (a, b)]
    for got, want in zip(of_each(run, *lead), by_numpy(a, b), strict=True):
        np.testing.assert_allclose(
            got, want, rtol=0, atol=64 * np.finfo(dtype).eps * abs(want).max()
        )


@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_small_matrices_that_lapack_computes_alone(run, dtype):
    usual = random((MANY, 4, 4), dtype)
    steep = usual.copy()
    steep[:, 3] = usual[:, 2] + random((MANY, 4), dtype) / 2**12  # the last pivot is small
    huge = np.broadcast_to(np.eye(4) * 1e100, (MANY, 4, 4)) + usual.astype("float64")
    not_finite = usual.copy()
    not_finite[::3, 1, 2], not_finite[1::3, 0, 0] = np.nan, np.inf
    b = random((MANY, 4, 2), dtype)
    with np.errstate(all="ignore"):
        assert_bits(of_each(run, steep, b), by_numpy(steep, b))
        for got, want in zip(of_each(run, not_finite, b), by_numpy(not_finite, b), strict=True):
            known = ~np.isfinite(not_finite).all((1, 2))
            np.testing.assert_array_equal(got[known], want[known])
        assert_bits(run("det", [huge], [((), "float64")]), [np.linalg.det(huge)])
    flat = usual.copy()
    flat[17, 0] = flat[17, 1]
    assert run("det", [flat], [((), dtype)])[0][17] == 0
    assert run("inv", [flat], [((4, 4), dtype)]) == SINGULAR
    assert run("solve", [flat, b], [((4, 2), dtype)], 2) == SINGULAR


def test_a_small_matrix_has_the_same_bits_wherever_it_is(run):
    a, b = random((MANY, 5, 5), "float64"), random((MANY, 5, 2), "float64")
    whole = of_each(run, a, b)
    for first in (1, 3):
        assert_bits(of_each(run, a[first:], b[first:]), [x[first:] for x in whole])


def symmetric(kind, n):
    """Many matrices whose eigenvalues LAPACK's steps find in ways of their own."""
    a = random((2000, n, n), "float64")
    a = a + a.swapaxes(1, 2)
    x = random((2000, n), "float64", 1)
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    kinds = {
        "any": a,
        "positive": a @ a,
        "integers": np.round(a),
        "of little rank": x[:, :, None] * x[:, None],
        "circulant": x[:, np.minimum(distance, n - distance)],
        "tridiagonal": a * (distance < 2),
        "sparse": a * (np.abs(x[:, :, None] * x[:, None]) > 0.3),
        "one diagonal": a * (distance > 0) + np.eye(n),
        "diagonal": a * (distance == 0),
        "near the unit matrix": np.eye(n) + a / 1000,
        "large": a * 1e150,
        "small": a * 1e-150,
    }
    return kinds[kind]


KINDS = "any|positive|integers|of little rank|circulant|tridiagonal|sparse|one diagonal|diagonal"


@pytest.mark.parametrize("kind", [*KINDS.split("|"), "near the unit matrix", "large", "small"])
@pytest.mark.parametrize("n", [2, 3])
def test_eigenvectors_of_many_small_matrices_have_lapacks_signs(run, kind, n):
    a = symmetric(kind, n)
    values, vectors = run("eigh", [a], [((n,), "f8"), ((n, n), "f8")])
    expected = np.linalg.eigh(a)
    near = 1e-14 * abs(expected[0]).max(1, keepdims=True)
    assert (abs(values - expected[0]) <= near).all()
    np.testing.assert_allclose(vectors, expected[1], rtol=0, atol=1e-10)
    (alone,) = run("eigvalsh", [a], [((n,), "f8")])
    assert (abs(alone - expected[0]) <= near).all()
