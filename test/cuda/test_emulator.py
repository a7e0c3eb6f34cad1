"""What the CUDA emulator computes, and what it finds in kernels that are wrong."""

import ctypes

import numpy as np
import pytest
from emulated_device import ADDITION, DeviceError


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
        "thread (16,0,0) of block (0,0,0) writes 4 bytes at 64 of the 128 bytes of wrong::s in"
        " shared memory that thread"
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
    "lane outside its mask": (
        "if (threadIdx.x < 16) __syncwarp(0xffff0001); else __ballot_sync(0xffffffff, 1);",
        719,
        "is no lane of the mask 0xffff0001 that it names",
    ),
    "lanes that wait elsewhere": (
        "if (threadIdx.x < 16) __syncwarp(); else __ballot_sync(0xffffffff, 1);",
        719,
        "thread (0,0,0) of block (0,0,0) waits at __syncwarp of the lanes 0xffffffff, while thread"
        " (16,0,0) of block (0,0,0) waits at a vote of the lanes 0xffffffff",
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
    "behind shared memory": (
        "__shared__ float s[33]; s[threadIdx.x + 2 + blockIdx.x] = 1; __syncthreads();"
        "if (s[2] != 1) x[0] = 1;",
        700,
        "thread (31,0,0) of block (0,0,0) writes 4 bytes at 0 behind the end of the 132 bytes of"
        " wrong::s in shared memory",
    ),
    "constant memory": (
        'static const char text[] = "text"; ((char *)text)[blockIdx.x] = 1;',
        700,
        "writes 1 bytes of the module's constants and code at 0x",
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


def wrong_kernel(body):
    return f'extern "C" __global__ void wrong(float *x) {{\n{body}\n}}'


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_kernels_fail(kernel, driver, wrong, capfd):
    body, code, text = WRONG[wrong]
    function = kernel("wrong", wrong_kernel(body))
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


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_kernels_fail_in_every_order(kernel, driver, wrong, monkeypatch):
    function = kernel("wrong", wrong_kernel(WRONG[wrong][0]))
    for seed in range(1, 9):
        monkeypatch.setenv("EMULATOR_SEED", str(seed))
        x = driver.upload(np.zeros(100, np.float32))
        with pytest.raises(DeviceError) as error:
            driver.launch(function, 2, 32, x, shared=16)
        assert error.value.code in {700, 719}
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
