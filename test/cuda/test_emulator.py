"""What the CUDA emulator computes, and what it finds in kernels that are wrong."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from emulated_device import DeviceError, Driver, Nvrtc, installation

ADDITION = """
typedef long long int64_t;
extern "C" __global__ void add(const double *__restrict__ x, const double *y, double *out,
                               int64_t n) {
  int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += threads)
    out[i] = x[i] + y[i];
}
"""


@pytest.fixture(scope="module", autouse=True)
def kept_objects(tmp_path_factory):
    """Each text is compiled once."""
    before = os.environ.get("EMULATOR_CACHE")
    os.environ["EMULATOR_CACHE"] = str(tmp_path_factory.mktemp("objects"))
    yield
    del os.environ["EMULATOR_CACHE"]
    if before is not None:
        os.environ["EMULATOR_CACHE"] = before


@pytest.fixture(scope="module")
def nvrtc():
    return Nvrtc()


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def kernel(nvrtc, driver):
    """The function of a text's kernel, in the namespace of generated code."""
    modules = []

    def load(name, text):
        modules.append(driver.load(nvrtc.compile(f"namespace quernel {{\n{text}\n}}\n")))
        return driver.function(modules[-1], name)

    yield load
    for module in modules:
        driver("cuModuleUnload", module)


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize(("blocks", "threads"), [(1, 1), (1, 256), (13, 33), (100, 1024), (4, 1)])
def test_vector_addition(kernel, driver, blocks, threads, seed, monkeypatch):
    monkeypatch.setenv("EMULATOR_SEED", str(seed))
    x, y = np.arange(1001.0), np.full(1001, 0.5)
    out = driver.allocate(x.nbytes)
    driver.launch(
        kernel("add", ADDITION), blocks, threads, driver.upload(x), driver.upload(y), out, x.size
    )
    assert np.array_equal(driver.download(out, x.shape, x.dtype), x + y)


REDUCTION = """
extern "C" __global__ void __launch_bounds__(256) total(const float *x, float *out, long long n) {
  __shared__ float partial[8];
  extern __shared__ float all[];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += x[blockIdx.x * n + i];
  all[threadIdx.x] = sum;
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int lanes = 4; lanes > 0; lanes >>= 1)
      sum += __shfl_xor_sync(~0u, sum, lanes);
  }
  int positive = __syncthreads_count(all[(threadIdx.x + 1) % blockDim.x] >= 0);
  if (threadIdx.x == 0)
    out[blockIdx.x] = positive == blockDim.x ? sum : -1;
}
"""


@pytest.mark.parametrize("seed", [0, 3])
def test_reduction_of_a_block(kernel, driver, seed, monkeypatch):
    monkeypatch.setenv("EMULATOR_SEED", str(seed))
    x = np.random.default_rng(0).integers(0, 99, (5, 1000)).astype(np.float32)
    out = driver.allocate(20)
    driver.launch(kernel("total", REDUCTION), 5, 256, driver.upload(x), out, 1000, shared=1024)
    assert np.array_equal(driver.download(out, 5, np.float32), x.sum(axis=1))


