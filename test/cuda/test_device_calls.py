"""Calls of programs for devices, whose arrays lie in the host's memory, on the emulated device."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from emulated_device import FAILURE, Nvrtc, run_to_its_end

ROOT = Path(__file__).resolve().parents[2]
KERNELS = """
extern "C" __global__ void add(const double *a, const double *b, double *out, long long count) {
  long long threads = gridDim.x * (long long)blockDim.x;
  for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < count; k += threads)
    out[k] = a[k] + b[k];
}
extern "C" __global__ void scale(double *x, long long rows, long long columns, long long row,
                                 long long column, double factor) {
  long long threads = gridDim.x * (long long)blockDim.x;
  long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (long long k = first; k < rows * columns; k += threads)
    x[k / columns * row + k % columns * column] *= factor;
}
"""
BEGIN = """
import ctypes, os, sys
import numpy as np
from binding_support import array, function, sym
from quernel import _runtime
from quernel._runtime import DeviceBuffer, Program, Specialization
from quernel.errors import DeviceError

def counted(name):
    library = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
    library.emulator_count.restype = ctypes.c_int64
    return library.emulator_count(name.encode())

def made(entry, parameters, symbols=0, **details):
    program = Program(sys.argv[1], entry)
    forms = dict(nargs=len(parameters), symbols=symbols, outputs=[], result=("const", None))
    forms |= dict(device=0) | details
    return function(Specialization(program, parameters=parameters, **forms))

def floats(*shape):
    return dict(outputs=[("float64", shape)], result=("output", 0))

number = dict(outputs=[("int64", ())])
vector = (sym(0),)
two_vectors = [array(0, vector), array(1, vector)]
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The path of a shared object with the programs of device_programs.c."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "image").write_bytes(Nvrtc().compile(KERNELS))
    source, made = Path(__file__).parent / "device_programs.c", folder / "programs.so"
    flags = ["-O1", "-shared", "-fPIC", f"-I{ROOT}", f"-DIMAGE={folder / 'image'}"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, source, "-o", made], check=True)
    return made


@pytest.fixture
def run(programs):
    """Run a text in a process with the emulated device."""

    def runs(body, **environment):
        script = BEGIN + FAILURE + textwrap.dedent(body) + "\nprint('done')\n"
        paths = [*sys.path, str(ROOT / "test" / "frontend" / "binding")]
        run_to_its_end([sys.executable, "-c", script, programs], paths, environment)

    return runs


def test_arrays_of_the_host(run):
    run("""
        add = made("add_twice", two_vectors, 1, **floats(5))
        a, b = np.arange(5.0), np.ones(5)
        for _ in range(3):
            assert (add(a, b) == a + 2).all()
        assert (add(a, a) == 3 * a).all()
        assert counted("cuMemAlloc_v2") == 1, "the pool serves later calls"
        assert counted("cuModuleLoadDataEx") == 1
        assert counted("cuLaunchKernel") == 8
        assert _runtime.device_memory(0)[0] == 0
    """)


def test_several_threads(run):
    run("""
        from threading import Thread
        add, right = made("add_twice", two_vectors, 1, **floats(1000)), []
        def work(seed):
            a, b = np.full(1000, float(seed)), np.arange(1000.0)
            right.append(all((add(a, b) == a + 2 * b).all() for _ in range(30)))
        threads = [Thread(target=work, args=[seed]) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert right == [True] * 4
        assert _runtime.device_memory(0)[0] == 0
    """)


def test_strided_arrays_are_written_where_they_are(run):
    run("""
        matrix = array(0, (sym(0), sym(1)), layout="strided", written=True)
        parameters = [matrix, ("scalar", 1, "float")]
        error = (ValueError, "no matrix of {0} rows", "user.py", "f", 3)
        scale = made("scale_matrix", parameters, 2, result=("number", 0), errors=[error], **number)
        whole = np.arange(24.0).reshape(4, 6)
        expected = whole.copy()
        expected[::-2, 1:4] *= 10
        assert scale(whole[::-2, 1:4], 10.0) == 6
        assert (whole == expected).all()
        text = failure(lambda: scale(whole[:, ::5], 0.0), ValueError)
        assert text == "no matrix of 4 rows"
        expected[:, ::5] = 0
        assert (whole == expected).all(), "what is written before an error stays"
    """)


def test_memory_that_is_handed_over(run):
    run("""
        result = ("handed", 0, "float64", [3], [0])
        twice = made("hand_over_twice", [array(0, vector)], 1, **number | dict(result=result))
        given = twice(np.array([1.0, 2.0, 3.0]))
        assert given.tolist() == [2, 4, 6] and given.flags.owndata
        assert _runtime.device_memory(0)[0] == 0
    """)


