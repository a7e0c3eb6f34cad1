"""Routines of libraries on the emulated device, where their operands stay, against NumPy."""

import pytest
from emulated_device import installation

BEGIN = """
import ctypes, os
import numpy as np
import quernel as qn

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = LIBRARY.emulator_bytes.restype = ctypes.c_int64
RNG = np.random.default_rng(3)
DTYPES = ["float32", "float64", "complex64", "complex128"]

def count(name):
    return LIBRARY.emulator_count(name.encode())

def copied_bytes():
    return LIBRARY.emulator_bytes(b"DtoH") + LIBRARY.emulator_bytes(b"HtoD")

def numbers(shape, dtype):
    parts = RNG.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if dtype[0] == "c" else parts[0]).astype(dtype)

def host(result):
    if isinstance(result, tuple):
        return tuple(map(host, result))
    return result.to_host() if isinstance(result, qn.DeviceArray) else result

def close(found, expected, rtol=None):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            close(one, other, rtol)
        return
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    single = expected.dtype in (np.float32, np.complex64)
    tolerance = rtol or (2e-5 if single else 1e-10)
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)

def check(function, *arrays, symbol=None, few=128):
    '''As NumPy does; by a function of a library where it is named, with few bytes copied.'''
    plain = qn.compile(function, fullgraph=True)
    there = [qn.to_device(array) if isinstance(array, np.ndarray) else array for array in arrays]
    before, calls = copied_bytes(), count(symbol or "")
    result = plain(*there)
    copied = copied_bytes() - before
    if symbol:
        assert count(symbol) > calls, f"{symbol} isn't called"
        assert copied <= few, f"{copied} bytes are copied"
    close(host(result), function(*arrays))
"""
SETTINGS = {"QUERNEL_DEVICE_POOL": "off"}


def test_products_of_matrices(run):
    run("""
        def product(a, b):
            return a @ b

        GEMM = "cublasGemmStridedBatchedEx_64"
        for dtype in DTYPES:
            a, b = numbers((20, 30), dtype), numbers((30, 17), dtype)
            check(product, a, b, symbol=GEMM)
            check(product, a, b[:, ::-1], symbol=GEMM)
            check(product, numbers((30, 20), dtype).T, b, symbol=GEMM)
            check(product, a[:, ::2], b[::2], symbol=GEMM)
        a = numbers((5, 20, 30), "float32")
        check(product, a, numbers((30, 17), "float32"), symbol=GEMM)
        check(product, a, numbers((5, 30, 17), "float32"), symbol=GEMM)
        check(product, a, numbers((17, 30), "float32").T, symbol=GEMM)
        check(product, a[0], numbers((5, 30, 17), "float32"), symbol=GEMM)
        check(product, a[::-1], numbers((5, 30, 17), "float32"), symbol=GEMM)
        check(product, np.zeros((20, 0)), np.zeros((0, 17)))
        check(product, np.zeros((0, 20)), np.zeros((20, 17)))
    """)


def test_products_with_vectors(run):
    run("""
        def product(a, b):
            return a @ b

        check(product, numbers((100_000, 100), "float32"), numbers((100,), "float32"),
              symbol="cublasSgemvStridedBatched_64")
        for dtype, letter in zip(DTYPES, "SDCZ"):
            gemv = f"cublas{letter}gemvStridedBatched_64"
            a, x, y = numbers((40, 30), dtype), numbers((30,), dtype), numbers((40,), dtype)
            check(product, a, x, symbol=gemv)
            check(product, a, numbers((60,), dtype)[::2], symbol=gemv)
            check(product, a, x[::-1], symbol=gemv)
            check(product, y, a, symbol=gemv)
            check(product, a.T, y, symbol=gemv)
            check(product, a[:, ::3], x[:10], symbol=gemv)
            check(product, numbers((4, 40, 30), dtype), x, symbol=gemv)
    """)


