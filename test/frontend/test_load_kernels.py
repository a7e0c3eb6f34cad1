"""`quernel.load` of CUDA C++: signatures, launch shapes, NVRTC's errors. No device is needed."""

import re
from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from own_functions import AXPY, SIGNATURE, compiled
from quernel.call.build import compiler
from quernel.errors import DeviceError, LoadError, SignatureError, UnsupportedError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADD = """
__global__ void add(qn::array<const double, 1> x, const double *y, double *sum, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n)
    sum[i] = x[i] + y[i];
}
"""
SUM = "float64[n], float64[n] -> float64[n]"
KERNEL = qn.Kernel(SUM, grid="(n + 255) // 256", block=256)


def test_kernels_that_take_what_their_signatures_say():
    """NVRTC compiles them, each with the check of what it takes."""
    text = """
    __global__ void numbers(int8_t a, double b, bool c, long long d, float *out) {}
    extern "C" __global__ void sizes(const float *__restrict__ x, float *y, unsigned char *r,
                                     long long n, long m) {}
    __global__ void complexes(qn::array<const qn::complex<float>, 2> x,
                              const qn::complex<double> *y, qn::complex<float> *z) {}
    __global__ void halves(const qn::half *x, qn::half y, qn::array<qn::half, 1> z) {}
    __global__ void __launch_bounds__(64) both(qn::array<double, 1> x, qn::array<double, 0> y) {}
    """
    functions = qn.load(
        text,
        numbers=qn.Kernel("int8, float64, bool, int64 -> float32", 1, 32),
        sizes=qn.Kernel("float32[n, m], out float32[m] -> uint8[n]", ("n", "m / 2"), (8, 8, 2)),
        complexes=qn.Kernel("complex64[n, :], complex128[n] -> complex64[n]", "n - 1 + 3 * n", 1),
        halves=qn.Kernel("float16[n], float16 -> float16[n]", "n", 64, shared="8 * n"),
        both=qn.Kernel("out float64[n] -> float64", 1, 64),
    )
    assert functions.sizes.__name__ == "sizes"


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90", "sm_100"])
def test_the_example_s_kernels_are_compiled(architecture):
    own = qn.load(
        EXAMPLES / "own_kernels.cu",
        add=qn.Kernel("float32[n], float32[n] -> float32[n]", "n", 1),
        product=qn.Kernel("float32[m, n], float32[n] -> float32[m]", "m", 128),
    )
    # What the check of a program needs, a call in one:
    x, a = np.ones(3, np.float32), np.ones((4, 3), np.float32)
    f = compiled(lambda a, x: own.product(a, own.add(x, x)) + 1)
    lowered = f.lower(a, x)
    options = lowered._dispatcher.options.compiler(architecture)
    made = compiler().compile(lowered._captured().graph, architecture, options).object
    images = made[made.index(b"\x7fELF", 4) :]
    for name in (b"_Z3add", b"_Z7product"):
        assert name in images
    text = lowered.text("cuda", architecture)
    assert re.search(r"call_user\(add_\w+, context, \{3\}, x, x, \w+\)", text)


def test_where_there_is_no_device():
    if qn.cuda.is_available():
        pytest.skip("there is one")
    add = qn.load(ADD, add=KERNEL)
    for function in (add, qn.compile(lambda x, y: add(x, y) + 1, device="cuda")):
        with pytest.raises(DeviceError, match=r"libcuda\.so\.1"):
            function(np.ones(3), np.ones(3))


def test_a_cpu_runs_no_kernels():
    add = qn.load(ADD, add=KERNEL)
    f = compiled(lambda x: add(x, x) + 1)
    with pytest.raises(UnsupportedError) as caught:
        f(np.ones(3))
    assert re.search(
        r"`add_\w+`, a kernel in CUDA C\+\+ \(.*\), which CPUs don't run", str(caught.value)
    )
    assert "with device='cuda', or with arrays on a device, for a kernel" in str(caught.value)
    with pytest.raises(UnsupportedError, match="a kernel in CUDA C"):
        f.lower(np.ones(3)).text("cpp")
    assert "launch" in f.lower(np.ones(3)).text("cuda")


def test_signatures_and_launch_shapes_that_cannot_be_read():
    for arguments, text in [
        (
            (SUM, "(k + 1) / 2", 32),
            "grid: no argument of 'float64[n], float64[n] -> float64[n]' has",
        ),
        ((SUM, "n +", 32), "grid: 'n +' is no size: write a number, a name, or a sum of them"),
        ((SUM, "n / m", 32), "grid: 'n / m' is no size: write a number, a name, or a sum of them"),
        ((SUM, 0, 32), "grid has to be at least 1, not 0"),
        ((SUM, 1.5, 32), "grid is made of numbers and texts, not float"),
        ((SUM, (1, 1, 1, 1), 32), "grid has one to three extents, not 4"),
        ((SUM, 1, 2048), "block=2048 has 2048 threads, and a device runs at most 1024 in a block"),
        (
            (SUM, 1, (32, 32, 2)),
            "block=(32, 32, 2) has 2048 threads, and a device runs at most 1024",
        ),
        ((SUM, 1, 1, -1), "shared has to be at least 0, not -1"),
        (("float64[n]", 1, 1), "the function gives nothing, and writes nothing"),
        (
            ("context, out float64[n]", 1, 1),
            "`context` and `status` are for functions in C++, not for kernels",
        ),
        (("float64[], out float64[n]", 1, 1), "write float64 for float64[]"),
        (
            ("complex64 -> float64", 1, 1),
            "a kernel takes no complex number by value; write complex64[1], and give it an array",
        ),
    ]:
        with pytest.raises(SignatureError) as caught:
            qn.Kernel(*arguments)
        assert text in str(caught.value)


