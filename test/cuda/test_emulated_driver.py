"""The emulator's NVRTC and the functions of its driver."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from emulated_device import ADDITION, DeviceError, installation, nvidias_nvrtc


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


def test_what_the_real_library_says_is_an_error(nvrtc, monkeypatch):
    monkeypatch.setenv("EMULATOR_NVRTC", str(nvidias_nvrtc()))
    monkeypatch.setenv("EMULATOR_ARCHITECTURES", "all")
    text = 'extern "C" __global__ void %s(long long *x) { %s; *x = %s; }'
    nvrtc.compile(text % ("right", "long long y = 1", "y"))
    with pytest.raises(DeviceError, match=r"(?s)sm_75: .*never referenced.*sm_100: ") as error:
        nvrtc.compile(text % ("unused", "long long y", "1"))
    assert error.value.code == 6
    with pytest.raises(DeviceError, match=r"(?s)sm_90: .*unknown"):
        nvrtc.compile(text % ("wrong", "", "unknown"))
    monkeypatch.delenv("EMULATOR_ARCHITECTURES")
    seen = set()
    for number in range(40):  # of each text one architecture, which stays the same
        with pytest.raises(DeviceError) as error:
            nvrtc.compile(text % (f"wrong{number}", "", "unknown"))
        seen.update(re.findall(r"NVRTC for (compute_\d+)", str(error.value)))
    assert seen == {"compute_75", "compute_80", "compute_90", "compute_100"}


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


def test_the_shared_memory_of_a_kernel(nvrtc, driver):
    text = """
    extern "C" __global__ void tile(int *x) {
      __shared__ int a[1000];
      __shared__ double b[10];
      a[threadIdx.x] = b[threadIdx.x] = 1;
      *x = a[threadIdx.x] + b[threadIdx.x];
    }
    extern "C" __global__ void other(int *x) {
      __shared__ char c[40000];
      c[threadIdx.x] = 1;
      *x = c[threadIdx.x];
    }
    """
    module, value = driver.load(nvrtc.compile(text)), ctypes.c_int()
    tile = driver.function(module, "tile")
    driver("cuFuncGetAttribute", ctypes.byref(value), 1, tile)
    assert value.value == 4080
    driver.launch(tile, 1, 1, driver.allocate(4), shared=(48 << 10) - 4080)
    with pytest.raises(DeviceError, match="45073 bytes of shared memory beside 4080 declared ones"):
        driver.launch(tile, 1, 1, driver.allocate(4), shared=(48 << 10) - 4079)
    threads = driver.library.cuOccupancyMaxActiveBlocksPerMultiprocessor
    assert (
        threads(ctypes.byref(value), driver.function(module, "other"), 64, ctypes.c_size_t(0)) == 0
    )
    assert value.value == 2


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


@pytest.fixture
def streams(driver, monkeypatch):
    """Two streams whose work is done late; they don't wait for the default one."""
    monkeypatch.setenv("EMULATOR_STREAMS", "late")
    handles = [ctypes.c_void_p(), ctypes.c_void_p()]
    for handle in handles:
        driver("cuStreamCreate", ctypes.byref(handle), 1)
    yield handles
    for handle in handles:
        driver("cuStreamDestroy_v2", handle)