def test_systems_and_inverses(run):
    run("""
        def solve(a, b):
            return np.linalg.solve(a, b)

        def inverse(a):
            return np.linalg.inv(a)

        for dtype, letter in zip(DTYPES, "DDZZ"):
            a = numbers((6, 6), dtype)
            check(solve, a, numbers((6, 3), dtype), symbol="cusolverDnXgetrs")
            check(solve, a.T, numbers((6,), dtype), symbol="cusolverDnXgetrs")
            check(inverse, a[::-1], symbol="cusolverDnXgetrf")
            batch = numbers((5, 6, 6), dtype)
            check(solve, batch, numbers((5, 6, 3), dtype), symbol=f"cublas{letter}getrsBatched")
            check(inverse, batch.transpose(0, 2, 1), symbol=f"cublas{letter}getrfBatched")
        check(solve, batch[:3, ::2, 1:4], numbers((4, 3), dtype)[:3])
        check(inverse, np.zeros((0, 3, 3)))
        check(inverse, np.zeros((2, 0, 0)))
        check(solve, np.eye(3), np.zeros((3, 0)))
    """)


def test_determinants(run):
    run("""
        def det(a):
            return np.linalg.det(a)

        def slogdet(a):
            return tuple(np.linalg.slogdet(a))

        for dtype, letter in zip(DTYPES, "DDZZ"):
            batch = numbers((50, 5, 5), dtype)
            batch[7] = 1
            check(det, batch, symbol=f"cublas{letter}getrfBatched")
            check(slogdet, batch, symbol=f"cublas{letter}getrfBatched")
            check(det, batch[3], symbol="cusolverDnXgetrf")
            check(slogdet, batch[7].T, symbol="cusolverDnXgetrf")
        check(det, batch[::2, ::-1], symbol="cublasZgetrfBatched")
        check(det, np.zeros((3, 0, 0)))
        check(slogdet, np.zeros((0, 0)))
    """)


def test_factors_and_triangles(run):
    pytest.importorskip("scipy.linalg")
    run("""
        import scipy.linalg

        def factors(a):
            return tuple(scipy.linalg.lu_factor(a))

        def lower(a, b):
            return scipy.linalg.solve_triangular(a, b, lower=True)

        def upper(a, b):
            return scipy.linalg.solve_triangular(a, b)

        for shape, dtype in (((5, 5), "float64"), ((5, 3), "complex64"), ((3, 5), "float32")):
            a = numbers(shape, dtype)
            found, places = host(qn.compile(factors, fullgraph=True)(qn.to_device(a)))
            expected, exchanged = factors(a)
            close(found, expected)
            assert (places == exchanged).all()
        assert count("cusolverDnXgetrf") >= 3
        for dtype, letter in (("float64", "D"), ("complex128", "Z")):
            a, b = numbers((20, 20), dtype) + 9 * np.eye(20), numbers((20, 3), dtype)
            # SciPy's checks read numbers of what they have found.
            check(lower, a, b, symbol=f"cublas{letter}trsm_v2_64", few=480)
            check(upper, a.T, b, symbol=f"cublas{letter}trsm_v2_64", few=480)
    """)


def test_cholesky(run):
    run("""
        def cholesky(a):
            return np.linalg.cholesky(a)

        for dtype, letter in zip(DTYPES, "DDZZ"):
            a = numbers((4, 5, 5), dtype)
            positive = (a @ a.conj().transpose(0, 2, 1) + 5 * np.eye(5)).astype(dtype)
            check(cholesky, positive, symbol=f"cusolverDn{letter}potrfBatched")
            check(cholesky, positive[0], symbol="cusolverDnXpotrf")
    """)


