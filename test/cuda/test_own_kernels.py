"""Kernels of the user's own on the emulated device: called by Python, and by compiled functions."""

import os
import sys
from pathlib import Path

from emulated_device import FAILURE, run_to_its_end

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BEGIN = """
import ctypes, os, sys, warnings
import numpy as np
import quernel as qn
from quernel.errors import DeviceError, UnsupportedError

warnings.simplefilter("error")
LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = LIBRARY.emulator_bytes.restype = ctypes.c_int64

def copied():
    return tuple(LIBRARY.emulator_bytes(way) for way in (b"HtoD", b"DtoH"))

def without_copies(body, *args, **named):
    before = copied()
    answer = body(*args, **named)
    assert copied() == before, (copied(), before)
    return answer

TEXT = '''
__global__ void axpy(double a, qn::array<const double, 1> x, const double *y, double *out,
                     int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n)
    out[i] = a * x[i] + y[i];
}
__global__ void total(const double *x, double *sum, int64_t n) {
  extern __shared__ double parts[];
  double part = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
    part += x[i];
  parts[threadIdx.x] = part;
  __syncthreads();
  if (threadIdx.x)
    return;
  *sum = 0;
  for (unsigned k = 0; k < blockDim.x; ++k)
    *sum += parts[k];
}
__global__ void add_to(qn::array<double, 2> a, qn::array<const float, 1> x) {
  int64_t i = blockIdx.y, j = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (j < a.size(1))
    a(i, j) += x[j];
}
__global__ void many(double *out) { out[blockIdx.x] = gridDim.x; }
'''
own = qn.load(
    TEXT,
    axpy=qn.Kernel("float64, float64[n], float64[n] -> float64[n]", "(n + 31) / 32", 32),
    total=qn.Kernel("float64[n] -> float64", 1, 64, shared=64 * 8),
    add_to=qn.Kernel("out float64[m, n], float32[n]", ("(n + 7) // 8", "m"), 8),
    many=qn.Kernel("-> float64[4]", 4, 1),
)
X, Y = np.arange(100.0), np.linspace(0, 1, 100)
"""
BEGIN += FAILURE


def test_arrays_of_numpy_are_copied(run):
    run("""
    for n in (100, 33, 32, 2, 1, 0):
        answer = own.axpy(2.0, X[:n], Y[:n])
        assert type(answer) is np.ndarray
        assert np.array_equal(answer, 2 * X[:n] + Y[:n]), n
    assert own.axpy(2, X[::-2], Y[:50])[0] == 2 * X[99] + Y[0]  # copies of what isn't contiguous
    answer = own.total(X)
    assert answer == X.sum() and type(answer) is np.float64
    assert own.total(X[:0]) == 0
    a = np.zeros((3, 20))
    assert own.add_to(a[:, ::2], np.arange(10, dtype=np.float32)) is None
    assert np.array_equal(a[:, ::2], np.arange(10.0) * np.ones((3, 1))) and not a[:, 1::2].any()
    assert own.many().tolist() == [4] * 4
    with qn.device("cuda:0"):
        assert own.total(X) == X.sum()
    with qn.device("cpu"):
        assert own.total(X) == X.sum()
    """)


def test_arrays_on_a_device_are_not(run):
    run("""
    x, y = qn.to_device(X), qn.to_device(Y)
    own.axpy(2.0, x, y)
    answer = without_copies(own.axpy, 2.0, x, y)
    assert type(answer) is qn.DeviceArray and answer.device == "cuda:0"
    assert np.array_equal(answer.to_host(), 2 * X + Y)
    assert np.array_equal(own.axpy(2.0, x[::-1], y).to_host(), 2 * X[::-1] + Y)
    a = qn.to_device(np.zeros((3, 5)))
    own.add_to(a, qn.to_device(np.ones(5, np.float32)))
    assert a.to_host().tolist() == [[1] * 5] * 3

    class Foreign:  # of another library
        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    answer = without_copies(own.axpy, 2.0, Foreign(x), y)
    assert np.array_equal(answer.to_host(), 2 * X + Y)
    """)