def test_functions_of_warps_and_atomics(kernel, driver):
    text = """
    extern "C" __global__ void warps(unsigned *out, int *sum, double *most) {
      unsigned i = threadIdx.x;
      out[i] = __ballot_sync(~0u, i % 3 == 0);
      out[32 + i] = __shfl_up_sync(~0u, i, 5);
      out[64 + i] = __reduce_add_sync(~0u, i);
      out[96 + i] = __match_any_sync(~0u, i / 8);
      out[128 + i] = __shfl_sync(~0u, i, 3, 8);
      out[160 + i] = __all_sync(~0u, i < 32) + 2 * __any_sync(~0u, i > 31);
      if (i < 8)
        out[192 + i] = __activemask() & __shfl_xor_sync(0xff, i, 1);
      atomicAdd(sum, (int)i);
      atomicMax((unsigned long long *)most, __double_as_longlong(i * 0.5));
    }
    """
    out, total, most = (
        driver.allocate(800),
        driver.upload(np.int32([5])),
        driver.upload(np.zeros(1)),
    )
    driver.launch(kernel("warps", text), 1, 32, out, total, most)
    values, i = driver.download(out, 200, np.uint32), np.arange(32)
    assert (values[:32] == sum(1 << k for k in range(0, 32, 3))).all()
    assert np.array_equal(values[32:64], np.where(i < 5, i, i - 5))
    assert (values[64:96] == 496).all()
    assert np.array_equal(values[96:128], 0xFF << (i // 8 * 8))
    assert np.array_equal(values[128:160], i // 8 * 8 + 3)
    assert (values[160:192] == 1).all()
    assert np.array_equal(values[192:], i[:8] ^ 1)
    assert driver.download(total, 1, np.int32) == 501
    assert driver.download(most, 1, np.float64) == 15.5


def test_mathematical_functions(kernel, driver):
    text = """
    extern "C" __global__ void functions(double *out, float *narrow, double x) {
      double s, c, list[] = {exp(x), pow(x, 1.5), pow(x, 2), fmod(x, 1.0), rsqrt(x), sinpi(x),
                             cospi(x), erfinv(x / 4), normcdfinv(x / 4), exp10(x), fma(x, x, x),
                             isnan(x) + 0.0};
      for (int i = 0; i < 12; ++i)
        out[i] = list[i];
      sincos(x, &s, &c);
      out[12] = s, out[13] = c;
      narrow[0] = exp((float)x), narrow[1] = fabs((float)-x), narrow[2] = __fsqrt_rn((float)x);
      narrow[3] = __builtin_bit_cast(float, 0x7F800000);
    }
    """
    x = 1.3
    wide, narrow = driver.allocate(14 * 8), driver.allocate(16)
    driver.launch(kernel("functions", text), 1, 1, wide, narrow, ctypes.c_double(x))
    expected = [
        np.exp(x),
        x**1.5,
        x**2,
        np.fmod(x, 1.0),
        x**-0.5,
        np.sin(np.pi * x),
        np.cos(np.pi * x),
    ]
    expected += [
        0.2964868702982911,
        -0.45376219016987956,
        10**x,
        x * x + x,
        0,
        np.sin(x),
        np.cos(x),
    ]
    np.testing.assert_allclose(driver.download(wide, 14, float), expected, rtol=1e-14)
    floats = np.float32([np.exp(np.float32(x)), x, np.sqrt(np.float32(x)), np.inf])
    np.testing.assert_allclose(driver.download(narrow, 4, np.float32), floats, rtol=1e-6)


def test_narrow_elements_of_neighbours_are_no_race(kernel, driver):
    text = """
    extern "C" __global__ void compare(const float *x, bool *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = x[i] > 3;
    }
    """
    x, out = np.arange(64, dtype=np.float32), driver.allocate(64)
    driver.launch(kernel("compare", text), 4, 16, driver.upload(x), out)
    assert np.array_equal(driver.download(out, 64, bool), x > 3)


def test_variables_of_a_module(nvrtc, driver):
    text = """
    extern "C" { __device__ int counter = 3; __constant__ float factors[4]; }
    static __device__ const double table[2] = {1.5, 2.5};
    extern "C" __global__ void next(double *out) {
      out[threadIdx.x] = table[threadIdx.x] * factors[threadIdx.x] + atomicAdd(&counter, 0);
    }
    """
    module = driver.load(nvrtc.compile(text))
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    driver("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, b"factors")
    assert size.value == 16
    factors = np.float32([2, 4, 6, 8])
    driver("cuMemcpyHtoD_v2", address, ctypes.c_void_p(factors.ctypes.data), size)
    out = driver.allocate(16)
    driver.launch(driver.function(module, "next"), 1, 2, out)
    assert driver.download(out, 2, float).tolist() == [6.0, 13.0]
    driver("cuModuleUnload", module)


# What a kernel does wrong with `x`, 100 floats, in two blocks of 32 threads; what is said of it.
WRONG = {
    "read behind": (
        "if (x[blockIdx.x * 100 + threadIdx.x + 3] == 7) x[0] = 1;",
        700,
        "thread (0,0,0) of block (1,0,0) reads 4 bytes at 12 behind the end of a buffer of 400"
        " bytes",
    ),
    "write behind": (
        "if (blockIdx.x == 1) x[threadIdx.x + 97] = 1;",
        700,
        "thread (3,0,0) of block (1,0,0) writes 4 bytes at 0 behind the end of a buffer of 400"
        " bytes",
    ),
    "read before": (
        "x[0] = x[-1 - (int)threadIdx.x];",
        700,
        "reads 4 bytes at 4 before the begin of a buffer of 400 bytes",
    ),
    "null pointer": ("((float *)nullptr)[3] = 1;", 700, "writes 4 bytes by a null pointer (0xc)"),
    "partly behind": (
        "((double *)x)[threadIdx.x + 50 - blockIdx.x] = 1;",
        700,
        "writes 8 bytes at 0 behind the end of a buffer of 400 bytes",
    ),
    "misaligned": (
        "*(double *)(x + 1) = 1;",
        700,
        "writes 8 bytes at an address that is no multiple of it: at 4 of a buffer of 400 bytes",
    ),
    "copy": (
        "memcpy(x + 90, x, 44);",
        700,
        "writes 44 bytes at 360 of a buffer of 400 bytes",
    ),
    "shared race": (
        "__shared__ float s[32]; s[threadIdx.x] = 1;"
        "x[32 * blockIdx.x + threadIdx.x] = s[31 - threadIdx.x];",
        719,
        "thread (16,0,0) of block (0,0,0) writes 4 bytes at 64 of the shared memory that thread"
        " (15,0,0) of block (0,0,0) has read, and no barrier is between",
    ),
    "shared write after read": (
        "__shared__ float s[32]; s[threadIdx.x] = 1; __syncthreads(); "
        "if (s[threadIdx.x] != 1) x[0] = 1; if (threadIdx.x == 0) s[31] = 2;",
        719,
        "that thread (31,0,0) of block (0,0,0) has read, and no barrier is between",
    ),
    "same value": (
        "x[5] = 1;",
        719,
        "thread (1,0,0) of block (0,0,0) writes 4 bytes at 20 of a buffer of 400 bytes that thread"
        " (0,0,0) of block (0,0,0) has written, and no barrier is between",
    ),
    "race of blocks": (
        "x[threadIdx.x + blockIdx.x] = 1;",
        719,
        "thread (0,0,0) of block (1,0,0) writes 4 bytes at 4 of a buffer of 400 bytes that thread"
        " (1,0,0) of block (0,0,0) has written",
    ),
    "write before another block reads": (
        "if (threadIdx.x == 0) { x[blockIdx.x] = 1; __threadfence(); x[10 + blockIdx.x] = x[0]; }",
        719,
        "thread (0,0,0) of block (1,0,0) reads 4 bytes at 0 of a buffer of 400 bytes that thread"
        " (0,0,0) of block (0,0,0) has written",
    ),
    "atomic and plain": (
        "if (threadIdx.x == 0) atomicAdd(x, 1.0f); else x[threadIdx.x + 32 * blockIdx.x] = x[0];",
        719,
        "that thread (0,0,0) of block (0,0,0) has changed atomically",
    ),
    "barrier after return": (
        "if (threadIdx.x == 5) return;\n__syncthreads();",
        719,
        "thread (0,0,0) of block (0,0,0) waits at the barrier of line 4, while thread (5,0,0) of"
        " block (0,0,0) has returned",
    ),
    "two barriers": (
        "if (threadIdx.x == 5)\n__syncthreads();\nelse\n__syncthreads();",
        719,
        "while threads of its block wait at that of line",
    ),
    "barrier and shuffle": (
        "if (threadIdx.x < 4) __syncwarp(); else __syncthreads();",
        719,
        "thread (0,0,0) of block (0,0,0) waits at __syncwarp of the lanes 0xffffffff, while thread"
        " (4,0,0) of block (0,0,0) waits at the barrier of line 3",
    ),
    "missing lanes": (
        "if (threadIdx.x < 16) return; x[0] = __shfl_down_sync(0xffffffff, 1.0f, 1);",
        719,
        "names the lanes 0x0000ffff that its warp doesn't have, or that have returned",
    ),
    "lanes that wait elsewhere": (
        "if (threadIdx.x < 16) __syncwarp(0xffff0001); else __ballot_sync(0xffffffff, 1);",
        719,
        "is no lane of the mask 0xffff0001 that it names",
    ),
    "source outside the mask": (
        "if (threadIdx.x < 16) __shfl_sync(0xffff, 1.0f, 20);",
        719,
        "asks for a value of lane 20, which isn't in the mask 0x0000ffff",
    ),
    "another thread's variable": (
        "__shared__ float *s[32]; float own = threadIdx.x; s[threadIdx.x] = &own; __syncthreads();"
        "*s[(threadIdx.x + 1) % 32] += 1; __syncthreads();",
        700,
        "of another thread's local memory",
    ),
    "dynamic shared memory": (
        "extern __shared__ double d[]; d[threadIdx.x] = 1;",
        700,
        "thread (2,0,0) of block (0,0,0) writes 8 bytes at 0 behind the end of the 16 bytes of"
        " dynamic shared memory",
    ),
    "trap": (
        "if (threadIdx.x == 7) __trap();",
        719,
        "thread (7,0,0) of block (0,0,0) stops at a trap",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_kernels_fail(kernel, driver, wrong, capfd):
    body, code, text = WRONG[wrong]
    function = kernel(
        "wrong", f'extern "C" __global__ void wrong(float *x) {{\n{textwrap.dedent(body)}\n}}'
    )
    x = driver.upload(np.zeros(100, np.float32))
    with pytest.raises(DeviceError) as error:
        driver.launch(function, 2, 32, x, shared=16)
    message = str(error.value)
    assert text in message and message.startswith("wrong: thread (")
    assert error.value.code == code
    assert "emulator: " + message in capfd.readouterr().err
    # Others may run afterwards.
    driver.launch(kernel("fine", 'extern "C" __global__ void fine(float *x) { *x = 2; }'), 1, 1, x)
    assert driver.download(x, 1, np.float32) == 2
    driver.free(x)


def test_an_error_names_the_line(kernel, driver):
    text = (
        'extern "C" __global__ void lines(float *x) {\n  x[0] = 1;\n  x[100] = 2;\n  x[1] = 3;\n}'
    )
    with pytest.raises(DeviceError, match=r"\(kernels\.cu:4\)$"):
        driver.launch(kernel("lines", text), 1, 1, driver.allocate(8))


def test_barriers_order_accesses(kernel, driver):
    text = """
    extern "C" __global__ void ordered(float *x) {
      __shared__ float s[64];
      s[threadIdx.x] = threadIdx.x;
      __syncwarp();
      float y = s[threadIdx.x ^ 1];
      __syncthreads();
      s[(threadIdx.x + 32) % 64] = y;
      __syncthreads();
      x[threadIdx.x] = s[threadIdx.x];
      __syncthreads();
      x[63 - threadIdx.x] += 1;
    }
    """
    x = driver.allocate(256)
    driver.launch(kernel("ordered", text), 1, 64, x)
    i = np.arange(64)
    assert np.array_equal(driver.download(x, 64, np.float32), ((i + 32) % 64 ^ 1) + 1)


def test_syncwarp_does_not_order_other_warps(kernel, driver):
    text = """
    extern "C" __global__ void unordered(float *x) {
      x[threadIdx.x] = 1;
      __syncwarp();
      x[64 + threadIdx.x] = x[threadIdx.x ^ 32];
    }
    """
    with pytest.raises(DeviceError, match="no barrier is between"):
        driver.launch(kernel("unordered", text), 1, 64, driver.allocate(1024))


def test_freed_memory_and_that_of_the_host(kernel, driver):
    write = kernel("write", 'extern "C" __global__ void write(float *x) { x[threadIdx.x] = 1; }')
    x = driver.allocate(400)
    driver.launch(write, 1, 100, x)
    driver.free(x)
    with pytest.raises(DeviceError, match="at 0 of a buffer of 400 bytes that has been freed"):
        driver.launch(write, 1, 100, x)
    with pytest.raises(DeviceError, match="or was freed before"):
        driver.free(x)
    host = np.zeros(4, np.float32)
    with pytest.raises(DeviceError, match="writes 4 bytes of the host's memory at 0x"):
        driver.launch(write, 1, 4, ctypes.c_uint64(host.ctypes.data))
    assert not host.any()


def test_the_host_cannot_touch_the_memory_of_a_device():
    program = """
    import ctypes
    from emulated_device import Driver
    driver = Driver()
    ctypes.memset(driver.allocate(16).value, 0, 16)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    assert run(command).returncode == -signal.SIGSEGV


def run(command, **environment):
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_reads_of_what_nobody_has_written():
    program = """
    import numpy as np
    from emulated_device import DeviceError, Driver, Nvrtc
    driver = Driver()
    text = 'extern "C" __global__ void copy(const float *x, float *y) { *y = *x; }'
    copy = driver.function(driver.load(Nvrtc().compile(text)), "copy")
    x, y = driver.upload(np.float32([2])), driver.allocate(4)
    try:
        driver.launch(copy, 1, 1, y, x)
    except DeviceError as error:
        print(error)
    driver.launch(copy, 1, 1, x, y)
    driver.launch(copy, 1, 1, y, x)
    """
    done = run([sys.executable, "-c", textwrap.dedent(program)], EMULATOR_UNINITIALISED="1")
    assert done.returncode == 0
    assert "reads 4 bytes at 0 of a buffer of 4 bytes, which nobody has written" in done.stdout


def test_late_errors(kernel, driver, monkeypatch):
    monkeypatch.setenv("EMULATOR_ERRORS", "late")
    write = kernel("late", 'extern "C" __global__ void late(float *x) { x[1] = 1; }')
    x = driver.allocate(4)
    driver.launch(write, 1, 1, x)
    for call in [("cuCtxSynchronize",), ("cuStreamSynchronize", None), ("cuMemFree_v2", x)]:
        with pytest.raises(DeviceError, match="late: thread"):
            driver(*call)
    driver.library.emulator_reset_error()
    driver.free(x)


def test_errors_of_compilation_are_in_the_log(nvrtc):
    with pytest.raises(DeviceError, match=r"kernels\.cu:2:.*unknown") as error:
        nvrtc.compile('extern "C" __global__ void f(float *x) {\n  *x = unknown;\n}')
    assert error.value.code == 6
    assert nvrtc.library.nvrtcGetErrorString(6) == b"NVRTC_ERROR_COMPILATION"
    with pytest.raises(DeviceError, match="missing"):
        nvrtc.compile(
            '__device__ int missing(); extern "C" __global__ void f(int *x) { *x = missing(); }'
        )


def test_names_of_the_standard_library_are_missing(nvrtc):
    with pytest.raises(DeviceError, match="int64_t"):
        nvrtc.compile('extern "C" __global__ void f(int64_t *x) {}')


def test_out_of_memory(driver):
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    driver("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    assert total.value == 256 << 20
    most = driver.allocate(free.value)
    with pytest.raises(DeviceError) as error:
        driver.allocate(1)
    assert error.value.code == 2
    driver.free(most)
    driver.free(driver.allocate(free.value))


def test_copies_are_checked(driver):
    x, host = driver.allocate(100), np.zeros(200, np.uint8)
    address = ctypes.c_void_p(host.ctypes.data)
    with pytest.raises(
        DeviceError, match="cuMemcpyHtoD of 101 bytes at 0 of a buffer of 100 bytes"
    ):
        driver("cuMemcpyHtoD_v2", x, address, ctypes.c_size_t(101))
    with pytest.raises(DeviceError, match="a device's address for the host's memory"):
        driver("cuMemcpyDtoH_v2", x, x, ctypes.c_size_t(10))
    with pytest.raises(DeviceError, match="of no device's memory"):
        driver("cuMemcpyHtoD_v2", ctypes.c_uint64(address.value), address, ctypes.c_size_t(10))
    driver.free(x)


def test_launches_that_cannot_be(kernel, driver):
    text = 'extern "C" __global__ void __launch_bounds__(128) bounded(float *x) {}'
    bounded, x = kernel("bounded", text), driver.allocate(4)
    with pytest.raises(DeviceError, match="more threads than the 128 of its launch bounds"):
        driver.launch(bounded, 1, 129, x)
    for blocks, threads, shared in [(0, 1, 0), (1, 2048, 0), ((1, 65536), 1, 0), (1, 1, 49153)]:
        with pytest.raises(DeviceError) as error:
            driver.launch(bounded, blocks, threads, x, shared=shared)
        assert error.value.code == 1
    driver("cuFuncSetAttribute", bounded, 8, 60000)
    driver.launch(bounded, 1, 1, x, shared=60000)


def test_images_are_for_an_architecture(nvrtc, driver):
    text = 'extern "C" __global__ void f() {}'
    driver.load(nvrtc.compile(text, "compute_75"))
    for architecture in ["sm_90", "sm_75", "compute_90"]:
        with pytest.raises(DeviceError, match=f"is for {architecture}, and the device's") as error:
            driver.load(nvrtc.compile(text, architecture))
        assert error.value.code == 209
    with pytest.raises(DeviceError, match="none that the emulator's NVRTC has made"):
        driver.load(b"\x7fELF" + bytes(100))


def test_counts(driver):
    driver.library.emulator_reset_counts()
    x = driver.upload(np.zeros(10))
    driver.download(x, 5, float)
    driver.free(x)
    assert driver.count("cuMemAlloc") == driver.count("cuMemAlloc_v2") == 1
    assert (driver.bytes("HtoD"), driver.bytes("DtoH"), driver.bytes("DtoD")) == (80, 40, 0)
    assert driver.count("cuLaunchKernel") == 0


def test_functions_by_name(driver):
    function = ctypes.c_void_p()
    for name in [b"cuMemAlloc", b"cuLaunchKernel", b"cuStreamDestroy"]:
        driver("cuGetProcAddress_v2", name, ctypes.byref(function), 13000, ctypes.c_uint64(0), None)
        assert function.value
    with pytest.raises(DeviceError) as error:
        driver(
            "cuGetProcAddress_v2", b"cuNone", ctypes.byref(function), 0, ctypes.c_uint64(0), None
        )
    assert error.value.code == 500


def test_streams_and_events(driver):
    stream, events = ctypes.c_void_p(), [ctypes.c_void_p(), ctypes.c_void_p()]
    driver("cuStreamCreate", ctypes.byref(stream), 1)
    for event in events:
        driver("cuEventCreate", ctypes.byref(event), 0)
        driver("cuEventRecord", event, stream)
        driver("cuStreamWaitEvent", stream, event, 0)
    milliseconds = ctypes.c_float(-1)
    driver("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
    assert milliseconds.value >= 0
    driver("cuStreamDestroy_v2", stream)
    with pytest.raises(DeviceError):
        driver("cuStreamSynchronize", stream)


def test_a_small_launch_takes_little_time(kernel, driver):
    add, x, out = kernel("add", ADDITION), driver.upload(np.zeros(1000)), driver.allocate(8000)
    driver.launch(add, 4, 256, x, x, out, 1000)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        driver.launch(add, 4, 256, x, x, out, 1000)
        times.append(time.perf_counter() - begin)
    assert min(times) < 1e-3


def test_the_compiler_finds_the_emulator(tmp_path):
    (tmp_path / "add.cu").write_text(ADDITION)
    tool = installation().parents[2] / "bin" / "quernel-compile"
    command = [tool, "--target=sm_80", tmp_path / "add.cu", "-o", tmp_path / "add.cubin"]
    done = run(command, CUDA_PATH=str(installation()))
    assert done.returncode == 0, done.stderr
    assert b"emulator_kernels" in (tmp_path / "add.cubin").read_bytes()
