"""Large arrays of the host, which are copied while kernels run, on an emulated device that is late.

`late` does nothing before somebody waits for it, `eager` copies as soon as it may.
"""

import pytest
from emulated_device import FAILURE

BEGIN = """
import ctypes, os, signal, threading, time
import numpy as np
import quernel as qn
from quernel.errors import DeviceError

LIBRARY = ctypes.CDLL(os.environ["CUDA_PATH"] + "/lib64/libcuda.so.1")
LIBRARY.emulator_count.restype = LIBRARY.emulator_bytes.restype = ctypes.c_int64
LIBRARY.emulator_log.restype = ctypes.c_char_p
N = 40_000  # doubles, which are copied late
A, B, C = (np.random.default_rng(seed).random(N) for seed in range(3))

def count(name):
    return LIBRARY.emulator_count(name.encode())

def same(results, expected):
    for one, other in zip(results, expected, strict=True):
        assert type(one) is type(other), (type(one), type(other))
        np.testing.assert_array_equal(one, other)

def compiled(function):
    return qn.compile(function, device="cuda", fullgraph=True)

def in_place(x, y, out):
    x += y
    out[...] = x * 2
    y[::2] = x[::2]
    x[1:] -= out[:-1]
    return x.sum() > 0

def parts(a, b, c):
    return (a + 1).reshape(200, 200).T.copy(), b[::-1] * 2, np.floor(c[: N // 2] * 4)
"""
BEGIN += FAILURE
SETTINGS = {"EMULATOR_STREAMS": "late"}


@pytest.fixture(params=["late", "eager"])
def run_both(run, request):
    def runs(body, **environment):
        run(body, **{"EMULATOR_STREAMS": request.param} | environment)

    return runs


def test_copies_and_kernels_overlap(run):
    run(
        """
        f = compiled(parts)
        f(A, B, C)
        LIBRARY.emulator_log()
        same(f(A, B, C), parts(A, B, C))
        log = [line.split() for line in LIBRARY.emulator_log().decode().splitlines()]
        streams = {what: {stream for stream, other, _ in log if other == what}
                   for what in ("HtoD", "kernel", "DtoH")}
        (kernels,), (uploads,) = streams["kernel"], streams["HtoD"]
        assert uploads != kernels
        assert len(streams["DtoH"]) == 2, "the last result comes in the stream of the kernels"
        kinds = [what for _, what, _ in log]
        # A kernel doesn't wait for what only later ones use, nor a result for later kernels.
        assert kinds == ["HtoD", "kernel", "DtoH", *kinds[3:]], log
        assert kinds.index("DtoH") < len(kinds) - 1 - kinds[::-1].index("kernel")
        assert kinds.index("kernel") < len(kinds) - 1 - kinds[::-1].index("HtoD")
        """,
        EMULATOR_LOG="1",
    )


def test_programs_of_many_arrays(run_both):
    run_both("""
    f = compiled(parts)
    for turn in range(3):
        same(f(A + turn, B, C), parts(A + turn, B, C))

    def through_numbers(a, b, c):
        limit = a.max()
        while limit > 0.25:
            a = a * 0.5
            limit = a.max()
        return a + b, c if limit < b[0] else c * 2

    g = compiled(through_numbers)
    same(g(A, B, C), through_numbers(A, B, C))

    def by_libraries(m, v):
        return np.sort(v), m @ np.ones((200, 1)), np.argsort(v[::-1], kind="stable")

    h = compiled(by_libraries)
    M = np.floor(A * 8).reshape(200, 200)
    same(h(M, B), by_libraries(M, B))
    """)


def test_draws_selections_and_own_kernels(run_both):
    run_both("""
    def drawn(rng, a, b):
        return rng.random(N) + a, rng.standard_normal(N), b * 2

    f = compiled(drawn)
    for kind in (np.random.PCG64, np.random.MT19937):
        ours, numpys = (np.random.Generator(kind(7)) for _ in range(2))
        for _ in range(2):
            same(f(ours, A, B), drawn(numpys, A, B))

    def selected(a, b, c):
        return a[a > 0.25], np.bincount((b * 8).astype(np.int64)), np.cumsum(np.floor(c * 4))

    same(compiled(selected)(A, B, C), selected(A, B, C))

    axpy = qn.load('''
    __global__ void axpy(double a, qn::array<const double, 1> x, const double *y, double *out,
                         int64_t n) {
      int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
      if (i < n)
        out[i] = a * x[i] + y[i];
    }
    ''', axpy=qn.Kernel("float64, float64[n], float64[n] -> float64[n]", "(n + 255) / 256", 256))

    @compiled
    def twice(a, b, c):
        return axpy(2.0, a, b), axpy(3.0, b, c)

    a, b, c = (np.floor(x * 8) for x in (A, B, C))
    same(twice(a, b, c), (2 * a + b, 3 * b + c))
    """)


def test_blocks_of_the_drivers_own(run_both):
    run_both(
        """
        f, g = compiled(parts), compiled(in_place)
        for turn in range(2):
            same(f(A + turn, B, C), parts(A + turn, B, C))
            ours, numpys = ([A + turn, B.copy(), np.zeros(N)] for _ in range(2))
            assert bool(g(*ours)) == bool(in_place(*numpys))
            same(ours, numpys)
        """,
        QUERNEL_DEVICE_POOL="off",
    )