def test_routines_and_draws_of_the_host(run):
    run("""
        parameters = [array(k, (sym(0), sym(0))) for k in range(2)]
        product = made("product", parameters, 1, **floats(3, 3))
        a, b = np.arange(9.0).reshape(3, 3), np.arange(9.0, 18.0).reshape(3, 3)
        assert (product(a, b) == a @ b).all()
        draws = made("draw_two", [("stream", 0, 0)], **floats(2))
        ours, numpys = np.random.default_rng(7), np.random.default_rng(7)
        for _ in range(2):
            assert (draws(ours) == numpys.random(2)).all()
    """)


def test_a_device_without_memory(run):
    run(
        """
        add = made("add_twice", two_vectors, 1, **floats(1 << 20))
        small = made("add_twice", two_vectors, 1, **floats(5))
        large = np.ones(1 << 20)
        text = failure(lambda: add(large, large + 1))
        start = "device 0 (Quernel emulator) has no memory for 8388608 bytes: "
        assert text.startswith(start), text
        assert _runtime.device_memory(0)[0] == 0
        assert (small(np.ones(5), np.ones(5)) == 3).all()
        """,
        EMULATOR_MEMORY=str(25 << 20),
    )


def test_what_a_device_refuses(run):
    run("""
        bad = made("launch_badly", [array(0, vector, written=True)], 1)
        text = failure(lambda: bad(np.ones(2)))
        what = "can't run the kernel add with 1 x 1 x 1 blocks of 4096 x 1 x 1 threads"
        assert what in text, text
        nowhere = made("write_nowhere", [array(0, vector)], 1)
        assert "CUDA_ERROR_ILLEGAL_ADDRESS" in failure(lambda: nowhere(np.ones(2)))
    """)


def test_there_is_no_other_device(run):
    run("""
        assert _runtime.device_count() == 1 and _runtime.device_problem() == ""
        text = "there is no device 1: the only one is device 0"
        other = made("add_twice", two_vectors, 1, device=1, **floats(2))
        assert failure(lambda: other(np.ones(2), np.ones(2))) == text
        assert failure(lambda: DeviceBuffer(1, 8)) == text
        info = _runtime.device_info(0)
        assert (info["name"], info["capability"]) == ("Quernel emulator", (8, 0))
        assert info["max_threads_per_block"] == 1024
        assert "whose number is missing" in failure(
            lambda: made("add_twice", [array(0, vector)], 1, device=None), ValueError)
        assert Program(sys.argv[1], "add_twice").has_image
        _runtime.device_synchronize(0)
    """)


def test_a_machine_without_devices(run):
    run(
        """
        assert "finds no GPU" in _runtime.device_problem()
        assert "finds no GPU" in failure(_runtime.device_count)
        """,
        EMULATOR_DEVICES="0",
    )


def test_buffers(run):
    run("""
        buffer = DeviceBuffer(0, 80)
        assert (buffer.nbytes, buffer.device) == (80, 0) and buffer.address % 256 == 0
        a, back = np.arange(10.0), np.empty(10)
        buffer.copy_from(a)
        buffer.copy_from(np.array([7.0]), offset=72)
        buffer.copy_to(back)
        assert back.tolist() == [*range(9), 7]
        tail = np.empty(2)
        buffer.copy_to(tail, offset=64)
        assert tail.tolist() == [8, 7]
        buffer.copy_from(np.asfortranarray(np.ones((2, 5), "c8")))
        assert "aren't within a buffer of 80" in failure(lambda: buffer.copy_from(a, 8), ValueError)
        assert "aren't within" in failure(lambda: buffer.copy_to(back, -1), ValueError)
        back.flags.writeable = False
        failure(lambda: buffer.copy_to(back), ValueError)
        failure(lambda: buffer.copy_from(a[::2]), (BufferError, ValueError))
        assert _runtime.device_memory(0)[0] == 512
        del buffer
        assert _runtime.device_memory(0)[0] == 0
        assert _runtime.device_trim(0) == 2 << 20
        assert _runtime.device_memory(0) == (0, 0)
        assert DeviceBuffer(0, 0).address != 0
        failure(lambda: DeviceBuffer(0, -1), ValueError)
    """)


def test_a_child_of_a_fork(run):
    run("""
        buffer = DeviceBuffer(0, 80)
        child = os.fork()
        if child == 0:
            texts = [failure(lambda: buffer.copy_from(np.ones(10))), _runtime.device_problem()]
            del buffer
            os._exit(not all("was forked from one that had used CUDA" in text for text in texts))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        buffer.copy_from(np.ones(10))
    """)