def test_decompositions(run):
    run("""
        def svd(a):
            return tuple(np.linalg.svd(a, full_matrices=False))

        def whole(a):
            return tuple(np.linalg.svd(a))

        def values(a):
            return np.linalg.svd(a, compute_uv=False)

        def reduced(a):
            return tuple(np.linalg.qr(a))

        def complete(a):
            return tuple(np.linalg.qr(a, mode="complete"))

        def triangle(a):
            return np.linalg.qr(a, mode="r")

        SVD, QR = "cusolverDnXgesvd", "cusolverDnXgeqrf"
        for dtype, make in (("float32", "Dorgqr"), ("complex128", "Zungqr")):
            tall = numbers((3, 6, 4), dtype)
            for a in (tall, tall.transpose(0, 2, 1), tall[1], tall[2].T[::-1]):
                check(values, a, symbol=SVD)
                check(reduced, a, symbol="cusolverDn" + make)
                check(complete, a, symbol="cusolverDn" + make)
                check(triangle, a, symbol=QR)
                for function, is_full in ((svd, False), (whole, True)):
                    u, s, v = host(qn.compile(function, fullgraph=True)(qn.to_device(a)))
                    close(s, values(a))
                    k = s.shape[-1]
                    close((u[..., :k] * s[..., None, :]) @ v[..., :k, :], a)
                    for one in (u, v.swapaxes(-1, -2)):
                        product = one.conj().swapaxes(-1, -2) @ one
                        close(product, np.eye(one.shape[-1], dtype=dtype) + np.zeros_like(product))
                    assert tuple(x.shape for x in (u, s, v)) == tuple(x.shape for x in function(a))
        for empty in (np.zeros((3, 0)), np.zeros((0, 3)), np.zeros((2, 0, 0))):
            check(whole, empty)
            check(complete, empty)
    """)


def test_eigenvalues_of_symmetric_matrices(run):
    run("""
        def eigh(a):
            return tuple(np.linalg.eigh(a))

        def values(a):
            return np.linalg.eigvalsh(a)

        for dtype in DTYPES:
            a = numbers((4, 5, 5), dtype)
            a = a + a.conj().transpose(0, 2, 1)
            check(values, a, symbol="cusolverDnXsyevBatched")
            check(values, a[0], symbol="cusolverDnXsyevd")
            for one, symbol in ((a, "XsyevBatched"), (a[1], "Xsyevd")):
                calls = count("cusolverDn" + symbol)
                w, v = host(qn.compile(eigh, fullgraph=True)(qn.to_device(one)))
                assert count("cusolverDn" + symbol) > calls
                close(w, values(one))
                close(v * w[..., None, :], one @ v, rtol=1e-4 if w.dtype == np.float32 else None)
    """)


def test_eigenvalues(run):
    run("""
        def eig(a):
            return tuple(np.linalg.eig(a))

        def values(a):
            return np.linalg.eigvals(a)

        for dtype in DTYPES:
            for a in (numbers((3, 5, 5), dtype), numbers((6, 6), dtype)):
                check(values, a, symbol="cusolverDnXgeev")
                calls = count("cusolverDnXgeev")
                w, v = host(qn.compile(eig)(qn.to_device(a)))
                assert count("cusolverDnXgeev") > calls
                close(w, values(a))
                close(v * w[..., None, :], (a @ v).astype(v.dtype), rtol=1e-4)
        check(values, np.diag([3.0, 1.0, 2.0]), symbol="cusolverDnXgeev")
    """)


def test_matrices_without_answers(run):
    run("""
        singular = np.array([[1.0, 2.0], [2.0, 4.0]])
        cases = [
            (lambda a: np.linalg.inv(a), singular),
            (lambda a: np.linalg.inv(a), np.stack([np.eye(2), singular])),
            (lambda a: np.linalg.solve(a, a), singular + 0j),
            (lambda a: np.linalg.cholesky(a), -np.eye(3)),
            (lambda a: np.linalg.cholesky(a), np.stack([np.eye(3), -np.eye(3)])),
            (lambda a: np.linalg.svd(a, compute_uv=False), np.full((3, 3), np.nan)),
            (lambda a: np.linalg.eigvalsh(a), np.full((3, 3), np.nan)),
        ]
        for function, matrix in cases:
            texts = []
            for one, array in ((function, matrix), (qn.compile(function), qn.to_device(matrix))):
                try:
                    one(array)
                except np.linalg.LinAlgError as error:
                    texts.append(str(error))
            assert len(texts) == 2 and texts[0] == texts[1], (texts, matrix)
    """)