def test_inside_of_a_compiled_function(run):
    run("""
    def plain(x, y, n):
        for i in range(n):
            y = own.axpy(float(i), x, y + 1)
            if y.sum() > 1e4:
                y = y / own.total(y)
        return y * 2, own.total(x[::2])

    def in_numpy(x, y, n):
        for i in range(n):
            y = i * x + (y + 1)
            if y.sum() > 1e4:
                y = y / y.sum()
        return y * 2, x[::2].sum()

    for f in (qn.compile(plain, device="cuda", fullgraph=True), qn.compile(plain, device="cuda")):
        for n in (100, 40, 1):
            for got, expected in zip(f(X[:n], Y[:n], 5), in_numpy(X[:n], Y[:n], 5)):
                np.testing.assert_allclose(got, expected, rtol=1e-12)
        assert f.stats()["fallbacks"] == 0
    follows = qn.compile(lambda x, y: own.axpy(x.sum(), x, y) + own.axpy(1.0, y, x), fullgraph=True)
    x, y = qn.to_device(X), qn.to_device(Y)
    np.testing.assert_allclose(follows(x, y).to_host(), X.sum() * X + Y + Y + X)
    twice = qn.compile(lambda x, y: own.axpy(2.0, own.axpy(3.0, x, y), y))
    twice(x, y)
    assert np.array_equal(without_copies(twice, x, y).to_host(), 2 * (3 * X + Y) + Y)
    writes = qn.compile(lambda a, x: (own.add_to(a, x), a.sum())[1], device="cuda", fullgraph=True)
    a = np.zeros((3, 5))
    assert writes(a, np.ones(5, np.float32)) == 15 and a.tolist() == [[1] * 5] * 3
    """)


def test_a_function_on_the_cpu_calls_it_outside(run):
    run("""
    f = qn.compile(lambda x, y: own.axpy(2.0, x, y) + 1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert np.array_equal(f(X, Y), 2 * X + Y + 1)
    assert "a kernel in CUDA C++ (script.py:" in str(told[0].message)
    assert "which CPUs don't run (instead: call it outside" in str(told[0].message)
    """)


def test_several_texts_in_a_program(run):
    run("""
    text = '''__global__ void axpy(double *x) {{ x[0] = {}; }}
    __global__ void other(double *x) {{ x[0] = -{}; }}'''
    some = [qn.load(text.format(k, k), axpy=qn.Kernel("-> float64", 1, 1),
                    other=qn.Kernel("-> float64", 1, 1)) for k in (3, 5)]

    @qn.compile(device="cuda", fullgraph=True)
    def f(x):
        return x * some[0].axpy() + some[1].other() * 10 + some[1].axpy() * own.total(x)

    np.testing.assert_allclose(f(X), X * 3 - 50 + 5 * X.sum())
    """)


def test_numbers_and_types_of_every_kind(run):
    run("""
    kinds = {"int8": "int8_t", "uint64": "uint64_t", "float32": "float", "bool": "bool"}
    kinds["int64"] = "long long"
    body = "{ out[0] = x; out[1] = y[1]; }"
    texts = [f"__global__ void f_{k}({t} x, const {t} *y, {t} *out) {body} "
             for k, t in kinds.items()]
    kernels = {f"f_{k}": qn.Kernel(f"{k}, {k}[2] -> {k}[2]", 1, 1) for k in kinds}
    functions = qn.load("".join(texts), **kernels)
    for k in kinds:
        array = np.array([0, 1], k)
        for number in (array[1], np.array(1, k)):
            answer = getattr(functions, f"f_{k}")(number, array)
            assert answer.dtype == array.dtype and answer.tolist() == [1, 1], (k, answer)
    text = '''
    __global__ void conjugate(qn::array<const qn::complex<double>, 1> x, qn::complex<double> *y) {
      int i = threadIdx.x;
      y[i].real = x[i].real, y[i].imag = -x[i].imag;
    }'''
    z = X + 1j * Y
    conjugate = qn.load(text, conjugate=qn.Kernel("complex128[n] -> complex128[n]", 1, "n"))
    assert np.array_equal(conjugate(z), z.conj())
    inside = qn.compile(lambda z: conjugate(z[::2] * 2) + 1, device="cuda", fullgraph=True)
    assert np.array_equal(inside(z), (z[::2] * 2).conj() + 1)
    """)