def test_what_load_takes_of_kernels(tmp_path):
    (tmp_path / "f.cu").write_text(ADD)
    with pytest.raises(LoadError) as caught:
        qn.load(tmp_path / "f.cu", add=SUM)
    assert (
        "f.cu is a text in CUDA C++: give the signature of each kernel as "
        "quernel.Kernel(signature, grid=…, block=…)" in str(caught.value)
    )
    with pytest.raises(TypeError) as caught:
        qn.load(ADD + AXPY, add=KERNEL, axpy=SIGNATURE)
    assert "a text has functions or kernels, not both: axpy has no launch shape" in str(
        caught.value
    )


def test_errors_of_a_text_have_its_lines(tmp_path):
    path = tmp_path / "wrong.cu"
    path.write_text(ADD.replace("x[i]", "z[i]"))
    with pytest.raises(LoadError) as caught:
        qn.load(path, add=KERNEL)
    assert "wrong.cu can't be compiled:" in str(caught.value)
    assert re.search(r'wrong\.cu\(5\): error: identifier "z" is undefined', str(caught.value))
    with pytest.raises(LoadError, match=r"the text\(2\): error: expected a"):
        qn.load("\n__global__ void add() { return }", add=qn.Kernel("-> float64", 1, 1))
    with pytest.raises(LoadError, match=r"global scope has no|is undefined"):
        qn.load("__global__ void sub() {}", add=KERNEL)
    with pytest.raises(LoadError, match="non-__global__ function"):
        qn.load(ADD.replace("__global__", "__device__"), add=KERNEL)


@pytest.mark.parametrize(
    "parameters",
    [
        "const double *x, const double *y",
        "const double *x, const double *y, double *sum, int n",
        "const double *x, const double *y, double *sum, int64_t n, int64_t m",
        "double *x, const double *y, double *sum",
        "const float *x, const double *y, double *sum",
        "qn::array<const double, 2> x, const double *y, double *sum",
        "qn::array<double, 1> x, const double *y, double *sum",
        "double x, const double *y, double *sum",
    ],
)
def test_a_kernel_that_takes_something_else(parameters):
    with pytest.raises(LoadError) as caught:
        qn.load(f"__global__ void add({parameters}) {{}}", add=KERNEL)
    assert "the signature of add(1): error: static assertion failed" in str(caught.value)
    assert (
        "the signature has add take: qn::array<const double, 1> or const double *; "
        "qn::array<const double, 1> or const double *; qn::array<double, 1> or double *; "
        "perhaps int64_t" in str(caught.value)
    )


def test_a_text_may_include_files_beside_it(tmp_path):
    (tmp_path / "one.h").write_text('#include "two.h"\n')
    (tmp_path / "two.h").write_text("#define TWO 2\n")
    path = tmp_path / "f.cu"
    path.write_text(
        '#include <quernel.h>\n#include "one.h"\n__global__ void f(double *x) { *x = TWO; }\n'
    )
    kernel = qn.Kernel("-> float64", 1, 1)
    first, same = qn.load(path, f=kernel), qn.load(path, f=kernel)
    assert first.text.key == same.text.key
    (tmp_path / "two.h").write_text("#define TWO 20\n")
    assert qn.load(path, f=kernel).text.key != first.text.key
    (tmp_path / "two.h").write_text("#define TWO nothing\n")
    with pytest.raises(LoadError, match='identifier "nothing" is undefined'):
        qn.load(path, f=kernel)


def test_where_there_is_no_nvrtc(monkeypatch, tmp_path):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("quernel._compiler.nvrtc", lambda options: "NVRTC is not installed: …")
    add = qn.load(ADD + "// another\n", add=KERNEL)
    assert add.text.object is None


def test_texts_are_compiled_for_targets_of_their_kind():
    add, axpy = qn.load(ADD, add=KERNEL), qn.load(AXPY, axpy=SIGNATURE)
    with pytest.raises(NotImplementedError, match=r"in CUDA C\+\+ are for devices, not for host"):
        compiler().compile_text(add.text.form, "host")
    with pytest.raises(NotImplementedError, match=r"texts in C\+\+ are for CPUs, not for sm_80"):
        compiler().compile_text(axpy.text.form, "sm_80")
