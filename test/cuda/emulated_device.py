"""The emulator's NVRTC and driver by ctypes."""

import ctypes
import os
import subprocess
from ctypes import byref, c_char_p, c_float, c_int64, c_size_t, c_uint64, c_void_p
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from quernel.cache.libraries import nvrtc_folders

ADDITION = """
typedef long long int64_t;
extern "C" __global__ void add(const double *__restrict__ x, const double *y, double *out,
                               int64_t n) {
  int64_t threads = gridDim.x * (int64_t)blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += threads)
    out[i] = x[i] + y[i];
}
"""


def installation() -> Path:
    """What CUDA_PATH may be: in the build's folder, beside the package tree that is imported."""
    package = Path(find_spec("quernel").submodule_search_locations[0])
    return package.parents[1] / "test" / "cuda" / "emulator"


def nvidias_nvrtc() -> Path:
    """NVIDIA's library, which the requirements of the tests install."""
    names = "libnvrtc.so.13", "libnvrtc.so.12"
    paths = [Path(folder) / name for folder in nvrtc_folders() for name in names]
    return next(path for path in paths if path.is_file())


#: What the texts of both tests begin with, beside their own names.
FAILURE = """
def failure(body, kind=DeviceError):
    try:
        body()
    except kind as error:
        return str(error)
    raise AssertionError("no error")
"""


def run_to_its_end(command, paths, environment):
    """Run a program that prints `done` at its end, in a process with the emulated device."""
    settings = {"CUDA_PATH": str(installation()), "PYTHONPATH": os.pathsep.join(paths)}
    settings["QUERNEL_DEVICE_POOL"] = ""
    ended = subprocess.run(
        command,
        env=os.environ | settings | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.splitlines()[-1:] == ["done"], ended.stdout + ended.stderr


class DeviceError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Nvrtc:
    def __init__(self):
        self.library = ctypes.CDLL(str(installation() / "lib64" / "libnvrtc.so.13"))
        self.library.nvrtcGetErrorString.restype = c_char_p

    def compile(self, text, architecture="sm_80"):
        """The image, or a DeviceError with the log."""
        library, program = self.library, c_void_p()
        library.nvrtcCreateProgram(byref(program), text.encode(), b"kernels.cu", 0, None, None)
        options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17", b"--fmad=false"]
        code = library.nvrtcCompileProgram(program, len(options), (c_char_p * 3)(*options))
        log, image = self.get(program, "ProgramLog"), self.get(program, "CUBIN")
        library.nvrtcDestroyProgram(byref(program))
        if code != 0:
            raise DeviceError(code, log.rstrip(b"\0").decode())
        return image

    def get(self, program, what):
        size = c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.raw


class Driver:
    """The driver with the context of a device; a function that fails raises DeviceError."""

    def __init__(self, device=0):
        self.library = ctypes.CDLL(str(installation() / "lib64" / "libcuda.so.1"))
        self.library.emulator_count.restype = c_int64
        self.library.emulator_bytes.restype = c_int64
        self("cuInit", 0)
        context = c_void_p()
        self("cuDevicePrimaryCtxRetain", byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = c_char_p()
            self.library.cuGetErrorString(code, byref(text))
            raise DeviceError(code, text.value.decode())

    def count(self, name):
        return self.library.emulator_count(name.encode())

    def bytes(self, direction):
        return self.library.emulator_bytes(direction.encode())

    def allocate(self, size):
        pointer = c_uint64()
        self("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        return pointer

    def free(self, pointer):
        self("cuMemFree_v2", pointer)

    def upload(self, array):
        array = np.ascontiguousarray(array)
        pointer = self.allocate(array.nbytes)
        self("cuMemcpyHtoD_v2", pointer, c_void_p(array.ctypes.data), c_size_t(array.nbytes))
        return pointer

    def download(self, pointer, shape, dtype):
        array = np.empty(shape, dtype)
        self("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), pointer, c_size_t(array.nbytes))
        return array

    def load(self, image):
        module = c_void_p()
        self("cuModuleLoadData", byref(module), image)
        return module

    def function(self, module, name):
        function = c_void_p()
        self("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def launch(self, function, blocks, threads, *arguments, shared=0, stream=None):
        """Integers are 64-bit, floats are of 32 bits; other arguments are ctypes objects."""
        three = [(*np.atleast_1d(extents).tolist(), 1, 1)[:3] for extents in (blocks, threads)]
        kinds = {int: c_int64, float: c_float}
        values = [kinds[type(a)](a) if type(a) in kinds else a for a in arguments]
        addresses = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        self("cuLaunchKernel", function, *three[0], *three[1], shared, stream, addresses, None)