def test_what_is_written_in_place(run_both):
    run_both("""
    f = compiled(in_place)
    for turn in range(3):
        ours, numpys = ([A + turn, B.copy(), np.zeros(N)] for _ in range(2))
        assert bool(f(*ours)) == bool(in_place(*numpys))
        same(ours, numpys)
    whole = [np.arange(2.0 * N) for _ in range(2)]
    outs = [np.zeros(N), np.zeros(N)]
    for function, x, out in ((f, whole[0], outs[0]), (in_place, whole[1], outs[1])):
        function(x[8 : N + 8], x[N:], out)  # which overlap
    same((whole[0], outs[0]), (whole[1], outs[1]))

    def same_twice(x, y):
        x += 1
        return y * 2

    g, x = compiled(same_twice), A.copy()
    same([g(x, x)], [(A + 1) * 2])
    same([x], [A + 1])
    """)


def test_arguments_that_nothing_uses(run_both):
    run_both("""
    def either(a, b, choice):
        if choice[0] > 0:
            return a * 2
        return b * 2

    f = compiled(either)
    yes, no = np.ones(1), -np.ones(1)
    f(A, B, yes)
    before = LIBRARY.emulator_bytes(b"HtoD")
    same([f(A, B, yes), f(A, B, no)], [A * 2, B * 2])
    assert LIBRARY.emulator_bytes(b"HtoD") - before < 2 * 2 * A.nbytes
    """)


def test_threads_that_call_at_once(run_both):
    run_both("""
    f, g, right = compiled(parts), compiled(in_place), []
    f(A, B, C)

    def work(k):
        expected = parts(A + k, B, C)
        for turn in range(4):
            same(f(A + k, B, C), expected)
            ours, numpys = ([A + k, B.copy(), np.zeros(N)] for _ in range(2))
            g(*ours), in_place(*numpys)
            same(ours, numpys)
        right.append(k)

    def work_in_a_stream(k):
        with qn.cuda.Stream():
            work(k)

    targets = [work, work_in_a_stream, work, work_in_a_stream]
    threads = [threading.Thread(target=target, args=(k,)) for k, target in enumerate(targets)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert sorted(right) == [0, 1, 2, 3]
    """)


def test_errors_in_between(run_both):
    run_both(
        """
    def checked(x, places, y):
        x += 1
        picked = y[places]
        return picked, x * 2, y + 1

    f = compiled(checked)
    places = np.arange(N)
    wrong = places.copy()
    wrong[5] = N
    ours, numpys = A.copy(), A.copy()
    same(f(ours, places, B), checked(numpys, places, B))
    text = failure(lambda: checked(numpys, wrong, B), IndexError)
    assert failure(lambda: f(ours, wrong, B), IndexError) == text
    same([ours], [numpys])
    same(f(ours, places, B), checked(numpys, places, B))

    large = [np.ones(400_000) for _ in range(40)]
    many = compiled(lambda *arrays: [x + 1 for x in arrays])
    assert "has no memory for 3200000 bytes" in failure(lambda: many(*large))
    same(f(ours, places, B), checked(numpys, places, B))
    """,
        EMULATOR_MEMORY=str(96 << 20),
    )


def test_what_needs_no_streams_of_copies_makes_none(run):
    run("""
    f = compiled(parts)
    here = [qn.to_device(x) for x in (A, B, C)]
    calls = ("cuEventRecord", "cuStreamWaitEvent", "cuFuncGetParamInfo", "cuEventCreate")
    f(*here)
    before = [count(name) for name in calls]
    results = f(*here)
    assert [count(name) for name in calls] == before, "of arrays on the device"
    same([x.to_host() for x in results], parts(A, B, C))

    def small(a, b):
        return a + 1, b * 2

    g, x = compiled(small), A[:30_000].copy()
    same(g(x, x), small(x, x))
    before = [count(name) for name in calls[1:]]
    same(g(x, x), small(x, x))
    assert [count(name) for name in calls[1:]] == before, "of small arrays"
    assert count("cuStreamCreate") == 1
    same(f(A, B, C), parts(A, B, C))
    assert count("cuStreamCreate") == 3
    same(f(A, B, C), parts(A, B, C))
    assert count("cuStreamCreate") == 3, "streams are kept"
    """)


def test_a_call_is_interrupted(run):
    run("""
    def many(x, y, n: int):
        z = y * 2
        for _ in range(n):
            x = np.sin(x) + 1.0
        y += 1
        return z, x

    f, y = compiled(many), B.copy()
    f(A, y.copy(), 3)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.perf_counter()
    try:
        f(A, y, 600)
        raise AssertionError("not interrupted")
    except KeyboardInterrupt:
        pass
    assert 0.3 < time.perf_counter() - begun < 30
    same([y], [B])
    z, x = f(A, y, 1)
    same([z, y], [B * 2, B + 1])
    np.testing.assert_allclose(x, np.sin(A) + 1)
    """)