def test_late_streams_show_a_host_that_does_not_wait(driver, streams):
    host, x = ctypes.c_void_p(), driver.allocate(8)
    driver("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(8), 0)
    value = ctypes.c_double.from_address(host.value)
    value.value = 1
    driver("cuMemcpyHtoDAsync_v2", x, host, ctypes.c_size_t(8), streams[0])
    value.value = 2  # Too early.
    driver("cuStreamSynchronize", streams[0])
    assert driver.download(x, 1, float) == 2
    value.value = 3
    driver("cuMemcpyDtoHAsync_v2", host, x, ctypes.c_size_t(8), streams[0])
    assert value.value == 3
    driver("cuStreamSynchronize", streams[0])
    assert value.value == 2
    # Of memory that isn't pinned the driver makes a copy.
    own = np.float64([5])
    address = ctypes.c_void_p(own.ctypes.data)
    driver("cuMemcpyHtoDAsync_v2", x, address, ctypes.c_size_t(8), streams[0])
    own[0] = 6
    driver("cuMemcpyDtoHAsync_v2", address, x, ctypes.c_size_t(8), streams[0])
    assert own[0] == 5
    driver("cuMemFreeHost", host)


@pytest.mark.parametrize("waits", [False, True])
def test_late_streams_show_a_stream_that_does_not_wait(kernel, driver, streams, waits):
    one = kernel("one", 'extern "C" __global__ void one(double *x) { *x = 1; }')
    add = kernel("add", 'extern "C" __global__ void add(double *x) { *x += 2; }')
    x, event = driver.upload(np.zeros(1)), ctypes.c_void_p()
    driver("cuEventCreate", ctypes.byref(event), 0)
    driver.launch(one, 1, 1, x, stream=streams[0])
    driver("cuEventRecord", event, streams[0])
    if waits:
        driver("cuStreamWaitEvent", streams[1], event, 0)
    driver.launch(add, 1, 1, x, stream=streams[1])
    with pytest.raises(DeviceError, match="not ready"):
        driver("cuStreamQuery", streams[1])
    driver("cuStreamSynchronize", streams[1])
    assert driver.download(x, 1, float) == (3 if waits else 2)
    while driver.library.cuEventQuery(event) == 600:
        pass
    assert driver.download(x, 1, float) == (3 if waits else 1)
    driver("cuEventDestroy_v2", event)


@pytest.mark.parametrize("waits", [False, True])
def test_eager_copies_show_a_copy_that_does_not_wait(kernel, driver, streams, monkeypatch, waits):
    monkeypatch.setenv("EMULATOR_STREAMS", "eager")
    add = kernel("add", 'extern "C" __global__ void add(double *x, double *y) { *y += *x; }')
    host, event, other = (ctypes.c_void_p() for _ in range(3))
    x, y = driver.upload(np.ones(1)), driver.upload(np.zeros(1))
    driver("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(8), 0)
    ctypes.c_double.from_address(host.value).value = 5
    for made in (event, other):
        driver("cuEventCreate", ctypes.byref(made), 0)
    driver.launch(add, 1, 1, x, y, stream=streams[0])
    driver("cuEventRecord", event, streams[0])
    if waits:
        driver("cuStreamWaitEvent", streams[1], event, 0)
    driver("cuMemcpyHtoDAsync_v2", x, host, ctypes.c_size_t(8), streams[1])
    driver("cuEventRecord", other, streams[1])
    driver("cuStreamSynchronize", streams[0])
    assert driver.library.cuEventQuery(other) == 0, "nobody has to wait for a copy"
    assert driver.download(y, 1, float) == (1 if waits else 5)
    assert driver.download(x, 1, float) == 5
    for made in (event, other):
        driver("cuEventDestroy_v2", made)
    driver("cuMemFreeHost", host)


def test_the_log_of_streams(kernel, driver, streams, monkeypatch):
    monkeypatch.setenv("EMULATOR_LOG", "1")
    driver.library.emulator_log.restype = ctypes.c_char_p
    one = kernel("one", 'extern "C" __global__ void one(double *x) { *x = 1; }')
    x, own = driver.upload(np.zeros(1)), np.zeros(1)
    driver.library.emulator_log()
    driver.launch(one, 1, 1, x, stream=streams[0])
    address = ctypes.c_void_p(own.ctypes.data)
    driver("cuMemcpyHtoDAsync_v2", x, address, ctypes.c_size_t(8), streams[1])
    assert driver.library.emulator_log() == b""
    for stream in reversed(streams):
        driver("cuStreamSynchronize", stream)
    copied, launched = (
        line.split(" ", 1) for line in driver.library.emulator_log().decode().splitlines()
    )
    assert copied[1] == "HtoD 8" and launched[1] == "kernel one"
    assert int(copied[0]) == int(launched[0]) + 1
    assert driver.library.emulator_log() == b""


def test_the_parameters_of_a_kernel(kernel, driver):
    text = "struct Three { double *x; int y; };"
    text += 'extern "C" __global__ void f(double *x, float y, int z, Three three, bool last) {}'
    function, offset, size = kernel("f", text), ctypes.c_size_t(), ctypes.c_size_t()
    found = []
    while (
        driver.library.cuFuncGetParamInfo(
            function, ctypes.c_size_t(len(found)), ctypes.byref(offset), ctypes.byref(size)
        )
        == 0
    ):
        found.append((offset.value, size.value))
    assert found == [(0, 8), (8, 4), (12, 4), (16, 16), (32, 1)]


def test_late_streams_tell_errors_late(kernel, driver, streams):
    wrong = kernel("wrong", 'extern "C" __global__ void wrong(double *x) { x[1] = 1; }')
    x = driver.allocate(8)
    driver.launch(wrong, 1, 1, x, stream=streams[0])
    with pytest.raises(DeviceError, match="behind the end of a buffer of 8 bytes"):
        driver("cuStreamSynchronize", streams[0])
    driver.library.emulator_reset_error()


def test_a_small_launch_takes_little_time(kernel, driver):
    add, x, out = kernel("add", ADDITION), driver.upload(np.zeros(1000)), driver.allocate(8000)
    driver.launch(add, 4, 256, x, x, out, 1000)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        driver.launch(add, 4, 256, x, x, out, 1000)
        times.append(time.perf_counter() - begin)
    assert min(times) < 5e-3  # About 0.3 ms where nothing else runs.


def test_the_compiler_finds_the_emulator(tmp_path):
    (tmp_path / "add.cu").write_text(ADDITION)
    tool = installation().parents[2] / "bin" / "quernel-compile"
    command = [tool, "--target=sm_80", tmp_path / "add.cu", "-o", tmp_path / "add.cubin"]
    done = run(command, CUDA_PATH=str(installation()))
    assert done.returncode == 0, done.stderr
    assert b"emulator_kernels" in (tmp_path / "add.cubin").read_bytes()