def test_calls_that_do_not_fit(run):
    run("""
    for body, kind, text in [
        (lambda: own.axpy(1.0, X), TypeError,
         "axpy() takes 3 arguments, 2 given: float64, float64[n]"),
        (lambda: own.axpy(1.0, X.astype("f4"), X), TypeError,
         "axpy() takes float64[n] as the second argument, which has the dtype float32"),
        (lambda: own.axpy(1.0, X, X[None]), TypeError,
         "as the third argument, which has the shape (1, 100)"),
        (lambda: own.axpy(1j, X, X), TypeError,
         "as the first argument, which is of the type complex"),
        (lambda: own.axpy(1.0, X, X[1:]), ValueError, "of which axis 0 has 99 elements, not 100"),
        (lambda: own.axpy(1.0, X, qn.to_device(X)[1:]), ValueError,
         "of which axis 0 has 99 elements, not 100"),
        (lambda: own.axpy(1.0, X, y=X), TypeError, "axpy() takes no keyword arguments"),
        (lambda: own.axpy(1.0, 2.0, X), TypeError,
         "axpy() takes float64[n] as the second argument, which is"),
    ]:
        assert text in failure(body, kind), failure(body, kind)
    read = X.copy().reshape(10, 10)
    read.flags.writeable = False
    assert "read-only" in failure(lambda: own.add_to(read, np.ones(10, np.float32)), ValueError)
    """)


def test_launches_that_no_device_can_run(run):
    run(
        """
    text = "__global__ void f(const double *x, double *y) { y[0] = 1; }"
    def launched(n, *shape):
        qn.load(text, f=qn.Kernel("float64[n] -> float64", *shape))(np.ones(n))
    assert "can't run the kernel f with 1 x 1 x 1 blocks of 2000 x 1 x 1 threads" in failure(
        lambda: launched(2000, 1, "n"))
    assert "with 0 x 1 x 1 blocks of 1 x 1 x 1 threads" in failure(lambda: launched(5, "n // 8", 1))
    assert "with -1 x 1 x 1 blocks of 1 x 1 x 1 threads" in failure(lambda: launched(5, "n - 6", 1))
    assert "and 400000 bytes of shared memory" in failure(lambda: launched(5, 1, 1, "80000 * n"))
    text = "__global__ void g(double *y) { y[7] = 1; }"
    outside = qn.load(text, g=qn.Kernel("-> float64[3]", 1, 1))
    assert "writes 8 bytes at 32 behind the end of a buffer of 24 bytes" in failure(outside)
    """,
        QUERNEL_DEVICE_POOL="off",
    )


def test_the_cache_has_kernels_and_programs(run):
    body = """
    f = qn.compile(lambda x, y: own.axpy(2.0, x, y) + 1, device="cuda", fullgraph=True)
    assert np.array_equal(f(X, Y), 2 * X + Y + 1)
    assert own.total(X) == X.sum()
    """
    run(body)
    run(
        body + "\n    assert 'quernel._compiler' not in sys.modules and f.stats()['disk_hits'] == 1"
    )


def test_a_bundle_has_the_programs_that_call_kernels(run, tmp_path):
    (tmp_path / "prog.py").write_text(
        "import quernel as qn\n"
        "TEXT = '''__global__ void twice(const double *x, double *y) {\n"
        "  y[threadIdx.x] = 2 * x[threadIdx.x];\n}'''\n"
        "twice = qn.load(TEXT, twice=qn.Kernel('float64[n] -> float64[n]', 1, 'n'))\n\n"
        "@qn.compile(device='cuda')\ndef f(x):\n    return twice(x) + 1\n"
    )
    run(f"""
    import subprocess
    sys.path.insert(0, {str(tmp_path)!r})
    command = ["-m", "quernel", "build", "prog.py:f", "--sig", "float64[n]", "-o", "prog.qnb"]
    built = subprocess.run([sys.executable, *command], cwd={str(tmp_path)!r}, text=True,
                           capture_output=True)
    assert built.returncode == 0, built.stdout + built.stderr
    """)
    run(
        f"""
        sys.path.insert(0, {str(tmp_path)!r})
        import prog
        assert np.array_equal(prog.f(X), 2 * X + 1)
        assert prog.f.stats()["disk_hits"] == 1
        """,
        QUERNEL_CACHE_DIR=str(tmp_path / "fresh"),
        QUERNEL_BUNDLE=str(tmp_path / "prog.qnb"),
    )


def test_the_example(tmp_path, kept_programs):
    script = tmp_path / "example.py"
    script.write_text(
        f"import runpy, sys\nsys.argv = ['own_kernels.py', '--small']\n"
        f"sys.path.insert(0, {str(EXAMPLES)!r})\n"
        f"runpy.run_path({str(EXAMPLES / 'own_kernels.py')!r}, run_name='__main__')\n"
        "print('done')\n"
    )
    environment = {"QUERNEL_CACHE_DIR": kept_programs, "PATH": os.environ["PATH"]}
    run_to_its_end([sys.executable, str(script)], sys.path, environment)