def test_fourier_transforms(run):
    run("""
        def fft(x): return np.fft.fft(x)
        def ifft(x): return np.fft.ifft(x)
        def short(x): return np.fft.fft(x, n=5)
        def long(x): return np.fft.fft(x, n=24)
        def other(x): return np.fft.fft(x, axis=0, norm="ortho")
        def rfft(x): return np.fft.rfft(x)
        def rshort(x): return np.fft.rfft(x, n=7)
        def rlong(x): return np.fft.rfft(x, n=20)
        def irfft(x): return np.fft.irfft(x)
        def irodd(x): return np.fft.irfft(x, n=13)
        def irlong(x): return np.fft.irfft(x, n=40)
        def plane(x): return np.fft.fft2(x)

        # NumPy computes forward transforms without a norm as doubles.
        forward, others = (fft, short, long, plane), (ifft, other)
        for dtype, own, real in (("complex64", "C2C", "C2R"), ("complex128", "Z2Z", "Z2D")):
            x = numbers((6, 12), dtype)
            for function in forward:
                check(function, x, symbol="cufftExecZ2Z")
            for function in others:
                check(function, x, symbol="cufftExec" + own)
            for function in (irfft, irodd, irlong):
                check(function, x, symbol="cufftExec" + real)
            check(fft, x[::2, ::-1], symbol="cufftExecZ2Z")
            check(ifft, x[0], symbol="cufftExec" + own)
        for dtype in ("float32", "float64"):
            x = numbers((6, 12), dtype)
            for function in (rfft, rshort, rlong):
                check(function, x, symbol="cufftExecD2Z")
            check(rfft, x[:, ::2], symbol="cufftExecD2Z")
        check(lambda x: np.fft.rfft(x, norm="ortho"), x.astype("float32"), symbol="cufftExecR2C")
    """)


def test_work_that_is_done_late(run):
    run(
        """
        def chain(a, b):
            return np.linalg.inv(a @ b) @ b

        check(chain, numbers((5, 5), "float64"), numbers((5, 5), "float64"))
        check(chain, numbers((3, 5, 5), "complex64"), numbers((3, 5, 5), "complex64"))
        """,
        EMULATOR_STREAMS="late",
        QUERNEL_DEVICE_POOL="",
    )


def test_a_device_without_libraries(run, tmp_path):
    """The host computes. Libraries that are installed elsewhere find no device."""
    (tmp_path / "lib64").mkdir()
    (tmp_path / "include").symlink_to(installation() / "include")
    for name in ("libcuda.so.1", "libnvrtc.so.13"):
        (tmp_path / "lib64" / name).symlink_to(installation() / "lib64" / name)
    run(
        """
        def chain(a, b):
            return np.fft.ifft(np.linalg.inv(a @ b) @ b)

        before = copied_bytes()
        check(chain, numbers((5, 5), "float64"), numbers((5, 5), "float64"))
        assert copied_bytes() > before + 3 * 200 and count("cublasDgetrfBatched") == 0
        """,
        CUDA_PATH=str(tmp_path),
    )


def test_a_library_that_fails(run):
    run("""
        from quernel.errors import DeviceError

        def product(a, b):
            return a @ b

        a, b = numbers((20, 30), "float64"), numbers((30, 17), "float64")
        os.environ["EMULATOR_FAILS"] = "cublasGemmStridedBatchedEx_64"
        try:
            qn.compile(product)(qn.to_device(a), qn.to_device(b))
        except DeviceError as error:
            text = str(error)
        expected = "can't compute what cublasGemmStridedBatchedEx was asked for: it says 13"
        assert text.endswith(expected), text
        del os.environ["EMULATOR_FAILS"]
        check(product, a, b, symbol="cublasGemmStridedBatchedEx_64")
        assert qn.cuda.memory_allocated() == 0
    """)


def test_more_plans_than_are_kept(run):
    run("""
        @qn.compile
        def inverse(x):
            return np.fft.ifft(x)

        for n in [*range(3, 40), *range(3, 40)]:
            x = numbers((2, n), "complex128")
            close(host(inverse(qn.to_device(x))), np.fft.ifft(x))
    """)
